"""Merges of entities in the graph: exact undo, order, concurrency, the gate."""

import asyncio
import itertools
import json
import random
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from graphmem.domain.entities import Entity
from graphmem.domain.notes import EntityDraft, NoteDraft, RelationDraft, WriteMode
from graphmem.domain.visibility import Visibility
from graphmem.errors import NotFound
from graphmem.services import resolution
from graphmem.services.actors import open_access, register_agent
from graphmem.services.context import Access, Context
from graphmem.services.forgetting import forgetting
from graphmem.services.reading import entities
from graphmem.services.reading.identity import groups_for
from graphmem.services.recall.recall import bounds_of
from graphmem.services.recall.request import RecallRequest
from graphmem.services.writing import changing as notes
from graphmem.services.writing.remember import remember, remember_many
from graphmem.store.recall import neighbourhood

Ask = Callable[..., Awaitable[list[list[Any]]]]
WRITERS = 8
NODES = """MATCH (n) WHERE (n.user = $user OR n.owner = $user) AND NOT n:Event
    RETURN labels(n), coalesce(n.id, n.key), properties(n)"""
# What is left of a merge that was undone is its history, as an event is.
RELATIONSHIPS = """MATCH (a)-[r]->(b)
    WHERE (a.user = $user OR a.owner = $user) AND NOT a:Event AND type(r) <> 'HAD_ABSORBED'
    RETURN type(r), coalesce(a.id, a.key), coalesce(b.id, b.key), properties(r)"""


@pytest.fixture
async def user(context: Context, new_user: Callable[[], str]) -> str:
    name = new_user()
    await open_access(context, name, None, register=True)
    return name


async def opened(context: Context, user: str, agent: str | None = None) -> Access:
    """The access of a request of now."""
    return await open_access(context, user, agent, register=True)


async def write(
    context: Context, user: str, text: str, *names: str, agent: str | None = None, **given: Any
) -> str:
    """A note that introduces the names; "A|B" is A with another name B."""
    drafts = []
    for name in names:
        first, *others = name.split("|")
        drafts.append(EntityDraft(name=first, aliases=tuple(others)))
    draft = NoteDraft(content=text, entities=tuple(drafts), **given)
    access = await opened(context, user, agent)
    result = await remember(context, access, draft, WriteMode.VERBATIM)
    assert result.note is not None
    return result.note.id


async def entity(context: Context, user: str, name: str, agent: str | None = None) -> Entity:
    return await entities.get_entity(context, await opened(context, user, agent), None, name)


async def snapshot(rows: Ask, user: str) -> str:
    """Everything of a user but events, as canonical JSON."""
    found = [await rows(query, user=user) for query in (NODES, RELATIONSHIPS)]
    lines = [[json.dumps(row, default=str, sort_keys=True) for row in part] for part in found]
    return "\n".join(sorted(itertools.chain(*lines)))


async def merge(context: Context, user: str, keep: str, other: str) -> str:
    """Merges by name; the id of the merge."""
    access = await opened(context, user)
    one, two = await entity(context, user, keep), await entity(context, user, other)
    kept = await resolution.merge_entities(context, access, one.id, two.id)
    assert kept.id == one.id
    found = await resolution.merges_of(context, access, [kept.id], 50)
    return next(each.id for each in found[kept.id] if not each.undone)


async def undo(context: Context, user: str, merge_id: str) -> Entity:
    return await resolution.undo_merge(context, await opened(context, user), merge_id)


async def fill(context: Context, user: str) -> None:
    """Three entities with notes of their own and in common, other names, and relations."""
    await write(context, user, "IBM met Big Blue at noon.", "IBM|Blue Machines", "Big Blue")
    await write(context, user, "Big Blue sells printers. Big Blue!", "Big Blue|Huge Blue")
    await write(context, user, "IBM moved.", "IBM", title="IBM")
    await write(context, user, "Old Blue paid Ada Kessler.", "Old Blue", "Ada Kessler")
    relations = (
        ("IBM", "owns", "Big Blue"),
        ("Big Blue", "pays", "Ada Kessler"),
        ("Ada Kessler", "left", "IBM"),
        ("Big Blue", "follows", "Big Blue"),
        ("Old Blue", "was", "Big Blue"),
    )
    drafts = [
        NoteDraft(
            content=f"{one} {does} {other}, it is said in line {i}.",
            relations=(RelationDraft(subject=one, predicate=does, object=other),),
        )
        for i, (one, does, other) in enumerate(relations)
    ]
    access = await opened(context, user)
    await remember_many(context, access, [(draft, WriteMode.VERBATIM) for draft in drafts])


async def test_an_undone_merge_leaves_the_graph_as_it_was(
    context: Context, user: str, rows: Ask
) -> None:
    await fill(context, user)
    before = await snapshot(rows, user)
    assert before.count("RELATES_TO") == 5
    merged = await merge(context, user, "IBM", "Big Blue")
    kept = await entity(context, user, "Big Blue")
    assert kept.id == (await entity(context, user, "huge blue")).id
    assert {"IBM", "Big Blue", "Huge Blue", "Blue Machines"} <= {kept.name, *kept.aliases}
    assert await snapshot(rows, user) != before
    await undo(context, user, merged)
    assert await snapshot(rows, user) == before


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
async def test_nested_merges_can_be_undone_in_any_order(
    context: Context, user: str, rows: Ask, order: tuple[int, int]
) -> None:
    await fill(context, user)
    before = await snapshot(rows, user)
    first = await merge(context, user, "IBM", "Big Blue")
    between = await snapshot(rows, user)
    second = await merge(context, user, "Old Blue", "IBM")
    assert (await entity(context, user, "Big Blue")).name in ("IBM", "Big Blue")  # the first note's
    both = [first, second]
    await undo(context, user, both[order[0]])
    if order[0] == 1:
        assert await snapshot(rows, user) == between
    await undo(context, user, both[order[1]])
    assert await snapshot(rows, user) == before


async def test_two_merges_into_one_are_undone_each_by_itself(
    context: Context, user: str, rows: Ask
) -> None:
    await fill(context, user)
    before = await snapshot(rows, user)
    first = await merge(context, user, "IBM", "Big Blue")
    await merge(context, user, "IBM", "Old Blue")
    await undo(context, user, first)
    kept = await entity(context, user, "IBM")
    assert kept.id == (await entity(context, user, "Old Blue")).id
    assert kept.id != (await entity(context, user, "Big Blue")).id
    merges = await resolution.merges_of(context, await opened(context, user), [kept.id], 9)
    assert [(m.merged_name, m.undone) for m in merges[kept.id]] == [
        ("Old Blue", False),
        ("Big Blue", True),
    ]
    await undo(context, user, merges[kept.id][0].id)
    assert await snapshot(rows, user) == before


async def test_what_is_written_after_a_merge_goes_where_its_name_belongs(
    context: Context, user: str, rows: Ask
) -> None:
    await fill(context, user)
    merged = await merge(context, user, "IBM", "Big Blue")
    new = [
        await write(context, user, "Big Blue opened a shop."),
        await write(context, user, "IBM closed a shop."),
        await write(context, user, "IBM and Big Blue rest.", "Big Blue|Giant Blue", "IBM"),
    ]
    kept = await entity(context, user, "Giant Blue")
    listed = await entities.notes_of(context, await opened(context, user), [kept.id], 50)
    assert set(new) <= set(listed[kept.id])
    assert len(listed[kept.id]) == len(set(listed[kept.id])) == kept.note_count
    await undo(context, user, merged)
    blue, ibm = await entity(context, user, "giant blue"), await entity(context, user, "ibm")
    listed = await entities.notes_of(context, await opened(context, user), [blue.id, ibm.id], 50)
    assert [note in listed[blue.id] for note in new] == [True, False, True]
    assert [note in listed[ibm.id] for note in new] == [False, True, True]


async def test_relations_after_a_merge_are_one_entitys_and_go_back(
    context: Context, user: str
) -> None:
    await fill(context, user)
    merged = await merge(context, user, "IBM", "Big Blue")
    draft = NoteDraft(
        content="Said later.",
        relations=(
            RelationDraft(subject="Big Blue", predicate="hires", object="Ada Kessler"),
            RelationDraft(subject="IBM", predicate="equals", object="Big Blue"),
        ),
    )
    await remember(context, await opened(context, user), draft, WriteMode.VERBATIM)
    ada = await entity(context, user, "Ada Kessler")
    kept = await entity(context, user, "IBM")

    async def said() -> set[tuple[str, str, str]]:
        found = await entities.relations_of(context, await opened(context, user), [ada.id], 50)
        return {(r.subject, r.predicate, r.object) for r in found[ada.id]}

    assert {(kept.id, "hires", ada.id), (kept.id, "pays", ada.id)} <= await said()
    await undo(context, user, merged)
    blue = await entity(context, user, "Big Blue")
    assert {(blue.id, "hires", ada.id), (ada.id, "left", kept.id)} <= await said()
    found = await entities.relations_of(context, await opened(context, user), [blue.id], 50)
    assert (kept.id, "equals", blue.id) in {
        (r.subject, r.predicate, r.object) for r in found[blue.id]
    }


SAID = (
    ("GPT-4",),
    ("GPT4",),
    ("gpt 4",),
    ("GPT-4o",),
    ("Acme Corp.",),
    ("ACME Corporation",),
    ("Acme Inc",),
    ("IBM|International Business Machines",),
    ("International Business Machines",),
    ("Ada Kessler|Ada",),
    ("Ada Lovelace",),
    ("Zürich", "Zurich"),
    ("C++", "C#"),
)


async def partition(context: Context, rows: Ask, user: str) -> list[list[str]]:
    """Which names are of one entity for the user."""
    found = await rows("MATCH (e:Entity {user: $user}) RETURN e.id, e.key", user=user)
    keys = {row[0]: row[1] for row in found}
    groups = await groups_for(context, await opened(context, user), sorted(keys))
    parts = {tuple(sorted(keys[each] for each in groups.names_of(one))) for one in keys}
    return [list(part) for part in sorted(parts)]


@pytest.mark.parametrize("seed", range(4))
async def test_shuffled_notes_make_the_same_partition(
    context: Context, user: str, rows: Ask, seed: int
) -> None:
    order = list(SAID)
    random.Random(seed).shuffle(order)
    for i, names in enumerate([*order, *order[:3]]):  # said again changes nothing
        await write(context, user, f"Line {i} of seed {seed}.", *names)
    assert await partition(context, rows, user) == [
        ["acme corp"],
        ["acme inc"],
        ["ada", "ada kessler"],
        ["ada lovelace"],
        ["c#"],
        ["c++"],
        ["gpt 4"],
        ["gpt 4 o"],
        ["ibm", "international business machines"],
        ["zurich"],
    ]


async def test_eight_writers_of_one_name_in_many_spellings_make_one_entity_each(
    context: Context, user: str, rows: Ask
) -> None:
    said = [*SAID, *SAID, *SAID]
    random.Random(7).shuffle(said)
    free = asyncio.Semaphore(WRITERS)

    async def one(i: int, names: tuple[str, ...]) -> None:
        async with free:
            await write(context, user, f"Writer {i} was here.", *names)

    await asyncio.gather(*(one(i, names) for i, names in enumerate(said)))
    found = await partition(context, rows, user)
    assert len(found) == 10
    assert ["ibm", "international business machines"] in found
    doubled = await rows(
        """MATCH (e:Entity {user: $user}) WHERE e.key IS NOT NULL
           WITH e.key AS key, count(*) AS entities WHERE entities > 1 RETURN key""",
        user=user,
    )
    assert doubled == []


async def test_eight_writers_and_merges_at_once_lose_nothing(
    context: Context, user: str, rows: Ask
) -> None:
    await fill(context, user)
    one, other = await entity(context, user, "IBM"), await entity(context, user, "Big Blue")

    async def merge_and_part() -> None:
        for _ in range(3):
            access = await opened(context, user)
            await resolution.merge_entities(context, access, one.id, other.id)
            found = (await resolution.merges_of(context, access, [one.id], 50))[one.id]
            active = next(each.id for each in found if not each.undone)
            await resolution.undo_merge(context, access, active)

    async def say(i: int) -> str:
        return await write(context, user, f"Big Blue said {i}.", "Big Blue")

    *said, _ = await asyncio.gather(*(say(i) for i in range(WRITERS * 2)), merge_and_part())
    listed = await entities.notes_of(context, await opened(context, user), [other.id], 100)
    assert set(said) <= set(listed[other.id])
    assert one.id != other.id


async def test_a_shared_short_name_merges_no_two_people(
    context: Context, user: str, rows: Ask
) -> None:
    await write(context, user, "One.", "Ada Kessler|Ada")
    await write(context, user, "Two.", "Ada Lovelace|Ada")
    assert await partition(context, rows, user) == [["ada", "ada kessler"], ["ada lovelace"]]
    pairs = await resolution.list_reviews(context, await opened(context, user), 10)
    assert {pairs[0].one.name, pairs[0].other.name} == {"Ada Kessler", "Ada Lovelace"}


async def test_titles_in_parentheses_merge_nothing(context: Context, user: str, rows: Ask) -> None:
    await write(context, user, "It is hot.", title="Mercury (planet)")
    await write(context, user, "It is liquid.", title="Mercury (element)")
    assert len(await partition(context, rows, user)) == 2


async def test_a_parted_pair_is_not_merged_by_itself_nor_asked_again(
    context: Context, user: str, rows: Ask
) -> None:
    await write(context, user, "Blue sells.", "Big Blue")
    await write(context, user, "IBM is it.", "IBM|Big Blue")
    kept = await entity(context, user, "ibm")
    found = await resolution.merges_of(context, await opened(context, user), [kept.id], 9)
    assert [(m.actor, m.merged_name) for m in found[kept.id]] == [("manual", "Big Blue")]
    await undo(context, user, found[kept.id][0].id)
    await write(context, user, "IBM is it again.", "IBM|Big Blue")
    assert await partition(context, rows, user) == [["big blue"], ["ibm"]]
    assert await resolution.list_reviews(context, await opened(context, user), 10) == []


async def test_the_users_word_makes_names_one_and_an_agents_is_asked(
    context: Context, user: str, rows: Ask
) -> None:
    await write(context, user, "Blue sells.", "Big Blue", domain="work")
    await write(context, user, "Blue buys.", "Red Works", domain="work")
    await write(context, user, "IBM is it.", "IBM|Big Blue", domain="home")
    await write(context, user, "It is known.", "RW|Red Works", agent="helper", domain="work")
    assert await partition(context, rows, user) == [["big blue", "ibm"], ["red works"], ["rw"]]
    asked = await resolution.list_reviews(context, await opened(context, user), 10)
    assert {frozenset((r.one.name, r.other.name)) for r in asked} == {
        frozenset(("Red Works", "RW"))
    }
    assert {r.reasons for r in asked} == {("a note gives one the name of the other",)}
    await register_agent(context, await opened(context, user), "narrow", domains=["work"])
    assert (await entity(context, user, "Big Blue", "narrow")).aliases == ()


async def test_a_merge_tells_an_agent_nothing_of_notes_that_it_may_not_read(
    context: Context, user: str
) -> None:
    person = await opened(context, user)
    await register_agent(context, person, "narrow", domains=["work"])
    await write(context, user, "Halden runs.", "Halden", domain="work")
    await write(context, user, "Secret.", "Falcon", visibility=Visibility.PRIVATE)
    await write(context, user, "Kestrel runs.", "Kestrel", domain="work")
    told = await write(context, user, "A Falcon flew by.", domain="work")
    before = await entity(context, user, "Halden", "narrow")
    hidden = await entity(context, user, "Falcon")
    narrow = await opened(context, user, "narrow")
    for keep, other in ((before.id, hidden.id), (hidden.id, before.id)):
        with pytest.raises(NotFound):
            await resolution.merge_entities(context, narrow, keep, other)
    merged = await merge(context, user, "Falcon", "Halden")
    narrow = await opened(context, user, "narrow")
    after = await entity(context, user, "Halden", "narrow")
    assert (after.name, after.aliases, after.note_count) == ("Halden", (), 1)
    assert told not in (await entities.notes_of(context, narrow, [after.id], 9))[after.id]
    assert await entities.entities_of(context, narrow, [told]) == {}
    assert await resolution.merges_of(context, narrow, [after.id], 50) == {}
    with pytest.raises(NotFound):
        await entity(context, user, "Falcon", "narrow")
    with pytest.raises(NotFound):
        await resolution.undo_merge(context, narrow, merged)
    with pytest.raises(NotFound):  # as if Falcon were not there, though it is one with Halden now
        await resolution.merge_entities(context, narrow, hidden.id, before.id)
    own = await entity(context, user, "Kestrel", "narrow")
    await resolution.merge_entities(context, narrow, after.id, own.id)
    assert (await entity(context, user, "Kestrel", "narrow")).aliases == ("Kestrel",)
    assert "Falcon" in (await entity(context, user, "Kestrel")).aliases


async def test_a_merge_never_crosses_users(
    context: Context, user: str, new_user: Callable[[], str]
) -> None:
    stranger = new_user()
    await write(context, user, "Blue.", "Big Blue")
    await write(context, stranger, "Blue.", "Big Blue|IBM")
    await write(context, stranger, "IBM.", "IBM Germany")
    mine, theirs = await entity(context, user, "Big Blue"), await entity(context, stranger, "IBM")
    assert mine.id != theirs.id
    assert mine.aliases == ()
    access = await opened(context, user)
    with pytest.raises(NotFound):
        await resolution.merge_entities(context, access, mine.id, theirs.id)
    merged = await merge(context, stranger, "IBM", "IBM Germany")
    with pytest.raises(NotFound):
        await resolution.undo_merge(context, access, merged)


async def test_purging_destroys_an_absorbed_name_everywhere(
    context: Context, user: str, rows: Ask
) -> None:
    await write(context, user, "Blue.", "Big Blue")
    gone = await write(context, user, "The word.", "Sesame Opener")
    merged = await merge(context, user, "Big Blue", "Sesame Opener")
    access = await opened(context, user)
    options: dict[str, Any] = {"query": None, "confirm": False, "reason": None}
    await forgetting.forget(context, access, note_id=gone, permanent=True, **options)
    assert "sesame" not in (await snapshot(rows, user)).lower()
    with pytest.raises(NotFound):
        await undo(context, user, merged)


async def test_purging_what_kept_a_name_leaves_what_it_absorbed(
    context: Context, user: str, rows: Ask
) -> None:
    gone = await write(context, user, "The word.", "Sesame Opener")
    await write(context, user, "Blue.", "Big Blue")
    await merge(context, user, "Sesame Opener", "Big Blue")
    options: dict[str, Any] = {"query": None, "confirm": False, "reason": None}
    access = await opened(context, user)
    await forgetting.forget(context, access, note_id=gone, permanent=True, **options)
    left = await entity(context, user, "Big Blue")
    assert (left.name, left.aliases, left.note_count) == ("Big Blue", (), 1)
    assert "sesame" not in (await snapshot(rows, user)).lower()
    await write(context, user, "Blue again.", "Big Blue")
    assert (await entity(context, user, "Big Blue")).note_count == 2


async def test_revising_a_title_of_a_merged_entity_keeps_it_whole(
    context: Context, user: str, rows: Ask
) -> None:
    titled = await write(context, user, "It runs.", title="Quexwick")
    await write(context, user, "IBM.", "IBM")
    await write(context, user, "Mainframes.", "Quexwick")
    merged = await merge(context, user, "IBM", "Quexwick")
    access = await opened(context, user)
    await notes.revise(context, access, titled, notes.Edit(title="Vega"))
    assert (await entity(context, user, "Vega")).note_count == 1
    await undo(context, user, merged)
    assert (await entity(context, user, "IBM")).note_count == 1
    assert (await entity(context, user, "Quexwick")).note_count == 1
    assert await partition(context, rows, user) == [["ibm"], ["quexwick"], ["vega"]]


async def test_another_name_that_a_title_gave_goes_with_the_title(
    context: Context, user: str, rows: Ask
) -> None:
    titled = await write(context, user, "It runs.", title="Orion (ship)")
    assert (await entity(context, user, "Orion")).name == "Orion (ship)"
    access = await opened(context, user)
    await notes.revise(context, access, titled, notes.Edit(title="Vega"))
    with pytest.raises(NotFound):
        await entity(context, user, "Orion")
    called = "MATCH (:Entity {user: $user})-[r:ALSO_CALLED]->() RETURN r"
    assert await rows(called, user=user) == []


async def test_a_name_is_the_title_of_a_note_that_is_called_so_with_a_word_in_parentheses(
    context: Context, user: str
) -> None:
    titled = await write(context, user, "It was built in Leith.", title="Orion (ship)")
    await write(context, user, "It is far away.", title="Orion (star)")
    told = await write(context, user, "Cy sailed on Orion in May.")
    access = await opened(context, user)
    bounds, _ = bounds_of(access, RecallRequest(query="Cy"), context.clock())
    read = await neighbourhood(context.graph, bounds, notes=[told], named=[])
    assert {row["entity"]: row["titled"] for row in read["entities"]} == {f"{user}:orion": [titled]}
