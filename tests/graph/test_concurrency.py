"""Many writers at once: nothing is lost, nothing is there twice."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from graphmem.domain.notes import EntityDraft, NoteDraft, Operation, RelationDraft, WriteMode
from graphmem.errors import Conflict
from graphmem.services.actors import open_access
from graphmem.services.context import Access, Context
from graphmem.services.writing import changing as notes
from graphmem.services.writing import links
from graphmem.services.writing.remember import Remembered, remember, remember_many
from graphmem.store.actors import put_user_step
from graphmem.store.graph import Step

WRITERS = 8
START = datetime(2026, 2, 1, 9, tzinfo=UTC)

Ask = Callable[..., Awaitable[list[list[Any]]]]


@pytest.fixture
async def access(context: Context, new_user: Callable[[], str]) -> Access:
    return await open_access(context, new_user(), None, register=True)


async def anew(context: Context, access: Access) -> Access:
    """The access of a later request, which knows the audiences of the notes made since."""
    return await open_access(context, access.viewer.user, None)


async def at_once(context: Context, access: Access, given: Iterable[NoteDraft]) -> list[Remembered]:
    """Each draft by a writer of its own, eight at a time."""
    free = asyncio.Semaphore(WRITERS)

    async def one(draft: NoteDraft) -> Remembered:
        async with free:
            return await remember(context, access, draft, WriteMode.VERBATIM)

    return await asyncio.gather(*(one(draft) for draft in given))


async def test_first_requests_of_a_user_register_it_once(
    context: Context, rows: Ask, new_user: Callable[[], str]
) -> None:
    user = new_user()
    await asyncio.gather(
        *(open_access(context, user, "main", register=True) for _ in range(WRITERS))
    )
    found = await rows(
        "MATCH (u:User {id: $user})-[:OWNS]->(a:Agent) RETURN count(*), count(DISTINCT u)",
        user=user,
    )
    assert found == [[1, 1]]


async def test_the_same_names_make_one_entity_each(
    context: Context, access: Access, rows: Ask
) -> None:
    names = ("Halden", "Kestrel", "Ada Kessler", "Bo Lindqvist")
    given = [
        NoteDraft(
            content=f"{names[i % 4]} met {names[(i + 1) % 4]} on day {i}.",
            title=names[i % 4] if i % 2 else f"Minutes of {names[i % 4]}",
            entities=(EntityDraft(name=names[i % 4], aliases=(f"{names[i % 4]} Ltd",)),),
            relations=(RelationDraft(subject=names[i % 4], predicate="met", object=names[i % 3]),),
        )
        for i in range(40)
    ]
    await at_once(context, access, given)
    user = access.viewer.user
    found = await rows(
        """MATCH (e:Entity {user: $user})
           RETURN e.key, count(e) ORDER BY e.key""",
        user=user,
    )
    keys = [key for key, _ in found]
    assert [key for key, entities in found if entities != 1] == []
    assert len(set(keys)) == len(keys)
    assert {"halden", "halden ltd", "ada kessler"} <= set(keys)
    twice = await rows(
        "MATCH (n:Note {user: $user})-[m:MENTIONS]->(e) WITH n, e, count(m) AS c "
        "WHERE c > 1 RETURN e.key",
        user=user,
    )
    assert twice == []


async def test_known_names_are_found_in_the_texts_of_all_writers(
    context: Context, access: Access, rows: Ask
) -> None:
    names = ("Halden", "Kestrel", "Ada Kessler", "Bo Lindqvist")
    user = access.viewer.user
    known = [NoteDraft(content="Known.", entities=tuple(EntityDraft(name=n) for n in names))]
    await at_once(context, access, known)
    pairs = [(names[i % 4], names[(i + 1) % 4]) for i in range(24)]
    await at_once(context, access, [NoteDraft(content=f"{a} met {b}.") for a, b in pairs])
    lost = await rows(
        """MATCH (n:Note {user: $user}), (e:Entity {user: $user})
           WHERE toLower(n.content) CONTAINS e.key AND NOT (n)-[:MENTIONS]->(e)
           RETURN n.content, e.key""",
        user=user,
    )
    assert lost == []


async def test_the_same_external_id_makes_one_note(context: Context, access: Access) -> None:
    same = NoteDraft(content="The relay was replaced.", external_id="relay")
    results = await at_once(context, access, [same] * 16)
    assert len({result.note.id for result in results if result.note}) == 1
    assert [r.operation for r in results].count(Operation.ADD) == 1


async def test_of_two_texts_with_one_external_id_one_is_refused(
    context: Context, access: Access
) -> None:
    async def write(text: str) -> str | None:
        try:
            draft = NoteDraft(content=text, external_id="relay")
            result = await remember(context, access, draft, WriteMode.VERBATIM)
        except Conflict:
            return None
        return result.note.id if result.note else None

    made = await asyncio.gather(*(write(f"Text {i}") for i in range(WRITERS)))
    assert len([note for note in made if note]) == 1


async def test_the_same_request_and_the_same_text_are_carried_out_once(
    context: Context, access: Access, rows: Ask
) -> None:
    keyed = NoteDraft(content="Paid the tax.", idempotency_key="k1")
    plain = NoteDraft(content="Paid the rent.")
    tasks = [remember(context, access, draft) for draft in (keyed, plain) for _ in range(WRITERS)]
    results = await asyncio.gather(*tasks)
    assert len({result.note.id for result in results if result.note}) == 2
    found = await rows("MATCH (n:Note {user: $user}) RETURN count(n)", user=access.viewer.user)
    assert found == [[2]]


@pytest.mark.feature("MUMA-17")
async def test_one_of_many_writers_wins_each_version(
    context: Context, access: Access, rows: Ask
) -> None:
    made = await remember(context, access, NoteDraft(content="Version one."))
    assert made.note is not None
    note = made.note.id
    access = await anew(context, access)

    async def revise(i: int, version: int) -> bool:
        change = notes.Edit(content=f"Text {i} after version {version}.")
        try:
            await notes.revise(context, access, note, change, expected_version=version)
        except Conflict:
            return False
        return True

    for version in range(1, 4):
        won = await asyncio.gather(*(revise(i, version) for i in range(WRITERS)))
        assert sum(won) == 1
    found = await rows(
        "MATCH (n:Note {id: $id})-[:HAD]->(r) RETURN r.version, n.version ORDER BY r.version",
        id=note,
    )
    assert found == [[1, 4], [2, 4], [3, 4], [4, 4]]


async def test_changes_of_different_fields_are_not_lost(
    context: Context, access: Access, rows: Ask
) -> None:
    """Without expectedVersion a writer that came second is told so, or has seen the first."""
    made = await remember(context, access, NoteDraft(content="One."))
    assert made.note is not None
    note = made.note.id
    access = await anew(context, access)
    changes = [notes.Edit(importance=0.9), notes.Edit(tags=("kept",)), notes.Edit(title="T")]
    told = await asyncio.gather(
        *(notes.revise(context, access, note, change) for change in changes),
        notes.pin(context, access, note, True, None),
        return_exceptions=True,
    )
    assert all(not isinstance(r, BaseException) or isinstance(r, Conflict) for r in told), told
    row = (
        await rows(
            """MATCH (n:Note {id: $id})
               RETURN n.importance = 0.9, n.tags = ['kept'], coalesce(n.title, '') = 'T',
                 n.pinned, n.version,
                 [(n)-[:HAD]->(r) | r.version]""",
            id=note,
        )
    )[0]
    applied = [not isinstance(r, Conflict) for r in told]
    assert row[:4] == applied
    assert row[4] == 1 + sum(applied)
    assert sorted(row[5]) == list(range(1, row[4] + 1))


async def test_event_numbers_grow_in_the_order_of_the_commits(
    context: Context, access: Access, rows: Ask
) -> None:
    """Whoever has seen a number misses nothing that is committed later."""
    stop = asyncio.Event()
    seen: list[int] = []

    async def watch() -> None:
        while not stop.is_set():
            for (seq,) in await rows(
                "MATCH (e:Event {stream: $user}) RETURN e.seq ORDER BY e.seq",
                user=access.viewer.user,
            ):
                if seq not in known:
                    assert seq > max(seen, default=0)
                    fresh.append(seq)
                    known.add(seq)
            seen.extend(fresh)
            fresh.clear()

    known: set[int] = set()
    fresh: list[int] = []
    watching = asyncio.create_task(watch())
    await at_once(context, access, [NoteDraft(content=f"Commit {i}.") for i in range(40)])
    stop.set()
    await watching


async def test_event_numbers_are_all_different(context: Context, access: Access, rows: Ask) -> None:
    await at_once(context, access, [NoteDraft(content=f"Note {i}.") for i in range(40)])
    found = await rows(
        "MATCH (e:Event {stream: $user}) RETURN e.seq ORDER BY e.seq", user=access.viewer.user
    )
    assert len({seq for (seq,) in found}) == 40


async def test_an_episode_stays_one_chain_in_the_order_of_time(
    context: Context, access: Access, rows: Ask
) -> None:
    given = [
        NoteDraft(
            content=f"Turn {i:02}.",
            episode="talk",
            occurred_at=START + timedelta(minutes=i // 2),  # two at each instant
        )
        for i in range(48)
    ]
    random.Random(7).shuffle(given)
    await at_once(context, access, given)
    user = access.viewer.user
    chain = await rows(
        """MATCH (n:Note {user: $user}) WITH count(n) AS notes
           MATCH p = (a:Note {user: $user})-[:NEXT*]->(b:Note)
           WHERE NOT ()-[:NEXT]->(a) AND NOT (b)-[:NEXT]->()
           RETURN notes, [n IN nodes(p) | n.happenedAt] = COLLECT {
             MATCH (m:Note {user: $user}) RETURN m.happenedAt ORDER BY m.happenedAt }""",
        user=user,
    )
    assert chain == [[48, True]]
    found = await rows("MATCH (e:Episode {user: $user}) RETURN count(e)", user=user)
    assert found == [[1]]


async def test_links_of_the_same_kind_are_made_once(
    context: Context, access: Access, rows: Ask
) -> None:
    made = await at_once(context, access, [NoteDraft(content="One."), NoteDraft(content="Two.")])
    one, two = [result.note.id for result in made if result.note]
    access = await anew(context, access)
    found = await asyncio.gather(
        *(links.link(context, access, one, two, "supports", None) for _ in range(WRITERS))
    )
    assert len({link.id for link in found}) == 1


SHAPE = """MATCH (n:Note {user: $user})
RETURN n.content, n.title, n.domain, n.visibility, n.kind, n.externalId, n.keywords, n.tags,
  n.accessCount, COLLECT { MATCH (n)-[m:MENTIONS]->(e)
    RETURN [e.key, e.name, e.type, m.count, m.name, m.type, m.given, m.keys] ORDER BY e.key },
  COLLECT { MATCH (s)-[r:RELATES_TO {noteId: n.id}]->(o)
    RETURN [s.key, r.predicate, o.key, r.status] ORDER BY s.key, o.key },
  COLLECT { MATCH (n)-[:NEXT]->(x) RETURN x.content }, [(n)-[:IN_EPISODE]->(e) | e.key],
  COUNT { (n)-[:HAD]->() }, [(n)-[:FOR]->(a) | [a.visibility, a.domain, a.author]]
ORDER BY n.content, n.title, n.externalId"""


@pytest.mark.parametrize("mode", list(WriteMode))
async def test_many_at_once_give_the_same_graph_as_one_by_one(
    context: Context, new_user: Callable[[], str], rows: Ask, mode: WriteMode
) -> None:
    names = ("Halden", "Kestrel", "Ada Kessler", "Marsh House")
    given = [
        NoteDraft(
            content=f"{names[i % 4]} and {names[(i * 3) % 4]} spoke, time {i % 9}.",
            title=names[i % 4] if i in (3, 10) else None,
            external_id=f"x{i % 11}" if i % 3 == 0 else None,
            episode=f"talk {i % 2}" if i % 4 else None,
            occurred_at=START + timedelta(minutes=(i * 7) % 24),
            entities=(EntityDraft(name=names[i % 3], type="thing", aliases=("It",)),)
            if i % 5 == 0
            else (),
            relations=(RelationDraft(subject=names[0], predicate="knows", object="Old Tom"),)
            if i % 6 == 0
            else (),
        )
        for i in range(24)
    ]
    shapes, told = [], []
    for together in (True, False):
        access = await open_access(context, new_user(), None, register=True)
        if together:
            results = await remember_many(context, access, [(draft, mode) for draft in given])
        else:
            results = [(await remember_many(context, access, [(d, mode)]))[0] for d in given]
        told.append([(r.operation, r.reason, type(r.error)) for r in results])
        shapes.append(await rows(SHAPE, user=access.viewer.user))
    assert told[0] == told[1]
    assert shapes[0] == shapes[1]


async def test_a_transaction_that_fails_leaves_nothing(context: Context, access: Access) -> None:
    made = await remember(context, access, NoteDraft(content="First.", external_id="a"))
    assert made.note is not None
    user, now = access.viewer.user, context.clock()
    lost = put_user_step(user, "renamed", now)
    stale = Step(
        "notes/unchanged",
        {"rows": [{"id": made.note.id, "audience": made.note.audience.key, "version": 99}]},
        required=True,
    )
    with pytest.raises(Conflict):
        await context.graph.write(lost, stale)
    rows = await context.graph.read("actors/get_users", ids=[user])
    assert rows[0]["user"]["name"] == user
