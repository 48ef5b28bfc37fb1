"""Jobs as one statement with its parameters, for an analyst who runs them by hand."""

from collections.abc import Callable, Iterator, Mapping
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
from graphmem.store.resolution import parameters_of_merges
from graphmem.store.tiers import parameters_of_moves

Parameters = dict[str, object]


def _of_sweep(ranking: Ranking, now: datetime) -> Iterator[Parameters]:
    yield parameters_of_whole_sweep(now, ranking.act_r.d, ranking.decay)


def _of_expiry(ranking: Ranking, now: datetime) -> Iterator[Parameters]:
    yield parameters_of_expiry(BEGINNING, now)


def _of_merges(ranking: Ranking, now: datetime) -> Iterator[Parameters]:
    yield parameters_of_merges(now)


def _of_moves(ranking: Ranking, now: datetime) -> Iterator[Parameters]:
    for move in BY_STATEMENT:
        yield parameters_of_moves({move: bounds_of(move, ranking.tiered, now)}, now)


STATEMENTS: Final[Mapping[str, Callable[[Ranking, datetime], Iterator[Parameters]]]] = (
    MappingProxyType(
        {
            "expire_notes": _of_expiry,
            "merge_entities": _of_merges,
            "move_tiers": _of_moves,
            "sweep_decay": _of_sweep,
        }
    )
)


def statement_parameters(job: str, ranking: Ranking, now: datetime) -> list[Parameters]:
    """Return the parameters with which the file of a job does its work on all notes, once for each
    time that it has to run; none for a job whose work is done in Python.
    """
    alone = size_parameters(BatchSize(batch=MOST, most=ALL), ALL)
    return [alone | given for given in STATEMENTS[job](ranking, now)] if job in STATEMENTS else []
