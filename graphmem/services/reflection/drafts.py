"""The findings of one pass through the memory, before they become a reflection."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from graphmem.domain.decay import Decay
from graphmem.domain.ids import uuid7
from graphmem.domain.reflection import Item, ItemKind, Reflection, proposed_before
from graphmem.language.reflection_findings import NoteSummary

MOST = {
    ItemKind.FACT: 25,
    ItemKind.PROCEDURE: 5,
    ItemKind.SKILL: 5,
    ItemKind.LINK: 15,
    ItemKind.ARCHIVE: 15,
    ItemKind.CONTRADICTION: 10,
    ItemKind.CORE: 6,
}


@dataclass(frozen=True, kw_only=True)
class Draft:
    """An item without a place yet, and how busy its topic is."""

    item: Item
    busy: int = 0


@dataclass(kw_only=True)
class Pass:
    """One pass through the memory."""

    now: datetime
    notes: dict[str, NoteSummary]
    past: Sequence[Reflection]  # reflections of this maker; for the user, of all makers
    own: Sequence[Reflection]
    number: int
    decay: Decay
    busy: Counter[str] = field(default_factory=Counter)
    drafts: list[Draft] = field(default_factory=list)

    def add(self, kind: ItemKind, notes: Sequence[NoteSummary], **numbers: object) -> None:
        """Draft an item about notes of one audience."""
        item = Item(
            id=uuid7(self.now),
            kind=kind,
            audience=notes[0].audience,
            notes=tuple((note.id, note.version) for note in notes),
            numbers={"size": len(notes), **numbers},
        )
        topics = (self.busy[topic] for note in notes for topic in note.topics)
        self.drafts.append(Draft(item=item, busy=max(topics)))


def choose_items(made: Pass) -> list[Item]:
    """Choose what was not proposed before, items about the busiest topic first.

    As many of each kind are chosen as one reflection takes.
    """
    proposed = proposed_before(made.past)
    order = list(MOST)
    drafts = sorted(
        (d for d in made.drafts if not proposed.has(d.item.kind, d.item.ids)),
        key=lambda d: (-d.busy, order.index(d.item.kind)),
    )
    taken: Counter[ItemKind] = Counter()
    chosen = []
    for draft in drafts:
        kind = draft.item.kind
        if taken[kind] < MOST[kind]:
            taken[kind] += 1
            chosen.append(draft.item)
    return chosen
