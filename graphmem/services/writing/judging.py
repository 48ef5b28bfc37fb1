"""Asks a model which older notes a new one makes out of date, where no rule decides."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import structlog

from graphmem.domain.alerts import file_of
from graphmem.domain.notes import Note
from graphmem.domain.visibility import readers_of
from graphmem.domain.writing import UpdateVerdict
from graphmem.language.comparison import Comparison, TextVerdict, since
from graphmem.services.context import Context
from graphmem.services.writing.change_set import WorkingNote

MOST = 2  # the nearest ones; the note that is meant is among them for 98 of 100 updates
NEAR_ENOUGH = 0.35  # cosine; 95 of 100 updates are nearer than that to the note that is meant
BESIDE = 0.2  # the second is judged, too, unless the first is nearer by more
NEAR_ELSEWHERE = 0.5  # cosine with the nearest note of each group of other readers
log = structlog.get_logger(__name__)
_DECIDED = (TextVerdict.SAME, TextVerdict.EXTENDS, TextVerdict.REPLACES, TextVerdict.CONTRADICTS)


@dataclass(frozen=True)
class Judged:
    """An older note, its cosine with the new one, and how the new one stands to it."""

    working: WorkingNote
    similarity: float
    verdict: UpdateVerdict


@dataclass(frozen=True)
class JudgedOlder:
    """The older notes that were judged: those of the new note's audience, and those of others,
    about which no more than a doubt may be recorded, for whoever reads both."""

    own: Sequence[Judged] = ()
    elsewhere: Sequence[Judged] = ()


async def judge_older(
    context: Context,
    new: Note,
    near: Sequence[tuple[WorkingNote, float]],
    weighed: Sequence[tuple[WorkingNote, float, Comparison]],
) -> JudgedOlder:
    """Judge the nearest older curated notes that `weighed` left undecided, and the nearest one of
    each group of other readers; none where the model fails. A note that holds for a time only makes
    nothing out of date."""
    if context.judge is None or new.valid_to is not None:
        return JudgedOlder()
    decided = {working.id for working, _, found in weighed if found.verdict in _DECIDED}
    older = [
        pair for pair in near if pair[0].id not in decided and _may_be_outdated(pair[0].note, new)
    ]
    own = _nearest_own([pair for pair in older if pair[0].audience == new.audience])
    elsewhere = _nearest_of_each([pair for pair in older if pair[0].audience != new.audience])
    judged = await _judged(context, new, [*own, *elsewhere])
    return JudgedOlder(judged[: len(own)], judged[len(own) :])


def _nearest_own(older: Sequence[tuple[WorkingNote, float]]) -> list[tuple[WorkingNote, float]]:
    near = [pair for pair in older if pair[1] >= NEAR_ENOUGH][:MOST]
    return [pair for pair in near if pair[1] >= near[0][1] - BESIDE]


def _nearest_of_each(
    older: Iterable[tuple[WorkingNote, float]],
) -> list[tuple[WorkingNote, float]]:
    """Each group of readers by itself, so that no note pushes out one that others read."""
    nearest: dict[str, tuple[WorkingNote, float]] = {}
    for pair in older:
        if pair[1] >= NEAR_ELSEWHERE:
            nearest.setdefault(readers_of(pair[0].audience.key), pair)
    return [*nearest.values()]


async def _judged(
    context: Context, new: Note, older: Sequence[tuple[WorkingNote, float]]
) -> list[Judged]:
    if context.judge is None or not older:
        return []
    try:
        verdicts = await context.judge.verdicts(
            [(working.note.content, new.content) for working, _ in older]
        )
    except Exception as exc:  # of a library; without its advice both notes stand
        log.warning("the judge of updates failed", error=type(exc).__name__)
        return []
    return [
        Judged(working, similarity, verdict)
        for (working, similarity), verdict in zip(older, verdicts, strict=True)
    ]


def _may_be_outdated(old: Note, new: Note) -> bool:
    return (
        old.context is not None
        and old.speaker == new.speaker
        and since(old) <= since(new)
        and old.title == new.title
        and file_of(old) is None
    )
