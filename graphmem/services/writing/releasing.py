"""Releases notes from quarantine, once the user in person has looked."""

from dataclasses import replace

from graphmem.client.secrets import find_secrets
from graphmem.domain.notes import Note
from graphmem.domain.visibility import Visibility, narrower_visibility, rule_for
from graphmem.domain.writing import Secrets
from graphmem.errors import Conflict
from graphmem.language.subjects import narrowed_by_subject
from graphmem.services.context import Access, Context, require_in_person
from graphmem.services.reading.notes import require_note
from graphmem.services.writing.changing import by_user, change_note, change_readers
from graphmem.services.writing.repeating import repeat_while_stale
from graphmem.services.writing.rights import texts_of


@repeat_while_stale
async def release(context: Context, access: Access, note_id: str) -> Note:
    """Release a note from quarantine, with the visibility that was intended for it, narrowed by the
    current rules.

    For the user in person. Raises NotFound, and Conflict for a note that is not in quarantine.
    """
    require_in_person(access, "releasing a note")
    note = await require_note(context, access, note_id)
    if note.visibility is not Visibility.QUARANTINED:
        raise Conflict("the note is not in quarantine")
    visibility = note.held_from or Visibility.USER_ONLY
    if visibility in (Visibility.QUARANTINED, Visibility.LOCAL):  # as only a strange import says
        visibility = Visibility.USER_ONLY
    if context.writing.secrets is Secrets.USER_ONLY and find_secrets("\n".join(texts_of(note))):
        visibility = narrower_visibility(visibility, Visibility.USER_ONLY)
    if (rule := rule_for(note.domain, access.rules)) is not None:
        visibility = narrower_visibility(visibility, rule)
    visibility = narrowed_by_subject(note.content, visibility, access.rules)
    new = replace(note, visibility=visibility, held_because=None, held_from=None)
    given, after = await change_readers(context, access, note, new)
    given |= by_user(access)
    return await change_note(
        context, access, note, new, "VISIBILITY", "note released", after, properties=given
    )
