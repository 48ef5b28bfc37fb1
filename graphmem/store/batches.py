"""Jobs that are Cypher: a file of `jobs/` finds what is due, decides, and changes it in batches.

One statement goes through a page of notes. Each batch is a transaction of its own, of notes of the
same readers, so that what one of them shows to a reader depends on no hidden note.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from graphmem.store.graph import Graph, Row
from graphmem.store.rows import LAST_ID

ALL = 1_000_000_000  # notes, or transactions: more than a graph has


@dataclass(frozen=True, kw_only=True)
class BatchSize:
    """The bounds of one statement of a job; `left_out` are notes that can't be changed."""

    batch: int  # notes that one transaction changes at most
    most: int  # transactions of one statement at most
    left_out: Sequence[str] = ()


def size_parameters(size: BatchSize, limit: int) -> dict[str, object]:
    """Return the parameters that each job in batches takes."""
    return {
        "batch": size.batch,
        "most": size.most,
        "limit": limit,
        "leftOut": list(size.left_out),
        "owners": None,
    }


@dataclass(frozen=True, kw_only=True)
class Batches:
    """The outcome of one statement of a job.

    `place` is where the page ends, None where there was no note. With `more` it has more to change
    than one statement may. `counts` are of the whole page, `changed` of what was changed, by what
    it has become; `notes` are their ids. `told` are the users who have new events, `failed` the
    notes of the transactions that failed, `passed` those of the transactions that found nothing to
    change any more, such as notes of a user who is being erased.
    """

    place: Any
    counts: Mapping[str, int]
    more: bool
    changed: Mapping[str, int]
    notes: frozenset[str]
    told: frozenset[str]
    failed: tuple[str, ...]
    passed: tuple[str, ...]


async def run_statement(
    graph: Graph,
    job: str,
    parameters: Mapping[str, object],
    after: str,
    limit: int,
    size: BatchSize,
    last: str = LAST_ID,
) -> Batches:
    """Run the file of a job on at most `limit` rows in the order of their ids, after one and up to
    `last`, with parameters of its own."""
    given = {**parameters, **size_parameters(size, limit), "after": after, "last": last}
    return to_batches(await graph.run_batches(f"job:{job}", **given))


def to_batches(row: Row) -> Batches:
    """Return what a statement of a job did from its only row."""
    return Batches(
        place=row["place"],
        counts=row["counts"],
        more=row["more"],
        changed=Counter(chain.from_iterable(row["changed"])),
        notes=frozenset(chain.from_iterable(row["notes"])),
        told=frozenset(chain.from_iterable(row["told"])),
        failed=tuple(chain.from_iterable(row["failed"])),
        passed=tuple(chain.from_iterable(row["passed"])),
    )
