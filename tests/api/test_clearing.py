"""All notes that a filter finds are forgotten and brought back, and nothing else."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from aged_notes import World
from clients import Client
from own_batches import keep_batches_to
from typer.testing import CliRunner

from graphmem.cli import clear as command
from graphmem.cli.program import build
from graphmem.domain.notes import Note, NoteFilter, Status
from graphmem.errors import TimedOut, Unavailable
from graphmem.server import ServerAddress
from graphmem.services.actors import open_access
from graphmem.services.context import Context
from graphmem.services.forgetting import many
from graphmem.services.writing.changing import pin
from graphmem.store import notes as store
from graphmem.store.decay import DECAYED

AGENTS = "{ agents { id noteCount } }"
STATUS = "query S($id: ID!) { note(id: $id) { status } }"
DESTROY = "mutation D($id: ID!) { forget(id: $id, permanent: true) { forgotten } }"
MOVE = 'mutation M($id: ID!) { revise(id: $id, domain: "home") { id } }'
FORGET = "mutation F($id: ID!) { forget(id: $id) { forgotten } }"
PIN = "mutation P($id: ID!) { pin(id: $id) { version } }"
FORGET_MANY = """mutation F($filter: NoteFilter!, $confirm: Boolean, $permanent: Boolean) {
  forgetMany(filter: $filter, confirm: $confirm, permanent: $permanent) {
    found forgotten permanent at } }"""
RESTORE = "mutation R($id: ID!) { restore(id: $id) { id } }"
RESTORE_MANY = "mutation R($at: DateTime!) { restoreMany(at: $at) }"
TEXTS = (
    "The kiln is in Ulm.",
    "The lathe stands beside the window.",
    "Boris orders clay on Mondays.",
    "A truck brings wood in the spring.",
    "The glaze recipe needs cobalt.",
)


async def say(api: Client, content: str, **given: Any) -> str:
    return (await api.remember(content, **given))["note"]["id"]


async def statuses(api: Client, ids: list[str]) -> list[str | None]:
    """None where there is no such note."""
    answers = [await api.post(STATUS, id=note) for note in ids]
    found = [(answer["data"] or {}).get("note") for answer in answers]
    return [note and note["status"] for note in found]


async def counts(api: Client) -> dict[str, int]:
    return {agent["id"]: agent["noteCount"] for agent in (await api(AGENTS))["agents"]}


async def clear(api: Client, given: dict[str, Any], **more: Any) -> dict[str, Any]:
    return (await api(FORGET_MANY, filter=given, confirm=True, **more))["forgetMany"]


@pytest.mark.feature("DAEM-30")
async def test_what_an_agent_wrote_is_forgotten_page_by_page_and_nothing_else(
    api: Client, new_user: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(many, "PAGE", 2)
    bot, helper, other = api.as_agent("bot"), api.as_agent("helper"), api.as_user(new_user())
    written = [await say(bot, text) for text in TEXTS]
    private = await say(bot, "The safe opens to the left.", visibility="PRIVATE")
    expired = await say(bot, "The oven is hot.", ttlSeconds=1)
    put_away = await say(bot, "The old press was sold.")
    await api(FORGET, id=put_away)
    kept = [
        await say(api, "Carla fires the oven at night."),
        await say(helper, "Ada paints plates."),
    ]
    theirs = await say(other.as_agent("bot"), TEXTS[1])
    of_bot = {"author": "bot"}
    counted = (await api(FORGET_MANY, filter=of_bot))["forgetMany"]
    assert counted == {"found": 7, "forgotten": 0, "permanent": False, "at": None}
    assert await statuses(api, written) == ["ACTIVE"] * 5
    done = await clear(api, of_bot)
    assert (done["found"], done["forgotten"]) == (7, 7)
    assert await statuses(api, [*written, private, put_away]) == ["ARCHIVED"] * 7
    assert await statuses(api, kept) == ["ACTIVE"] * 2
    assert await statuses(other, [theirs]) == ["ACTIVE"]
    assert await counts(api) == {"bot": 0, "helper": 1}
    assert (await clear(api, of_bot))["found"] == 0
    done = await clear(api, of_bot, permanent=True)
    assert done == {"found": 8, "forgotten": 8, "permanent": True, "at": None}
    assert await statuses(api, [*written, private, put_away, expired]) == [None] * 8
    assert await statuses(api, kept) == ["ACTIVE"] * 2
    assert await statuses(other, [theirs]) == ["ACTIVE"]


REVISE = "mutation R($id: ID!, $c: String) { revise(id: $id, content: $c) { version } }"
RETITLE = 'mutation R($id: ID!) { revise(id: $id, title: "Party") { version } }'
REMAINING = """mutation M($filter: NoteFilter!, $confirm: Boolean!) {
  forgetMany(filter: $filter, confirm: $confirm, permanent: true) { found forgotten remaining } }"""
TASK = 'mutation S { openSession(task: "Write to ZACHARIAS") { id } }'


OF_A_TEAM = """UNWIND [$audience, $own] AS audience
CREATE (:Event:System {id: randomUUID(), stream: $user, seq: toInteger(rand() * 1000000),
  audience: audience, data: '{"reason": "Zacharias"}'})"""


async def test_what_a_team_says_is_no_part_of_it(api: Client, cypher: Any) -> None:
    await say(api, "The oven is hot.")
    given = {"audience": "t:kiln/knowledge/work", "own": f"u:{api.user}/OPEN/work"}
    await cypher(OF_A_TEAM, user=api.user, **given)
    counted = await api(REMAINING, filter={"text": "zacharias"}, confirm=False)
    assert counted["forgetMany"]["remaining"] == {"Event": 1}


async def test_it_tells_how_much_still_holds_the_words(api: Client, new_user: Any) -> None:
    other = api.as_user(new_user())
    for client in (api, other):
        await say(client, "Zacharias fires the oven.", entities=[{"name": "Zacharias"}])
    note = await say(api, "The oven is hot.", title="Oven of Zacharias", tags=["zacharias"])
    await api(REVISE, id=note, c="It is cold.")
    await say(api, "The oven is old.")
    await api.as_agent("bot")(TASK)
    given = {"filter": {"text": "zacharias"}}
    counted = (await api(REMAINING, **given, confirm=False))["forgetMany"]
    assert (counted["found"], counted["forgotten"]) == (2, 0)
    assert counted["remaining"] == {**counted["remaining"], "Note": 2, "Session": 1}
    assert {"Entity", "Revision", "MENTIONS"} <= counted["remaining"].keys()
    done = (await api(REMAINING, **given, confirm=True))["forgetMany"]
    assert (done["forgotten"], done["remaining"]) == (2, {"Session": 1})
    again = (await api(REMAINING, **given, confirm=True))["forgetMany"]
    assert again == {"found": 0, "forgotten": 0, "remaining": {"Session": 1}}
    counted = (await other(REMAINING, **given, confirm=False))["forgetMany"]
    assert counted["remaining"]["Note"] == 1
    by_author = (await api(REMAINING, filter={"author": "bot"}, confirm=False))["forgetMany"]
    assert by_author["remaining"] is None


@pytest.mark.parametrize("name", ["Jürgen", "Öztürk", 'the "Anchor"'])
async def test_it_finds_words_in_what_is_kept_as_json(api: Client, name: str) -> None:
    note = await say(api, "Party at eight.", metadata={"host": name}, title=f"At {name}'s")
    await api(RETITLE, id=note)  # the old one is in the changes of a revision
    counted = await api(REMAINING, filter={"text": name.lower()}, confirm=False)
    assert counted["forgetMany"]["remaining"].keys() == {"Note", "Revision"}


async def test_keys_that_no_word_is_in_are_not_counted(api: Client, cypher: Any) -> None:
    await say(api, "The oven is hot.", idempotencyKey="ada0ada0ada0")
    key = "CREATE (:ApiKey:System {id: randomUUID(), user: $user, hash: 'ada0ada0'})"
    await cypher(key, user=api.user)
    counted = await api(REMAINING, filter={"text": "ada"}, confirm=False)
    await cypher("MATCH (k:ApiKey {user: $user}) DETACH DELETE k", user=api.user)  # is no whole one
    assert counted["forgetMany"]["remaining"] == {}


@pytest.mark.parametrize("error", [TimedOut(), TimeoutError(), Unavailable("away")])
async def test_what_was_destroyed_is_told_though_the_rest_could_not_be_counted(
    api: Client, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    async def fails(*_: Any) -> Any:
        raise error

    await say(api, "Zacharias fires the oven.")
    monkeypatch.setattr(many, "count_holding", fails)
    done = (await api(REMAINING, filter={"text": "zacharias"}, confirm=True))["forgetMany"]
    assert done == {"found": 1, "forgotten": 1, "remaining": None}


@pytest.mark.parametrize(
    ("given", "of"),
    [
        ({"episode": "monday"}, {"episode": "monday"}),
        ({"externalPrefix": "vault/"}, {"externalId": "vault/{}"}),
        ({"domain": "work", "tags": ["wood"]}, {"domain": "work/a", "tags": ["wood"]}),
    ],
)
async def test_what_came_from_one_source_is_forgotten_and_brought_back(
    api: Client, given: dict[str, Any], of: dict[str, Any]
) -> None:
    named = [
        {key: each.format(i) if isinstance(each, str) else each for key, each in of.items()}
        for i in range(3)
    ]
    first, second, third = [
        await say(api, text, **fields) for text, fields in zip(TEXTS, named, strict=False)
    ]
    kept = [await say(api, TEXTS[3], episode="tuesday"), await say(api, TEXTS[4], domain="home")]
    await api(FORGET, id=third)  # before, which is not taken back
    done = await clear(api, given)
    assert (done["found"], done["forgotten"]) == (2, 2)
    assert await statuses(api, [first, second, *kept]) == ["ARCHIVED"] * 2 + ["ACTIVE"] * 2
    assert (await api(RESTORE_MANY, at="2026-03-01T08:00:00Z"))["restoreMany"] == 0
    await api(PIN, id=second)  # changed since
    assert (await api(RESTORE_MANY, at=done["at"]))["restoreMany"] == 1
    assert await statuses(api, [first, second, third, *kept]) == [
        *("ACTIVE", "ARCHIVED", "ARCHIVED", "ACTIVE", "ACTIVE")
    ]


async def test_what_has_expired_keeps_no_other_note_from_coming_back(place: Any) -> None:
    opened = await place()
    api = opened.api
    first = await say(api, TEXTS[0], episode="monday")
    expiring = await say(api, "The oven is hot.", episode="monday", ttlSeconds=3600)
    last = await say(api, TEXTS[1], episode="monday")
    opened.clock.move(hours=2)
    done = await clear(api, {"episode": "monday"})
    assert (done["found"], done["forgotten"]) == (3, 3)
    assert (await api(RESTORE_MANY, at=done["at"]))["restoreMany"] == 2
    assert await statuses(api, [first, expiring, last]) == ["ACTIVE", None, "ACTIVE"]


async def test_what_another_note_had_replaced_stays_replaced(api: Client, cypher: Any) -> None:
    present = await say(api, TEXTS[0], episode="monday")
    past = await say(api, TEXTS[1], episode="monday")
    await cypher("MATCH (n:Note {id: $id}) SET n.status = 'SUPERSEDED'", id=past)
    done = await clear(api, {"episode": "monday"})
    assert (done["found"], done["forgotten"]) == (2, 2)
    assert await statuses(api, [present, past]) == ["ARCHIVED"] * 2
    assert (await api(RESTORE_MANY, at=done["at"]))["restoreMany"] == 2
    assert await statuses(api, [present, past]) == ["ACTIVE", "SUPERSEDED"]


async def test_a_note_that_is_destroyed_meanwhile_keeps_no_other_from_coming_back(
    api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = [await say(api, text, episode="monday") for text in TEXTS[:3]]
    done = await clear(api, {"episode": "monday"})
    restore_note, destroyed = many.restore_note, list[str]()

    async def later(context: Any, access: Any, note: Note, status: Status) -> None:
        if not destroyed:
            destroyed.append(note.id)
            await api(DESTROY, id=note.id)
        await restore_note(context, access, note, status)

    monkeypatch.setattr(many, "restore_note", later)
    assert (await api(RESTORE_MANY, at=done["at"]))["restoreMany"] == 2
    left = [None if note in destroyed else "ACTIVE" for note in notes]
    assert await statuses(api, notes) == left


async def test_what_left_the_filter_meanwhile_is_neither_forgotten_nor_brought_back(
    api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved, kept = [await say(api, text, domain="work") for text in TEXTS[:2]]
    load_notes, acts = many.store.load_notes, [(MOVE, moved)]

    async def later(*given: Any, **more: Any) -> Any:
        due, acts[:] = acts[:], []  # what they load themselves is not held up
        for query, note in due:
            await api(query, id=note)
        return await load_notes(*given, **more)

    monkeypatch.setattr(many.store, "load_notes", later)
    done = await clear(api, {"domain": "work"})
    assert (done["found"], done["forgotten"]) == (2, 1)
    assert await statuses(api, [moved, kept]) == ["ACTIVE", "ARCHIVED"]
    acts += [(RESTORE, kept), (FORGET, kept)]  # the user forgets it again, at another instant
    assert (await api(RESTORE_MANY, at=done["at"]))["restoreMany"] == 0
    assert await statuses(api, [moved, kept]) == ["ACTIVE", "ARCHIVED"]


async def test_what_a_job_had_archived_stays_so_until_it_is_taken_back(
    context: Context, new_user: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A use brings back what the job itself archived, and nothing that was forgotten since."""
    world = World(context, new_user())
    keep_batches_to(monkeypatch, lambda: [world.user])
    faded, used, pinned = [(await world.note(episode="monday")) for _ in range(3)]
    await world.sweep(200 * 24)
    live = await world.note(episode="monday")
    given, driver = NoteFilter(episode="monday"), context.graph._driver  # pyright: ignore[reportPrivateUsage]

    async def forget() -> many.ForgottenMany:
        return await many.forget_many(world.service, await world.access(), given, confirm=True)

    async def restore(at: datetime | None) -> int:
        assert at is not None
        return await many.restore_many(world.service, await world.access(), at)

    async def after_use(note: str) -> Status:
        await context.graph.write(store.reinforce_step({note: (world.now,)}, 1.0))
        await world.sweep(1)
        return await world.status(note)

    async def kept(note: str) -> dict[str, Any]:
        found = await driver.execute_query("MATCH (n:Note {id: $id}) RETURN n", id=note)
        return dict(found.records[0]["n"])

    before = await kept(faded)
    assert (before["status"], before["archivedBy"]) == ("ARCHIVED", DECAYED)
    world.now += timedelta(hours=1)
    done = await forget()
    assert (done.found, done.forgotten) == (4, 4)
    assert (await forget()).found == 0
    assert await after_use(used) is Status.ARCHIVED
    await pin(world.service, await world.access(), pinned, True, None)  # changed since
    assert await restore(before["updatedAt"].to_native()) == 0
    assert await restore(done.at) == 3
    assert await restore(done.at) == 0
    assert await kept(faded) == before
    assert await after_use(used) is Status.ACTIVE
    assert await after_use(pinned) is Status.ARCHIVED
    assert await world.status(live) is Status.ACTIVE


async def test_many_notes_are_forgotten_by_the_user_in_person_alone(api: Client) -> None:
    note = await say(api.as_agent("bot"), TEXTS[0])
    for query, given in (
        (FORGET_MANY, {"filter": {"author": "bot"}, "confirm": True}),
        (RESTORE_MANY, {"at": "2026-03-01T08:00:00Z"}),
    ):
        answer = await api.as_agent("bot").post(query, **given)
        assert answer["errors"][0]["extensions"]["code"] == "FORBIDDEN"
    for odd in ({}, {"episode": ""}, {"tags": []}, {"externalPrefix": "x" * 256}):
        answer = await api.post(FORGET_MANY, filter=odd, confirm=True)
        assert answer["errors"][0]["extensions"]["code"] == "BAD_USER_INPUT"
    answer = await api.post(RESTORE_MANY, at="0001-01-01T00:00:00+14:00")
    assert answer["errors"][0]["extensions"]["code"] == "BAD_USER_INPUT"
    assert await statuses(api, [note]) == ["ACTIVE"]


async def test_a_page_of_which_a_note_is_changed_all_the_time_is_left_as_it_is(
    api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = await say(api.as_agent("bot"), TEXTS[0])
    forget_notes = many.forget_notes

    async def too_late(*given: Any, **more: Any) -> int:
        await api(PIN, id=note)
        return await forget_notes(*given, **more)

    monkeypatch.setattr(many, "forget_notes", too_late)
    for permanent in (False, True):
        done = await clear(api, {"author": "bot"}, permanent=permanent)
        assert done == {"found": 1, "forgotten": 0, "permanent": permanent, "at": None}
        assert await statuses(api, [note]) == ["ACTIVE"]
    monkeypatch.undo()
    assert (await clear(api, {"author": "bot"}))["forgotten"] == 1


@pytest.fixture
def run(
    api: Client, neo4j_address: ServerAddress, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Awaitable[str]]:
    """Runs the command."""
    monkeypatch.setenv("GRAPHMEM_NEO4J_USER", neo4j_address.user)
    monkeypatch.setenv("GRAPHMEM_NEO4J_PASSWORD", neo4j_address.password)
    monkeypatch.setenv("GRAPHMEM_EMBEDDER", "hash")

    async def run(*given: str, code: int = 0, answer: str = "") -> str:
        words = ["clear", "--user", api.user, "--neo4j", neo4j_address.bolt_uri, *given]
        done = await asyncio.to_thread(CliRunner().invoke, build(), words, answer)
        assert done.exit_code == code, done.output
        return done.stdout

    return run


@pytest.mark.feature("DAEM-30")
async def test_the_command_counts_asks_forgets_and_takes_it_back(
    api: Client, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = await say(api.as_agent("bot"), TEXTS[0])
    await run(code=2)
    await run("--since", "2026-01-01", code=2)
    assert await run("--agent", "bot") == "1 note would be forgotten; --yes does it\n"
    monkeypatch.setattr(command, "at_a_terminal", lambda: True)
    asked = await run("--agent", "bot", answer="n\n")
    assert asked.startswith("Forget 1 note? [y/N]")
    assert await statuses(api, [note]) == ["ACTIVE"]
    told = await run("--agent", "bot", answer="y\n")
    assert "1 of 1 note forgotten; `--undo 20" in told
    assert await statuses(api, [note]) == ["ARCHIVED"]
    at = told.split("--undo ")[1].split("`")[0]
    assert await run("--undo", at) == "1 note restored\n"
    assert await statuses(api, [note]) == ["ACTIVE"]
    counted = json.loads(await run("--agent", "bot", "--permanent", "--json"))
    assert counted == {"found": 1, "cleared": 0, "permanent": True, "at": None}
    done = json.loads(await run("--agent", "bot", "--permanent", "--yes", "--json"))
    assert done == {"found": 1, "cleared": 1, "permanent": True, "at": None}
    assert await statuses(api, [note]) == [None]
    await run("--agent", "nobody", "--yes", code=1)
    await run("--undo", "yesterday", code=1)


async def test_no_page_is_begun_that_would_end_too_late(
    api: Client, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is done can be taken back, and the call can be repeated."""
    monkeypatch.setattr(many, "PAGE", 1)
    notes = [await say(api.as_agent("bot"), text) for text in TEXTS[:3]]
    access = await open_access(context, api.user, None)
    over = asyncio.get_running_loop().time() - 1
    given = NoteFilter(author="bot")
    done = await many.forget_many(context, access, given, confirm=True, until=over)
    assert (done.found, done.forgotten) == (3, 1)
    assert (await statuses(api, notes)).count("ARCHIVED") == 1
    assert done.at is not None
    assert await many.restore_many(context, access, done.at, until=over) == 1
    assert await statuses(api, notes) == ["ACTIVE"] * 3
