"""LINK and EVOLVE: a written note is linked to the notes near it, and some of them are refined.

Links lead to notes of any audience that the writer may read, and show only to those who may read
both ends. Only notes of the same audience are refined, so that no word of a note reaches those who
may not read it; a note that gets other readers loses them again (`notes/change`).
"""

from collections import defaultdict
from collections.abc import Sequence

from graphmem.domain.alerts import file_of
from graphmem.domain.linking import (
    CONTRADICTS,
    EVOLVES_FROM,
    MAX_EVOLUTIONS,
    MAX_LINKS,
    UPDATES,
    Connection,
    connect,
    evolve,
)
from graphmem.domain.notes import Kind
from graphmem.domain.visibility import WIDEST_FIRST, readers_of
from graphmem.services.writing.building import ChangeSetBuilder
from graphmem.services.writing.change_set import WorkingNote

MAX_ELSEWHERE = 3  # links to notes of other readers, for each group of them


def connect_and_evolve(
    changes: ChangeSetBuilder, note: str, near: Sequence[tuple[WorkingNote, float]]
) -> None:
    """Link a new or grown note to the notes near it and refine at most 5 of them.

    It gets at most 10 links to notes of its own readers and 3 to each other group of readers. What
    a new episode is strongly linked to counts as accessed (MOLT-40).
    """
    made = changes.notes[note]
    links = _choose_links(changes, made, near)
    changes.link(note, links)
    strong = [
        (other, found)
        for other, found in links
        if found.strength >= EVOLVES_FROM and other.audience == made.audience
    ]
    if made.before is None and made.note.kind is Kind.EPISODIC:
        for other, _ in strong:
            changes.count_reference(other.id)
    if not changes.evolving:
        return
    refined = 0
    for other, found in strong:
        if file_of(other.note) is not None:  # only the user changes files that agents follow
            continue
        new = evolve(other.note, made.note, found.shared)
        if new is not None and refined < MAX_EVOLUTIONS:
            changes.lend(other.id, made.id, *new)
            refined += 1


def _choose_links(
    changes: ChangeSetBuilder, made: WorkingNote, near: Sequence[tuple[WorkingNote, float]]
) -> list[tuple[WorkingNote, Connection]]:
    """Choose the links, those inside the audience first, strongest first among equals.

    Notes with other readers fill up the remaining places, each group of readers by itself, so that
    notes which a reader can't read never take the places of those that it can.
    """
    contradicted = {old for old, new, _ in changes.conflicts if new == made.id}
    updated = {old for old, new in changes.updates if new == made.id}
    found = []
    for before, similarity in near:
        other = changes.notes[before.id]  # the state that this draft has left it in
        if other is made or not other.is_live:
            continue
        link = connect(made.facets, other.facets, similarity)
        if other.id in contradicted:
            strength = link.strength if link else round(0.5 * similarity, 3)
            kind = UPDATES if other.id in updated else CONTRADICTS
            link = Connection(kind, strength, "both can't be true", ())
        if link is not None:
            found.append((other, link))
    own = made.audience
    found.sort(
        key=lambda pair: (
            pair[0].audience != own,
            WIDEST_FIRST.index(pair[0].note.visibility),
            pair[1].kind != UPDATES,  # recall depends on these
            -pair[1].strength,
            pair[0].id,
        )
    )
    inside = [pair for pair in found if pair[0].audience == own][:MAX_LINKS]
    room = min(MAX_LINKS - len(inside), MAX_ELSEWHERE)
    elsewhere: dict[str, list[tuple[WorkingNote, Connection]]] = defaultdict(list)
    for pair in found:
        if pair[0].audience != own:
            elsewhere[readers_of(pair[0].audience.key)].append(pair)
    chosen = [
        pair
        for group in elsewhere.values()
        for place, pair in enumerate(group)
        if place < room or pair[1].kind in (UPDATES, CONTRADICTS)  # a conflict always has its link
    ]
    return [*inside, *chosen]
