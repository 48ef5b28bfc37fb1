"""The saved questions about what happened, asked over GraphQL and of the graph itself."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from graphmem.services.context import Context

AUDIT = Path(__file__).parents[2] / "examples" / "audit"
REMEMBER = "mutation R($c: String!) { remember(input: {content: $c}) { note { id } } }"
REVISE = "mutation R($id: ID!, $c: String!) { revise(id: $id, content: $c) { version } }"
FORGET = 'mutation F($id: ID!) { forget(id: $id, reason: "it was sold") { forgotten } }'


class Audit:
    """Asks the saved questions about one user."""

    def __init__(self, api: Any, context: Context) -> None:
        self.api, self.context = api, context

    async def said(self, content: str) -> str:
        return (await self.api(REMEMBER, c=content))["remember"]["note"]["id"]

    async def ask(self, name: str, **given: Any) -> Any:
        return await self.api((AUDIT / f"{name}.graphql").read_text("utf-8"), **given)

    async def graph(self, name: str, **given: Any) -> list[dict[str, Any]]:
        driver: Any = self.context.graph._driver  # pyright: ignore[reportPrivateUsage]
        query = (AUDIT / f"{name}.cypher").read_text("utf-8")
        found = await driver.execute_query(query, {"user": self.api.user, **given})
        return [row.data() for row in found.records]


@pytest.fixture
def audit(api: Any, context: Context) -> Audit:
    return Audit(api, context)


@pytest.mark.feature("MOLT-76")
async def test_what_changed_and_why_something_was_forgotten(audit: Audit) -> None:
    since = datetime.now(UTC) - timedelta(minutes=5)
    loft = await audit.said("The loft in Ulm is dry.")
    home = await audit.said("I live in Berlin.")
    await audit.said("I live in Paris now.")
    await audit.api(FORGET, id=loft)
    changed = (await audit.ask("what_changed", since=since.isoformat()))["events"]
    rows = await audit.graph("what_changed", since=since)
    assert [row["type"] for row in rows] == [each["type"] for each in changed]
    assert ("ARCHIVE", loft) in [(row["type"], row["note"]) for row in rows]
    (why,) = (await audit.ask("why_forgotten", about="loft"))["notes"]["nodes"]
    newest = why["revisions"][0]
    assert newest["changes"] == {"status": ["ACTIVE", "ARCHIVED"], "reason": "it was sold"}
    (row,) = await audit.graph("why_forgotten", about="LOFT")
    assert (row["actor"], "it was sold" in row["changes"]) == (newest["actor"], True)
    (why,) = (await audit.ask("why_forgotten", about="Berlin"))["notes"]["nodes"]
    assert why["id"] == home
    assert why["supersededBy"]["content"] == "I live in Paris now."
    (row,) = await audit.graph("why_forgotten", about="berlin")
    assert row["supersededBy"] == "I live in Paris now."


@pytest.mark.feature("MOLT-77")
async def test_the_last_reflection_and_who_changed_a_note(audit: Audit) -> None:
    note = await audit.said("The kiln is blue.")
    told = await audit.ask("who_changed", id=note)
    assert told["note"]["version"] == len(told["events"]) == 1, "it was never changed"
    await audit.api(REVISE, id=note, c="The kiln is green.")
    told = await audit.ask("who_changed", id=note)
    assert [each["type"] for each in told["events"]] == ["CREATE", "EDIT"]
    rows = await audit.graph("who_changed", id=note)
    revisions = told["note"]["revisions"]
    assert [(r["version"], r["actor"]) for r in rows] == [
        (r["version"], r["actor"]) for r in reversed(revisions)
    ]
    assert (await audit.ask("last_reflection"))["reflections"] == []
    made = (await audit.api("mutation { reflect { number status } }"))["reflect"]
    (last,) = (await audit.ask("last_reflection"))["reflections"]
    (row,) = await audit.graph("last_reflection")
    assert (row["number"], row["status"]) == (last["number"], last["status"])
    assert last["number"] == made["number"]
    assert sorted(row["kinds"]) == sorted(item["kind"] for item in last["items"])


async def say(audit: Audit, text: str) -> Any:
    said = """mutation C($t: String!) { command(text: $t) {
      intent message data reflection { number } } }"""
    return (await audit.api(said, t=text))["command"]


@pytest.mark.feature("MOLT-76")
async def test_changes_and_their_causes_are_told_in_everyday_words(audit: Audit) -> None:
    empty = await say(audit, "What changed recently?")
    assert (empty["intent"], empty["data"]["changes"]) == ("AUDIT", [])
    loft = await audit.said("The loft in Ulm is dry.")
    await audit.api(FORGET, id=loft)
    told = await say(audit, "What changed since yesterday?")
    assert told["message"].endswith("; the last: note forgotten, by manual.")
    assert [each["type"] for each in told["data"]["changes"]] == ["ARCHIVE", "CREATE"]
    assert {each["noteId"] for each in told["data"]["changes"]} == {loft}
    why = await say(audit, "Why did you forget about the loft?")
    assert why["message"] == (
        "I put away 1 memory about loft; the newest: archived by manual, since it was sold."
    )
    [row] = why["data"]["notes"]
    assert (row["id"], row["content"]) == (loft, "The loft in Ulm is dry.")
    none = await say(audit, "Why did you forget about the kiln?")
    assert none["data"] == {"notes": []}
    assert len(await audit.graph("what_changed", since=datetime(2020, 1, 1, tzinfo=UTC))) == 2


@pytest.mark.feature("MOLT-77")
async def test_the_last_reflection_and_who_changed_a_file_are_told(audit: Audit) -> None:
    asked = "What happened during the last reflection?"
    assert (await say(audit, asked))["message"] == "There was no reflection yet."
    note = await audit.api(
        "mutation R($i: RememberInput!) { remember(input: $i) { note { id } } }",
        i={"content": "Be kind.", "externalId": "SOUL"},
    )
    await audit.api("mutation { reflect { id } }")
    told = await say(audit, asked)
    assert told["message"].startswith("Reflection #1 of ")
    assert told["reflection"] == {"number": 1}
    ever, who = "Has SOUL.md ever been changed?", "Who changed SOUL.md?"
    assert (await say(audit, ever))["message"].startswith("SOUL.md has not been changed since ")
    given = {"id": note["remember"]["note"]["id"], "c": "Obey."}
    assert await audit.api.as_agent("bot").code(REVISE, **given) == "FORBIDDEN"
    await audit.api(REVISE, **given)
    told = await say(audit, who)
    assert told["message"].startswith("SOUL.md was changed once, last on ")
    assert [each["actor"] for each in told["data"]["changes"]] == ["manual"]
    assert (await say(audit, "Who changed USER.md?"))["message"] == "I know of no USER.md."


@pytest.mark.feature("MOLT-78")
async def test_going_back_is_asked_about_first(audit: Audit) -> None:
    note = await audit.said("The kiln is blue.")
    await audit.api(REVISE, id=note, c="The kiln is green.")
    told = await say(audit, "Revert my memory to yesterday")
    assert told["intent"] == "REVERT"
    assert told["message"].startswith("1 note would become what they were at ")
    assert told["data"]["notes"] == 1
    midnight = datetime.fromisoformat(told["data"]["at"])
    assert (midnight.hour, midnight.minute) == (0, 0)
    read = "query N($id: ID!) { note(id: $id) { content status } }"
    assert (await audit.api(read, id=note))["note"]["content"] == "The kiln is green."
    assert await audit.ask("back_to", at=told["data"]["at"], dryRun=False) == {"revertTo": 1}
    assert (await audit.api(read, id=note))["note"]["status"] == "ARCHIVED"
    assert "To which time?" in (await say(audit, "Revert my memory to the past"))["message"]
    code = await audit.api.as_agent("bot").code(
        'mutation { command(text: "Revert my memory to yesterday") { message } }'
    )
    assert code == "FORBIDDEN"


@pytest.mark.feature("MOLT-78")
async def test_memory_is_brought_back_when_it_is_not_a_dry_run(audit: Audit) -> None:
    note = await audit.said("The kiln is blue.")
    at = datetime.now(UTC).isoformat()
    await audit.api(REVISE, id=note, c="The kiln is green.")
    read = "query N($id: ID!) { note(id: $id) { content } }"
    assert await audit.ask("back_to", at=at) == {"revertTo": 1}
    assert (await audit.api(read, id=note))["note"]["content"] == "The kiln is green."
    assert await audit.ask("back_to", at=at, dryRun=False) == {"revertTo": 1}
    assert (await audit.api(read, id=note))["note"]["content"] == "The kiln is blue."
