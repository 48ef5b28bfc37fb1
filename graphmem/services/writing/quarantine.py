"""Texts that seem to instruct agents: no agent reads them before the user in person has looked.

A note of an agent, or of an import, is kept apart by its visibility, so the gate of every read
keeps it from agents, from recall that is not asked for it, and from what goes into prompts."""

from collections.abc import Iterable
from dataclasses import replace

from graphmem.domain.actors import INIT, Viewer
from graphmem.domain.notes import Note, NoteDraft
from graphmem.domain.visibility import Visibility
from graphmem.language.instructions import why_instructing
from graphmem.services.writing.rights import texts_of


def quarantined_if_instructing(viewer: Viewer, note: Note, draft: NoteDraft | None = None) -> Note:
    """Return a note for the user alone to look at, if its writer is nobody whom agents follow and
    its text, or a name in its draft, seems to instruct them."""
    if is_followed(viewer) or note.visibility in (Visibility.LOCAL, Visibility.QUARANTINED):
        return note
    content, *more = texts_of(note)
    if draft is not None:
        for thing in draft.entities:
            more += [thing.name, *thing.aliases, thing.type or ""]
        for said in draft.relations:
            more += [said.subject, said.predicate, said.object]
    more.append(note.external_id or "")
    reason = why_instructing(content) or why_instructing("\n".join(more))
    if reason is None:
        return note
    return replace(
        note,
        held_because=reason,
        held_from=note.visibility,
        visibility=Visibility.QUARANTINED,
    )


def is_followed(viewer: Viewer) -> bool:
    """Check whether agents may follow what the viewer says: the user in person, not an import."""
    return (viewer.in_person and viewer.actor != INIT) or viewer.decided_by_user


def why_refused(texts: Iterable[str]) -> str | None:
    """Return why an agent may not give others texts that seem to instruct them; None if it may."""
    reason = next(filter(None, map(why_instructing, texts)), None)
    return f"{reason}: such a text is for the user in person to write" if reason else None
