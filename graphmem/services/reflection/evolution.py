"""Meta-reflection (Moltbot 10.4): results of earlier reflections, questions and milestones."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

from graphmem.domain.decay import Decay
from graphmem.domain.ids import uuid7
from graphmem.domain.notes import Kind
from graphmem.domain.reflection import MILESTONES, Item, ItemKind, Reflection
from graphmem.language import reflection_findings
from graphmem.language.reflection_findings import NoteSummary

QUESTIONS = 5
EXAMPLES = 5  # notes that stand for a topic
OFTEN = 5  # accesses from which a note is asked about, or proposed for core memory
IMPORTANT = 0.7
FEWEST = 3  # fewest notes that make a topic


def insights(
    own: Sequence[Reflection], notes: Iterable[NoteSummary], busy: Counter[str], now: datetime
) -> list[Item]:
    """Return the insights of phase 2.

    They are the results of the last reflection and of all of them, and the topic of much of the
    memory; `own` are the maker's reflections, newest first.
    """
    found = []
    if own:
        last = own[0]
        numbers = {"part": "patterns", "reflection": last.number, "status": last.status}
        found.append(_noteless_item(ItemKind.INSIGHT, now, **numbers, **_count_decisions([last])))
    if topic := _busiest(notes, busy):
        found.append(topic_item(topic, now))
    if len(own) > 1:
        numbers = {"part": "emergent", "reflection": len(own)}
        found.append(_noteless_item(ItemKind.INSIGHT, now, **numbers, **_count_decisions(own)))
        revised = _count_decisions(own)["accepted"].get(ItemKind.CONTRADICTION, 0)
        if revised:
            found.append(_noteless_item(ItemKind.INSIGHT, now, part="revised", revised=revised))
    return found


def milestones(own: Sequence[Reflection], number: int, now: datetime) -> list[Item]:
    """Return the review that is due at some numbers."""
    if number not in MILESTONES:
        return []
    return [_noteless_item(ItemKind.MILESTONE, now, number=number, **_count_decisions(own))]


def _noteless_item(kind: ItemKind, now: datetime, **numbers: object) -> Item:
    return Item(id=uuid7(now), kind=kind, audience=None, numbers=numbers)


def _count_decisions(own: Sequence[Reflection]) -> dict[str, dict[str, int]]:
    """Count how many items of each kind were accepted, and how many refused."""
    counts: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    for reflection in own:
        for item in reflection.items:
            if item.accepted is not None:
                counts[item.accepted][str(item.kind)] += 1
    return {"accepted": dict(counts[True]), "refused": dict(counts[False])}


def _busiest(notes: Iterable[NoteSummary], busy: Counter[str]) -> list[NoteSummary]:
    """Return the notes of the audience that has the most notes with the busiest tag."""
    tagged: dict[tuple[str, str], list[NoteSummary]] = defaultdict(list)
    for note in notes:
        for tag in note.tags:
            tagged[tag, note.audience].append(note)
    if not tagged:
        return []
    key = max(tagged, key=lambda each: (busy[each[0]], len(tagged[each]), each))
    return tagged[key] if len(tagged[key]) >= FEWEST else []


def topic_item(notes: Sequence[NoteSummary], now: datetime) -> Item:
    """Return an item about the topic of much of the memory, with a few of its notes.

    Its name is read from them.
    """
    few = notes[:EXAMPLES]
    return Item(
        id=uuid7(now),
        kind=ItemKind.INSIGHT,
        audience=few[0].audience,
        notes=tuple((note.id, note.version) for note in few),
        numbers={"part": "understanding", "notes": len(notes), "size": len(few)},
    )


def questions(
    past: Sequence[Reflection],
    notes: Iterable[NoteSummary],
    now: datetime,
    decay: Decay,
) -> list[Item]:
    """Return questions that only the user can answer.

    They ask whether a note that fades still matters, and whether one that is used often is to be
    pinned. A question that was answered by a rejection is not asked again.
    """
    asked, answered = _count_questions(past)
    notes = list(notes)
    fading = reflection_findings.fading_notes(notes, now, reflection_findings.FADES_BELOW, decay)
    fades = [
        (note, {"about": "fading", "days": (now.date() - note.last_used_at.date()).days})
        for note, score in fading
        if score >= decay.archive_threshold and note.importance >= IMPORTANT
    ]
    often = [
        (note, {"about": "pin", "times": note.access_count})
        for note in reflection_findings.often_used(notes, OFTEN)
        if note.kind is not Kind.SEMANTIC  # those are proposed for core memory
    ]
    return [
        Item(
            id=uuid7(now),
            kind=ItemKind.QUESTION,
            audience=note.audience,
            notes=((note.id, note.version),),
            numbers={**numbers, "asked": asked[note.id] + 1, "size": 1},
        )
        for note, numbers in [*fades, *often]
        if note.id not in answered
    ][:QUESTIONS]


def _count_questions(past: Sequence[Reflection]) -> tuple[Counter[str], Collection[str]]:
    """Return how often each note was asked about, and the notes whose question was decided."""
    asked: Counter[str] = Counter()
    answered = set()
    for reflection in past:
        for item in reflection.items:
            if item.kind is ItemKind.QUESTION:
                asked.update(item.ids)
                answered.update(item.ids if item.accepted is not None else ())
    return asked, answered
