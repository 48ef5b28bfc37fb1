"""Going back: a note to a version, the user's notes to a time."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from graphmem.domain.ids import uuid7
from graphmem.language.comparison import ConflictVerdict
from graphmem.services.context import Context
from graphmem.store import conflicts

NOTE = "id version content title tags status visibility domain pinned entities { name }"
REMEMBER = "mutation R($i: RememberInput!) { remember(input: $i) { operation note { id } } }"
REVISE = """mutation R($id: ID!, $c: String, $title: String, $tags: [String!], $d: String) {
  revise(id: $id, content: $c, title: $title, tags: $tags, domain: $d) { version } }"""
FORGET = "mutation F($id: ID!) { forget(id: $id) { forgotten } }"
SHOW = (
    "mutation V($id: ID!, $v: Visibility!) { setVisibility(id: $id, visibility: $v) { noteIds } }"
)
PIN = "mutation P($id: ID!) { pin(id: $id) { pinned } }"
REVERT = f"""mutation V($id: ID!, $version: Int!) {{
  revertNote(id: $id, version: $version) {{ {NOTE} }} }}"""
REVERT_TO = "mutation V($at: DateTime!, $dry: Boolean) { revertTo(at: $at, dryRun: $dry) }"
READ = f"query N($id: ID!) {{ note(id: $id) {{ {NOTE} }} }}"
TOLD = "query E($id: ID!) { events(subjectId: $id) { type actor data } }"
AGENT = "mutation A($i: AgentInput!) { registerAgent(input: $i) { id } }"
KILN = "Halden builds kilns in Ulm for Orla Whitfield."


class Past:
    """A user whose clock moves an hour with each change."""

    def __init__(self, place: Any) -> None:
        self.place, self.api = place, place.api

    async def change(self, query: str, **given: Any) -> Any:
        self.place.clock.move(1)
        return await self.api(query, **given)

    async def said(self, content: str, **given: Any) -> str:
        made = await self.change(REMEMBER, i={"content": content, **given})
        return made["remember"]["note"]["id"]

    async def read(self, note: str) -> Any:
        return (await self.api(READ, id=note))["note"]

    async def told(self, note: str) -> list[str]:
        return [each["type"] for each in (await self.api(TOLD, id=note))["events"]]

    def now(self) -> str:
        return self.place.clock.now.isoformat()

    async def back_to(self, at: str, *, dry: bool = False) -> int:
        self.place.clock.move(1)
        return (await self.api(REVERT_TO, at=at, dry=dry))["revertTo"]


@pytest.fixture
async def past(place: Callable[..., Any]) -> Past:
    return Past(await place())


@pytest.mark.feature("MOLT-79")
async def test_a_note_becomes_what_it_was_at_a_version(past: Past) -> None:
    note = await past.said(KILN, title="Kilns", tags=["kilns"])
    before = await past.read(note)
    await past.change(REVISE, id=note, c="Femi sells bread.", title="Bread", tags=["bread"])
    await past.change(PIN, id=note)
    await past.change(FORGET, id=note)
    assert (await past.read(note))["status"] == "ARCHIVED"
    then = (await past.change(REVERT, id=note, version=1))["revertNote"]
    assert then == {**before, "version": 5, "entities": then["entities"]}
    assert {each["name"] for each in then["entities"]} == {e["name"] for e in before["entities"]}
    assert await past.told(note) == ["CREATE", "EDIT", "PIN", "ARCHIVE", "REVERT"]
    hits = await past.place.ask("Who builds kilns in Ulm?", "BALANCED")
    assert [hit["note"]["content"] for hit in hits] == [KILN]
    again = (await past.change(REVERT, id=note, version=2))["revertNote"]
    assert (again["content"], again["title"]) == ("Femi sells bread.", "Bread")
    same = (await past.change(REVERT, id=note, version=again["version"]))["revertNote"]
    assert same["version"] == again["version"], "there was nothing to change"


@pytest.mark.feature("MUMA-74")
async def test_a_merge_is_undone(past: Past, context: Context) -> None:
    one = await past.said("Halden builds kilns in Ulm.", mode="VERBATIM")
    two = await past.said("Halden delivers kilns from Ulm to Femi.", mode="VERBATIM")
    found = [(one, two, 0.95)]
    now = past.place.clock.now
    await context.graph.write(
        conflicts.open_step(past.api.user, found, ConflictVerdict.COMPATIBLE, now)
    )
    listed = (await past.api("{ conflicts { id } }"))["conflicts"]
    resolve = """mutation C($id: ID!, $keep: ID) {
      resolveConflict(id: $id, verdict: COMPATIBLE, keep: $keep) { open } }"""
    await past.change(resolve, id=listed[0]["id"], keep=one)
    assert "Femi" in (await past.read(one))["content"]
    assert (await past.read(two))["status"] == "ARCHIVED"
    for note in (one, two):
        await past.change(REVERT, id=note, version=1)
    assert (await past.read(one))["content"] == "Halden builds kilns in Ulm."
    assert (await past.read(two))["status"] == "ACTIVE"


@pytest.mark.feature("MOLT-78", "MOLT-80", "MOLT-79")
async def test_the_notes_become_what_they_were_at_a_time(past: Past) -> None:
    revised, forgotten = await past.said(KILN), await past.said("The loft is dry.")
    lives = {"subject": "Ada Moen", "predicate": "lives in", "object": "Berlin"}
    home = await past.said("I live in Berlin.", relations=[lives])
    untouched = await past.said("Bread is baked on Mondays.")
    notes = (revised, forgotten, home, untouched)
    at = past.now()
    before = [await past.read(note) for note in notes]
    about = """{ orla: entity(name: "Orla Whitfield") { name noteCount }
      ada: entity(name: "Ada Moen") { relations { predicate validTo object { name } } } }"""
    known = await past.api(about)
    await past.change(REVISE, id=revised, c="Femi sells bread in Ulm.")
    await past.change(FORGET, id=forgotten)
    moved = await past.said("I live in Paris now.")
    assert (await past.read(home))["status"] == "SUPERSEDED"
    meant = await past.back_to(at, dry=True)
    assert (await past.read(home))["status"] == "SUPERSEDED", "nothing was changed yet"
    assert await past.back_to(at) == meant == 4
    keep = ("content", "status", "title", "tags", "visibility", "domain")
    after = [await past.read(note) for note in notes]
    assert [[n[k] for k in keep] for n in after] == [[n[k] for k in keep] for n in before]
    assert await past.api(about) == known
    assert (await past.read(moved))["status"] == "ARCHIVED"
    assert "REVERT" in await past.told(moved)
    assert await past.told(untouched) == ["CREATE"]
    hits = await past.place.ask("Where do I live?", "BALANCED")
    assert hits[0]["note"]["content"] == "I live in Berlin."
    assert await past.back_to(at) == 0, "it is all as it was"
    lineage = "query N($id: ID!) { note(id: $id) { supersededBy { id } validTo } }"
    assert (await past.api(lineage, id=home))["note"] == {"supersededBy": None, "validTo": None}


async def test_going_back_gives_a_note_no_more_readers(past: Past) -> None:
    secret = await past.said("The code is zebulon.", visibility="USER_ONLY")
    opened = await past.said("The shed is open.", visibility="OPEN")
    at = past.now()
    await past.change(REVISE, id=secret, c="There is a code.")
    await past.change(SHOW, id=secret, v="OPEN")
    await past.change(SHOW, id=opened, v="USER_ONLY")
    await past.change(REVISE, id=opened, c="The shed is locked.")
    await past.back_to(at)
    now = [await past.read(note) for note in (secret, opened)]
    assert [(n["content"], n["visibility"]) for n in now] == [
        ("The code is zebulon.", "USER_ONLY"),
        ("The shed is open.", "USER_ONLY"),
    ]


async def test_what_is_not_the_users_or_not_of_the_last_90_days_stays(past: Past) -> None:
    note = await past.said(KILN)
    at = past.now()
    await past.change(REVISE, id=note, c="Femi sells bread.")
    await past.api(AGENT, i={"id": "sales", "domains": ["*"]})
    agent = past.api.as_agent("sales")
    assert await agent.code(REVERT, id=note, version=1) == "FORBIDDEN"
    assert await agent.code(REVERT_TO, at=at) == "FORBIDDEN"
    assert await past.api.code(REVERT, id=note, version=9) == "NOT_FOUND"
    assert await past.api.code(REVERT, id=uuid7(past.place.clock.now), version=1) == "NOT_FOUND"
    later = (past.place.clock.now + timedelta(hours=1)).isoformat()
    assert await past.api.code(REVERT_TO, at=later) == "BAD_USER_INPUT"
    past.place.clock.move(24 * 90)
    assert await past.api.code(REVERT_TO, at=at) == "BAD_USER_INPUT"
    assert (await past.read(note))["content"] == "Femi sells bread."
