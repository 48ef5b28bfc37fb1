"""What an agent is answered when it writes again tells nothing of what others did to its notes.

Each case is played twice, in a world where the user only hid the agent's note and in one where the
user also changed it in secret. All answers must be the same, ids by their order of appearance."""

import itertools
import json
import re
from typing import Any

import pytest
from shared_server import new_user

NOTE = """id externalId version content title context keywords tags kind type importance confidence
  pinned domain visibility status accessCount halfLifeHours metadata speaker episode
  entities { name } links { kind reason } revisions { version actor content changes }
  wordings { content } supersededBy { id } derivedFrom { id } readableBy { id }"""
REMEMBER = f"""mutation R($i: RememberInput!) {{ remember(input: $i) {{ operation reason noteId
  note {{ {NOTE} }} affected {{ {NOTE} }} }} }}"""
MANY = f"""mutation M($n: [RememberInput!]!) {{ rememberMany(input: {{notes: $n}}) {{ results {{
  operation noteId note {{ {NOTE} }} error {{ code message }} }} }} }}"""
READ = f"""query N($x: String!) {{ note(externalId: $x) {{ {NOTE} }} }}"""
AGENT = """mutation A($i: AgentInput!) { registerAgent(input: $i) { id } }"""
MOVE = (
    "mutation V($id: ID!, $v: Visibility!) { setVisibility(id: $id, visibility: $v) { noteIds } }"
)
REVISE = """mutation R($id: ID!, $c: String, $d: String, $t: [String!]) {
  revise(id: $id, content: $c, domain: $d, tags: $t) { id } }"""
PIN = "mutation P($id: ID!) { pin(id: $id) { id } }"
FORGET = "mutation F($id: ID!) { forget(id: $id) { forgotten } }"
SECRET = "Zebulon buys the Halden works for 9 million."
TEXT = "The Halden works make kilns."
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")

# The agent `coding` reads business/coding. Its note is hidden from the start, or the user hides it.
HIDINGS = ("written away", "moved", "narrowed")
SECRETS = ("revised", "revised twice", "archived", "pinned and tagged", "told again")
KEYS = ({"idempotencyKey": "k"}, {"externalId": "x"}, {"idempotencyKey": "k", "externalId": "x"})
MODES = ("CURATED", "VERBATIM")


def plain(answer: Any) -> str:
    """An answer with its ids by their order of appearance."""
    order: dict[str, str] = {}
    return UUID.sub(
        lambda found: order.setdefault(found[0], f"id {len(order)}"), json.dumps(answer, indent=1)
    )


class World:
    """A user with an agent, and the note that the agent wrote."""

    def __init__(self, api: Any, hiding: str, keys: dict[str, str], mode: str) -> None:
        self.person = api.as_user(new_user())
        self.agent = self.person.as_agent("coding")
        self.hiding = hiding
        away = hiding == "written away"
        self.draft = {"content": TEXT, "mode": mode, "domain": "business/coding", **keys}
        self.draft |= {"domain": "business/sales"} if away else {}
        self.told: list[Any] = []

    async def set_up(self) -> str:
        """The agent writes its note, and the user hides it."""
        given = {"id": "coding", "domains": ["business/coding"]}
        await self.person(AGENT, i=given)
        self.told.append(await self.agent.post(REMEMBER, i=self.draft))
        note = self.told[0]["data"]["remember"]["note"]["id"]
        if self.hiding == "moved":
            await self.person(REVISE, id=note, d="business/sales")
        if self.hiding == "narrowed":
            await self.person(MOVE, id=note, v="USER_ONLY")
        return note

    async def change(self, note: str, secret: str) -> None:
        """What the user does that the agent may not know of."""
        if secret in ("revised", "revised twice"):
            await self.person(REVISE, id=note, c=SECRET)
        if secret == "revised twice":
            await self.person(REVISE, id=note, c=TEXT, t=["zebulon"])
        if secret == "archived":
            await self.person(FORGET, id=note)
        if secret == "pinned and tagged":
            await self.person(REVISE, id=note, t=["zebulon"])
            await self.person(PIN, id=note)
        if secret == "told again":
            again = {"content": TEXT + " Zebulon, too.", "domain": "business/sales"}
            await self.person(REMEMBER, i=again)

    async def replay(self, note: str) -> None:
        """All that the agent can write again, and what it is told of its note."""
        sales = {**self.draft, "domain": "business/sales", "idempotencyKey": "k2"}
        sales = {name: value for name, value in sales.items() if name != "externalId"}
        other = {**self.draft, "content": "Another text of the agent."}
        guess = {**self.draft, "content": SECRET}
        for draft in (self.draft, other, guess, sales, sales):
            self.told.append(await self.agent.post(REMEMBER, i=draft))
        fresh = {"content": SECRET, "domain": "business/sales", "mode": "CURATED"}
        moved = {**fresh, "visibility": "SCOPED", "content": TEXT}
        for batch in ([self.draft, fresh], [self.draft, self.draft, moved], [other, guess, fresh]):
            self.told.append(await self.agent.post(MANY, n=batch))
        self.told.append(await self.agent.post(READ, x="x"))
        for query, given in (
            (REVISE, {"c": "x"}),
            (PIN, {}),
            (FORGET, {}),
            (MOVE, {"v": "OPEN"}),
        ):
            self.told.append(await self.agent.post(query, id=note, **given))


CASES = [
    (hiding, keys, MODES[i % 2], [SECRETS[i % 5], SECRETS[(i + 2) % 5]])
    for i, (hiding, keys) in enumerate(itertools.product(HIDINGS, KEYS))
]


@pytest.mark.parametrize(("hiding", "keys", "mode", "hidden"), CASES)
async def test_a_replay_tells_nothing_of_what_was_done_in_secret(
    api: Any, hiding: str, keys: dict[str, str], mode: str, hidden: list[str]
) -> None:
    answers = {}
    for secret in ("none", *hidden):
        world = World(api, hiding, keys, mode)
        note = await world.set_up()
        await world.change(note, secret)
        await world.replay(note)
        answers[secret] = plain(world.told)
        first, again = world.told[:2]
        assert again["data"]["remember"]["noteId"] == note
        assert again["data"]["remember"]["note"] is None, "the agent may not read it any more"
        assert first["data"]["remember"]["note"]["content"] == TEXT
    for secret in hidden:
        assert answers[secret] == answers["none"], secret


WRITERS = (None, "coding", "sales")
CLOSED = ("SCOPED", "PRIVATE", "USER_ONLY")
PAIRS = [
    (*pair, visibility)
    for i, pair in enumerate(itertools.permutations(WRITERS, 2))
    for visibility in ("OPEN", CLOSED[i % 3])
]


def writer(person: Any, name: str | None) -> Any:
    return person.as_agent(name) if name else person


@pytest.mark.parametrize(("one", "other", "visibility"), PAIRS)
async def test_the_same_external_id_by_two_authors_is_two_notes(
    api: Any, one: str | None, other: str | None, visibility: str
) -> None:
    told = []
    for first in (False, True):
        person = api.as_user(new_user())
        for agent in ("coding", "sales"):
            await person(AGENT, i={"id": agent, "domains": [f"business/{agent}"]})
        named = {"externalId": "diary/secret", "idempotencyKey": "k", "visibility": visibility}
        wrote = {"content": SECRET, "domain": f"business/{one}" if one else "private", **named}
        made = await writer(person, one)(REMEMBER, i=wrote) if first else None
        asks = writer(person, other)
        own = [{**named, "domain": f"business/{other}", "content": text} for text in (TEXT, SECRET)]
        own[1]["idempotencyKey"] = "k2"
        answers = [await asks.post(READ, x="diary/secret")]
        answers += [await asks.post(REMEMBER, i=each) for each in own]
        answers.append(await asks.post(READ, x="diary/secret"))
        told.append(plain(answers))
        assert answers[1]["data"]["remember"]["operation"] == "ADD", "no note of others is touched"
        assert answers[2]["errors"][0]["extensions"]["code"] == "CONFLICT", "with its own"
        note = (answers[3]["data"] or {}).get("note")
        if other is None or visibility != "USER_ONLY":
            assert (note or {}).get("content") == TEXT, "its own comes first"
        if made:
            kept = await person(
                "query N($id: ID!) { note(id: $id) { content version } }",
                id=made["remember"]["noteId"],
            )
            assert kept["note"] == {"content": SECRET, "version": 1}
    if other and visibility != "OPEN":
        assert told[0] == told[1], "what it may not read is as if it were not there"


async def test_of_several_readable_notes_of_an_external_id_the_oldest_comes(
    api: Any,
) -> None:
    person = api
    for agent in ("b", "a", "c"):
        given = {"content": f"By {agent}.", "externalId": "x", "visibility": "OPEN"}
        await person.as_agent(agent).remember(**given)
    for name, said in ((None, "b"), ("c", "c"), ("a", "a"), ("d", "b")):
        found = await writer(person, name)(READ, x="x")
        assert found["note"]["content"] == f"By {said}."
