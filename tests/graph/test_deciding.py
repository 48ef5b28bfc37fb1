"""What becomes of a note beside those that are there, in the graph itself."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from structlog.testing import capture_logs
from writers import Clock, Vectors, Writer

from graphmem.domain.notes import (
    EntityDraft,
    Kind,
    Note,
    NoteDraft,
    Operation,
    Status,
    Validity,
    WriteMode,
)
from graphmem.domain.visibility import Visibility
from graphmem.domain.writing import Writing
from graphmem.errors import Conflict, Forbidden, Invalid, NotFound, TimedOut, Unavailable
from graphmem.language.comparison.conflicts import ConflictVerdict, Deduplication
from graphmem.services import actors, conflicts
from graphmem.services.context import Context
from graphmem.services.forgetting import forgetting
from graphmem.services.reading.notes import lineage
from graphmem.services.recall.recall import recall
from graphmem.services.recall.request import RecallRequest
from graphmem.services.writing import changing as notes
from graphmem.services.writing import links, visibility
from graphmem.services.writing import remember as remembering
from graphmem.services.writing.remember import remember_many

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
FIVE_WAYS = (
    "Ann prefers tea over coffee.",
    "Ann prefers tea to coffee.",
    "Ann likes tea more than coffee.",
    "Ann would rather have tea than coffee.",
    "Ann loves tea better than coffee.",
)
NEAR = (
    "The budget of Halden is 40,000 euros.",
    "The budget of Halden is 41,000 euros.",
    "The budget of Halden is not 40,000 euros.",
    "The budget of Kestrel is 40,000 euros.",
    "The budget of Halden was due on March 3.",
    "The budget of Halden was due on March 4.",
    "Tim Baker checks the budget of Halden.",
    "Tom Baker checks the budget of Halden.",
)


@pytest.fixture
def vectors(context: Context) -> Vectors:
    return Vectors(context.embedder)


@pytest.fixture
def writer(context: Context, vectors: Vectors, new_user: Callable[[], str]) -> Writer:
    made = replace(context, clock=Clock(), embedder=vectors)  # type: ignore[arg-type]
    return Writer(made, new_user())


# ------------------------------------------------------------------ DECIDE


@pytest.mark.feature("MUMA-23", "MUMA-11")
async def test_the_same_fact_five_ways_is_one_note_with_five_tellings(writer: Writer) -> None:
    told = [await writer.say(text) for text in FIVE_WAYS]
    assert [each.operation for each in told] == [Operation.ADD] + [Operation.NOOP] * 4
    assert len({each.note.id for each in told if each.note}) == 1
    note = await writer.note(told[0].note)
    assert (note.content, note.version, note.access_count) == (FIVE_WAYS[0], 1, 4)
    assert note.half_life_hours == pytest.approx(168 * 1.1**4)
    assert "strengthened" in told[1].reason
    access = await writer.access()
    wordings = await notes.wordings_of(writer.context, access, [note.id], 20)
    assert [wording.content for wording in wordings[note.id]] == list(FIVE_WAYS)


@pytest.mark.feature("MUMA-20")
@pytest.mark.parametrize("seed", [1, 2])
async def test_near_but_different_never_merges(writer: Writer, seed: int) -> None:
    texts = list(NEAR)
    random.Random(seed).shuffle(texts)
    told = [await writer.say(text) for text in texts]
    assert {each.operation for each in told} == {Operation.ADD}
    assert set(await writer.live()) == set(NEAR)


@pytest.mark.feature("MUMA-20")
async def test_shuffled_inserts_give_the_same_partition(
    context: Context, new_user: Callable[[], str]
) -> None:
    partitions = []
    for seed in range(3):
        writer = Writer(replace(context, clock=Clock()), new_user())
        texts = [*FIVE_WAYS, *NEAR]
        random.Random(seed).shuffle(texts)
        groups: dict[str, set[str]] = {}
        for text in texts:
            made = await writer.say(text)
            assert made.note
            groups.setdefault(made.note.id, set()).add(text)
        partitions.append({frozenset(group) for group in groups.values()})
    assert partitions[0] == partitions[1] == partitions[2]
    assert frozenset(FIVE_WAYS) in partitions[0]


@pytest.mark.feature("MUMA-20")
async def test_the_near_one_of_many_is_decided_upon(writer: Writer) -> None:
    base = [NoteDraft(content=f"Shelf {i} of hall {i % 7} holds bowl {i * 3}.") for i in range(400)]
    assert {each.operation for each in await writer.many(base)} == {Operation.ADD}
    first = await writer.say("Mara leads the evening class on glazing.", domain="general")
    again = await writer.say("The evening class on glazing is led by Mara.", domain="general")
    assert first.note
    assert again.note
    assert (again.operation, again.note.id) == (Operation.NOOP, first.note.id)
    new = await writer.say("Orla plays the concertina.")
    assert (new.operation, len(await writer.live())) == (Operation.ADD, 402)


@pytest.mark.feature("MUMA-20")
@pytest.mark.parametrize(("most", "operation"), [(1, Operation.ADD), (2, Operation.NOOP)])
async def test_so_many_of_the_nearest_are_compared_as_are_set(
    writer: Writer, vectors: Vectors, most: int, operation: Operation
) -> None:
    said, nearer = "Mara leads the glazing class.", "Orla Whitfield plays the concertina."
    again = "The glazing class is led by Mara."
    for text, cosine in ((said, 0.9), (nearer, 0.99), (again, 1.0)):
        vectors.place(text, cosine, 0)
    writer.context = replace(writer.context, writing=Writing(write_k=most))
    first = await writer.say(said, domain="d")
    await writer.say(nearer, domain="d")
    made = await writer.say(again, domain="d")
    assert made.operation is operation
    assert first.note
    assert first.note.half_life_hours == 168


@pytest.mark.feature("MUMA-4")
async def test_a_new_note_has_the_half_life_that_is_set(writer: Writer) -> None:
    writer.context = replace(writer.context, writing=Writing(half_life_hours=24))
    made = await writer.say("The kiln is blue.")
    assert (await writer.note(made.note)).half_life_hours == 24


@pytest.mark.feature("MUMA-21", "MUMA-11")
async def test_what_adds_to_a_note_makes_it_grow(writer: Writer) -> None:
    first = await writer.say("The Halden project uses Neo4j.", kind=Kind.SEMANTIC)
    grown = await writer.say(
        "The Halden project uses Neo4j with two replicas.", kind=Kind.SEMANTIC, tags=("database",)
    )
    assert (grown.operation, grown.note and grown.note.id) == (
        Operation.UPDATE,
        first.note and first.note.id,
    )
    note = await writer.note(first.note)
    assert note == grown.note
    assert (note.content, note.version) == ("The Halden project uses Neo4j with two replicas.", 2)
    assert note.half_life_hours == pytest.approx(184.8)
    assert "replicas" in note.keywords
    assert "database" in note.tags
    assert note.context is not None
    assert "two replicas" in note.context
    found = await notes.revisions_of(writer.context, await writer.access(), [note.id], 10)
    assert [r.content for r in found[note.id]] == [
        "The Halden project uses Neo4j with two replicas.",
        "The Halden project uses Neo4j.",
    ]
    hits = (await ask(writer, "Which project has two replicas?")).hits
    assert hits[0].note.id == note.id


@pytest.mark.feature("MOLT-14")
async def test_an_episode_keeps_its_text_as_its_beginning(writer: Writer) -> None:
    first = await writer.say("Met Cy at the fair.", episode="e")
    grown = await writer.say("Met Cy at the fair. He sells bowls.", episode="e")
    assert grown.operation is Operation.UPDATE
    note = await writer.note(first.note)
    assert note.kind is Kind.EPISODIC
    assert note.content.startswith("Met Cy at the fair.\n")
    assert "He sells bowls." in note.content
    types = await writer.rows("MATCH (e:Event {stream: $user}) RETURN e.type ORDER BY e.seq")
    assert ["APPEND"] in types
    other = await writer.say("Met Cy at the fair.", episode="f")
    assert other.operation is Operation.ADD  # another occasion


@pytest.mark.feature("MUMA-22")
async def test_what_replaces_a_note_supersedes_it(writer: Writer) -> None:
    old = await writer.say("I live in Berlin.")
    before = writer.context.clock()
    new = await writer.say("I moved to Hamburg.")
    assert new.operation is Operation.DELETE
    assert old.note
    assert new.note
    assert [note.id for note in new.affected] == [old.note.id]
    gone = await writer.note(old.note)
    assert (gone.status, gone.version, gone.content) == (Status.SUPERSEDED, 2, "I live in Berlin.")
    assert gone.valid_to is not None
    access = await writer.access()
    heirs = await lineage(writer.context, access, [old.note.id])
    assert heirs[old.note.id, "supersededBy"] == [new.note.id]
    assert [hit.note.id for hit in (await ask(writer, "Where do I live?")).hits] == [new.note.id]
    then = (await ask(writer, "Where do I live?", as_of=before)).hits
    assert [hit.note.content for hit in then] == ["I live in Berlin."]


async def test_there_and_back_ends_where_it_began_with_three_versions(writer: Writer) -> None:
    told = [await writer.say(f"I live in {city}.") for city in ("Berlin", "Hamburg", "Berlin")]
    assert [each.operation for each in told] == [Operation.ADD, Operation.DELETE, Operation.DELETE]
    assert list(await writer.live()) == ["I live in Berlin."]
    query = "MATCH (n:Note {user: $user}) RETURN n.content, n.status ORDER BY n.id"
    assert await writer.rows(query) == [
        ["I live in Berlin.", "SUPERSEDED"],
        ["I live in Hamburg.", "SUPERSEDED"],
        ["I live in Berlin.", "ACTIVE"],
    ]


async def test_an_older_event_told_later_does_not_win(writer: Writer) -> None:
    may, january = datetime(2026, 2, 20, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC)
    new = await writer.say("Bo lives in Paris.", occurred_at=may)
    old = await writer.say("Bo lives in Rome.", occurred_at=january)
    assert old.operation is Operation.ADD
    assert old.note
    assert new.note
    told = await writer.note(old.note)
    assert (told.status, told.valid_from, told.valid_to) == (Status.SUPERSEDED, january, may)
    assert list(await writer.live()) == ["Bo lives in Paris."]
    heirs = await lineage(writer.context, await writer.access(), [old.note.id])
    assert heirs[old.note.id, "supersededBy"] == [new.note.id]


async def test_what_is_less_sure_replaces_nothing(writer: Writer) -> None:
    await writer.say("Bo works at Acme.", domain="d", visibility=Visibility.OPEN)
    agent = await writer.as_agent("main").say(
        "Bo works at Globex.", domain="d", visibility=Visibility.OPEN
    )
    assert agent.operation is Operation.ADD
    assert "otherwise" in agent.reason
    bears = await writer.as_agent("main").say("Cy works at Acme.", domain="d", load_bearing=True)
    other = await writer.as_agent("main").say("Cy works at Globex.", domain="d")
    assert other.operation is Operation.ADD
    assert (await writer.note(bears.note)).status is Status.ACTIVE


async def test_what_holds_for_a_time_or_later_leaves_the_present(writer: Writer) -> None:
    later, soon = START + timedelta(days=90), START + timedelta(days=3)
    old = await writer.say("I live in Berlin.")
    for given in ({"valid_to": later}, {"expires_at": soon}):
        assert (await writer.say("I live in Rome.", **given)).operation is Operation.ADD
    assert (await writer.note(old.note)).status is Status.ACTIVE
    moved = await writer.say("Bo lives in Paris.")
    told = await writer.say("Bo lives in Oslo.", valid_from=later)
    assert told.operation is Operation.DELETE
    still = await writer.note(moved.note)
    assert (still.status, still.valid_to) == (Status.ACTIVE, later)
    hits = (await ask(writer, "Where does Bo live?")).hits
    assert "Bo lives in Paris." in [hit.note.content for hit in hits]
    assert "Bo lives in Oslo." not in [hit.note.content for hit in hits]


async def test_a_telling_adds_what_it_has_more(writer: Writer) -> None:
    first = await writer.as_agent("main").say("The kiln needs a relay.", domain="d")
    again = await writer.say(
        "The kiln requires a relay.",
        domain="d",
        visibility=first.note and first.note.visibility,
        pinned=True,
        tags=("urgent",),
        entities=(EntityDraft(name="Blue Kiln", type="thing"),),
    )
    assert again.operation is Operation.NOOP
    note = await writer.note(first.note)
    assert (note.pinned, note.half_life_hours, note.validity) == (True, None, Validity.ASSERTED)
    assert "urgent" in note.tags
    assert note.version == 2
    named = "MATCH (n:Note {id: $id})-[m:MENTIONS]->() RETURN m.name"
    assert ["Blue Kiln"] in await writer.rows(named, id=note.id)


async def test_verbatim_notes_are_never_merged_into(writer: Writer) -> None:
    said = await writer.say("Bo likes the kiln.", mode=WriteMode.VERBATIM)
    made = await writer.say("Bo likes the kiln.")
    assert made.operation is Operation.ADD
    assert (await writer.note(said.note)).version == 1


async def test_an_agent_that_may_only_propose_stays_out(writer: Writer) -> None:
    person = await writer.access()
    await actors.register_agent(
        writer.context, person, "shy", writes=actors.WritePermission.PROPOSE
    )
    with pytest.raises(Forbidden):
        await writer.as_agent("shy").say("Bo likes tea.")


# ------------------------------------------------------------------ LINK and EVOLVE


@pytest.mark.feature("MUMA-24", "MUMA-25")
async def test_notes_of_one_project_are_linked_and_refined(writer: Writer) -> None:
    given = {"domain": "work", "entities": (EntityDraft(name="Halden", type="project"),)}
    one = await writer.say("Halden stores its graph in Neo4j.", tags=("database",), **given)
    foreign = await writer.say("Orla plays the concertina on Sundays.", domain="work")
    two = await writer.say("The graph of Halden in Neo4j grows fast.", tags=("growth",), **given)
    assert one.note
    assert two.note
    assert foreign.note
    access = await writer.access()
    found = await links.links_of(writer.context, access, [one.note.id, two.note.id], 20)
    assert found[one.note.id] == found[two.note.id]  # symmetric in reading
    (link,) = found[one.note.id]
    assert {link.source, link.target} == {one.note.id, two.note.id}
    assert 0 < link.strength <= 1
    assert link.reason is not None
    assert "halden" in link.reason
    assert not await links.links_of(writer.context, access, [foreign.note.id], 20)
    refined = await writer.note(one.note)
    assert (refined.tags, refined.version) == (("database", "growth"), 2)
    assert refined.context is not None
    assert refined.context.endswith("(related: growth)")
    assert refined.content == "Halden stores its graph in Neo4j."
    told = await notes.revisions_of(writer.context, access, [one.note.id], 10)
    assert told[one.note.id][0].changes["tags"] == [["database"], ["database", "growth"]]
    await forgetting.forget(
        writer.context, access, note_id=two.note.id, query=None, confirm=False, permanent=True,
        reason=None,
    )  # fmt: skip
    without = await writer.note(one.note)
    assert "growth" not in f"{without.tags} {without.context}"


async def test_links_and_refinements_of_a_write_are_bounded(writer: Writer) -> None:
    for i in range(14):
        await writer.say(
            f"Halden keeps pump {i} beside gate {i * 7}.",
            domain="work",
            tags=(f"t{i}", "x"),
            entities=(EntityDraft(name="Halden"),),
        )
    written = await writer.rows(
        """MATCH (n:Note {user: $user})-[r:LINKS_TO]->() WITH n, count(r) AS made, count(r.gave)
        AS gave RETURN max(made), max(gave)"""
    )
    assert written[0][0] == 10
    assert written[0][1] <= 5


async def test_nothing_of_a_private_note_reaches_an_open_one(writer: Writer) -> None:
    given = {"domain": "work", "entities": (EntityDraft(name="Halden"),)}
    one = await writer.say(
        "Halden stores its graph in Neo4j.", visibility=Visibility.OPEN, tags=("a",), **given
    )
    secret = await writer.say(
        "The graph of Halden in Neo4j leaks.",
        visibility=Visibility.PRIVATE,
        tags=("leak",),
        **given,
    )
    after = await writer.note(one.note)
    assert (after.version, after.tags) == (1, ("a",))
    assert secret.note
    person = await links.links_of(writer.context, await writer.access(), [secret.note.id], 20)
    assert len(person[secret.note.id]) == 1
    agent = writer.as_agent("coding")
    assert one.note
    assert not await links.links_of(writer.context, await agent.access(), [one.note.id], 20)
    events = await writer.rows(
        "MATCH (e:Event {stream: $user, type: 'LINK'}) RETURN e.audience, e.data"
    )
    assert events == []


# ------------------------------------------------------------------ many are as one by one


MIXED = (
    *(NoteDraft(content=text) for text in FIVE_WAYS),
    NoteDraft(content="I live in Berlin."),
    NoteDraft(content="The Halden project uses Neo4j.", kind=Kind.SEMANTIC),
    NoteDraft(content="I moved to Hamburg."),
    NoteDraft(content="The Halden project uses Neo4j with two replicas.", kind=Kind.SEMANTIC),
    NoteDraft(content="Halden stores its graph in Neo4j.", tags=("database",)),
    NoteDraft(content="The graph of Halden in Neo4j grows fast.", tags=("growth",)),
    NoteDraft(content="Met Cy at the fair.", episode="e"),
    NoteDraft(content="Met Cy at the fair. He sells bowls.", episode="e"),
    *(NoteDraft(content=text) for text in NEAR),
    NoteDraft(content="I live in Berlin."),
    NoteDraft(content="The Halden project uses Neo4j."),
)
GRAPH = (
    """MATCH (n:Note {user: $user}) RETURN n.content, n.status, n.version, n.tags, n.keywords,
    n.context, n.accessCount, n.halfLifeHours, n.validity, n.audience ENDS WITH n.domain,
    n.curatedKey IS NULL ORDER BY n.content, n.status""",
    """MATCH (n:Note {user: $user})-[:HAD]->(r:Revision) RETURN n.content, r.version, r.content
    ORDER BY n.content, r.content, r.version""",
    """MATCH (a:Note {user: $user})-[r:LINKS_TO]->(b) RETURN a.content, r.kind, r.strength,
    r.reason, r.gave, b.content ORDER BY a.content, b.content""",
    """MATCH (a:Note {user: $user})-[:SUPERSEDES]->(b) RETURN a.content, b.content
    ORDER BY a.content, b.content""",
    """MATCH (n:Note {user: $user})-[:TOLD_AS]->(w) RETURN n.content, w.content
    ORDER BY n.content, w.content""",
    """MATCH (n:Note {user: $user})-[m:MENTIONS]->(e) RETURN n.content, e.key, m.count, m.given
    ORDER BY n.content, e.key""",
    """MATCH (e:Event {stream: $user}) RETURN e.type, count(*) ORDER BY e.type""",
)


@pytest.mark.parametrize(("seed", "group"), [(None, 100), (5, 100), (5, 3)])
async def test_many_come_to_the_same_graph_as_one_by_one(
    context: Context,
    new_user: Callable[[], str],
    monkeypatch: pytest.MonkeyPatch,
    seed: int | None,
    group: int,
) -> None:
    monkeypatch.setattr(remembering, "GROUP", group)
    drafts = list(MIXED)
    if seed is not None:
        random.Random(seed).shuffle(drafts)
    clock = Clock()
    stopped = replace(context, clock=lambda: clock.now)
    together, single = Writer(stopped, new_user()), Writer(stopped, new_user())
    results = await together.many(drafts)
    alone = []
    for draft in drafts:
        given = [(draft, WriteMode.CURATED)]
        alone += await remember_many(stopped, await single.access(), given)
    assert [(r.operation, r.note and r.note.content) for r in results] == [
        (r.operation, r.note and r.note.content) for r in alone
    ]
    for query in GRAPH:
        ours, theirs = await together.rows(query), await single.rows(query)
        swapped = [[_plain(v, together.user) for v in row] for row in ours]
        assert swapped == [[_plain(v, single.user) for v in row] for row in theirs]


@pytest.mark.parametrize("written", [0, 2, 4])
async def test_a_group_that_is_not_decided_in_time_is_not_written(
    writer: Writer, monkeypatch: pytest.MonkeyPatch, written: int
) -> None:
    monkeypatch.setattr(remembering, "GROUP", 2)
    texts = [f"The {word} is painted blue." for word in ("boat", "door", "fence", "shed", "roof")]
    embedder = Waiting(writer.context.embedder, texts[written])
    slow = replace(writer.context, embedder=embedder)
    given = [(NoteDraft(content=text), WriteMode.VERBATIM) for text in texts]
    access, loop = await writer.access(), asyncio.get_running_loop()
    call = asyncio.create_task(remember_many(slow, access, given, until=loop.time() + 60))
    await embedder.begun.wait()
    while len(await writer.live()) < written:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    monkeypatch.setattr(loop, "time", lambda clock=loop.time: clock() + 61)
    results = await call
    told = [type(each.error) for each in results]
    assert told == [type(None)] * written + [TimedOut] * (5 - written)
    assert sorted(await writer.live()) == sorted(texts[:written])


async def test_what_ends_a_call_ends_only_what_is_left_of_it(
    writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remembering, "GROUP", 2)
    texts = [f"The {word} is painted blue." for word in ("boat", "door", "fence", "shed", "roof")]
    embedder = Failing(writer.context.embedder, texts[2])
    broken = replace(writer.context, embedder=embedder)
    given = [(NoteDraft(content=text), WriteMode.VERBATIM) for text in texts]
    results = await remember_many(broken, await writer.access(), given)
    assert [type(each.error) for each in results] == [type(None)] * 2 + [Unavailable] * 3
    assert sorted(await writer.live()) == sorted(texts[:2])
    with pytest.raises(Unavailable):  # nothing was written, so the call as a whole has failed
        await remember_many(broken, await writer.access(), given[2:])


@dataclass
class Failing:
    """An embedder that does not answer for one text."""

    base: Any
    text: str

    def __getattr__(self, name: str) -> Any:
        return getattr(self.base, name)

    async def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        if any(self.text in text for text in texts):
            raise Unavailable
        return await self.base.embed_documents(texts)


@dataclass
class Waiting:
    """An embedder that never ends with one text."""

    base: Any
    text: str
    begun: asyncio.Event = field(default_factory=asyncio.Event)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.base, name)

    async def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        if any(self.text in text for text in texts):
            self.begun.set()
            await asyncio.Event().wait()
        return await self.base.embed_documents(texts)


def _plain(value: Any, user: str) -> Any:
    return value.replace(user, "u") if isinstance(value, str) else value


@pytest.mark.feature("MUMA-23")
async def test_a_duplicate_changes_no_other_querys_ranking(writer: Writer) -> None:
    for text in (*NEAR, "Orla plays the concertina.", "The kiln needs a relay."):
        await writer.say(text)
    question = "Who checks the budget of Halden?"
    before = [(hit.note.id, hit.score) for hit in (await ask(writer, question)).hits]
    assert (await writer.say("The kiln requires a relay.")).operation is Operation.NOOP
    assert [(hit.note.id, hit.score) for hit in (await ask(writer, question)).hits] == before


async def ask(writer: Writer, question: str, as_of: datetime | None = None) -> Any:
    asked = RecallRequest(query=question, track=False, as_of=as_of)
    return await recall(writer.context, await writer.access(), asked)


# ------------------------------------------------------------------ conflicts

MARCH_15 = "The deadline for Halden is March 15."
MARCH_30 = "The deadline for Halden is March 30."
Pair = Callable[..., Awaitable[tuple[Note, Note]]]


@pytest.fixture
def pair(writer: Writer, vectors: Vectors) -> Pair:
    """Writes two notes whose vectors have a cosine; VERBATIM would keep them apart, so does a
    text that says something else."""

    async def write(
        one: str, other: str, cosine: float, axis: int = 0, **given: Any
    ) -> tuple[Note, Note]:
        vectors.place(one, 1.0, axis)
        vectors.place(other, cosine, axis)
        first = given.pop("first", {})
        given["visibility"] = Visibility.OPEN
        made = [await writer.say(one, domain="d", **(given | first))]
        made.append(await writer.say(other, domain="d", **given))
        assert made[0].note
        assert made[1].note
        assert made[1].operation is Operation.ADD, made[1]
        return made[0].note, made[1].note

    return write


async def open_conflicts(writer: Writer, *, is_open: bool = True) -> list[Any]:
    access = await writer.access()
    return await conflicts.list_conflicts(writer.context, access, is_open=is_open, first=50)


async def sweep(writer: Writer, **rules: Any) -> conflicts.Sweep:
    access = await writer.access()
    return await conflicts.sweep_conflicts(writer.context, access, Deduplication(**rules))


@pytest.mark.feature("MUMA-73", "MUMA-11")
async def test_a_contradiction_is_a_conflict_from_085_on(writer: Writer, pair: Pair) -> None:
    old, new = await pair(MARCH_15, MARCH_30, 0.86, kind=Kind.SEMANTIC)
    (found,) = await open_conflicts(writer)
    assert found.notes == (old.id, new.id)
    assert (found.verdict, found.similarity) == (ConflictVerdict.CONTRADICTORY, pytest.approx(0.86))
    assert (await writer.note(old)).half_life_hours == pytest.approx(117.6)
    assert (await writer.note(new)).half_life_hours == 168
    await pair("The kiln is blue.", "The kiln is not blue.", 0.84, axis=1)
    assert len(await open_conflicts(writer)) == 1
    writer.context = replace(writer.context, writing=Writing(conflict_similarity=0.83))
    await pair("The barn is red.", "The barn is not red.", 0.84, axis=2)
    assert len(await open_conflicts(writer)) == 2


@pytest.mark.feature("MUMA-74")
@pytest.mark.parametrize("surer", [None, "old", "new"])
async def test_the_surer_stays_then_the_newer(
    writer: Writer, pair: Pair, surer: str | None
) -> None:
    first = {"confidence": {"old": 0.9, "new": 0.5, None: 0.7}[surer]}
    old, new = await pair(MARCH_15, MARCH_30, 0.9, confidence=0.7, first=first)
    done = await sweep(writer)
    assert (done.archived, done.settled) == (1, 1)
    kept, gone = (old, new) if surer == "old" else (new, old)
    assert (await writer.note(kept)).status is Status.ACTIVE
    archived = await writer.note(gone)
    assert archived.status is Status.ARCHIVED
    assert await open_conflicts(writer) == []
    (closed,) = await open_conflicts(writer, is_open=False)
    assert closed.resolution is not None
    assert kept.id in closed.resolution
    assert (await sweep(writer)).settled == 0
    restored = await notes.restore(writer.context, await writer.access(), gone.id)
    assert restored.status is Status.ACTIVE
    assert (await sweep(writer)).settled == 0  # what was settled is not settled again


@pytest.mark.feature("L3-14", "L3-T23", "L3-16", "L3-T24")
async def test_of_two_inferred_near_copies_the_older_goes(writer: Writer, pair: Pair) -> None:
    agent = {"validity": Validity.INFERRED}
    below = await pair("The build runs on a big box.", "Builds happen there.", 0.89, 1, **agent)
    old, new = await pair("The tests run fast here.", "Testing is quick.", 0.91, **agent)
    done = await sweep(writer)
    assert (done.candidates, done.deprecated) == (1, 1)
    gone = await writer.note(old)
    assert (gone.status, gone.validity) == (Status.SUPERSEDED, Validity.DEPRECATED)
    heirs = await lineage(writer.context, await writer.access(), [old.id])
    assert heirs[old.id, "supersededBy"] == [new.id]
    assert {(await writer.note(note)).status for note in (*below, new)} == {Status.ACTIVE}


@pytest.mark.feature("L3-15", "L3-T25")
async def test_what_is_asserted_stays_though_it_is_older(writer: Writer, pair: Pair) -> None:
    old, new = await pair(
        "The tests run fast here.",
        "Testing is quick.",
        0.92,
        validity=Validity.INFERRED,
        first={"validity": Validity.ASSERTED},
    )
    assert (await sweep(writer)).deprecated == 1
    assert (await writer.note(old)).status is Status.ACTIVE
    assert (await writer.note(new)).validity is Validity.DEPRECATED


@pytest.mark.feature("L3-16")
@pytest.mark.parametrize("place", range(len(Validity) - 1))
@pytest.mark.parametrize("surer_is_older", [True, False])
async def test_of_near_copies_the_one_that_is_held_truer_stays(
    writer: Writer, pair: Pair, place: int, surer_is_older: bool
) -> None:
    surer, less = list(Validity)[place : place + 2]
    order = (surer, less) if surer_is_older else (less, surer)
    old, new = await pair(
        "The tests run fast here.",
        "Testing is quick.",
        0.92,
        validity=order[1],
        first={"validity": order[0]},
    )
    assert (await sweep(writer)).deprecated == 1
    kept, gone = (old, new) if surer_is_older else (new, old)
    assert (await writer.note(kept)).status is Status.ACTIVE
    assert (await writer.note(gone)).validity is Validity.DEPRECATED


@pytest.mark.feature("MUMA-73", "L3-14")
async def test_near_copies_go_by_their_own_threshold(writer: Writer, pair: Pair) -> None:
    writer.context = replace(writer.context, writing=Writing(conflict_similarity=0.95))
    copies = {"validity": Validity.INFERRED}
    old, _ = await pair("The tests run fast here.", "Testing is quick.", 0.92, **copies)
    said = await pair(MARCH_15, MARCH_30, 0.92, axis=1, kind=Kind.SEMANTIC)
    done = await sweep(writer)
    assert (done.deprecated, done.settled) == (1, 1)
    assert (await writer.note(old)).validity is Validity.DEPRECATED
    assert {(await writer.note(note)).status for note in said} == {Status.ACTIVE}


@pytest.mark.feature("L3-15", "L3-T26", "MUMA-75")
async def test_two_asserted_near_copies_wait_for_the_user(writer: Writer, pair: Pair) -> None:
    old, new = await pair("The tests run fast here.", "Testing is quick.", 0.92)
    assert (await sweep(writer)).flagged == 1
    (found,) = await open_conflicts(writer)
    assert found.verdict is ConflictVerdict.AMBIGUOUS
    assert {(await writer.note(note)).version for note in (old, new)} == {1}
    assert (await sweep(writer)).settled == 0  # it is flagged once


@pytest.mark.feature("L3-15")
async def test_inferred_ones_are_flagged_where_that_is_wished(writer: Writer, pair: Pair) -> None:
    await pair("Tests run fast here.", "Testing is quick.", 0.92, validity=Validity.INFERRED)
    done = await sweep(writer, auto_deprecate_agent_inferred=False)
    assert (done.flagged, done.deprecated) == (1, 0)


@pytest.mark.feature("L3-16", "L3-T27")
async def test_what_bears_load_is_never_put_away(writer: Writer, pair: Pair) -> None:
    old, _ = await pair(
        "The tests run fast here.",
        "Testing is quick.",
        0.95,
        validity=Validity.INFERRED,
        first={"validity": Validity.INFERRED, "load_bearing": True},
    )
    assert (await sweep(writer)).flagged == 1
    assert (await writer.note(old)).status is Status.ACTIVE


async def test_near_copies_that_differ_in_a_number_stay(writer: Writer, pair: Pair) -> None:
    texts = ("Invoice 1042 was paid by Bo.", "Invoice 1043 was paid by Bo.")
    await pair(*texts, 0.98, validity=Validity.INFERRED)
    assert (await sweep(writer)).settled == 0
    assert set(await writer.live()) == set(texts)


async def thirty_pairs(writer: Writer, vectors: Vectors) -> None:
    """Near copies that are inferred."""
    drafts = []
    for i, one in enumerate("abcdefghijklmnopqrstuvwxyzäöüß"):
        texts = (f"The alpha{one} runs fast {one}{one}.", f"It is quick, beta{one}, so {one}{one}.")
        vectors.place(texts[0], 1.0, i)
        vectors.place(texts[1], 0.95, i)
        drafts += [
            NoteDraft(content=text, domain="d", validity=Validity.INFERRED) for text in texts
        ]
    await writer.many(drafts)


@pytest.mark.feature("L3-T28", "L3-14")
async def test_a_sweep_settles_twenty_pairs_or_as_many_as_is_set(
    writer: Writer, vectors: Vectors
) -> None:
    await thirty_pairs(writer, vectors)
    assert (await sweep(writer, max_pairs_per_cycle=3)).settled == 3
    assert (await sweep(writer)).settled == 20
    assert (await sweep(writer, max_pairs_per_cycle=5)).settled == 5
    assert [(await sweep(writer)).settled for _ in range(2)] == [2, 0]


@pytest.mark.feature("L3-14")
@pytest.mark.parametrize("logs", [True, False])
async def test_near_copies_are_logged_by_their_ids_where_that_is_wished(
    writer: Writer, pair: Pair, logs: bool
) -> None:
    old, new = await pair("The tests run fast here.", "Testing is quick.", 0.95)
    await pair("The build runs on a big box.", "Builds happen there.", 0.85, axis=1)
    with capture_logs() as told:
        assert (await sweep(writer, log_all_candidates=logs)).candidates == 1
    found = [each["pairs"] for each in told if each["event"] == "near copies"]
    ids = tuple(sorted((old.id, new.id)))
    assert [[pair[:2] for pair in pairs] for pairs in found] == ([[ids]] if logs else [])
    assert "quick" not in str(told), "never their texts"


@pytest.mark.feature("L3-14")
async def test_near_copies_stay_where_deduplication_is_off(writer: Writer, pair: Pair) -> None:
    pairs = await pair(
        "The tests run fast here.", "Testing is quick.", 0.95, validity=Validity.INFERRED
    )
    done = await sweep(writer, enabled=False)
    assert (done.deprecated, done.archived, done.flagged) == (0, 0, 0)
    assert {(await writer.note(note)).validity for note in pairs} == {Validity.INFERRED}
    assert (await sweep(writer)).deprecated == 1


@pytest.mark.feature("MUMA-74")
@pytest.mark.parametrize(
    ("verdict", "kept"),
    [
        (ConflictVerdict.COMPATIBLE, "The tests run fast here. Testing is quick."),
        (ConflictVerdict.CONTRADICTORY, "The tests run fast here."),
        (ConflictVerdict.SUBSUMES, "The tests run fast here."),
    ],
)
async def test_the_user_settles_a_conflict(
    writer: Writer, pair: Pair, verdict: ConflictVerdict, kept: str
) -> None:
    old, new = await pair("The tests run fast here.", "Testing is quick.", 0.92)
    await sweep(writer)
    (found,) = await open_conflicts(writer)
    access = await writer.access()
    with pytest.raises(Invalid):
        await conflicts.resolve_conflict(writer.context, access, found.id, verdict, "nothing")
    left = await conflicts.resolve_conflict(
        writer.context, access, found.id, ConflictVerdict.AMBIGUOUS, None
    )
    assert left.open
    done = await conflicts.resolve_conflict(writer.context, access, found.id, verdict, old.id)
    assert (done.open, done.verdict) == (False, verdict)
    assert (await writer.note(old)).content == kept
    assert (await writer.note(new)).status is Status.ARCHIVED
    types = await writer.rows("MATCH (e:Event {stream: $user}) RETURN DISTINCT e.type")
    assert (["MERGE"] in types) is (verdict is ConflictVerdict.COMPATIBLE)
    with pytest.raises(Conflict):
        await conflicts.resolve_conflict(writer.context, access, found.id, verdict, old.id)
    stranger = replace(writer, user=f"{writer.user}-x")
    with pytest.raises(NotFound):
        await conflicts.resolve_conflict(
            writer.context, await stranger.access(), found.id, verdict, None
        )


async def test_a_conflict_across_audiences_is_not_merged(writer: Writer, pair: Pair) -> None:
    old, _ = await pair("The tests run fast here.", "Testing is quick.", 0.92)
    await sweep(writer)
    (found,) = await open_conflicts(writer)
    access = await writer.access()
    await visibility.set_note_visibility(writer.context, access, old.id, Visibility.PRIVATE)
    again = await writer.access()
    ended = await conflicts.resolve_conflict(
        writer.context, again, found.id, ConflictVerdict.COMPATIBLE, old.id
    )
    assert not ended.open
    assert {"The tests run fast here.", "Testing is quick."} <= (await writer.live()).keys()


# those that a writer may choose
CHOSEN = [each for each in Visibility if each not in (Visibility.LOCAL, Visibility.QUARANTINED)]


@pytest.mark.feature("MUMA-120")
async def test_nothing_is_merged_or_replaced_across_audiences(writer: Writer) -> None:
    told = [await writer.say("Bo lives in Paris.", domain="d", visibility=each) for each in CHOSEN]
    told.append(await writer.say("Bo lives in Paris.", domain="e", visibility=Visibility.OPEN))
    assert {each.operation for each in told} == {Operation.ADD}
    moved = await writer.say("Bo moved to Rome.", domain="d", visibility=Visibility.PRIVATE)
    assert moved.operation is Operation.DELETE
    states = [(await writer.note(each.note)).status for each in told]
    assert states.count(Status.SUPERSEDED) == 1
    seen = [(await writer.note(each.note)).visibility for each in told]
    assert seen == [*CHOSEN, Visibility.OPEN]
