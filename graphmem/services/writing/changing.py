"""Changes existing notes. A writer never changes a note that it can't read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from graphmem.domain.drafts import check_choice, check_name, check_share, check_tags, check_text
from graphmem.domain.ids import check_domain
from graphmem.domain.notes import (
    BEGINNING,
    MAX_CONTENT,
    MAX_TITLE,
    Note,
    Revision,
    Status,
    Tier,
    Validity,
    Wording,
)
from graphmem.domain.visibility import (
    Audience,
    Visibility,
    derive_audience,
    narrower_visibility,
    rule_for,
)
from graphmem.domain.writing import Secrets
from graphmem.errors import Conflict, Forbidden, Invalid
from graphmem.language.subjects import narrowed_by_subject
from graphmem.services.context import Access, Context
from graphmem.services.reading.notes import require_note
from graphmem.services.writing.applying import apply
from graphmem.services.writing.change_set import ChangeSet, WorkingNote, differences
from graphmem.services.writing.purging import purge
from graphmem.services.writing.quarantine import is_followed, why_refused
from graphmem.services.writing.reextraction import reextract
from graphmem.services.writing.repeating import repeat_while_stale
from graphmem.services.writing.rights import list_protected, require_may_move, require_may_restore
from graphmem.services.writing.secrets import redact
from graphmem.store import deciding, notes
from graphmem.store.graph import Step
from graphmem.store.purging import check_narrowed_step, list_derived_notes

REVISION_PAGE = 100


@dataclass(frozen=True, kw_only=True)
class Edit:
    """The fields that a revision changes; None where nothing was given."""

    content: str | None = None
    title: str | None = None
    tags: tuple[str, ...] | None = None
    domain: str | None = None
    importance: float | None = None
    validity: Validity | None = None
    visibility: Visibility | None = None  # no more readers than this; not part of a request


def require_writer(access: Access) -> None:
    """Raise Forbidden for an agent that may only propose."""
    if access.viewer.proposes:
        raise Forbidden("this agent may not write by itself")


@repeat_while_stale
async def revise(
    context: Context,
    access: Access,
    note_id: str,
    change: Edit,
    expected_version: int | None = None,
) -> Note:
    """Change the given fields of a note; its old text is kept in a revision.

    Raises NotFound, Invalid, Conflict when the note no longer has the expected version, and
    Forbidden for an agent that may only propose, or whose text seems to instruct other agents.
    """
    require_writer(access)
    note = await require_note(context, access, note_id)
    if expected_version is not None and expected_version != note.version:
        raise Conflict("the note has another version", currentVersion=note.version)
    now = context.clock()
    edit = _check_edit(change)
    change = await context.texts.run(lambda _: _look_through(context, access, edit))
    new, said, title = _apply_edit(access, note, change), None, None
    has_new_text = new.content != note.content or new.title != note.title
    if has_new_text:
        given = change.tags is not None
        new, said, title = await reextract(context, note, new, now, tags_given=given)
    if not differences(note, new):
        return note
    properties, after = await change_readers(context, access, note, new)
    properties |= {"curatedKey": None}
    if change.tags is not None:
        properties["givenTags"] = list(new.tags)
    kind_and_summary = (
        ("RENAME", "note renamed") if _is_renamed(note, new) else ("EDIT", "note revised")
    )
    working = WorkingNote.of(note).with_change(new, now, *kind_and_summary, properties=properties)
    if new.reading_text != note.reading_text:
        vector = (await context.embedder.embed_documents([new.reading_text]))[0]
        working = replace(working, vector=vector)
    reextracted = ((note.id, title),) if has_new_text else ()
    changes = ChangeSet.of(now, [working], mentions=said, reextracted=reextracted)
    await apply(context, access, changes, after=after)
    return working.note


def _is_renamed(old: Note, new: Note) -> bool:
    """Return True if a note that had a title has another one now, and its text is unchanged."""
    return old.title is not None and old.title != new.title and old.content == new.content


def _check_edit(change: Edit) -> Edit:
    if change == Edit():
        raise Invalid("nothing to change was given")
    content, title = change.content, change.title
    return replace(
        change,
        content=None if content is None else check_text(content, "content", MAX_CONTENT),
        title=None if title is None else check_name(title, "title", MAX_TITLE),
        tags=None if change.tags is None else check_tags(change.tags),
        domain=None if change.domain is None else check_domain(change.domain),
        importance=check_share(change.importance, "importance"),
    )


def _look_through(context: Context, access: Access, change: Edit) -> Edit:
    """Return the edit without secrets. Raises Invalid and Forbidden."""
    change = _without_secrets(change, context.writing.secrets)
    _refuse_instructions(access, change)
    return change


def _refuse_instructions(access: Access, change: Edit) -> None:
    """Raise Forbidden where an agent gives a note a text that seems to instruct other agents: it
    could take the note from all who read it, if that were kept apart as a new note is."""
    texts = [text for text in (change.content, change.title, *(change.tags or ())) if text]
    if not is_followed(access.viewer) and (reason := why_refused(texts)):
        raise Forbidden(reason)


def _without_secrets(change: Edit, policy: Secrets) -> Edit:
    """Return the edit without secrets, or as one that makes the note one for the user alone."""
    given = {"content": change.content, "title": change.title, "tags": change.tags}
    clean, found = redact(given, policy)
    if found and policy is Secrets.USER_ONLY:
        return replace(change, visibility=Visibility.USER_ONLY)
    return replace(change, **clean) if found else change


def _apply_edit(access: Access, note: Note, change: Edit) -> Note:
    """Return the note with the edit applied, before its text is read.

    A domain rule may narrow the readers, and what the user revises is confirmed (DIFF-12).
    """
    content = change.content or note.content
    visibility = note.visibility
    if change.domain is not None and change.domain != note.domain:
        rule = rule_for(change.domain, access.rules)
        visibility = visibility if rule is None else narrower_visibility(visibility, rule)
    if change.visibility is not None:
        visibility = narrower_visibility(visibility, change.visibility)
    if change.content is not None and not access.viewer.in_person:
        visibility = narrowed_by_subject(change.content, visibility, access.rules)
    confirmed = Validity.CONFIRMED if access.viewer.in_person else note.validity
    return replace(
        note,
        content=content,
        title=note.title if change.title is None else change.title,
        tags=note.tags if change.tags is None else change.tags,
        domain=change.domain or note.domain,
        visibility=visibility,
        importance=note.importance if change.importance is None else change.importance,
        validity=change.validity or (confirmed if content != note.content else note.validity),
    )


@repeat_while_stale
async def restore(context: Context, access: Access, note_id: str) -> Note:
    """Restore an archived note, or move one from long-term memory into short-term memory.

    Any other note does not change. Raises Forbidden for an agent where the user put the note away.
    """
    require_writer(access)
    note = await require_note(context, access, note_id)
    if note.status is not Status.ARCHIVED and not _is_in_long_term(note):
        return note
    await restore_note(context, access, note, Status.ACTIVE)
    return await require_note(context, access, note_id)


async def restore_note(context: Context, access: Access, note: Note, status: Status) -> None:
    """Give an archived note, or one of long-term memory, a status, as it was read.

    That is an access, or the note would fade again at once. Raises Stale when it has changed, and
    Forbidden for an agent where the user put the note away."""
    before = await require_may_restore(context, access, note)
    now = context.clock()
    new, given = replace(note, status=status), {}
    if _is_in_long_term(note):
        new, given = replace(new, tier=Tier.SHORT_TERM), {"promotedAt": now}
    working = WorkingNote.of(note).with_change(
        new, now, "REVERT", "note restored", properties=given
    )
    changes = ChangeSet.of(now, [working.with_accesses([now], 1.0)])
    await apply(context, access, changes, before=before)


def _is_in_long_term(note: Note) -> bool:
    return note.tier is Tier.LONG_TERM and note.status is not Status.SUPERSEDED


async def change_note(
    context: Context,
    access: Access,
    note: Note,
    new: Note,
    event: str,
    summary: str,
    after: Sequence[Step] = (),
    **given: Any,
) -> Note:
    """Change one note by itself, before the steps `after`, and return it as it is then.

    `given`: other arguments of `WorkingNote.with_change`. Raises what `apply` raises.
    """
    now = context.clock()
    working = WorkingNote.of(note).with_change(new, now, event, summary, **given)
    await apply(context, access, ChangeSet.of(now, [working]), after=after)
    return working.note


@repeat_while_stale
async def pin(
    context: Context, access: Access, note_id: str, pinned: bool, visibility: Visibility | None
) -> Note:
    """Pin a note, so that it never decays, or let it decay again; optionally set its visibility."""
    require_writer(access)
    note = await require_note(context, access, note_id)
    half_life = None if pinned else note.half_life_hours or context.writing.half_life_hours
    new = replace(note, pinned=pinned, half_life_hours=half_life)
    properties: dict[str, object] = {}
    after: Sequence[Step] = ()
    if pinned or note.half_life_hours is None:  # otherwise it may have grown since
        properties["halfLifeHours"] = half_life
    if visibility is not None:
        new = replace(new, visibility=check_choice(visibility))
        given, after = await change_readers(context, access, note, new)
        properties |= given | by_user(access)
    return await change_note(
        context,
        access,
        note,
        new,
        "PIN",
        "note pinned" if pinned else "note unpinned",
        after,
        details={"pinned": [note.pinned, pinned]},
        properties=properties,
    )


@repeat_while_stale
async def make_foundational(context: Context, access: Access, note_id: str) -> Note:
    """Make a note part of T0: no job moves, changes or archives it."""
    require_writer(access)
    note = await require_note(context, access, note_id)
    new = replace(note, tier=Tier.FOUNDATIONAL, load_bearing=True, half_life_hours=None)
    properties = {"halfLifeHours": None}
    return await change_note(
        context, access, note, new, "EDIT", "note is foundational", properties=properties
    )


async def change_readers(
    context: Context, access: Access, note: Note, new: Note
) -> tuple[dict[str, object], list[Step]]:
    """Check that the viewer may give a note the readers of `new`, and narrow what jobs made.

    Readers that the note loses are taken from what jobs have made of it. Returns the properties for
    the note's node and the steps that come after the change. Raises Forbidden.
    """
    given = await require_may_move(context, access, note, new)
    return given, await narrow_derived_notes(context, access, note, new)


async def narrow_derived_notes(
    context: Context, access: Access, note: Note, new: Note
) -> list[Step]:
    """Remove the readers that a note is about to lose from the notes derived from it.

    This comes first because those notes hold its words. Returns the steps that must come after the
    change of the note itself: they are Stale when a job has made more of it meanwhile.
    """
    if note.section is not None or derive_audience(note.audience, new.audience) == note.audience:
        return []
    made = await list_derived_notes(context.graph, [note.id])
    await narrow_each(context, access, made, new.audience)
    return [check_narrowed_step(note.id, note.audience.key)]


async def mark_made(context: Context, access: Access, note: Note) -> None:
    """Record the user's decision about the readers of a note on what jobs have made of it."""
    made = await list_derived_notes(context.graph, [note.id])
    keys = sorted(set(made.values()))
    for each in (await notes.load_notes(context.graph, list(made), keys, BEGINNING)).values():
        given = by_user(access)
        await change_note(
            context, access, each, each, "VISIBILITY", "readers confirmed", properties=given
        )


async def narrow_each(
    context: Context, access: Access, made: Mapping[str, str], source: Audience
) -> None:
    """Take the readers that a source has lost from notes that jobs have made of it.

    `made` has the keys of their audiences by their ids, whether the viewer may read them or not. A
    note for which no audience fits is destroyed: what was archived for it comes back, and jobs make
    another one of the sources that still have the same readers.
    """
    viewer = replace(access.viewer, agent=None, acting_as=access.viewer.actor)
    alone = replace(access, viewer=viewer)
    keys = sorted(set(made.values()))
    loaded = await notes.load_notes(context.graph, list(made), keys, BEGINNING)
    kept = await list_protected(context, access, list(loaded.values()))
    for old in loaded.values():
        new = _narrow_to(access, old, source)
        if new is None and old.id in kept:
            new = replace(old, visibility=Visibility.USER_ONLY)
        if new is None:
            await purge(context, alone, [old], actor=viewer.actor)
        elif new is not old:
            given = by_user(access)
            await change_note(
                context, alone, old, new, "VISIBILITY", "readers changed", properties=given
            )


def _narrow_to(access: Access, made: Note, source: Audience) -> Note | None:
    """Return the note with those of its readers who may read the source.

    None where no audience fits, by the user's rules and with the note's author.
    """
    readers = derive_audience(made.audience, source)
    if readers is None or readers == made.audience:
        return made if readers else None
    new = replace(made, visibility=Visibility(readers.section), domain=readers.domain)
    if (rule := rule_for(new.domain, access.rules)) is not None:
        new = replace(new, visibility=narrower_visibility(new.visibility, rule))
    fits = all(
        derive_audience(new.audience, each) == new.audience for each in (made.audience, source)
    )
    return new if fits else None


def by_user(access: Access) -> dict[str, object]:
    """Return the properties of a note's node that record that the user decided its readers."""
    return {"visibilityByUser": True} if access.viewer.in_person else {}


async def revisions_of(
    context: Context, access: Access, ids: Sequence[str], limit: int
) -> Mapping[str, list[Revision]]:
    """Return the newest revisions of readable notes.

    Those of a time when others could read the notes and the viewer could not are left out.
    """
    return await notes.list_revisions(
        context.graph, ids, access.of_events, now=context.clock(), limit=min(limit, REVISION_PAGE)
    )


async def wordings_of(
    context: Context, access: Access, ids: Sequence[str], limit: int
) -> Mapping[str, list[Wording]]:
    """Return how readable notes were worded, the first wording first; limited as revisions are."""
    return await deciding.list_wordings(
        context.graph, ids, access.of_events, now=context.clock(), limit=min(limit, REVISION_PAGE)
    )
