"""Who gets to read a note does not get to read its past: what it said, how it was told, what was
done with it and what it took from others while it was for other readers.

Each case is played in two worlds that differ in the past alone; an agent that reads the note after
it was opened must be answered the same in both, ids and times by their order of appearance."""

import json
import re
from datetime import UTC, datetime
from typing import Any

import pytest
from shared_server import new_user

from graphmem.language.comparison.conflicts import ConflictVerdict
from graphmem.services.context import Context
from graphmem.store import conflicts

NOTE = """id version content title context keywords tags status domain visibility
  entities { name } links { kind strength reason source { content } target { content } }
  revisions { version actor content changes } wordings { content actor } readableBy { id }"""
READS = (
    f"{{ notes(first: 50) {{ totalCount nodes {{ {NOTE} }} }} }}",
    "{ events(first: 200) { type channel actor subjectId domain summary data } }",
    "{ conflicts { verdict notes { content } } settled: conflicts(open: false) { id } }",
    "{ entities(first: 50) { name aliases noteCount relations { predicate } } stats { links } }",
    f"""{{ recall(input: {{query: "Who makes kilns in Ulm?", track: false, explain: true}}) {{
      hits {{ rank score note {{ {NOTE} }} via {{ relationship label }} }} }} }}""",
)
THEN = f"""query T($id: ID!, $at: DateTime!) {{ note(id: $id, asOf: $at) {{ {NOTE} }}
  recall(input: {{query: "kilns", asOf: $at, track: false}}) {{
    hits {{ rank note {{ {NOTE} }} }} }} }}"""
AGENT = "mutation A($i: AgentInput!) { registerAgent(input: $i) { id } }"
REMEMBER = """mutation R($i: RememberInput!) { remember(input: $i) { operation noteId } }"""
REVISE = """mutation R($id: ID!, $c: String, $d: String, $title: String) {
  revise(id: $id, content: $c, domain: $d, title: $title) { tags context version } }"""
LINK = """mutation L($s: ID!, $t: ID!, $k: String!, $r: String) {
  link(source: $s, target: $t, kind: $k, reason: $r) { id kind reason } }"""
SET = "mutation O($id: ID!, $v: Visibility!) { setVisibility(id: $id, visibility: $v) { noteIds } }"
RULE = """mutation O($v: Visibility!) { setVisibility(domain: "business", visibility: $v) {
  updatedCount } }"""
PIN = "mutation O($id: ID!, $v: Visibility!) { pin(id: $id, visibility: $v) { version } }"
NARROW = {
    "for the user": {"domain": "business", "visibility": "USER_ONLY"},
    "private": {"domain": "business", "visibility": "PRIVATE"},
    "elsewhere": {"domain": "business/sales", "visibility": "SCOPED"},
}
NARROW["by rule"] = {"domain": "business"}
CASES = [
    ("for the user", SET, {"v": "OPEN"}),
    ("private", PIN, {"v": "OPEN"}),
    ("elsewhere", SET, {"v": "OPEN"}),
    ("by rule", RULE, {"v": "OPEN"}),
    ("elsewhere", REVISE, {"d": "business/coding"}),
]
ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
CLEAN = "Halden makes kilns in Ulm for Orla Whitfield."


def plain(answers: list[Any], user: str) -> str:
    """Answers with their ids by their order of appearance."""
    order = {user: "the user"}
    text = json.dumps(in_order(answers), indent=1).replace(user, order[user])
    return ID.sub(lambda found: order.setdefault(found[0], f"id {len(order)}"), text)


def in_order(answer: Any) -> Any:
    """The answer with its entities by name: equal ones come by their ids, which chance makes."""
    if isinstance(answer, dict):
        found = {name: in_order(value) for name, value in answer.items()}
        if isinstance(found.get("entities"), list):
            found["entities"].sort(key=lambda entity: entity["name"])
        return found
    if isinstance(answer, float):  # the last digits of a score depend on that order, too
        return round(answer, 9)
    return [in_order(each) for each in answer] if isinstance(answer, list) else answer


class Past:
    """A note with a past that is for few, and then open."""

    def __init__(self, api: Any, context: Context, word: str) -> None:
        self.person = api.as_user(new_user())
        self.context = context
        self.word = word
        self.note, self.other = "", ""

    async def said(self, content: str, **given: Any) -> str:
        return (await self.person(REMEMBER, i={"content": content, **given}))["remember"]["noteId"]

    async def live(self, narrow: dict[str, str]) -> None:
        """All that happens while the note is for few."""
        word, person = self.word, self.person
        await person(AGENT, i={"id": "coding", "domains": ["business/coding"]})
        if "visibility" not in narrow:
            await person(RULE, v="PRIVATE")
        first = f"The {word} works make 20 kilns in Ulm."
        self.note = await self.said(first, tags=["kilns"], **narrow)
        await self.said(f"The  {word} works make 20 kilns in Ulm.", **narrow)
        await self.said(first + f" They pay {word} well.", **narrow)
        await person(REVISE, id=self.note, c=f"The {word} works closed.", title=f"The {word} works")
        await person(REVISE, id=self.note, c=CLEAN, title="Kilns")
        self.other = await self.said("Halden sells kilns to Femi.", visibility="OPEN")
        about = f"Halden makes kilns in Ulm for Orla Whitfield, and {word} knows it."
        giver = await self.said(about, tags=[word], **{"visibility": "PRIVATE", **narrow})
        await person(LINK, s=self.note, t=self.other, k="as somebody said", r=f"{word} told me")
        await person(LINK, s=giver, t=self.note, k=word, r=word)
        pair = (self.note, self.other, 0.9)
        step = conflicts.open_step(
            person.user, [pair], ConflictVerdict.CONTRADICTORY, datetime.now(UTC)
        )
        await self.context.graph.write(step)

    async def tags(self) -> list[str]:
        found = await self.person("query N($id: ID!) { note(id: $id) { tags } }", id=self.note)
        return found["note"]["tags"]


@pytest.mark.parametrize(("narrow", "opens", "given"), CASES, ids=[case[0] for case in CASES])
async def test_a_note_that_is_opened_keeps_its_past_to_itself(
    api: Any, context: Context, narrow: str, opens: str, given: dict[str, str]
) -> None:
    told = []
    for word in ("zebulon", "quentin"):
        past = Past(api, context, word)
        await past.live(NARROW[narrow])
        assert word in await past.tags(), "it took a tag from a note of the same readers"
        then = datetime.now(UTC)
        await past.person(opens, **given, **({} if opens == RULE else {"id": past.note}))
        reader = past.person.as_agent("coding")
        answers = [await reader.post(read) for read in READS]
        assert CLEAN in json.dumps(answers)
        answers.append(await reader.post(THEN, id=past.note, at=then.isoformat()))
        again = {"s": past.note, "t": past.other, "k": "as somebody said"}
        answers.append(await reader.post(LINK, **again))
        told.append(plain(answers, past.person.user))
        assert word not in told[-1]
        own = json.dumps([await past.person.post(read) for read in READS])
        assert f"The {word} works closed." in own, "the user's own past stays"
        assert f"{word} told me" in own
    lines = zip(*(each.splitlines() for each in told), strict=True)
    assert [pair for pair in lines if pair[0] != pair[1]] == []


async def test_what_was_open_stays_told_after_a_note_was_closed_and_opened_again(
    api: Any, context: Context
) -> None:
    past = Past(api, context, "zebulon")
    await past.live({"domain": "business", "visibility": "OPEN"})
    reader = past.person.as_agent("coding")
    await past.person(SET, id=past.note, v="USER_ONLY")
    assert "works closed" not in json.dumps([await reader.post(read) for read in READS])
    await past.person(REVISE, id=past.note, c="In between.")
    await past.person(REVISE, id=past.note, c=CLEAN)
    await past.person(SET, id=past.note, v="OPEN")
    told = json.dumps([await reader.post(read) for read in READS])
    assert "works closed" in told
    assert "zebulon told me" in told
    assert "In between." not in told


async def test_what_is_put_away_for_a_hidden_note_does_not_name_it(
    api: Any, context: Context
) -> None:
    past = Past(api, context, "zebulon")
    kept, gone = await past.said("It is 20.", domain="work"), await past.said("It is 30.")
    step = conflicts.open_step(
        past.person.user, [(kept, gone, 0.9)], ConflictVerdict.CONTRADICTORY, datetime.now(UTC)
    )
    await context.graph.write(step)
    await past.person(SET, id=gone, v="OPEN")
    await past.person(SET, id=kept, v="USER_ONLY")
    listed = (await past.person("{ conflicts { id } }"))["conflicts"]
    resolve = """mutation C($id: ID!, $keep: ID) {
      resolveConflict(id: $id, verdict: CONTRADICTORY, keep: $keep) { open } }"""
    await past.person(resolve, id=listed[0]["id"], keep=kept)
    reader = past.person.as_agent("coding")
    told = json.dumps([await reader.post(read) for read in READS])
    assert gone in told
    assert kept not in told


async def test_a_tag_of_a_destroyed_note_is_kept_nowhere(api: Any, context: Context) -> None:
    past = Past(api, context, "zebulon")
    await past.live(NARROW["private"])
    assert "zebulon" in await past.tags()
    found = await past.person('{ notes(filter: {tags: ["zebulon"]}, first: 10) { nodes { id } } }')
    givers = [each["id"] for each in found["notes"]["nodes"] if each["id"] != past.note]
    for giver in givers:
        await past.person(
            "mutation F($id: ID!) { forget(id: $id, permanent: true) { forgotten } }", id=giver
        )
    assert "zebulon" not in await past.tags()
    await past.person(SET, id=past.note, v="OPEN")
    assert "zebulon" not in await past.tags()
