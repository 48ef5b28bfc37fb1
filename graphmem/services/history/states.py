"""The past states of a note, by its revisions, and going back to one of them."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from graphmem.domain.linking import RELATED_MARK
from graphmem.domain.notes import Note, Revision, Status
from graphmem.domain.visibility import Visibility, narrower_visibility, rule_for
from graphmem.services.reading.history import without_change
from graphmem.store.notes import LIVE_STATUSES


def state_of(
    note: Note, revisions: Sequence[Revision], is_then: Callable[[Revision], bool]
) -> Note | None:
    """Return the note at its newest revision of then, with its present version and times.

    The revisions are newest first. None when none of them is of then.
    """
    for revision in revisions:
        if is_then(revision):
            return replace(note, content=revision.content)
        for name, change in revision.changes.items():
            if isinstance(change, list) and len(change) == 2:
                note = _undo_change(note, name, change[0])
    return None


def _undo_change(note: Note, name: str, old: object) -> Note:
    match name, old:
        case "visibility", str():
            return replace(note, visibility=Visibility(old))
        case "domain", str():
            return replace(note, domain=old)
        case "loadBearing", bool():
            return replace(note, load_bearing=old)
        case "metadata", (str() | None):
            return replace(note, metadata=None if old is None else json.loads(old))
    return without_change(note, name, old)


def revert_state(
    note: Note, then: Note, rules: Mapping[str, Visibility], half_life_hours: float
) -> Note:
    """Return the note as it will be.

    What follows from age and use (tier, half-life, which live status) does not change; nor do
    accesses. It gets no more readers than it has now or had then, by visibility and by the rule of
    its domain.
    """
    visibility = narrower_visibility(note.visibility, then.visibility)
    rule = None if then.domain == note.domain else rule_for(then.domain, rules)
    half_life = note.half_life_hours
    if then.pinned != note.pinned:
        half_life = None if then.pinned else half_life or half_life_hours
    context = then.context
    if context is not None and context != note.context:
        context = context.split(RELATED_MARK)[0]
    return replace(
        then,
        visibility=visibility if rule is None else narrower_visibility(visibility, rule),
        context=context,
        half_life_hours=half_life,
        tier=note.tier,
        status=note.status if is_live(note) and is_live(then) else _status_of(then),
    )


def _status_of(then: Note) -> Status:
    return Status.ACTIVE if is_live(then) else then.status


def is_live(note: Note) -> bool:
    """Return True if the note can be recalled."""
    return note.status in LIVE_STATUSES


def crosses_session(note: Note, then: Note) -> bool:
    """Return True if one of the two is local to a session and the other is not."""
    return (note.visibility is Visibility.LOCAL) != (then.visibility is Visibility.LOCAL)
