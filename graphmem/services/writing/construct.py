"""CONSTRUCT: turns a checked draft into a note with every field set."""

from dataclasses import replace
from datetime import datetime

from graphmem.domain.alerts import OF_THE_USER, names_file
from graphmem.domain.extraction import Extraction
from graphmem.domain.ids import digest, key_of_author, uuid7
from graphmem.domain.notes import (
    Kind,
    Note,
    NoteDraft,
    NoteType,
    Source,
    Status,
    Tier,
    Validity,
    WriteMode,
)
from graphmem.domain.visibility import Visibility, default_domain, in_domains, resolve_visibility
from graphmem.errors import Forbidden, Invalid
from graphmem.language.subjects import narrowed_by_subject
from graphmem.services.context import Access, Context, check_audience
from graphmem.services.writing.deciding import may_reread
from graphmem.services.writing.extraction import add_extracted, extract_note
from graphmem.services.writing.plans import Plan
from graphmem.services.writing.quarantine import quarantined_if_instructing
from graphmem.services.writing.secrets import checked_without_secrets


def plan_of(
    context: Context,
    access: Access,
    index: int,
    note_id: str,
    draft: NoteDraft,
    mode: WriteMode,
    now: datetime,
) -> Plan:
    """Return the plan for one draft. Raises Invalid, and Forbidden for one audience too many."""
    given, secrets = checked_without_secrets(draft, context.writing.secrets, now)
    if given.session_id is not None:
        raise Invalid("no such session")
    note = note_as_said(access, note_id, given, now, context.writing.half_life_hours)
    draft, curated = given, mode is WriteMode.CURATED
    if curated:
        found = extract_note(context.extractor, note, now)
        note = _fill_from_text(access, note, given, found)
        draft = add_extracted(given, found)
    note = quarantined_if_instructing(access.viewer, note, given)
    check_audience(access, note.audience)
    # A writer never changes a note that it can't read, nor learns that there is one.
    readable = may_reread(access, note)
    request = given.idempotency_key
    owner = note.author if given.external_owner is None else given.external_owner
    external = None if note.external_id is None else key_of_author(owner, note.external_id)
    return Plan(
        index=index,
        given=given,
        draft=draft,
        note=note,
        curated=curated and readable,
        readable=readable,
        curated_key=curated_key_of(note, external) if curated and readable else None,
        external_key=external,
        request_key=None if request is None else key_of_author(note.author, request),
        request_hash=digest(repr(replace(given, idempotency_key=None, expires_at=None))),
        secrets=secrets,
    )


def note_as_said(
    access: Access,
    note_id: str,
    draft: NoteDraft,
    now: datetime,
    half_life_hours: float,
) -> Note:
    """Return a note with what the writer gave and what the rules say, without reading its text.

    Raises Forbidden for an agent that gives it the name of a file that agents follow.
    """
    agent = access.viewer.agent
    if agent is not None and names_file(draft.external_id):
        raise Forbidden(OF_THE_USER)
    domain = draft.domain or default_domain(agent)
    return Note(
        id=note_id,
        user=access.viewer.user,
        author=agent.id if agent else None,
        external_id=draft.external_id,
        version=1,
        content=draft.content,
        title=draft.title,
        context=None,
        keywords=draft.keywords,
        tags=draft.tags,
        kind=draft.kind or Kind.EPISODIC,
        type=draft.type or NoteType.FACT,
        source=draft.source or (Source.EXPERIENCE if agent else Source.TOLD),
        validity=draft.validity or (Validity.INFERRED if agent else Validity.ASSERTED),
        importance=0.5 if draft.importance is None else draft.importance,
        confidence=(0.6 if agent else 0.9) if draft.confidence is None else draft.confidence,
        load_bearing=bool(draft.load_bearing),
        pinned=bool(draft.pinned),
        domain=domain,
        visibility=_resolve_visibility(access, draft, domain, None),
        tier=Tier.FOUNDATIONAL if draft.foundational else Tier.DAILY,
        status=Status.ACTIVE,
        half_life_hours=None if draft.pinned or draft.foundational else half_life_hours,
        access_count=0,
        accesses=(),
        created_at=now,
        updated_at=now,
        occurred_at=draft.occurred_at,
        valid_from=draft.valid_from,
        valid_to=draft.valid_to,
        expires_at=draft.expires_at,
        episode=draft.episode,
        speaker=draft.speaker,
        metadata=draft.metadata,
    )


def derive_note(source: Note, now: datetime) -> Note:
    """Return a new note that is made of several, including `source`.

    It keeps the owner, author, domain and visibility of the source, but not its history and times.
    The caller gives the rest: text, kind, tier and weights.
    """
    return replace(
        source,
        id=uuid7(now),
        external_id=None,
        version=1,
        source=Source.INFERRED,
        validity=Validity.INFERRED,
        load_bearing=False,
        pinned=False,
        status=Status.ACTIVE,
        access_count=0,
        accesses=(),
        created_at=now,
        updated_at=now,
        occurred_at=None,
        valid_from=None,
        valid_to=None,
        expires_at=None,
        episode=None,
        speaker=None,
        metadata=None,
    )


def _resolve_visibility(
    access: Access, draft: NoteDraft, domain: str, found: Extraction | None
) -> Visibility:
    in_person = access.viewer.in_person
    by_user = draft.visibility if in_person else None
    visibility = resolve_visibility(
        domain=domain,
        rules=access.rules,
        by_user=by_user,
        by_agent=None if in_person else draft.visibility,
        classified=found.visibility if found else None,
        default=access.default,
    )
    if by_user is not None:
        return visibility
    text = f"{draft.title}\n{draft.content}" if draft.title else draft.content
    return narrowed_by_subject(text, visibility, access.rules)


def _fill_from_text(access: Access, note: Note, draft: NoteDraft, found: Extraction) -> Note:
    """Fill in what the text says where the writer gave nothing."""
    how = found.kind is Kind.PROCEDURAL and draft.speaker is None  # also in a conversation
    happened = draft.occurred_at is not None or (draft.episode is not None and not how)
    domain = draft.domain or _own_domain(access, found.domain)
    return replace(
        note,
        context=found.context,
        keywords=draft.keywords or found.keywords,
        tags=draft.tags or found.tags,
        kind=draft.kind or (Kind.EPISODIC if happened else found.kind),
        type=draft.type or found.type,
        importance=found.importance if draft.importance is None else draft.importance,
        domain=domain,
        visibility=_resolve_visibility(access, draft, domain, found),
    )


def _own_domain(access: Access, domain: str | None) -> str:
    """Return the domain that a text seems to belong to, if the agent that writes works there."""
    agent = access.viewer.agent
    if domain is None or (agent is not None and not in_domains(domain, agent.domains)):
        return default_domain(agent)
    return domain


def curated_key_of(note: Note, external_key: str | None) -> str:
    """Return the key that notes share which say the same to the same readers.

    White space aside, they have the same text, title, speaker, external id and times.
    """
    times = (note.occurred_at, note.valid_from, note.valid_to, note.expires_at)
    same = (
        " ".join(note.content.split()),
        note.title,
        note.speaker,
        note.episode,
        external_key,
    )
    return f"{note.audience.token}{digest(repr((same, [str(t) for t in times])), 40)}"
