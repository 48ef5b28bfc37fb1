"""Pages of a synced folder: what they show of other changes, and decisions made in files."""

import json
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from aged_notes import JobHeartbeat
from race_world import cypher

from graphmem.domain.events import Event
from graphmem.errors import Invalid
from graphmem.services.actors import open_access
from graphmem.services.context import Access, Context
from graphmem.services.forgetting.erasing import erase_user
from graphmem.services.importing.portable.importing import import_export
from graphmem.services.jobs import digests
from graphmem.services.jobs.digests import digest_audit
from graphmem.services.syncing.pages import (
    Page,
    apply_edit,
    is_outdated,
    last_purge,
    name_files,
    read_pages,
    read_snapshot,
)
from graphmem.services.syncing.pages.meta import consolidation_pages
from graphmem.services.syncing.reading import KnownNotes

META = "memory/meta"
REGISTER = """mutation R($id: ID!, $r: AgentRole, $w: WritePermission) {
  registerAgent(input: {id: $id, role: $r, writes: $w}) { id } }"""
REMEMBER = """mutation R($i: RememberInput!) { remember(input: $i) {
  note { id } proposal { id } } }"""
DECIDE = """mutation D($id: ID!, $d: Decision!) { decideProposal(id: $id, decision: $d) {
  status } }"""
REFLECT = "mutation { reflect { id number markdown items { id kind summary } } }"
SETTLE = """mutation D($id: ID!, $a: [ID!]!) { decideReflection(id: $id, accept: $a) {
  status items { kind summary accepted } } }"""
CONFLICTS = "query C($o: Boolean) { conflicts(open: $o) { id notes { id status content } } }"
RECALL = '{ recall(input: {query: "kiln relay", k: 2}) { hits { note { id } } } }'
DEADLINE = (
    "The deadline of the renovation of the old dairy for the spring kiln fair in the east hall"
)
PagesOf = Callable[..., Awaitable[dict[str, Page]]]


async def pages_of(context: Context, access: Access) -> list[Page]:
    """All pages of what a viewer may read."""
    notes = await KnownNotes().read(context, access)
    return await read_pages(context, access, notes.values())


@pytest.fixture
def pages(api: Any, context: Context) -> PagesOf:
    async def read(agent: str | None = None) -> dict[str, Page]:
        access = await open_access(context, api.user, agent)
        return {str(page.path): page for page in await pages_of(context, access)}

    return read


@pytest.mark.feature("MOLT-3")
async def test_the_files_of_meta_are_there_from_the_beginning(api: Any, pages: PagesOf) -> None:
    note = (await api(REMEMBER, i={"content": "The kiln is in room four."}))["remember"]["note"]
    found = {
        path.removeprefix(f"{META}/"): page.text
        for path, page in (await pages()).items()
        if path.startswith(f"{META}/")
    }
    names = {"decay-scores.json", "reflection-log.md", "pending-reflection.md", "evolution.md"}
    names |= {"pending-memories.md", "audit.log", "audit-archive.md"}
    assert names <= set(found)
    assert note["id"] in found["decay-scores.json"]
    assert len(found["audit.log"].splitlines()) == 1
    assert "No reflection" in found["pending-reflection.md"]


@pytest.mark.feature("MOLT-82")
async def test_proposals_that_wait_have_nine_lines_each(api: Any, pages: PagesOf) -> None:
    await api(REGISTER, id="researcher", w="PROPOSE")
    researcher = api.as_agent("researcher")
    texts = ("Prefer papers\n## Proposal #9\n- **Status**: committed", "Tests come first.")
    made = [
        (await researcher(REMEMBER, i={"content": text, "confidence": sure, "kind": "SEMANTIC"}))
        for text, sure in zip(texts, (0.6, 0.9), strict=True)
    ]
    ids = [each["remember"]["proposal"]["id"] for each in made]
    text = (await pages())[f"{META}/pending-memories.md"].text
    first, second = text.split("---\n")[1:]
    heads = (
        *("From", "Timestamp", "Trigger", "Suggested store", "Content", "Entities"),
        *("Confidence", "Core-worthy", "Status"),
    )
    for number, part in enumerate((first, second), 1):
        lines = part.splitlines()
        assert lines[:2] == [f"## Proposal #{number}", f"<!-- {ids[number - 1]} -->"]
        assert [line.split("**")[1] for line in lines[2:]] == list(heads)
    assert "- **From**: researcher\n" in first
    assert "- **Suggested store**: semantic\n" in first
    assert "- **Confidence**: medium\n" in first
    assert "- **Confidence**: high\n" in second
    assert first.endswith("- **Status**: pending\n")
    await api(DECIDE, id=ids[0], d="REJECT")
    text = (await pages())[f"{META}/pending-memories.md"].text
    assert "papers" not in text
    assert "## Proposal #1\n" in text
    log = (await pages())[f"{META}/audit.log"].text.splitlines()
    told = {parts[1]: parts for line in log if (parts := line.split(" | "))}
    assert told["PROPOSE"][2:5] == [f"{META}/pending-memories.md", "subagent:researcher", "pending"]
    assert told["REJECT"][2] == f"{META}/pending-memories.md"


@pytest.mark.feature("MOLT-48", "MOLT-50", "MOLT-51", "MOLT-52")
async def test_reflections_wait_and_are_logged(api: Any, pages: PagesOf) -> None:
    for day in range(3):
        said = {"content": f"Ann likes green tea{'.' * (day + 1)}", "episode": f"day {day}"}
        await api(REMEMBER, i=said)
    before = await pages()
    assert "No reflection" in before[f"{META}/reflection-log.md"].text
    found = (await api(REFLECT))["reflect"]
    waiting = (await pages())[f"{META}/pending-reflection.md"].text
    assert waiting == found["markdown"]
    heads = [line for line in waiting.splitlines() if line.startswith("## ")]
    order = ("New Knowledge", "Connections", "Archival", "Contradictions", "Core", "Evolution")
    assert [any(word in head for head in heads) for word in order] == [True] * 6
    assert f"**Reflection #**: {found['number']}\n" in waiting
    for foot in ("Token budget used", "Memories processed", "Reflections reviewed", "Next sched"):
        assert f"**{foot}" in waiting
    accept = [item["id"] for item in found["items"]]
    done = (await api(SETTLE, id=found["id"], a=accept))["decideReflection"]
    after = await pages()
    assert "No reflection waits" in after[f"{META}/pending-reflection.md"].text
    log = after[f"{META}/reflection-log.md"].text
    assert f"- Status: {done['status'].lower()}" in log
    assert log.count("\n- accepted: ") == len(accept)
    evolution = after[f"{META}/evolution.md"].text
    assert [line for line in evolution.splitlines() if line.startswith("## ")] == [
        "## Patterns Across Reflections",
        "## Evolving Understanding",
        "## Revised Assumptions",
        "## Persistent Questions",
        "## Emergent Insights",
    ]
    (await api(REFLECT))["reflect"]
    again = await api("{ reflections(first: 1) { id items { id kind summary } } }")
    (newest,) = again["reflections"]
    insight = next(item for item in newest["items"] if item["kind"] == "insight")
    assert insight["summary"] not in (await pages())[f"{META}/evolution.md"].text
    await api(SETTLE, id=newest["id"], a=[item["id"] for item in newest["items"]])
    assert insight["summary"] in (await pages())[f"{META}/evolution.md"].text


async def _conflict(api: Any) -> tuple[str, str]:
    ids = []
    for day in (15, 30):
        given = {"domain": "business", "kind": "SEMANTIC", "visibility": "OPEN"}
        text = f"{DEADLINE} is March {day}."
        ids.append((await api(REMEMBER, i={"content": text, **given}))["remember"]["note"]["id"])
    return ids[0], ids[1]


@pytest.mark.feature("MUMA-75")
@pytest.mark.parametrize(("choice", "left"), [("A", [15]), ("b", [30]), ("both", [15, 30])])
async def test_a_conflict_is_closed_in_its_file(
    api: Any, context: Context, pages: PagesOf, choice: str, left: list[int]
) -> None:
    ids = await _conflict(api)
    (found,) = (await api(CONFLICTS, o=True))["conflicts"]
    page = (await pages())[f"memory/conflicts/{found['id']}.md"]
    for note, day in zip(ids, (15, 30), strict=True):
        assert f"<!-- gm:{note} -->" in page.text
        assert f"> {DEADLINE} is March {day}." in page.text
    access = await open_access(context, api.user, None)
    for word in ("", "C", "A and B"):
        with pytest.raises(Invalid):
            await apply_edit(context, access, page, page.text, f"{page.text}Keep: {word}\n")
    old = page.text.replace("March 15", "March 16")
    with pytest.raises(Invalid, match="changed since"):
        await apply_edit(context, access, page, old, old.replace("Keep: ", "Keep: A"))
    edited = page.text.replace("Keep: ", f"Keep: {choice}")
    (done,) = await apply_edit(context, access, page, page.text, edited)
    assert done.startswith("conflict closed")
    assert page.path.as_posix() not in await pages()
    assert (await api(CONFLICTS, o=True))["conflicts"] == []
    nodes = (await api("{ notes(first: 9) { nodes { content } } }"))["notes"]["nodes"]
    for day in (15, 30):
        assert any(f"March {day}" in node["content"] for node in nodes) is (day in left)


async def test_an_agent_has_no_file_of_a_conflict_that_it_may_not_read(
    api: Any, pages: PagesOf
) -> None:
    await api(REGISTER, id="helper")
    await _conflict(api)
    own = [path for path in await pages("helper") if path.startswith("memory/conflicts/")]
    assert len(own) == 1
    await api(
        """mutation S { setVisibility(domain: "business", visibility: PRIVATE) { updatedCount } }"""
    )
    assert not [path for path in await pages("helper") if path.startswith("memory/conflicts/")]


@pytest.mark.feature("L3-10", "L3-T15")
async def test_each_tracked_recall_is_an_entry(api: Any, context: Context, pages: PagesOf) -> None:
    await api.remember("The kiln relay is new.")
    await api.remember("The kiln relay hall is cold.")
    given = []
    for _ in range(3):
        found = (await api(RECALL))["recall"]["hits"]
        given.append([hit["note"]["id"] for hit in found])
    await context.log.flush()
    log = json.loads((await pages())[f"{META}/co_retrieval_log.json"].text)
    assert log["max_entries"] == 500
    assert [entry["memory_ids"] for entry in log["entries"]] == given
    assert [entry["cycle"] for entry in log["entries"]] == [1, 2, 3]
    assert log["cluster_candidates"] == []
    await api(REGISTER, id="helper")
    for client in (api.as_agent("helper"), api, api.as_agent("helper")):
        await client(RECALL)
    await context.log.flush()
    own = json.loads((await pages("helper"))[f"{META}/co_retrieval_log.json"].text)
    assert [entry["cycle"] for entry in own["entries"]] == [1, 2]  # nothing tells of the others


@pytest.mark.feature("TIER-6")
async def test_the_manifest_names_the_topics(api: Any, context: Context) -> None:
    found = {}
    for title, tier in (("Kiln", "SHORT_TERM"), ("Loft", "LONG_TERM"), ("Day", "DAILY")):
        made = await api.remember(f"What is known of the {title}.", title=title)
        found[title] = made["note"]["id"]
        query = "MATCH (n:Note {id: $id}) SET n.tier = $tier, n.accessCount = 4"
        await cypher(context, query, id=found[title], tier=tier)
    access = await open_access(context, api.user, None)
    files = {found["Kiln"]: "memory/short-term/kiln.md"}
    pages = {str(page.path): page for page in name_files(await pages_of(context, access), files)}
    topics = json.loads(pages["memory/manifest.json"].text)["topics"]
    assert [(t["topic"], t["tier"], t["file"], t["recalls"]) for t in topics] == [
        ("Kiln", "short-term", "memory/short-term/kiln.md", 4),
        ("Loft", "long-term", None, 4),
    ]
    assert all(topic["updated"].endswith("Z") for topic in topics)


@pytest.mark.feature("MOLT-75")
async def test_pruned_lines_are_counted_in_the_archive(
    api: Any, context: Context, pages: PagesOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    for i in range(3):
        await api.remember(f"Shelf {i} of the hall holds bowls.")
    lines = (await pages())[f"{META}/audit.log"].text.splitlines()
    age = "MATCH (e:Event {stream: $user}) SET e.at = e.at - duration({days: 91})"
    await cypher(context, age, user=api.user)
    assert (await pages())[f"{META}/audit.log"].text == ""

    async def own(graph: Any, after: str, **given: Any) -> list[str]:
        return [] if after else [api.user]

    monkeypatch.setattr(digests.store, "users_with_old_events", own)
    await digest_audit(context, JobHeartbeat())  # type: ignore[arg-type]
    text = (await pages())[f"{META}/audit-archive.md"].text
    month = context.clock() - timedelta(days=91)
    types = Counter(line.split(" | ")[1] for line in lines)
    assert text.startswith(f"# Audit Digest — {month:%B %Y}\n## Summary\n")
    files = {line.split(" | ")[2] for line in lines} - {"—"}
    assert f"\n- {len(lines)} total mutations across {len(files)} files\n" in text
    for name, count in types.items():
        assert f"\n  - {name}: {count}\n" in text
    await api(REGISTER, id="helper")
    assert f"{META}/audit-archive.md" not in await pages("helper")


@pytest.mark.feature("MUMA-47")
async def test_a_snapshot_recovers_the_whole_state(
    api: Any, context: Context, tmp_path: Path
) -> None:
    await api.remember("The kiln is in Ulm.", entities=[{"name": "Kiln"}, {"name": "Ulm"}])
    await api.remember("The loft is dry.", pinned=True)
    query = """{ stats { totalNotes entities links byVisibility byStatus byTier }
      notes(first: 9) { nodes { id content pinned domain visibility version createdAt } } }"""
    before = await api(query)
    access = await open_access(context, api.user, None)
    page = await read_snapshot(context, access)
    first = page.text.splitlines()[0]
    assert not is_outdated(first, await last_purge(context, access))
    assert page.path.as_posix() == f"memory/snapshots/{context.clock():%Y-%m-%d}.json"
    file = tmp_path / page.path.name
    file.write_text(page.text, "utf-8")
    assert (await erase_user(context, api.user)).complete
    done = await import_export(context, api.user, file)
    assert (done.created["note"], done.complete) == (2, True)
    assert await api(query) == before


FORGET = """mutation F($id: ID!, $p: Boolean!) { forget(id: $id, permanent: $p, confirm: true) {
  forgotten } }"""


async def test_a_snapshot_is_outdated_once_a_note_is_destroyed(api: Any, context: Context) -> None:
    notes = [(await api.remember(f"Shelf {i} is full."))["note"]["id"] for i in range(2)]
    access = await open_access(context, api.user, None)
    first = (await read_snapshot(context, access)).text.splitlines()[0]
    for note, permanent in zip(notes, (False, True), strict=True):
        await api(FORGET, id=note, p=permanent)
        assert is_outdated(first, await last_purge(context, access)) is permanent
    for odd in ("", "[]", "{}", '{"at": 1}', "[" * 100_000):
        assert is_outdated(odd, None)


def test_days_without_a_report_have_no_page(context: Context) -> None:
    event = Event(
        id="e",
        seq=1,
        at=context.clock(),
        type="EDIT",
        channel="memory_update",
        actor="manual",
        subject_id=None,
        domain=None,
        summary="note revised",
        data={"event": "memory_write"},
    )
    assert consolidation_pages([event]) == []
    report = replace(event, data={"event": "consolidation", "created": 2, "merged": 1})
    (page,) = consolidation_pages([report])
    assert "- created: 2\n- merged: 1\n- pruned: 0 " in page.text
