"""Asks a model which older notes a new one makes out of date, where no rule decides."""

from collections.abc import Sequence
from dataclasses import dataclass

import structlog

from graphmem.domain.alerts import file_of
from graphmem.domain.notes import Note
from graphmem.domain.writing import UpdateVerdict
from graphmem.language.comparison import Comparison, TextVerdict, valid_since
from graphmem.language.languages import are_in_english
from graphmem.services.context import Context
from graphmem.services.writing.change_set import WorkingNote
from graphmem.store.deciding import by_readers

# With 2, 0.35 and 0.5 only 3 of 21 updates of `bench.day` are judged at all, and one is noticed.
# With these 7 are noticed, and of 15 look-alikes none is taken for an update.
MOST = 3  # the nearest ones
NEAR_ENOUGH = 0.25  # cosine
MAX_GAP_TO_NEAREST = 0.2  # the others are judged, too, unless the first is nearer by more than this
NEAR_ELSEWHERE = 0.3  # cosine with the nearest note of each group of other readers
MOST_GROUPS = 12  # groups of other readers; a judgement takes about 10 ms of a processor
log = structlog.get_logger(__name__)
_DECIDED = (TextVerdict.SAME, TextVerdict.EXTENDS, TextVerdict.REPLACES, TextVerdict.CONTRADICTS)


@dataclass(frozen=True)
class Judged:
    """An older note, its cosine with the new one, and the verdict about the two."""

    working: WorkingNote
    similarity: float
    verdict: UpdateVerdict


async def judge_own(
    context: Context,
    new: Note,
    near: Sequence[tuple[WorkingNote, float]],
    weighed: Sequence[tuple[WorkingNote, float, Comparison]],
) -> list[Judged]:
    """Judge the nearest older curated notes of the same readers that `weighed` left undecided.

    Judges none where the model fails, or notes in other languages than it has learned. A note that
    holds for a time only makes nothing out of date.
    """
    decided = {working.id for working, _, found in weighed if found.verdict in _DECIDED}
    older = [
        pair
        for pair in near
        if pair[0].audience == new.audience
        and pair[1] >= NEAR_ENOUGH
        and pair[0].id not in decided
        and _may_be_outdated(pair[0].note, new)
    ][:MOST]
    return await _ask_judge(
        context, new, [each for each in older if each[1] >= older[0][1] - MAX_GAP_TO_NEAREST]
    )


async def judge_elsewhere(
    context: Context, new: Note, near: Sequence[tuple[WorkingNote, float]]
) -> list[Judged]:
    """Judge the nearest older curated note of each group of other readers.

    The widest groups are judged: no more than a doubt may be recorded about their notes, for
    whoever reads both. Which groups they are depends on no text, so no note pushes out one that
    others read.
    """
    groups = dict[str, list[tuple[WorkingNote, float]]]()
    for pair in near:
        if pair[0].audience != new.audience:
            groups.setdefault(pair[0].audience.key, []).append(pair)
    wanted = by_readers(groups)[:MOST_GROUPS]
    older = [
        [pair for key in group for pair in groups[key] if _may_be_outdated(pair[0].note, new)]
        for group in wanted
    ]
    nearest = [max(each, key=lambda pair: (pair[1], pair[0].id)) for each in older if each]
    return await _ask_judge(context, new, [pair for pair in nearest if pair[1] >= NEAR_ELSEWHERE])


async def _ask_judge(
    context: Context, new: Note, older: Sequence[tuple[WorkingNote, float]]
) -> list[Judged]:
    if context.judge is None or new.valid_to is not None or not older:
        return []
    try:
        verdicts = await context.judge.verdicts(
            [(working.note.content, new.content) for working, _ in older]
        )
    except Exception as exc:  # an error of a library; without its advice both notes stay
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
        and valid_since(old) <= valid_since(new)
        and (old.title == new.title or None in (old.title, new.title))
        and file_of(old) is None
        and are_in_english(old.content, new.content)
    )
