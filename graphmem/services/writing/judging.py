"""Asks a model which older notes a new one makes out of date, where no rule decides."""

from collections.abc import Sequence
from dataclasses import dataclass

import structlog

from graphmem.domain.alerts import file_of
from graphmem.domain.notes import Note
from graphmem.domain.writing import UpdateVerdict
from graphmem.language.comparison import Comparison, TextVerdict, since
from graphmem.services.context import Context
from graphmem.services.writing.change_set import WorkingNote

MOST = 2  # the nearest ones; the note that is meant is among them for 98 of 100 updates
NEAR_ENOUGH = 0.35  # cosine; 95 of 100 updates are nearer than that to the note that is meant
BESIDE = 0.2  # the second is judged, too, unless the first is nearer by more
log = structlog.get_logger(__name__)
_DECIDED = (TextVerdict.SAME, TextVerdict.EXTENDS, TextVerdict.REPLACES, TextVerdict.CONTRADICTS)


@dataclass(frozen=True)
class Judged:
    """An older note, its cosine with the new one, and how the new one stands to it."""

    working: WorkingNote
    similarity: float
    verdict: UpdateVerdict


async def judge_older(
    context: Context,
    new: Note,
    near: Sequence[tuple[WorkingNote, float]],
    weighed: Sequence[tuple[WorkingNote, float, Comparison]],
) -> list[Judged]:
    """Judge the nearest older curated notes of the same readers that `weighed` left undecided; none
    where the model fails. A note that holds for a time only makes nothing out of date."""
    if context.judge is None or new.valid_to is not None:
        return []
    decided = {working.id for working, _, found in weighed if found.verdict in _DECIDED}
    older = [
        (working, similarity)
        for working, similarity in near
        if similarity >= NEAR_ENOUGH
        and working.id not in decided
        and _may_be_outdated(working, new)
    ][:MOST]
    judged = [pair for pair in older if pair[1] >= older[0][1] - BESIDE]
    try:
        verdicts = await context.judge.verdicts(
            [(working.note.content, new.content) for working, _ in judged]
        )
    except Exception as exc:  # of a library; without its advice both notes stand
        log.warning("the judge of updates failed", error=type(exc).__name__)
        return []
    return [
        Judged(working, similarity, verdict)
        for (working, similarity), verdict in zip(judged, verdicts, strict=True)
    ]


def _may_be_outdated(working: WorkingNote, new: Note) -> bool:
    old = working.note
    return (
        old.audience == new.audience
        and old.context is not None
        and old.speaker == new.speaker
        and since(old) <= since(new)
        and old.title == new.title
        and file_of(old) is None
    )
