"""The tools of `memory` that read."""

from typing import Any, Final

from graphmem.domain.events import Event
from graphmem.domain.notes import Revision
from graphmem.mcp.answers import page, place_of, text_page, tokens_of, word
from graphmem.mcp.found import (
    AboutEntity,
    CoreText,
    Counts,
    FormerVersion,
    FoundNotes,
    Happened,
    History,
    ShownRelation,
    TaskContext,
    WholeNote,
)
from graphmem.mcp.shown import ShownNote, shown_note
from graphmem.mcp.tool import Call, Param, Tool, carry_out
from graphmem.operations.commands.actors import GetStats
from graphmem.operations.commands.core import GetCoreMemory
from graphmem.operations.commands.entities import GetEntity
from graphmem.operations.commands.events import ListEvents
from graphmem.operations.commands.notes import GetNote, ListNotes
from graphmem.operations.commands.recall import MakeContext, Recall
from graphmem.operations.related import (
    load_entities,
    load_notes,
    notes_of_entities,
    relations_of_entities,
    revisions_of_notes,
    sessions_of_notes,
)

PAGED: Final = ("agent_id", "token_budget", "cursor")
MOST_DOMAINS: Final = 50  # that statistics name
REST: Final = "(others)"
NOTES_OF_PACKAGE: Final = (
    0.55  # share of an answer's tokens for notes; the rest is for ids and framing
)
LEAST_OF_PACKAGE: Final = 200  # tokens of notes, however long core memory is
IDS_OF_PACKAGE: Final = 12  # of its notes, best first, that feedback may name
NOTES_OF_ENTITY: Final = 20
RELATIONS_OF_ENTITY: Final = 20
REVISIONS: Final = 20
VERSIONS: Final = 100  # of each note whose changes are shown, the newest


async def query(tool: Tool, call: Call) -> FoundNotes:
    """Recall. A later page asks again, and leaves no trace of its own."""
    start = place_of(call.cursor)
    if start:
        call.body["track"] = False
    answer = await carry_out(tool, call)
    shown = page([shown_note(hit.note, hit.score) for hit in answer.hits], call.tokens, start)
    return FoundNotes(
        results=shown.items,
        next_cursor=shown.next_cursor,
        recall_id=answer.id,
        confidence=round(answer.confidence, 3),
    )


async def search(tool: Tool, call: Call) -> FoundNotes:
    """Recall by similarity, with the limits from the settings."""
    call.body.setdefault("k", call.tools.max_results)
    call.body.setdefault("minScore", call.tools.min_score)
    return await query(tool, call)


async def list_notes(tool: Tool, call: Call) -> FoundNotes:
    """Return a page of notes."""
    if call.cursor is not None:
        call.body["after"] = call.cursor
    found = await carry_out(tool, call)
    shown = page([shown_note(note) for note in found.nodes], call.tokens)
    more = shown.more or found.page_info.has_next_page
    return FoundNotes(
        results=shown.items, next_cursor=found.edges[shown.end - 1].cursor if more else None
    )


async def get_note(tool: Tool, call: Call) -> WholeNote:
    """Return a whole note."""
    note = await carry_out(tool, call)
    past = await revisions_of_notes(call.operation, [note.id], REVISIONS)
    sessions = await sessions_of_notes(call.operation, [note.id])
    start = place_of(call.cursor)
    part, cursor = text_page(note.content, call.tokens // 2, start)
    shown = shown_note(note)
    return WholeNote(
        note=ShownNote(**{**vars(shown), "content": part, "truncated": bool(cursor) or None}),
        version=note.version,
        kind=word(note.kind),
        type=word(note.type),
        validity=word(note.validity),
        status=word(note.status),
        pinned=note.pinned,
        tags=note.tags,
        updated_at=note.updated_at,
        revisions=tuple(
            FormerVersion(version=each.version, at=each.at, by=each.actor)
            for each in past.get(note.id, ())
        ),
        session_id=sessions.get(note.id),
        next_cursor=cursor,
    )


async def get_context(tool: Tool, call: Call) -> TaskContext:
    """Return a context package; if no number of tokens is given, it may fill the whole answer."""
    if "tokenBudget" not in call.body:
        core = await GetCoreMemory().run(call.operation)
        left = round(NOTES_OF_PACKAGE * call.tokens) - tokens_of(core.text)
        call.body["tokenBudget"] = max(left, LEAST_OF_PACKAGE)
    made = await carry_out(tool, call)
    return TaskContext(
        relevant_memories=made.text,
        suggested_scope=word(made.suggested_scope),
        suggested_domains=made.suggested_domains,
        token_count=made.token_count,
        confidence=round(made.confidence, 3),
        recall_id=made.recall_id,
        note_ids=tuple(hit.note.id for hit in made.hits[:IDS_OF_PACKAGE]),
    )


async def core(tool: Tool, call: Call) -> CoreText:
    """Return core memory."""
    found = await carry_out(tool, call)
    part, cursor = text_page(found.text, call.tokens, place_of(call.cursor))
    return CoreText(text=part, token_count=found.token_count, next_cursor=cursor)


async def entity(tool: Tool, call: Call) -> AboutEntity:
    """Return an entity by its name, with relations and notes."""
    found = await carry_out(tool, call)
    operation = call.operation
    ids = (await notes_of_entities(operation, [found.id], NOTES_OF_ENTITY))[found.id]
    notes = await load_notes(operation, ids)
    shown = page(
        [shown_note(notes[i]) for i in ids if i in notes],
        call.tokens // 2,
        place_of(call.cursor),
    )
    return AboutEntity(
        entity_id=found.id,
        name=found.name,
        type=found.type,
        aliases=found.aliases[:NOTES_OF_ENTITY],
        note_count=found.note_count,
        relations=() if call.cursor else await _load_relations(call, found.id),
        notes=shown.items,
        next_cursor=shown.next_cursor,
    )


async def _load_relations(call: Call, entity_id: str) -> tuple[ShownRelation, ...]:
    operation = call.operation
    found = await relations_of_entities(operation, [entity_id], RELATIONS_OF_ENTITY)
    said = found.get(entity_id, ())
    ends = list({end for each in said for end in (each.subject, each.object)})
    names = await load_entities(operation, ends) if ends else {}
    shown = [
        ShownRelation(
            subject=names[each.subject].name,
            predicate=each.predicate,
            object=names[each.object].name,
            confidence=round(each.confidence, 3),
        )
        for each in said
        if each.subject in names and each.object in names
    ]
    return page(shown, call.tokens // 4).items


async def count(tool: Tool, call: Call) -> Counts:
    """Return statistics, with the largest domains."""
    found = await carry_out(tool, call)
    return Counts(
        total_memories=found.total_notes,
        by_domain=_keep_largest(found.by_domain),
        by_activation_range=found.by_activation,
        by_visibility={
            name.lower().replace("_", "-"): n for name, n in found.by_visibility.items()
        },
        storage_bytes=found.storage_bytes,
    )


def _keep_largest(counts: dict[str, int]) -> dict[str, int]:
    if len(counts) <= MOST_DOMAINS:
        return counts
    first = sorted(counts, key=lambda name: (-counts[name], name))[:MOST_DOMAINS]
    kept = {name: counts[name] for name in sorted(first)}
    return kept | {REST: sum(counts.values()) - sum(kept.values())}


async def history(tool: Tool, call: Call) -> History:
    """Return events in the order of their numbers."""
    if call.cursor is not None:
        call.body["after"] = place_of(call.cursor)
    found: list[Any] = await carry_out(tool, call)
    notes = sorted({each.subject_id for each in found if each.subject_id is not None})
    past = await revisions_of_notes(call.operation, notes, VERSIONS) if notes else {}
    made = {(note, each.at): each for note in past for each in reversed(past[note])}
    shown = page(
        [_to_happened(each, made.get((each.subject_id, each.at))) for each in found], call.tokens
    )
    more = shown.more or len(found) >= ListEvents.first
    return History(events=shown.items, next_cursor=str(found[shown.end - 1].seq) if more else None)


def _to_happened(event: Event, version: Revision | None) -> Happened:
    """Return a change, with the version of the note that it made, which has the same time."""
    reason = version.changes.get("reason") if version else None
    return Happened(
        at=event.at,
        type=event.type,
        by=event.actor,
        summary=event.summary,
        note_id=event.subject_id,
        version=version.version if version else None,
        content=version.content if version else None,
        reason=reason if isinstance(reason, str) else None,
    )


DOMAIN: Final = "A path such as business/sales, with all below it."
READING: Final = (
    Tool(
        name="memory.query",
        title="Recall: answer a question",
        about="Look up what was said, decided, chosen or planned in earlier conversations: 'what "
        "did we decide', 'which one did we choose', 'when is it', 'why did we', 'what is "
        "the name of', 'do you remember', 'what do I usually'. Call it before you answer "
        "any question of the user about people, projects, preferences or the past, and "
        "before you say that you do not know. Later, tell memory.feedback what helped.",
        command=Recall,
        answer=FoundNotes,
        run=query,
        params=(
            Param(
                name="query_text",
                of="query",
                about="One question, in plain words; 'latest', 'last March' or 'how do I' are "
                "understood.",
            ),
            Param(
                name="scope",
                of="scope",
                about="local: only what you wrote; user: all that you may read; team: also what "
                "the user's teams share.",
            ),
            Param(name="k", of="k", about="How many notes at most."),
            Param(name="domain", of="filter.domain", about=f"Only this domain. {DOMAIN}"),
            Param(name="since", of="filter.since", about="From then on."),
            Param(name="until", of="filter.until", about="Up to then."),
            Param(name="as_of", of="asOf", about="What was known at that instant."),
            Param(name="deep", of="deep", about="Also what is archived or long unused."),
        ),
        frame=PAGED,
    ),
    Tool(
        name="memory_search",
        title="Search for similar wording",
        about="Find stored notes that say nearly the same as a given text or sentence, by "
        "similarity: to see whether it is there already before you write it. For questions "
        "use memory.query.",
        command=Recall,
        answer=FoundNotes,
        run=search,
        params=(
            Param(name="query", of="query", about="The text to compare with."),
            Param(
                name="limit",
                of="k",
                about="6 if left out.",
                own_default=True,
            ),
            Param(
                name="min_score",
                of="minScore",
                about="Least similarity; 0.5 if left out.",
                own_default=True,
            ),
        ),
        fixed={"profile": "SIMILARITY"},
        frame=PAGED,
    ),
    Tool(
        name="memory.get_context",
        title="Background for a task",
        about="Prepare for a task or job: 'let us work on', 'I am going to do'. Collects the "
        "context, all that you should know before you start, in one text within a number of "
        "tokens. For single questions on the way use memory.query.",
        command=MakeContext,
        answer=TaskContext,
        run=get_context,
        params=(
            Param(name="task_description", of="task", about="The task, in plain words."),
            Param(
                name="token_budget",
                of="tokenBudget",
                about="Of the notes alone.",
                own_default=True,
            ),
        ),
    ),
    Tool(
        name="memory.get",
        title="Read the whole note",
        about="Open one note by its id: its full text where an answer was truncated, its tags, its "
        "state and its former versions. Also before memory.revise.",
        command=GetNote,
        answer=WholeNote,
        run=get_note,
        params=(
            Param(name="note_id", of="id", required=True),
            Param(name="as_of", of="asOf", about="As it was at that instant."),
        ),
        frame=PAGED,
    ),
    Tool(
        name="memory.list",
        title="List notes",
        about="List all notes, newest first: 'show all notes about', 'what did I note in June', "
        "of a domain, a tag, a time, an author or a conversation. For answers use "
        "memory.query.",
        command=ListNotes,
        answer=FoundNotes,
        run=list_notes,
        params=(
            Param(name="domain", of="filter.domain", about=DOMAIN),
            Param(name="tags", of="filter.tags", about="With all of these tags."),
            Param(name="kinds", of="filter.kinds"),
            Param(name="entity", of="filter.entity", about="That mention this thing, by name."),
            Param(name="author", of="filter.author", about="Written by this agent."),
            Param(name="episode", of="filter.episode", about="Of this conversation."),
            Param(name="text", of="filter.text", about="With these words."),
            Param(name="statuses", of="filter.statuses"),
            Param(name="since", of="filter.since", about="From then on."),
            Param(name="until", of="filter.until", about="Up to then."),
        ),
        frame=PAGED,
    ),
    Tool(
        name="memory.entity",
        title="Who or what is this?",
        about="Tell all that is known about one person, firm, company, project, place or thing, "
        "by its name: who works with whom, how it relates to others, other names, newest "
        "notes.",
        command=GetEntity,
        answer=AboutEntity,
        run=entity,
        params=(Param(name="name", of="name", about="One of its names.", required=True),),
        frame=PAGED,
    ),
    Tool(
        name="memory.core",
        title="Who the user is",
        about="The user's own profile: 'who am I', 'what do you know about me', what is going on "
        "at the moment, how we work together. Call it first when a new session starts.",
        command=GetCoreMemory,
        answer=CoreText,
        run=core,
        frame=PAGED,
    ),
    Tool(
        name="memory.history",
        title="What happened to a note",
        about="The log of all edits: 'who changed this', 'when was it written', 'why is it gone', "
        "with the text of each version.",
        command=ListEvents,
        answer=History,
        run=history,
        params=(
            Param(name="note_id", of="subjectId", about="Only of this note."),
            Param(name="types", of="types", about="Only such as CREATE, EDIT, ARCHIVE, LINK."),
            Param(name="since", of="since", about="From then on."),
            Param(name="until", of="until", about="Up to then."),
        ),
        frame=PAGED,
    ),
    Tool(
        name="memory.stats",
        title="Count the notes",
        about="How many notes and memories are there, how much is known, how big is the memory: "
        "numbers by domain, by visibility, by how present they are, size in bytes.",
        command=GetStats,
        answer=Counts,
        run=count,
        frame=("agent_id", "user_id"),
    ),
)
