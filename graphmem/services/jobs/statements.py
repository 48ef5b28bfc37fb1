"""Jobs as one statement with its parameters, for an analyst who runs them by hand."""

from collections.abc import Callable, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Final

from graphmem.domain.notes import BEGINNING
from graphmem.domain.profiles.parameters import Ranking
from graphmem.domain.tiers import bounds_of
from graphmem.services.job_runs.pace import MOST
from graphmem.services.jobs.tiers import BY_STATEMENT
from graphmem.store.archiving import parameters_of_expiry
from graphmem.store.batches import ALL, BatchSize, size_parameters
from graphmem.store.decay import parameters_of_whole_sweep
from graphmem.store.expertise import parameters_of_knowledge
from graphmem.store.links import parameters_of_relating
from graphmem.store.proposals import parameters_of_expired
from graphmem.store.resolution import parameters_of_merges
from graphmem.store.tiers import parameters_of_moves

Parameters = dict[str, object]


def _of_moves(ranking: Ranking, now: datetime) -> list[Parameters]:
    bounds = [{move: bounds_of(move, ranking.tiered, now)} for move in BY_STATEMENT]
    return [parameters_of_moves(each, now) for each in bounds]


STATEMENTS: Final[Mapping[str, Callable[[Ranking, datetime], list[Parameters]]]] = MappingProxyType(
    {
        "expire_notes": lambda ranking, now: [parameters_of_expiry(BEGINNING, now)],
        "expire_proposals": lambda ranking, now: [parameters_of_expired(now)],
        "merge_entities": lambda ranking, now: [parameters_of_merges(now)],
        "move_tiers": _of_moves,
        "relate_notes": lambda ranking, now: [
            parameters_of_relating(ranking.related_memories, BEGINNING, now)
        ],
        "sweep_decay": lambda ranking, now: [
            parameters_of_whole_sweep(now, ranking.act_r.d, ranking.decay)
        ],
        "update_expertise": lambda ranking, now: [parameters_of_knowledge(now, now)],
    }
)


def statement_parameters(job: str, ranking: Ranking, now: datetime) -> list[Parameters]:
    """Return the parameters with which the file of a job does its work on all notes, once for each
    time that it has to run; none for a job whose work is done in Python.
    """
    alone = size_parameters(BatchSize(batch=MOST, most=ALL), ALL)
    return [alone | given for given in STATEMENTS[job](ranking, now)] if job in STATEMENTS else []
