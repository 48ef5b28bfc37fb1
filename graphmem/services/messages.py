"""Carries out what a message asks of the memory, by the use cases of the API."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from graphmem.domain.actors import BY_DETECTION, BY_REMEMBER, Viewer
from graphmem.domain.drafts import check_text
from graphmem.domain.extraction import MEDIUM_CONFIDENCE, Extraction, Store
from graphmem.domain.ids import is_within
from graphmem.domain.notes import (
    MAX_CONTENT,
    Note,
    NoteDraft,
    NoteFilter,
    NoteType,
    Operation,
    Source,
    Validity,
)
from graphmem.domain.reflection import ReflectionStatus
from graphmem.domain.stats import Stats
from graphmem.domain.visibility import Reading, Visibility, may_read, rule_for
from graphmem.language.messages import (
    Intent,
    ParsedMessage,
    domain_of,
    number_of,
    parse,
    parse_decision,
    topic_of,
)
from graphmem.language.subjects import domains_of, named_subject
from graphmem.services.actors import list_agents, reopen_access
from graphmem.services.context import Access, Context, require_in_person
from graphmem.services.exporting.exporting import export_in_one_answer
from graphmem.services.forgetting.forgetting import MATCHES, ForgetOutcome, forget
from graphmem.services.history.asking import ask_to_revert, audit
from graphmem.services.proposals.proposing import propose
from graphmem.services.reading.notes import MAX_PAGE, list_notes, load_many
from graphmem.services.reading.stats import stats
from graphmem.services.recall.expansion import PathStep, label_of
from graphmem.services.recall.recall import Hit, RecallResult, Why, recall
from graphmem.services.recall.request import RecallRequest
from graphmem.services.reflection import reading as reflections
from graphmem.services.reflection.deciding import changed_places, decide_reflection
from graphmem.services.reflection.reflecting import reflect
from graphmem.services.writing.changing import pin
from graphmem.services.writing.links import links_of
from graphmem.services.writing.remember import remember
from graphmem.services.writing.visibility import VisibilityChange
from graphmem.services.writing.wishes import carry_out_wish

PREFERENCES = "personal/preferences"
RECALLED = 20  # notes
LINKED = 20  # links of each of them that are followed
ASKED_FOR = 0.9  # confidence in what the user wants to be remembered
NOT_SURE = 0.75  # highest confidence of a note that nobody asked for


@dataclass(frozen=True, kw_only=True)
class MessageOutcome:
    """The intent of a message and the result."""

    intent: Intent
    message: str
    note: Note | None = None
    forgotten: ForgetOutcome | None = None
    recalled: RecallResult | None = None
    moved: VisibilityChange | None = None
    stats: Stats | None = None
    reflection: reflections.Shown | None = None
    data: dict[str, object] | None = None


async def command(context: Context, access: Access, text: str) -> MessageOutcome:
    """Carry out a message; one that is not a command changes nothing, unless it is memorable.

    Raises Invalid, and what the use cases raise: Forbidden for an agent that sets a domain's
    visibility, or that may only propose and is asked to forget.
    """
    text = check_text(text, "text", MAX_CONTENT)
    asked = await context.texts.run(lambda _: parse(text))
    if asked.intent is Intent.NONE:
        return await _keep_memorable(context, access, text)
    return await _HANDLERS[asked.intent](context, access, asked)


async def _remember(context: Context, access: Access, asked: ParsedMessage) -> MessageOutcome:
    if not asked.subject:
        return MessageOutcome(intent=asked.intent, message="What should I remember?")
    said = await _extract(context, asked.subject)
    pinned = asked.preference or asked.permanent
    draft = NoteDraft(
        content=asked.subject,
        source=Source.TOLD,  # makes the base relevance 1.0, as for explicit requests
        validity=Validity.ASSERTED,
        confidence=ASKED_FOR,
        domain=PREFERENCES if asked.preference else None,
        type=NoteType.PREFERENCE if asked.preference else None,
        visibility=asked.visibility or (_open_by_default(access) if asked.preference else None),
        pinned=pinned,
    )
    if access.viewer.proposes:
        return await _propose(context, access, draft)
    acting = replace(access, viewer=replace(access.viewer, acting_as=BY_REMEMBER))
    result = await remember(context, acting, draft)
    note = result.note
    if pinned and note is not None and not note.pinned:  # it existed, unpinned
        note = await pin(context, acting, note.id, True, None)
    message = "I remember that already." if result.operation is Operation.NOOP else "Remembered."
    if pinned:
        message += " It will not fade."
    data: dict[str, object] = {
        "route": (replace(said, store=Store.VAULT) if asked.permanent else said).route("high")
    }
    return MessageOutcome(intent=asked.intent, message=message, note=note, data=data)


async def _propose(context: Context, access: Access, draft: NoteDraft) -> MessageOutcome:
    made = await propose(context, access, draft)
    message = "Remembered."
    if made.operation is Operation.PROPOSE:
        message = "Proposed. It is remembered once it is decided."
    return MessageOutcome(intent=Intent.REMEMBER, message=message, note=made.note)


def _open_by_default(access: Access) -> Visibility | None:
    """Return the visibility of preferences: for all agents, unless a rule says otherwise."""
    return None if rule_for(PREFERENCES, access.rules) else Visibility.OPEN


async def _keep_memorable(context: Context, access: Access, text: str) -> MessageOutcome:
    """Keep what is memorable without being asked; nothing for a viewer who may not write."""
    nothing = MessageOutcome(intent=Intent.NONE, message="This is no command. Nothing was changed.")
    if text.rstrip().endswith("?") or access.viewer.proposes:
        return nothing
    said = await _extract(context, text.strip())
    if not said.memorable:
        return nothing
    confidence = min(said.confidence, NOT_SURE)
    draft = NoteDraft(content=text.strip(), source=Source.EXPERIENCE, confidence=confidence)
    acting = replace(access, viewer=replace(access.viewer, acting_as=BY_DETECTION))
    result = await remember(context, acting, draft)
    route = said.route("medium" if confidence >= MEDIUM_CONFIDENCE else "low")
    return MessageOutcome(
        intent=Intent.NONE,
        message="This is no command, but worth keeping.",
        note=result.note,
        data={"route": route},
    )


def _describe_proposal(made: reflections.Shown) -> str:
    count = len(made.words)
    things = "1 item" if count == 1 else f"{count} items"
    return (
        f"Reflection #{made.reflection.number} has {things}. Nothing is changed until you approve."
    )


async def _decide(context: Context, access: Access, asked: ParsedMessage) -> MessageOutcome:
    """Decide the newest pending reflection of the user's own, or the one that is named.

    Those of agents are decided by id. Items with changed notes stay undecided and are named.
    """
    require_in_person(access, "deciding a reflection")
    pending = ReflectionStatus.PENDING
    waiting = await reflections.list_reflections(
        context, access, status=pending, first=reflections.MAX_PAGE, own=True
    )
    number = number_of(asked.subject)
    found = next((s for s in waiting if number in (None, s.reflection.number)), None)
    if found is None:
        return MessageOutcome(
            intent=asked.intent, message="No such reflection waits for a decision."
        )
    items = found.reflection.items
    kinds = zip(items, found.words, strict=True)
    chosen = parse_decision(asked.subject, [(item.kind, words.summary) for item, words in kinds])
    if chosen.why_not:
        message = f"Nothing was changed: {chosen.why_not}."
        return MessageOutcome(intent=asked.intent, message=message, reflection=found)
    accepted = [items[place - 1] for place in chosen.accept]
    stale = await changed_places(context, found.reflection, accepted)
    accept = [items[place - 1].id for place in chosen.accept if place not in stale]
    reject = [items[place - 1].id for place in chosen.reject]
    if stale and not (accept or reject):
        message = "Nothing was changed: what these items were about has changed since."
        return MessageOutcome(intent=asked.intent, message=message, reflection=found)
    done = await decide_reflection(context, access, found.reflection.id, accept, reject or None)
    message = f"Reflection #{found.reflection.number} is {done.reflection.status.lower()}."
    if stale:
        places = ", ".join(str(place) for place in stale)
        message += f" Left out, since their notes have changed: {places}."
    return MessageOutcome(intent=asked.intent, message=message, reflection=done)


async def _extract(context: Context, content: str) -> Extraction:
    now = context.clock()
    return await context.texts.run(
        lambda _: context.extractor(content, title=None, speaker=None, occurred_at=None, now=now)
    )


async def _forget(context: Context, access: Access, asked: ParsedMessage) -> MessageOutcome:
    """Only show what would be forgotten; `forget(query, confirm: true)` does it."""
    if not asked.subject:
        message = "What should I forget? Nothing was changed."
        return MessageOutcome(intent=asked.intent, message=message)
    found = await forget(
        context,
        access,
        note_id=None,
        query=asked.subject,
        confirm=False,
        permanent=asked.permanent,
        reason=None,
    )
    data: dict[str, object] = {"query": asked.subject, "permanent": asked.permanent}
    return MessageOutcome(
        intent=asked.intent,
        message=_confirmation_question(asked, len(found.matches)),
        forgotten=found,
        data=data,
    )


def _confirmation_question(asked: ParsedMessage, count: int) -> str:
    if not count:
        return f"I found no memories about {asked.subject}."
    does = "destroy" if asked.permanent else "archive"
    lasts = " for good" if asked.permanent else ""
    if count == 1:
        return f"I found 1 memory about {asked.subject}. Should I {does} it{lasts}?"
    more = " or more" if count >= MATCHES else ""
    which = "these" if more else "all of them"
    return f"I found {count}{more} memories about {asked.subject}. Should I {does} {which}{lasts}?"


def _known_domains(access: Access) -> set[str]:
    """Return the domains that the viewer knows of: of what it may read and of the rules it sees."""
    readable = {a.domain for a in access.audiences if may_read(access.viewer, a, Reading.BY_NAME)}
    return readable | set(access.told_rules)


async def _recall(context: Context, access: Access, asked: ParsedMessage) -> MessageOutcome:
    """Return what is known of a subject.

    For "my ..." a domain is searched, and notes linked to the hits are added. The recall is not
    tracked and shows no USER_ONLY notes.
    """
    if not asked.subject:
        return MessageOutcome(intent=asked.intent, message="What about?")
    known = _known_domains(access)
    domain = domain_of(asked.subject, known) if asked.mine else None
    if domain and access.viewer.in_person and not any(is_within(d, domain) for d in known):
        domain = None  # nothing is filed there; an agent is not sent to look elsewhere
    question = RecallRequest(
        query=asked.subject,
        k=RECALLED,
        filter=NoteFilter(domain=domain),
        track=False,
    )
    found = await recall(context, access, question)
    if domain:
        linked = await _load_linked(context, access, found.hits)
        found = replace(found, hits=(*found.hits, *linked))
    count = len(found.hits)
    message = f"I found {count} {'memory' if count == 1 else 'memories'} about {asked.subject}."
    return MessageOutcome(intent=asked.intent, message=message, recalled=found)


async def _load_linked(context: Context, access: Access, hits: Sequence[Hit]) -> list[Hit]:
    """Return the notes that hits are linked to, through a recall's gate, as hits after them."""
    links = await links_of(context, access, [hit.note.id for hit in hits], LINKED)
    sources = {hit.note.id: hit for hit in hits}
    found: dict[str, tuple[Hit, str, float]] = {}
    for note_id, hit in sources.items():
        for link in links.get(note_id, ()):
            other = link.target if link.source == note_id else link.source
            if other not in sources:
                found.setdefault(other, (hit, link.kind, link.strength))
    loaded = await load_many(context, access, list(found))
    linked: list[Hit] = []
    least = min((hit.score for hit in hits), default=0.0)
    for other, (hit, kind, strength) in found.items():
        note = loaded.get(other)
        if note is None or not may_read(access.viewer, note.audience, Reading.AUTOMATIC):
            continue
        score = min(least, hit.score * strength)
        label = label_of(note.title, note.content)
        linked.append(
            Hit(
                rank=len(hits) + len(linked) + 1,
                score=score,
                note=note,
                via=(*hit.via, PathStep(relationship=kind, label=label, note_id=note.id)),
                why=Why(similarity=0.0, keyword=0.0, graph=score),
            )
        )
    return linked


async def _set_visibility(context: Context, access: Access, asked: ParsedMessage) -> MessageOutcome:
    domain = domain_of(asked.subject, _known_domains(access)) or named_subject(asked.subject)
    if domain is None or asked.visibility is None:
        message = f"I know of no domain for {asked.subject!r}. Nothing was changed."
        return MessageOutcome(intent=asked.intent, message=message)
    moved = await carry_out_wish(context, access, domain, asked.visibility)
    notes = "1 note" if moved.updated_count == 1 else f"{moved.updated_count} notes"
    *others, last = domains_of(domain)
    named = f"{', '.join(others)} and {last} are" if others else f"{last} is"
    least = "" if access.viewer.in_person else "at least "
    message = f"{named} {least}{asked.visibility} from now on; {notes} changed."
    outcome = MessageOutcome(intent=asked.intent, message=message, moved=moved)
    if not asked.rest:
        return outcome
    kept = await _keep_memorable(context, await reopen_access(context, access), asked.rest)
    if kept.note is None:
        return outcome
    message += " I remember what else you told me."
    return replace(outcome, message=message, note=kept.note, data=kept.data)


async def _list_shared(context: Context, access: Access, asked: ParsedMessage) -> MessageOutcome:
    """List the readable OPEN and SCOPED notes of a domain, with the agents that read each."""
    domain = domain_of(asked.subject, _known_domains(access)) if asked.subject else None
    if asked.subject and domain is None:
        return MessageOutcome(
            intent=asked.intent, message=f"I know of no domain for {asked.subject!r}."
        )
    given = NoteFilter(domain=domain, visibilities=(Visibility.OPEN, Visibility.SCOPED))
    page = await list_notes(context, access, given, first=MAX_PAGE, after=None)
    agents = await list_agents(context, access)
    rows = [
        {
            "id": note.id,
            "content": note.content,
            "domain": note.domain,
            "visibility": note.visibility,
            "agents": [
                agent.id
                for agent in agents
                if may_read(Viewer(user=note.user, agent=agent), note.audience, Reading.BY_NAME)
            ],
        }
        for note in page.notes
    ]
    count = f"{len(rows)} or more" if page.has_next else f"{len(rows)}"
    place = f" in {domain}" if domain else ""
    return MessageOutcome(
        intent=asked.intent,
        message=f"{count} memories{place} are open or scoped.",
        data={"domain": domain, "notes": rows, "more": page.has_next},
    )


async def _report_stats(context: Context, access: Access, asked: ParsedMessage) -> MessageOutcome:
    found = await stats(context, access)
    text = f"There are {found.total_notes} notes in {len(found.by_domain)} domains."
    return MessageOutcome(intent=asked.intent, message=text, stats=found)


async def _reflect(context: Context, access: Access, asked: ParsedMessage) -> MessageOutcome:
    made = await reflect(context, access, topic_of(asked.subject))
    return MessageOutcome(intent=asked.intent, message=_describe_proposal(made), reflection=made)


async def _look_back(context: Context, access: Access, asked: ParsedMessage) -> MessageOutcome:
    asking = audit if asked.intent is Intent.AUDIT else ask_to_revert
    answer = await asking(context, access, asked)
    return MessageOutcome(
        intent=asked.intent, message=answer.message, reflection=answer.reflection, data=answer.data
    )


async def _export(context: Context, access: Access, _: ParsedMessage) -> MessageOutcome:
    message, data = await export_in_one_answer(context, access)
    return MessageOutcome(intent=Intent.EXPORT, message=message, data=data)


_HANDLERS: Final[
    Mapping[Intent, Callable[[Context, Access, ParsedMessage], Awaitable[MessageOutcome]]]
] = MappingProxyType(
    {
        Intent.REMEMBER: _remember,
        Intent.FORGET: _forget,
        Intent.RECALL: _recall,
        Intent.VISIBILITY: _set_visibility,
        Intent.STATS: _report_stats,
        Intent.SHARED: _list_shared,
        Intent.REFLECT: _reflect,
        Intent.DECIDE: _decide,
        Intent.AUDIT: _look_back,
        Intent.REVERT: _look_back,
        Intent.EXPORT: _export,
    }
)
