"""Lists and paths as they were at an instant."""

from typing import Any

import pytest

NOTES = """query N($at: DateTime, $first: Int, $after: String, $f: NoteFilter) {
  notes(asOf: $at, first: $first, after: $after, filter: $f) { totalCount
    nodes { id content status tags } pageInfo { hasNextPage endCursor } } }"""
PATHS = """query P($at: DateTime) { paths(from: "Orla", to: "Brindlow", asOf: $at) {
  relationships nodes { label kind } } }"""
REVISE = "mutation R($id: ID!, $c: String, $t: String) { revise(id: $id, content: $c, title: $t) "
REVISE += "{ id } }"
FORGET = "mutation F($id: ID!, $for: Boolean) { forget(id: $id, permanent: $for) { forgotten } }"
SHOW = "mutation V($id: ID!) { setVisibility(id: $id, visibility: OPEN) { updatedCount } }"


def instant(clock: Any) -> str:
    return clock.now.isoformat().replace("+00:00", "Z")


async def then(here: Any, at: str, **given: Any) -> list[str]:
    """The contents of a list of then, which must count as many."""
    found = (await here.api(NOTES, at=at, **given))["notes"]
    assert found["totalCount"] == len(found["nodes"])
    return [note["content"] for note in found["nodes"]]


@pytest.mark.feature("MUMA-22")
async def test_a_list_as_of_then_has_the_notes_of_then_as_they_were(place: Any) -> None:
    here = await place()
    (kept,) = await here.many("The kiln is in Ulm.", domain="work", tags=["kilns"])
    here.clock.move(1)
    (gone,) = await here.many("The lathe is in Bonn.", domain="work")
    (purged,) = await here.many("The press is in Kiel.", domain="work")
    here.clock.move(1)
    before = instant(here.clock)
    here.clock.move(1)
    await here.api(REVISE, id=kept, c="The kiln is in Jena.")
    await here.api(FORGET, id=gone)
    await here.api(FORGET, **{"id": purged, "for": True})
    (new,) = await here.many("The saw is in Trier.", domain="work")
    was = ["The lathe is in Bonn.", "The kiln is in Ulm."]
    assert await then(here, before) == was
    assert await then(here, before, f={"domain": "work"}) == was
    assert await then(here, before, f={"text": "ulm"}) == was[1:]
    assert await then(here, before, f={"text": "jena"}) == []
    assert await then(here, before, f={"tags": ["kilns"]}) == was[1:]
    assert await then(here, before, f={"statuses": ["ARCHIVED"]}) == []
    assert await then(here, "2026-03-01T11:00:00Z") == []
    now = instant(here.clock)
    assert sorted(await then(here, now)) == ["The kiln is in Jena.", "The saw is in Trier."]
    assert await then(here, now, f={"statuses": ["ARCHIVED"]}) == was[:1]
    assert new


async def test_a_list_as_of_then_has_pages(place: Any) -> None:
    here = await place()
    ids = []
    for i in range(7):
        ids += await here.many(f"Kiln {i} is hot.")
        here.clock.move(1)
    before = instant(here.clock)
    here.clock.move(1)
    await here.api(FORGET, id=ids[4])
    await here.many("Later.")
    seen: list[str] = []
    sizes: list[int] = []
    after, more = None, True
    while more:
        page = (await here.api(NOTES, at=before, first=2, after=after))["notes"]
        seen += [note["id"] for note in page["nodes"]]
        after, more = page["pageInfo"]["endCursor"], page["pageInfo"]["hasNextPage"]
        sizes.append(len(page["nodes"]))
    assert sizes == [2, 2, 2, 1]
    assert seen == ids[::-1]


async def test_a_list_as_of_then_hides_what_was_for_other_readers(place: Any) -> None:
    here = await place()
    agent = here.api.as_agent("worker")
    await agent("{ viewer { audiences } }")
    (note,) = await here.many("The kiln is in Ulm.", visibility="USER_ONLY")
    here.clock.move(1)
    before = instant(here.clock)
    here.clock.move(1)
    await here.api(SHOW, id=note)
    here.clock.move(1)
    assert (await agent(NOTES, at=before))["notes"]["totalCount"] == 0
    assert (await agent(NOTES, at=instant(here.clock)))["notes"]["totalCount"] == 1
    assert (await here.api(NOTES, at=before))["notes"]["totalCount"] == 1


async def test_paths_as_of_then_go_over_what_was_known_and_true_then(place: Any) -> None:
    here = await place()
    about = [{"name": "Orla"}, {"name": "Brindlow"}]
    first = instant(here.clock)
    here.clock.move(1)
    (note,) = await here.many("Orla once worked for Brindlow.", entities=about, title="Work")
    here.clock.move(1)
    second = instant(here.clock)
    here.clock.move(1)
    await here.api(REVISE, id=note, t="Past work")
    here.clock.move(1)

    def told(paths: list[Any]) -> set[str]:
        return {node["label"] for path in paths for node in path["nodes"] if node["kind"] == "note"}

    assert told((await here.api(PATHS))["paths"]) == {"Past work"}
    assert told((await here.api(PATHS, at=second))["paths"]) == {"Work"}
    assert (await here.api(PATHS, at=first))["paths"] == []
    await here.api(FORGET, id=note)
    assert await here.api.code(PATHS, at=second) == "NOT_FOUND"


@pytest.mark.parametrize("hidden", [False, True])
async def test_paths_as_of_then_do_not_tell_that_a_hidden_note_had_the_names(
    place: Any, hidden: bool
) -> None:
    here = await place()
    agent = here.api.as_agent("worker")
    await agent("{ viewer { audiences } }")
    about = [{"name": "Orla"}, {"name": "Brindlow"}]
    if hidden:
        await here.many("Orla left Brindlow.", entities=about, visibility="USER_ONLY")
    here.clock.move(1)
    await here.many("Once Orla worked for Brindlow.", visibility="OPEN")
    here.clock.move(1)
    before = instant(here.clock)
    here.clock.move(1)
    await here.many("Again Orla works for Brindlow.", entities=about, visibility="OPEN")
    assert len((await agent(PATHS))["paths"]) == 2
    assert (await agent(PATHS, at=before))["paths"] == []
    assert len((await agent(PATHS, at=instant(here.clock)))["paths"]) == 2


STATS = """query S($at: DateTime) { stats(asOf: $at) { totalNotes byDomain byStatus byActivation
  storageBytes entities links } }"""
CORE = "query C($at: DateTime) { coreMemory(asOf: $at) { text } }"
CONTEXT = """query X($at: DateTime) { context(input: {task: "Where is the kiln?", asOf: $at}) {
  text hits { note { content } } } }"""
LINE = 'mutation L($t: String!) { setCoreBlock(name: "critical", text: $t) { text } }'
LINK = 'mutation L($a: ID!, $b: ID!) { link(source: $a, target: $b, kind: "near") { id } }'


@pytest.mark.feature("MUMA-22")
async def test_statistics_as_of_then_count_what_was_there_then(place: Any) -> None:
    here = await place()
    first = instant(here.clock)
    here.clock.move(1)
    about = [{"name": "Orla"}, {"name": "Brindlow"}]
    one, two = await here.many("Orla works.", "Orla rests.", domain="work", entities=about)
    await here.api(LINK, a=one, b=two)
    here.clock.move(1)
    second = instant(here.clock)
    before = (await here.api(STATS, at=second))["stats"]
    assert before == {**(await here.api(STATS))["stats"], "storageBytes": before["storageBytes"]}
    here.clock.move(1)
    await here.api(FORGET, id=one)
    await here.many("The saw is in Trier.", entities=[{"name": "Trier"}])
    assert (await here.api(STATS, at=second))["stats"] == before
    assert before["byStatus"] == {"ACTIVE": 2}
    assert (before["totalNotes"], before["entities"], before["links"]) == (2, 2, 1)
    none = (await here.api(STATS, at=first))["stats"]
    assert (none["totalNotes"], none["entities"], none["links"]) == (0, 0, 0)
    now = (await here.api(STATS, at=instant(here.clock)))["stats"]
    assert now["byStatus"] == {"ACTIVE": 2, "ARCHIVED": 1}


@pytest.mark.feature("MUMA-22")
async def test_core_memory_and_context_as_of_then_tell_what_was_known_then(place: Any) -> None:
    here = await place()
    first = instant(here.clock)
    here.clock.move(1)
    await here.api(LINE, t="Never fire the kiln alone.")
    (kiln,) = await here.many("The kiln is in Ulm.")
    here.clock.move(1)
    second = instant(here.clock)
    here.clock.move(1)
    await here.api(LINE, t="Lock the gate at night.")
    await here.api(REVISE, id=kiln, c="The kiln is in Jena.")
    then = (await here.api(CORE, at=second))["coreMemory"]["text"]
    assert "Never fire the kiln alone." in then
    assert "Lock the gate" not in then
    assert "Lock the gate" in (await here.api(CORE))["coreMemory"]["text"]
    assert "Never fire" not in (await here.api(CORE, at=first))["coreMemory"]["text"]
    context = (await here.api(CONTEXT, at=second))["context"]
    assert [hit["note"]["content"] for hit in context["hits"]] == ["The kiln is in Ulm."]
    assert "in Ulm" in context["text"]
    assert "Never fire the kiln alone." in context["text"]
    assert "Jena" not in context["text"]
    assert (await here.api(CONTEXT, at=first))["context"]["hits"] == []


async def test_statistics_and_core_memory_of_then_are_for_readers_of_then(place: Any) -> None:
    here = await place()
    agent = here.api.as_agent("worker")
    await agent("{ viewer { audiences } }")
    (note,) = await here.many("My name is Orla Kessler.", visibility="USER_ONLY")
    here.clock.move(1)
    before = instant(here.clock)
    here.clock.move(1)
    await here.api(SHOW, id=note)
    assert (await agent(STATS, at=before))["stats"]["totalNotes"] == 0
    assert "Orla" not in (await agent(CORE, at=before))["coreMemory"]["text"]
    assert (await agent(CONTEXT, at=before))["context"]["hits"] == []
    assert (await agent(STATS))["stats"]["totalNotes"] == 1
