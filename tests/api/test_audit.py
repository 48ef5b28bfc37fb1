"""The saved questions to the history of a memory answer what they say."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from graphmem.services.context import Context

if TYPE_CHECKING:
    from typing import LiteralString

FOLDER = Path(__file__).parents[2] / "examples" / "audit"
REVISE = "mutation R($id: ID!, $c: String!) { revise(id: $id, content: $c) { version } }"
FORGET = 'mutation F($id: ID!) { forget(id: $id, reason: "it was sold") { forgotten } }'
REFLECT = "mutation { reflect { number items { kind } } }"
LONG_AGO = "2026-01-01T00:00:00Z"


class Told:
    """A memory in which something happened, and the saved questions to it."""

    def __init__(self, api: Any, context: Context) -> None:
        self.api, self.context = api, context
        self.kiln = self.lathe = ""

    async def live(self) -> None:
        self.kiln = (await self.api.remember("The kiln is in Ulm."))["note"]["id"]
        self.lathe = (await self.api.remember("The lathe is in Bonn."))["note"]["id"]
        await self.api(REVISE, id=self.kiln, c="The kiln is in Jena.")
        await self.api(FORGET, id=self.lathe)

    async def graphql(self, name: str, **given: Any) -> Any:
        return await self.api((FOLDER / f"{name}.graphql").read_text("utf-8"), **given)

    async def cypher(self, name: str, **given: Any) -> list[dict[str, Any]]:
        text = cast("LiteralString", (FOLDER / f"{name}.cypher").read_text("utf-8"))
        driver = self.context.graph._driver  # pyright: ignore
        return [row.data() for row in (await driver.execute_query(text, given)).records]


@pytest.fixture
async def told(api: Any, context: Context) -> Told:
    made = Told(api, context)
    await made.live()
    return made


def test_each_question_is_saved_in_both_languages_and_says_what_it_answers() -> None:
    names = {path.stem for path in FOLDER.iterdir()}
    assert len(names) == 5
    for name in names:
        for suffix, sign in ((".graphql", "# "), (".cypher", "// ")):
            assert (FOLDER / f"{name}{suffix}").read_text("utf-8").startswith(sign)


@pytest.mark.feature("MOLT-76")
async def test_what_changed_and_why_a_note_was_forgotten(told: Told) -> None:
    changed = (await told.graphql("what_changed", since=LONG_AGO))["events"]
    assert [event["type"] for event in changed] == ["CREATE", "CREATE", "EDIT", "ARCHIVE"]
    rows = await told.cypher("what_changed", user=told.api.user, since=LONG_AGO)
    assert [row["type"] for row in rows] == ["ARCHIVE", "EDIT", "CREATE", "CREATE"]
    why = await told.graphql("why_forgotten", note=told.lathe)
    assert [event["type"] for event in why["events"]] == ["ARCHIVE"]
    assert why["note"]["status"] == "ARCHIVED"
    assert why["note"]["revisions"][0]["changes"]["reason"] == "it was sold"
    (row,) = await told.cypher("why_forgotten", user=told.api.user)
    assert (row["actor"], row["status"]) == (f"user:{told.api.user}", "ARCHIVED")
    assert "it was sold" in row["reason"]


@pytest.mark.feature("MOLT-77")
async def test_whether_and_by_whom_a_note_was_changed(told: Told) -> None:
    by = f"user:{told.api.user}"
    for note, types in ((told.kiln, ["EDIT"]), (told.lathe, [])):
        found = (await told.graphql("was_it_changed", note=note))["events"]
        assert [event["type"] for event in found] == types
    (row,) = await told.cypher("was_it_changed", note=told.kiln)
    assert len(row["revisions"]) == 2
    revisions = (await told.graphql("who_changed", note=told.kiln))["note"]["revisions"]
    assert [(each["version"], each["actor"]) for each in revisions] == [(2, by), (1, by)]
    rows = await told.cypher("who_changed", user=told.api.user)
    assert {(row["actor"], row["type"], row["changes"]) for row in rows} == {
        (by, "EDIT", 1),
        (by, "ARCHIVE", 1),
    }


@pytest.mark.feature("MOLT-77")
async def test_what_happened_during_the_last_reflection(told: Told) -> None:
    made = (await told.api(REFLECT))["reflect"]
    (shown,) = (await told.graphql("last_reflection"))["reflections"]
    assert shown["number"] == made["number"] == 1
    rows = await told.cypher("last_reflection", user=told.api.user)
    assert [row["kind"] for row in rows] == [item["kind"] for item in made["items"]]
    assert [row["kind"] for row in rows] == [item["kind"] for item in shown["items"]]
    assert {row["status"] for row in rows} <= {"PENDING"}
