"""The leak test at scale: what a viewer may not read changes no byte of what it is answered,
also where there is so much of it that it could take the places of what may be read.

The answers on every read path are kept, then 2,500 notes of another user and 600 hidden notes of
the same user appear, with the same words, entities, titles and episodes and with nearer vectors,
and the answers are asked for again: more than any search takes candidates. A new read path is one
more line of PATHS. Few notes in many constellations are drawn in `noninterference`."""

import itertools
import json
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from copied_notes import copy_notes
from graphql import (
    GraphQLObjectType,
    TypeInfo,
    TypeInfoVisitor,
    Visitor,
    build_schema,
    get_named_type,
    is_leaf_type,
    parse,
    visit,
)
from shared_server import new_user

from graphmem.api.schema import sdl
from graphmem.app import create_app
from graphmem.domain.notes import EntityDraft, NoteDraft, NoteType, RelationDraft, WriteMode
from graphmem.domain.visibility import Visibility
from graphmem.services import actors, resolution
from graphmem.services.commons import commons, skills
from graphmem.services.context import Access, Context
from graphmem.services.forgetting import forgetting
from graphmem.services.jobs.jobs import run_job
from graphmem.services.reading import entities
from graphmem.services.reflection import deciding as reflection_deciding
from graphmem.services.reflection import reflecting
from graphmem.services.tracking import RecallLog
from graphmem.services.writing import changing as notes
from graphmem.services.writing import links, visibility
from graphmem.services.writing.remember import remember_many
from graphmem.settings import Settings

STRANGERS = 2_500
HIDDEN = 600
BATCH = 500
pytestmark = pytest.mark.timeout(900)  # the first test writes all the notes
START = datetime(2026, 3, 2, 9, tzinfo=UTC)
PEOPLE = ("Ada Kessler", "Bo Lindqvist", "Carla Moreno", "Dev Anand", "Edda Falk", "Femi Okoro")
PROJECTS = ("Halden", "Kestrel", "Orchard Street", "Blue Lantern", "Tidewater")
ACTIONS = ("moved", "paid for", "repaired", "forgot", "praised", "planned", "sold", "measured")
THINGS = ("kiln relay", "copper roof", "tax letter", "garden fence", "night train", "sourdough")
DOMAINS = ("work", "work/kiln", "home", "home/garden")
READERS = (Visibility.SCOPED, Visibility.OPEN, Visibility.PRIVATE, Visibility.USER_ONLY)
PADDING = "Then we sat by the water for a while and spoke of other things. " * 30
QUESTIONS = (
    "Who repaired the kiln relay for Halden?",
    "What did Ada Kessler plan with Carla Moreno?",
    "Kestrel copper roof",
    "Blue Lantern",
    "sourdough night train week 12",
)

BY_STRATEGY = (
    "What do you know about the kestral project?",
    "tell me about Ada Kesler",
    "What's the latest on the kiln relay for Halden?",
    "When did Ada Kessler plan the night train in April 2026?",
    "What happened between 3 and 9 May 2026?",
    "How do I repair the kiln relay?",
    "What are we working on?",
)


def drafts(count: int, *, named: bool = True) -> Iterator[NoteDraft]:
    """Notes that share people, projects, titles and episodes; the same each time."""
    for i in range(count):
        one, two = PEOPLE[i % 6], PEOPLE[(i * 5 + 1) % 6]
        project, thing = PROJECTS[i % 5], THINGS[(i // 3) % 6]
        does = ACTIONS[(i // 2) % 8]
        yield NoteDraft(
            content=(PADDING if i % 50 == 13 else "")
            + f"{one} {does} the {thing} with {two} for {project} in week {i % 52}.",
            external_id=f"n{i}" if named else None,
            title=f"{project} and the {thing}" if i % 7 == 0 else PEOPLE[i % 6] if i < 6 else None,
            domain=DOMAINS[i % 4],
            visibility=READERS[(i // 4) % 4],
            type=NoteType.DECISION if i % 3 else NoteType.FACT,
            tags=("kiln", f"w{i % 4}") if i % 2 else ("roof",),
            entities=(
                EntityDraft(name=project, type="project", aliases=(f"Project {project}",)),
                EntityDraft(name=one, type="person"),
            ),
            relations=(RelationDraft(subject=one, predicate=does, object=project),),
            episode=f"week {i % 10}" if i % 3 else None,
            speaker=one.split()[0] if i % 5 == 0 else None,
            occurred_at=START + timedelta(days=i % 90, minutes=i),
            metadata={"row": i},
        )


def nearer(base: Iterable[NoteDraft], **given: Any) -> Iterator[NoteDraft]:
    """The same notes over and over, each fourth one with a question's very words as its text."""
    for i, draft in enumerate(base):
        text = QUESTIONS[i % len(QUESTIONS)] if i % 4 == 0 else draft.content
        if i % 24 == 0:  # each of its passages has the question's words
            text = "\n".join([f"It was late. {text}"] * 100)
        moved = (draft.occurred_at or START) + timedelta(seconds=7 + i)
        yield replace(draft, content=text, occurred_at=moved, **given)


@dataclass
class Clock:
    """Stands still unless it is told to move."""

    now: datetime = START + timedelta(days=100)

    def __call__(self) -> datetime:
        return self.now


@dataclass
class World:
    """The viewer's ids, which the paths ask for, and the service."""

    context: Context
    http: httpx.AsyncClient
    user: str
    notes: list[str]
    cursor: str = ""
    entity: str = ""

    async def access(self, user: str, agent: str | None = None) -> Access:
        return await actors.open_access(self.context, user, agent, register=True)

    async def write(self, access: Access, given: Iterable[NoteDraft], mode: WriteMode) -> list[str]:
        """The ids of new notes, written in batches."""
        ids = []
        rest = iter(given)
        while batch := [(draft, mode) for draft in itertools.islice(rest, BATCH)]:
            for result in await remember_many(self.context, access, batch):
                assert result.note is not None, result
                ids.append(result.note.id)
        return ids

    async def multiply(self, access: Access, count: int, **given: Any) -> list[str]:
        """The ids of so many notes more, copies of a few without entities of their own."""
        plain: dict[str, Any] = {"entities": (), "relations": (), "episode": None, **given}
        few = nearer(drafts(60, named=False), **plain)
        ids = await self.write(access, few, WriteMode.VERBATIM)
        return ids + await copy_notes(self.context, ids, count - len(ids), self.context.clock())

    async def ask(self, query: str, variables: dict[str, Any], agent: str | None = None) -> bytes:
        """The bytes of an answer."""
        headers = {"X-Graphmem-User": self.user} | ({"X-Graphmem-Agent": agent} if agent else {})
        body = {"query": query + fragments_of(query), "variables": variables}
        return (await self.http.post("/graphql", json=body, headers=headers)).content

    async def answers(self, agent: str | None) -> dict[str, bytes]:
        """The bytes of every path's answer."""
        found = {}
        for name, (query, variables) in PATHS.items():
            given = {key: v(self) if callable(v) else v for key, v in variables.items()}
            found[name] = await self.ask(query, given, agent)
        return found


SCHEMA = build_schema(sdl())
UNSTEADY = {("Recall", "id"), ("Recall", "tookMs")}
UNSTEADY |= {("ContextPackage", "recallId"), ("Consultation", "recallId")}
# How the service is, which counts the notes and calls of everybody: for admins.
OF_EVERYBODY = {("Query", "health")} | {
    (name, field)
    for name in ("Health", "DatabaseHealth", "Timing", "Part")
    for field in getattr(SCHEMA.type_map[name], "fields")  # noqa: B009
}


def leaves(type_name: str) -> str:
    """Every field of a type that holds a plain value."""
    fields: dict[str, Any] = getattr(SCHEMA.type_map[type_name], "fields")  # noqa: B009
    return " ".join(
        name
        for name, field in fields.items()
        if is_leaf_type(get_named_type(field.type)) and (type_name, name) not in UNSTEADY
    )


FRAGMENTS = {
    "note": f"""fragment note on Note {{ {leaves("Note")} user {{ id }} author {{ id }}
        entities {{ {leaves("Entity")} }} supersededBy {{ id }} derivedFrom {{ id }}
        readableBy {{ id }} readers {{ {leaves("Reader")} agent {{ id }} team {{ id }} }}
        links {{ ...link }} revisions {{ {leaves("Revision")} }}
        wordings {{ {leaves("Wording")} }} }}""",
    "link": f"fragment link on Link {{ {leaves('Link')} source {{ id }} target {{ id }} }}",
    "entity": f"""fragment entity on Entity {{ {leaves("Entity")} notes {{ id }}
        relations {{ {leaves("Relation")} subject {{ {leaves("Entity")} }}
        object {{ id noteCount }} notes {{ id }} }}
        mergedFrom {{ {leaves("EntityMerge")} kept {{ id name }} }} }}""",
    "hit": f"""fragment hit on Hit {{ {leaves("Hit")} passage {{ text from to }}
        note {{ id title content entities {{ id }} }}
        via {{ {leaves("Step")} }}
        why {{ {leaves("Why")} parts {{ {leaves("ScorePart")} }} }} }}""",
    "agent": f"""fragment agent on Agent {{ {leaves("Agent")} user {{ id }}
        expertise {{ {leaves("Expertise")} }} }}""",
    "expert": f"""fragment expert on Expert {{ {leaves("Expert")} user {{ id }} agent {{ id }}
        evidence {{ id }} }}""",
}


def fragments_of(query: str) -> str:
    """The fragments that a query needs, and those that these need."""
    needed: dict[str, str] = {}
    texts = [query]
    while texts:
        text = texts.pop()
        for name, fragment in FRAGMENTS.items():
            if f"...{name}" in text and name not in needed:
                needed[name] = fragment
                texts.append(fragment)
    return " ".join(needed.values())


NOTE = "query($id: ID, $ext: String) { note(id: $id, externalId: $ext) { ...note } }"
NOTES = f"""query($filter: NoteFilter, $first: Int, $after: String) {{
    notes(filter: $filter, first: $first, after: $after) {{ totalCount nodes {{ id content }}
    edges {{ cursor node {{ id }} }} pageInfo {{ {leaves("PageInfo")} }} }} }}"""
RECALL = f"""query($input: RecallInput!) {{ recall(input: $input) {{ {leaves("Recall")}
    hits {{ ...hit }} }} }}"""
CONTEXT = f"""query($input: ContextInput!) {{ context(input: $input) {{ {leaves("ContextPackage")}
    hits {{ ...hit }} }} }}"""
ENTITY = "query($id: ID, $name: String) { entity(id: $id, name: $name) { ...entity } }"
ENTITIES = f"""query($search: String, $first: Int) {{
    entities(search: $search, first: $first) {{ {leaves("Entity")} }} }}"""
PATHS_ = f"""query($from: String!, $to: String!, $hops: Int) {{
    paths(from: $from, to: $to, maxHops: $hops, first: 5) {{ relationships
    nodes {{ {leaves("PathNode")} }} }} }}"""
AROUND = f"""query($kind: NodeKind!, $of: String!, $depth: Int, $first: Int, $until: DateTime) {{
    neighbourhood(kind: $kind, of: $of, depth: $depth, first: $first, until: $until) {{
    {leaves("Neighbourhood")} nodes {{ {leaves("Neighbour")} }}
    edges {{ {leaves("NeighbourEdge")} }} }} }}"""
PREVIEW = f"""query($note: RememberInput!) {{ previewRemember(note: $note) {{ {leaves("Preview")}
    entities {{ {leaves("PreviewEntity")} }} relations {{ {leaves("PreviewRelation")} }}
    read {{ content domain visibility tags keywords }} note {{ content version }}
    secrets {{ {leaves("FoundSecret")} }} affected {{ id content }} }} }}"""
EVENTS = f"""query($after: Long, $types: [String!], $actor: String, $subject: ID,
    $since: DateTime, $until: DateTime) {{ events(after: $after, types: $types, actor: $actor,
    subjectId: $subject, since: $since, until: $until, first: 200) {{ {leaves("Event")} }} }}"""
STATS = f"{{ stats {{ {leaves('Stats')} }} }}"
VIEWER = f"""{{ viewer {{ {leaves("Viewer")} agent {{ ...agent }} user {{ {leaves("User")}
    agents {{ ...agent }} visibilityRules {{ {leaves("VisibilityRule")} }}
    teams {{ {leaves("Team")} members {{ id }} }}
    sharedDomains {{ {leaves("SharedDomain")} team {{ id }} }} }} }} }}"""
SKILLS = f"""query($search: String, $tags: [String!], $first: Int) {{
    skills(search: $search, tags: $tags, first: $first) {{ {leaves("Skill")}
    sourceAgents {{ id }} proposal {{ id }} }} }}"""
SOP = f"query($domain: String!) {{ sop(domain: $domain) {{ {leaves('Sop')} }} }}"
COMMONS = f"""query($topic: String!) {{ commons(topic: $topic) {{ {leaves("Knowledge")}
    verifiedBy {{ id }} promotedFrom {{ id }} proposal {{ id }} }} }}"""
BOARD = f"{{ board {{ {leaves('BoardEntry')} }} }}"
EXPERTS = "query($topic: String!) { whoKnows(topic: $topic) { ...expert } }"
CONSULT = f"""query($topic: String, $question: String!) {{
    consult(topic: $topic, question: $question) {{ {leaves("Consultation")} expert {{ ...expert }}
    hits {{ ...hit }} }} }}"""
ROUTE = f"""query($task: String!) {{ route(task: $task) {{ {leaves("RouteAdvice")} agent {{ id }}
    alternatives {{ ...expert }} }} }}"""
HANDOFFS = f"""{{ handoffs {{ {leaves("Handoff")} from {{ id }} to {{ id }} notes {{ id }} }} }}"""
PROPOSALS = f"""query($status: ProposalStatus) {{ proposals(status: $status, first: 50) {{
    {leaves("Proposal")} from {{ id }} note {{ id }} result {{ id }} knowledge {{ id }}
    skill {{ id }}
    conflictsWith {{ id }} }} }}"""
REVIEWS = f"""{{ entityReviews(first: 50) {{ {leaves("EntityReview")}
    one {{ {leaves("Entity")} }} other {{ {leaves("Entity")} }} }} }}"""
CONFLICTS = f"""query($open: Boolean) {{ conflicts(open: $open) {{ {leaves("Conflict")}
    notes {{ id }} }} }}"""
COPIES = f"""{{ noteCopies(first: 50) {{ {leaves("NoteCopy")} note {{ id }} copy {{ id }} }} }}"""
CORE = f"{{ coreMemory {{ {leaves('CoreMemory')} blocks {{ {leaves('CoreBlock')} }} }} }}"
REFLECTIONS = f"""query($status: ReflectionStatus) {{ reflections(status: $status) {{
    {leaves("Reflection")} items {{ {leaves("ReflectionItem")} }} }} }}"""
JOBS = f"{{ jobs {{ {leaves('Job')} lastRun {{ {leaves('JobRun')} }} }} }}"
RUNS = f"{{ jobRuns(first: 50) {{ {leaves('JobRun')} }} }}"
INVITATIONS = f"{{ invitations {{ {leaves('Invitation')} }} }}"
BLOCKS = f"{{ invitationBlocks {{ {leaves('InvitationBlock')} }} }}"
DIGESTS = f"{{ auditDigests {{ {leaves('AuditDigest')} }} }}"
COMMAND = "mutation($text: String!) { command(text: $text) { intent message data } }"
ALERTS = f"{{ alerts {{ {leaves('Alert')} }} }}"
UNLISTED = f"{{ defaultAgentMemory {{ {leaves('AgentMemory')} }} }}"
CLUSTERS = f"""{{ clusterCandidates {{ {leaves("ClusterCandidate")}
    notes {{ id content }} }} }}"""
NOBODY = "019a0000-0000-7000-8000-000000000000"
FILTERS: dict[str, dict[str, Any]] = {
    "none": {},
    "domain": {"domain": "work"},
    "tags": {"tags": ["kiln", "w1"]},
    "kinds": {"kinds": ["EPISODIC"]},
    "types": {"types": ["DECISION"]},
    "tiers": {"tiers": ["DAILY"]},
    "statuses": {"statuses": ["ARCHIVED", "ACTIVE"]},
    "visibilities": {"visibilities": ["OPEN", "SCOPED"]},
    "entity": {"entity": "Halden"},
    "author": {"author": "narrow"},
    "episode": {"episode": "week 4"},
    "text": {"text": "KILN relay"},
    "since": {"since": "2026-04-01T00:00:00Z", "until": "2026-04-20T00:00:00Z"},
}
RECALLS: dict[str, dict[str, Any]] = {
    **{f"hops {n}": {"hops": n} for n in range(4)},
    **{f"filter {name}": {"filter": given} for name, given in FILTERS.items() if given},
    "similarity": {"profile": "SIMILARITY"},
    "similarity of text": {"profile": "SIMILARITY", "filter": {"text": "kiln"}},
    # A seed holds the noise still.
    "ACT-R": {"profile": "ACT_R", "randomSeed": 7, "k": 30},
    "activation": {"profile": "ACTIVATION", "k": 5},
    "relevance": {"profile": "RELEVANCE"},
    "recency": {"profile": "RECENCY", "k": 5},
    "recency of text": {"profile": "RECENCY", "filter": {"text": "kiln"}},
    "tiered": {"profile": "TIERED", "deep": True},
    "deep": {"deep": True},
    "explicit": {"explicit": True},
    "as of": {"asOf": "2026-06-10T09:30:00Z"},
    "many": {"k": 100},
    "minimum": {"minScore": 0.5},
    "local": {"scope": "LOCAL"},
}


def asked(query: str, **given: Any) -> dict[str, Any]:
    return {"input": {"query": query, "track": False, "explain": True, **given}}


PATHS: dict[str, tuple[str, dict[str, Any]]] = {
    "viewer": (VIEWER, {}),
    "agents": ("{ agents { ...agent } }", {}),
    "stats": (STATS, {}),
    "note by id": (NOTE, {"id": lambda w: w.notes[0]}),
    "note with links": (NOTE, {"id": lambda w: w.notes[1]}),
    "note by externalId": (NOTE, {"ext": "n16"}),
    "note that is missing": (NOTE, {"id": NOBODY}),
    "note of an unknown externalId": (NOTE, {"ext": "none"}),
    "note without id": (NOTE, {}),
    **{f"notes by {n}": (NOTES, {"filter": f, "first": 20}) for n, f in FILTERS.items()},
    "notes, all": (NOTES, {"first": 500}),
    "notes, next page": (NOTES, {"first": 7, "after": lambda w: w.cursor}),
    "notes, broken cursor": (NOTES, {"after": "x"}),
    **{
        f"recall {q!r}, {n}": (RECALL, asked(q, **given))
        for n, given in RECALLS.items()
        for q in (QUESTIONS if n in ("hops 2", "similarity") else QUESTIONS[:1])
    },
    **{f"recall by strategy {q!r}": (RECALL, asked(q)) for q in BY_STRATEGY},
    **{f"context {q!r}": (CONTEXT, {"input": {"task": q}}) for q in QUESTIONS},
    "entity by name": (ENTITY, {"name": "Halden"}),
    "entity by alias": (ENTITY, {"name": "project kestrel"}),
    "entity by id": (ENTITY, {"id": lambda w: w.entity}),
    "entity that is missing": (ENTITY, {"name": "Nobody Known"}),
    "entities": (ENTITIES, {"first": 500}),
    "entities, search": (ENTITIES, {"search": "le"}),
    "entity of a merge": (ENTITY, {"name": "Blue Lantern"}),
    "entity of an undone merge": (ENTITY, {"name": "Edda Falk"}),
    "entity reviews": (REVIEWS, {}),
    "paths of a pair": (PATHS_, {"from": "Ada Kessler", "to": "Carla Moreno", "hops": 4}),
    "paths of projects": (PATHS_, {"from": "Halden", "to": "Kestrel", "hops": 3}),
    "paths to nothing": (PATHS_, {"from": "Halden", "to": "Nobody Known"}),
    "skills": (SKILLS, {"first": 100}),
    "skills, search": (SKILLS, {"search": "repair the kiln relay"}),
    "skills, tags": (SKILLS, {"tags": ["kiln"]}),
    "sop": (SOP, {"domain": "work"}),
    "sop of a domain below": (SOP, {"domain": "work/kiln"}),
    "sop of another domain": (SOP, {"domain": "home/garden"}),
    "commons": (COMMONS, {"topic": "Halden"}),
    "board": (BOARD, {}),
    "experts": (EXPERTS, {"topic": "Halden"}),
    "consultation": (CONSULT, {"question": QUESTIONS[0]}),
    "consultation on a topic": (CONSULT, {"question": QUESTIONS[1], "topic": "work"}),
    "route": (ROUTE, {"task": QUESTIONS[0]}),
    "handoffs": (HANDOFFS, {}),
    "proposals": (PROPOSALS, {}),
    "proposals that wait": (PROPOSALS, {"status": "PENDING"}),
    "cluster candidates": (CLUSTERS, {}),
    "core memory": (CORE, {}),
    "reflections": (REFLECTIONS, {}),
    "reflections that wait": (REFLECTIONS, {"status": "PENDING"}),
    "what changed": (COMMAND, {"text": "What changed since 2026-06-01?"}),
    "why something was forgotten": (COMMAND, {"text": "Why did you forget about Halden?"}),
    "the last reflection": (COMMAND, {"text": "What happened in the last reflection?"}),
    "who changed a file": (COMMAND, {"text": "Who changed n16.md?"}),
    "export": (COMMAND, {"text": "Export my memory"}),
    "invitations": (INVITATIONS, {}),
    "invitationBlocks": (BLOCKS, {}),
    "digests": (DIGESTS, {}),
    "alerts": (ALERTS, {}),
    "defaultAgentMemory": (UNLISTED, {}),
    "jobs": (JOBS, {}),
    "settings": (f"{{ settings {{ {leaves('Setting')} }} }}", {}),
    "runs of jobs": (RUNS, {}),
    "conflicts": (CONFLICTS, {}),
    "settled conflicts": (CONFLICTS, {"open": False}),
    "copies that wait": (COPIES, {}),
    "around an entity": (AROUND, {"kind": "ENTITY", "of": "Halden", "depth": 2, "first": 150}),
    "around an entity, few": (AROUND, {"kind": "ENTITY", "of": "Ada Kessler", "first": 8}),
    "around an entity in time": (
        AROUND,
        {"kind": "ENTITY", "of": "Kestrel", "until": "2026-04-20T00:00:00Z"},
    ),
    "around a note": (AROUND, {"kind": "NOTE", "of": lambda w: w.notes[1], "depth": 3}),
    "around a missing note": (AROUND, {"kind": "NOTE", "of": NOBODY}),
    "around an unknown entity": (AROUND, {"kind": "ENTITY", "of": "Nobody Known"}),
    "around an agent": (AROUND, {"kind": "AGENT", "of": "narrow", "depth": 2}),
    "preview": (PREVIEW, {"note": {"content": "Ada Kessler repairs the kiln relay for Halden."}}),
    "preview of what is there": (PREVIEW, {"note": {"content": QUESTIONS[0], "domain": "work"}}),
    "around a topic": (AROUND, {"kind": "TOPIC", "of": "kiln relay", "depth": 2}),
    "events": (EVENTS, {}),
    "events after": (EVENTS, {"after": 150}),
    "events by type": (EVENTS, {"types": ["LINK", "EDIT", "ARCHIVE"]}),
    "events by actor": (EVENTS, {"actor": "bot:narrow"}),
    "events of a note": (EVENTS, {"subject": lambda w: w.notes[1]}),
    "events by time": (EVENTS, {"since": "2026-06-10T09:00:00Z", "until": "2026-06-11T09:00:00Z"}),
}


async def stock(world: World, access: Access, word: str, *domains: str) -> list[str]:
    """Skills named for things, and procedures; the ids of the skills."""
    made = []
    for thing in THINGS:
        name, text = f"{word} the {thing}", f"{word} the kiln relay and the {thing} at once."
        skill = await skills.add_skill(world.context, access, name, text, "for Halden", ["kiln"])
        agent = access.viewer.agent
        access = await world.access(access.viewer.user, agent.id if agent else None)
        await skills.report_skill(world.context, access, skill.id, success=len(thing) % 2 == 0)
        made.append(skill.id)
    for domain in domains:
        await commons.set_sop(world.context, access, domain, f"{word} before noon.")
    return made


async def build(world: World, clock: Clock) -> None:
    """The viewer's own memory: 300 notes with everything that hangs on notes."""
    person = await world.access(world.user)
    await actors.register_agent(world.context, person, "narrow", domains=["work"])
    await actors.register_agent(world.context, person, "keeper", can_see_private=True)
    own = list(drafts(300))
    for agent, part in (("narrow", own[:60]), ("keeper", own[60:120]), (None, own[120:])):
        clock.now += timedelta(minutes=1)
        mode = WriteMode.CURATED if agent is None else WriteMode.VERBATIM
        world.notes += await world.write(await world.access(world.user, agent), part, mode)
    person = await world.access(world.user)
    for i in range(1, 40, 3):
        one, other = world.notes[i], world.notes[i + 17]
        await links.link(world.context, person, one, other, "supports", None)
        change = notes.Edit(title=f"Report {i}", content=own[i].content + " It rained.")
        await notes.revise(world.context, person, one, change)
    for i in range(2, 60, 16):
        options = {"query": None, "confirm": False, "permanent": i == 18, "reason": None}
        await forgetting.forget(world.context, person, note_id=world.notes[i], **options)
    await stock(world, await world.access(world.user, "narrow"), "Repair", "work")
    await merge(world, person, "Tidewater", "Blue Lantern")
    merged = await merge(world, person, "Edda Falk", "Femi Okoro")
    await resolution.undo_merge(world.context, person, merged)
    page = json.loads(await world.ask(NOTES, {"first": 30}))["data"]["notes"]
    world.cursor = page["pageInfo"]["endCursor"]
    await run_job(world.context, "maintain_memory")
    await reflect_thrice(world)
    entity = json.loads(await world.ask('{ entity(name: "Halden") { id } }', {}))
    world.entity = entity["data"]["entity"]["id"]
    clock.now += timedelta(hours=1)


async def reflect_thrice(world: World) -> None:
    """The user's reflection is applied, that of an agent is refused, and one more waits."""
    person = await world.access(world.user)
    made = (await reflecting.reflect(world.context, person)).reflection
    chosen = [item.id for item in made.items]
    await reflection_deciding.decide_reflection(world.context, person, made.id, chosen, None)
    for reject in (True, False):
        narrow = await world.access(world.user, "narrow")
        made = (await reflecting.reflect(world.context, narrow)).reflection
        if reject:
            await reflection_deciding.decide_reflection(world.context, person, made.id, [], None)


async def merge(world: World, access: Access, keep: str, other: str) -> str:
    """Makes one entity of two; the id of the merge."""
    ids = [
        (await entities.get_entity(world.context, access, None, name)).id for name in (keep, other)
    ]
    await resolution.merge_entities(world.context, access, *ids)
    return (await resolution.merges_of(world.context, access, ids, 1))[ids[0]][0].id


@dataclass
class Answers:
    """What each viewer was answered before, beside a stranger's notes, beside hidden notes."""

    world: World
    strange: list[str]
    hidden: list[str]
    before: dict[str | None, dict[str, bytes]]
    beside_strangers: dict[str | None, dict[str, bytes]]
    beside_hidden: dict[str, bytes]


@pytest.fixture(scope="module")
async def answers(context: Context, settings: Settings) -> AsyncIterator[Answers]:
    clock = Clock()
    # The log is never started: recalls for a context would else move strengths between the looks.
    quiet = replace(context, clock=clock, log=RecallLog(context.graph))
    transport = httpx.ASGITransport(app=create_app(settings, opened=quiet))
    async with httpx.AsyncClient(
        transport=transport, base_url="http://127.0.0.1:8321", timeout=60
    ) as http:
        world = World(quiet, http, new_user(), [])
        await build(world, clock)
        before = {agent: await world.answers(agent) for agent in (None, "narrow")}
        stranger = await world.access(new_user())
        strange = await world.write(stranger, nearer(drafts(300)), WriteMode.VERBATIM)
        strange += await world.multiply(stranger, STRANGERS - 300)
        await stock(world, stranger, "Repair", "work", "home")
        beside = {agent: await world.answers(agent) for agent in (None, "narrow")}
        person = await world.access(world.user)
        secret = {"visibility": Visibility.PRIVATE}
        base = nearer(drafts(300, named=False), **secret)
        hidden = await world.write(person, base, WriteMode.VERBATIM)
        hidden += await world.multiply(person, HIDDEN - 300, **secret)
        mended = await stock(world, person, "Mend", "home")
        person = await world.access(world.user)
        for skill in mended:
            await visibility.set_note_visibility(quiet, person, skill, Visibility.PRIVATE)
        yield Answers(world, strange, hidden, before, beside, await world.answers("narrow"))


@pytest.mark.feature("MUMA-61")
@pytest.mark.parametrize("agent", [None, "narrow"])
@pytest.mark.parametrize("path", PATHS)
def test_a_strangers_notes_change_no_byte(answers: Answers, path: str, agent: str | None) -> None:
    assert len(answers.strange) == STRANGERS
    assert answers.beside_strangers[agent][path] == answers.before[agent][path]


@pytest.mark.feature("MUMA-26")
@pytest.mark.parametrize("path", PATHS)
def test_hidden_notes_of_the_same_user_change_no_byte(answers: Answers, path: str) -> None:
    assert len(answers.hidden) == HIDDEN
    assert answers.beside_hidden[path] == answers.beside_strangers["narrow"][path]


@pytest.mark.parametrize("path", PATHS)
def test_the_path_answers_something(answers: Answers, path: str) -> None:
    """An answer that is always the same error would hide every leak."""
    answer = json.loads(answers.before[None][path])
    wrong = any(w in path for w in ("missing", "unknown", "without", "broken", "nothing"))
    assert bool(answer.get("errors")) == wrong, answer


async def test_a_note_that_may_not_be_read_is_answered_as_one_that_is_missing(
    answers: Answers,
) -> None:
    expected = {agent: answers.before[agent]["note that is missing"] for agent in (None, "narrow")}
    strange, hidden = answers.strange[0], answers.hidden[0]
    for agent, note in ((None, strange), ("narrow", strange), ("narrow", hidden)):
        assert await answers.world.ask(NOTE, {"id": note}, agent) == expected[agent]


def test_every_field_that_can_be_read_is_asked_for() -> None:
    """A new field of the schema fails here until a path asks for it."""
    info, seen = TypeInfo(SCHEMA), set[tuple[str, str]]()

    class Collector(Visitor):
        def enter_field(self, node: Any, *_: Any) -> None:
            parent = info.get_parent_type()
            if parent is not None:
                seen.add((parent.name, node.name.value))

    for query, _ in PATHS.values():
        visit(parse(query + fragments_of(query)), TypeInfoVisitor(info, Collector()))
    assert SCHEMA.query_type is not None
    types, wanted = [SCHEMA.query_type], set[tuple[str, str]]()
    while types:
        kind = types.pop()
        for name, field in kind.fields.items():
            target = get_named_type(field.type)
            if isinstance(target, GraphQLObjectType) and not any(
                parent == target.name for parent, _ in wanted
            ):
                types.append(target)
            wanted.add((kind.name, name))
    assert wanted - seen == UNSTEADY | OF_EVERYBODY
