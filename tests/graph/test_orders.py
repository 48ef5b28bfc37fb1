"""Where only some of what may be read is taken, hidden things and the order in which the store has
it decide nothing."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from graphmem.domain.notes import EntityDraft, NoteDraft, NoteFilter, Status, Tier, WriteMode
from graphmem.domain.visibility import Visibility
from graphmem.services import actors
from graphmem.services.context import Access, Context
from graphmem.services.reading import entities, stats
from graphmem.services.writing import links
from graphmem.services.writing.remember import GROUP, remember_many
from graphmem.services.writing.visibility import set_note_visibility
from graphmem.store import conflicts, recall
from graphmem.store.recall import Bounds

Cypher = Callable[..., Awaitable[list[dict[str, Any]]]]


@pytest.fixture
async def person(context: Context, new_user: Callable[[], str]) -> Access:
    return await actors.open_access(context, new_user(), None, register=True)


@pytest.fixture
def cypher(context: Context) -> Cypher:
    async def run(query: Any, **given: Any) -> list[dict[str, Any]]:
        async with context.graph._driver.session() as session:  # pyright: ignore[reportPrivateUsage]
            return await (await session.run(query, **given)).data()

    return run


async def write(context: Context, access: Access, *drafts: NoteDraft) -> list[str]:
    """The ids of notes, stored as they were said."""
    done = await remember_many(context, access, [(each, WriteMode.VERBATIM) for each in drafts])
    assert not [each.error for each in done if each.error]
    return [each.note_id or "" for each in done]


async def fresh(context: Context, access: Access) -> Access:
    """The access with the audiences that there are now."""
    return await actors.open_access(context, access.viewer.user, access.viewer.agent)


def bounds_of(context: Context, access: Access) -> Bounds:
    now = context.clock()
    return Bounds(
        user=access.viewer.user,
        audiences=tuple(access.by_name),
        filter=NoteFilter(),
        statuses=(Status.ACTIVE,),
        tiers=tuple(Tier),
        now=now,
        at=now,
    )


def test_what_one_transaction_adds_to_an_entity_is_read_as_a_whole() -> None:
    """What one transaction adds is in no order; the first of all has a place of its own."""
    assert recall.MENTION_FAN - 1 + GROUP + 1 <= recall.MENTION_FAN + recall.UNSORTED


@pytest.mark.feature("MUMA-26")
async def test_no_kind_of_a_link_that_was_made_for_others_is_asked_for(
    context: Context, person: Access
) -> None:
    hidden = NoteDraft(content="One.", visibility=Visibility.USER_ONLY)
    one, other, third = await write(
        context, person, hidden, hidden, NoteDraft(content="Three.", visibility=Visibility.OPEN)
    )
    person = await fresh(context, person)
    await links.link(context, person, one, other, kind="related", reason=None)
    for note in (one, other):
        await set_note_visibility(context, person, note, Visibility.OPEN)
    await links.link(context, person, one, third, kind="related", reason=None)
    agent = await actors.open_access(context, person.viewer.user, "reader", register=True)
    bounds = bounds_of(context, agent)
    found = await recall.list_links(context.graph, bounds, [one], kind="related")
    assert found == [(one, third, "related")]
    assert sorted(await recall.list_links(context.graph, bounds, [one])) == sorted(
        [(one, other, "linked"), (one, third, "related")]
    )


async def test_the_last_note_that_took_the_place_of_one_is_told(
    context: Context, person: Access, cypher: Cypher
) -> None:
    old, *new = await write(context, person, *(NoteDraft(content=f"{i}.") for i in range(6)))
    query = """UNWIND range(0, size($new) - 1) AS i
        MATCH (n:Note {id: $new[i]}) MATCH (o:Note {id: $old})
        CREATE (n)-[:SUPERSEDES {at: $now + duration({seconds: $order[i]})}]->(o)
        SET o.status = 'SUPERSEDED'"""
    order = [3, 1, 4, 0, 2]
    await cypher(query, new=new, old=old, now=context.clock(), order=order)
    keys = list((await fresh(context, person)).by_name)
    rows = await context.graph.read("notes/lineage", ids=[old], audiences=keys, now=context.clock())
    assert [row["other"] for row in rows] == [new[2]]


async def test_paths_over_equal_notes_come_in_the_order_of_their_ids(
    context: Context, person: Access
) -> None:
    both = (EntityDraft(name="Halden"), EntityDraft(name="Zebulon"))
    drafts = [NoteDraft(content="Halden met Zebulon.", entities=both) for _ in range(8)]
    notes = await write(context, person, *drafts)
    access = await fresh(context, person)
    found = await entities.paths(context, access, "Halden", "Zebulon", 2, 3)
    assert [path.nodes[1].id for path in found] == sorted(notes)[:3]


async def test_of_notes_that_changed_at_once_the_newest_are_compared(
    context: Context, person: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    drafts = [
        NoteDraft(content=f"The {thing} is on shelf {number}.", domain=thing)
        for thing in ("kiln", "roof", "boat")
        for number in (1, 2)
    ]
    done = await remember_many(context, person, [(each, WriteMode.CURATED) for each in drafts])
    notes = [each.note_id for each in done]
    assert len(set(notes)) == len(drafts)
    access = await fresh(context, person)
    monkeypatch.setattr(conflicts, "MOST_NOTES", 1)
    found = await conflicts.find_pairs(
        context.graph, person.viewer.user, access.by_name, context.clock(), similarity=0, limit=9
    )
    assert [pair[:2] for pair in found] == [(notes[4], notes[5])]


@pytest.mark.feature("MUMA-26")
async def test_many_names_that_hidden_notes_tie_are_counted_as_they_are(
    context: Context, person: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("Halden", "Orion", "Kestrel", "Zebulon")
    given = [NoteDraft(content=name, entities=(EntityDraft(name=name),)) for name in names]
    await write(context, person, *(replace(d, visibility=Visibility.OPEN) for d in given))
    agent = await actors.open_access(context, person.viewer.user, "reader", register=True)
    monkeypatch.setattr(stats, "MAX_TIED", 1)
    assert (await stats.stats(context, agent)).entities == len(names)
    hidden = replace(
        given[0],
        visibility=Visibility.USER_ONLY,
        entities=(EntityDraft(name="Halden", aliases=("Orion", "Kestrel")),),
    )
    await write(context, person, hidden)
    assert (await stats.stats(context, agent)).entities == len(names)


async def test_links_of_one_weight_are_followed_in_the_order_of_their_kinds(
    context: Context, person: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = await write(context, person, NoteDraft(content="1."), NoteDraft(content="2."))
    person = await fresh(context, person)
    for kind in ("owns", "about", "uses", "becomes", "cites"):
        await links.link(context, person, one, other, kind=kind, reason=None)
    monkeypatch.setattr(recall, "LINK_FAN", 1)
    read = await recall.neighbourhood(
        context.graph, bounds_of(context, person), notes=[one], named=()
    )
    assert [link[2] for link in read["links"]] == ["about"]


@pytest.mark.feature("MUMA-61")
@pytest.mark.parametrize("filtered", [False, True])
async def test_neighbours_in_an_episode_are_found_behind_any_number_of_hidden_notes(
    context: Context, person: Access, filtered: bool
) -> None:
    await actors.open_access(context, person.viewer.user, "helper", register=True)
    day = datetime(2026, 2, 1, tzinfo=UTC)

    def said(minute: int, visibility: Visibility) -> NoteDraft:
        at = day + timedelta(minutes=minute // 3)  # some at the same time
        return NoteDraft(
            content=f"Minute {minute}.", episode="talk", occurred_at=at, visibility=visibility
        )

    hidden = [said(i, Visibility.USER_ONLY) for i in range(1, 130)]
    first, *_, last = await write(
        context, person, said(0, Visibility.OPEN), *hidden, said(130, Visibility.OPEN)
    )
    helper = await actors.open_access(context, person.viewer.user, "helper")
    bounds = bounds_of(context, helper)
    if filtered:
        bounds = replace(bounds, filter=NoteFilter(text="Minute"))
    read = await recall.neighbourhood(context.graph, bounds, notes=[first, last], named=[])
    assert sorted(link[:3] for link in read["links"]) == sorted(
        [[first, last, "NEXT"], [last, first, "NEXT"]]
    )
    vector = await context.embedder.embed_query("Minute")
    found, _ = await recall.find_candidates(context.graph, bounds, vector, ["minute"])
    around = {each.id: [(near.id, near.is_before) for near in each.around] for each in found}
    assert around == {first: [(last, False)], last: [(first, True)]}


@pytest.mark.feature("MUMA-26")
@pytest.mark.parametrize("of_longer", [5, 25])
async def test_mentions_of_a_longer_name_let_no_hidden_note_decide(
    context: Context, person: Access, cypher: Cypher, of_longer: int
) -> None:
    """Whatever of the newest mentions is left out, no older one takes its place by an order that
    hidden notes change."""

    async def mentioned(name: str, hidden: int) -> list[int]:
        """The places of the notes that mention a name, after as many hidden ones."""
        names = (name, f"{name} Station")
        given = [NoteDraft(content=f"{n}.", entities=(EntityDraft(name=n),)) for n in names]
        others = [NoteDraft(content=f"Note {i} after {name}.") for i in range(80)]
        readable = [replace(each, visibility=Visibility.OPEN) for each in (*given, *others)]
        private = replace(others[0], visibility=Visibility.USER_ONLY)
        secret = await write(context, person, *(replace(private) for _ in range(hidden)))
        first, _, *notes = await write(context, person, *readable)
        query = """MATCH (n:Note {id: $note}) MATCH (e:Entity {id: $user + ':' + $key})
            MERGE (n)-[m:MENTIONS]->(e) SET m.given = false, m.count = 1, m.at = $at,
                m.name = $key, m.within = $within"""
        key, user, now = name.lower(), person.viewer.user, context.clock()
        longer = f"{user}:{key} station"
        for place, note in enumerate((*secret, *notes)):
            newest = place >= len(secret) + len(notes) - of_longer
            at = now + timedelta(seconds=place)
            within = [longer] if newest else None
            await cypher(query, note=note, user=user, key=key, at=at, within=within)
        agent = await actors.open_access(context, user, "reader", register=True)
        read = await recall.neighbourhood(
            context.graph, bounds_of(context, agent), notes=[first], named=()
        )
        (entity,) = [row for row in read["entities"] if row["entity"] == f"{user}:{key}"]
        return [notes.index(note) for note in entity["mentioned"] if note in notes]

    alone, beside = await mentioned("Halden", 0), await mentioned("Orion", 60)
    assert alone == beside == list(reversed(range(80)))[of_longer:][: len(alone)]
    assert len(alone) == max(0, min(recall.NOTE_FAN, recall.MENTION_FAN - of_longer))
