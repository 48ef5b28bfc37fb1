"""What a user owns is exported, made again elsewhere, and exported the same."""

import asyncio
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import pytest
from clients import Client
from race_world import cypher
from shared_server import new_user as a_new_user
from typer.testing import CliRunner
from whole_life import Life

from graphmem.cli.program import build
from graphmem.domain.actors import Unlisted
from graphmem.domain.portable import FIELDS, Record
from graphmem.domain.taking import EVERYTHING, OF_RECORD, Part
from graphmem.errors import Invalid
from graphmem.server import ServerAddress
from graphmem.services.actors import open_access, set_unlisted
from graphmem.services.context import Context
from graphmem.services.forgetting.erasing import erase_user
from graphmem.services.importing.portable.importing import Restored, import_export

ONLY_TOLD = {"share", "reflection", "proposal"}
UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
NOTES = """{ notes(first: 200, filter: {
  statuses: [ACTIVE, FADING, DORMANT, ARCHIVED, SUPERSEDED]}) { nodes { id content } } }"""
MANY = """mutation M($notes: [RememberInput!]!) {
  rememberMany(input: {notes: $notes, mode: VERBATIM}) { results { index } } }"""
OPEN = 'mutation { openSession(task: "look") { id } }'
CLOSE = "mutation C($id: ID!) { closeSession(id: $id) { id } }"
RECALL = '{ recall(input: {query: "kiln"}) { id hits { note { id } } } }'
FEEDBACK = """mutation F($id: ID!, $used: [ID!]!) {
  feedback(recallId: $id, used: $used, helpful: true) }"""
MERGE = "mutation M($k: ID!, $m: ID!) { mergeEntities(keep: $k, merge: $m) { id } }"
ENTITIES = "{ entities(first: 50) { id name } }"
RULE = """mutation S($d: String!, $v: Visibility!) { setVisibility(domain: $d, visibility: $v) {
  updatedCount } }"""
SAY_IT = "mutation C($text: String!) { command(text: $text) { message } }"
DEFAULT = "mutation D($v: Visibility!) { setDefaultVisibility(visibility: $v) { id } }"
SAY = 'mutation { command(text: "Export all my memories") { intent message data } }'


async def lines_of(client: Client, **query: str) -> list[dict[str, Any]]:
    headers = {"X-Graphmem-User": client.user}
    if client.agent:
        headers["X-Graphmem-Agent"] = client.agent
    answer = await client.http.get("/v1/export", headers=headers, params=query)
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    return [json.loads(line) for line in answer.text.splitlines()]


def written(folder: Path, lines: list[dict[str, Any]]) -> Path:
    path = folder / "memory.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


def restored(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What an import makes of an export: not what concerns others or was going on."""
    local = {line["id"] for line in lines if line.get("visibility") == "LOCAL"}
    kept = [
        dict(line)
        for line in lines
        if line["record"] not in (*ONLY_TOLD, "header", "end")
        and not (line["record"] == "session" and "closedAt" not in line)
        and line.get("id") not in local
        and line.get("note") not in local
    ]
    for line in kept:
        if line["record"] in ("user", "agent"):  # times of the account are its own
            for name in ("createdAt", "lastActiveAt"):
                line.pop(name, None)
    return kept


def alike(lines: list[dict[str, Any]], user: str) -> list[str]:
    """The same whatever ids and whoever's: notes by their texts, the owner without a name."""
    texts = {line["id"]: line["content"] for line in lines if line["record"] == "note"}
    return sorted(
        UUID.sub(lambda m: texts.get(m[0], "id"), json.dumps(line, sort_keys=True)).replace(
            user, "owner"
        )
        for line in restored(lines)
    )


@pytest.fixture(scope="module")
async def life(http: httpx.AsyncClient, context: Context) -> Life:
    """What the tests of this file look at, and only the last one changes."""
    api = Client(http, a_new_user())
    made = Life(api, api.as_user(a_new_user()), a_new_user())
    await made.lived(context)
    guide = api.as_agent("guide")
    session = (await guide(OPEN))["openSession"]["id"]
    await guide.remember("The kiln door sticks.", sessionId=session, importance=1.0)
    await guide(CLOSE, id=session)
    found = (await api(RECALL))["recall"]
    await context.log.flush()
    await api(FEEDBACK, id=found["id"], used=[hit["note"]["id"] for hit in found["hits"][:1]])
    await api.remember("Ada Kessler runs the kiln.", entities=[{"name": "Ada Kessler"}])
    await api.remember("A. Kessler is on leave.", entities=[{"name": "A. Kessler"}])
    named = {each["name"]: each["id"] for each in (await api(ENTITIES))["entities"]}
    await api(MERGE, k=named["Ada Kessler"], m=named["A. Kessler"])
    words = "of the renovation of the old dairy for the spring kiln fair in the east hall"
    for content in (
        *("The Halden project uses Neo4j.", "The Halden project uses Neo4j with two replicas."),
        *("I live in Berlin.", "I moved to Hamburg."),
        *(f"The deadline {words} is March 15.", f"The deadline {words} is March 30."),
    ):
        await api.remember(content, kind="SEMANTIC", domain="work", visibility="OPEN")
    await set_up(context, api, Unlisted(domains=("work", "kiln"), can_see_private=True))
    return made


async def set_up(context: Context, api: Client, unlisted: Unlisted) -> None:
    """Set what agents without a profile read, and who reads new notes."""
    person = await open_access(context, api.user, None)
    await set_unlisted(context, person, unlisted)
    await api(DEFAULT, v="PRIVATE")


async def test_another_users_import_is_their_own_and_touches_nobodys_notes(
    life: Life, context: Context, tmp_path: Path
) -> None:
    api, other = life.api, life.api.as_user(a_new_user())
    before = await lines_of(api)
    path = written(tmp_path, before)
    dry = await import_export(context, other.user, path, dry=True, parts=EVERYTHING)
    done = await import_export(context, other.user, path, parts=EVERYTHING)
    assert dry.created["note"] == done.created["note"] > 0
    assert (await lines_of(api))[1:] == before[1:]
    theirs = await lines_of(other)
    for one, two in zip(alike(theirs, other.user), alike(before, api.user), strict=True):
        assert json.loads(one) == json.loads(two)
    mine = {line["id"] for line in before if line["record"] == "note"}
    assert not mine & {line["id"] for line in theirs if line["record"] == "note"}
    again = await import_export(context, other.user, path, parts=EVERYTHING)
    assert sum(again.created.values()) == 0
    # A file that says it is the other's own, with ids of notes that are not.
    forged = written(tmp_path, [{**before[0], "user": other.user}, *before[1:]])
    done = await import_export(context, other.user, forged)
    assert done.created["note"] == done.created["link"] == done.created["revision"] == 0
    assert (await lines_of(api))[1:] == before[1:]


async def test_of_somebody_elses_export_come_the_notes_and_what_is_asked_for(
    life: Life, context: Context, tmp_path: Path
) -> None:
    api = life.api
    mine = api.as_user(a_new_user())
    await mine(RULE, d="work", v="PRIVATE")
    await mine(SAY_IT, text="Keep my location private")
    lines = await lines_of(api)
    lines[1]["promotionOptOuts"] = ["*", "work"]
    lines[2:2] = [
        {"record": "agent", "id": "spy", "name": "spy", "role": "ORCHESTRATOR", "domains": ["*"]}
        | {"canSeePrivate": True, "writes": "DIRECT"},
        {"record": "rule", "domain": "personal", "visibility": "OPEN"},
    ]
    lines[-1:-1] = [
        {**each, "id": each["id"][:-4] + "0000", "externalId": "SOUL", "externalKey": "|SOUL"}
        for each in [next(line for line in lines if line["record"] == "note")]
    ]
    path = written(tmp_path, lines)
    done = await import_export(context, mine.user, path)
    assert set(done.created) == {"note"}
    soul = await mine.post('{ note(externalId: "SOUL") { id } }')
    assert soul["errors"][0]["extensions"]["code"] == "NOT_FOUND"
    present = {OF_RECORD[Record(line["record"])] for line in lines if line["record"] in OF_RECORD}
    assert present <= set(done.not_taken)
    assert {Part.AGENTS, Part.RULES, Part.OPT_OUTS, Part.CORE, Part.SKILLS} <= set(done.not_taken)
    taken = await lines_of(mine)
    kinds = {"header", "user", "rule", "note", "revision", "end"}
    assert {line["record"] for line in taken} == kinds
    assert [line["domain"] for line in taken if line["record"] == "rule"] == sorted(
        ["personal/location", "work"]
    )
    assert taken[1].keys() == {"record", "id", "name", "defaultVisibility"}
    assert taken[1]["defaultVisibility"] == "SCOPED"
    openness = ["USER_ONLY", "PRIVATE", "SCOPED", "OPEN"]
    was = {line["content"]: line for line in lines if line["record"] == "note"}
    for note in (line for line in taken if line["record"] == "note"):
        assert "author" not in note or note["author"] is None
        assert not {"coreBlock", "coreMark", "skill", "sourceAgents", "usedBy"} & {
            name for name, value in note.items() if value
        }
        assert {note["pinned"], note["loadBearing"]} == {False}
        before = openness.index(was[note["content"]]["visibility"])
        assert openness.index(note["visibility"]) <= before
        if note["domain"].startswith("work") or "I live in" in note["content"]:
            assert note["visibility"] in ("PRIVATE", "USER_ONLY")
    again = await import_export(context, mine.user, path)
    assert sum(again.created.values()) == 0
    for part in (Part.AGENTS, Part.RULES):
        more = await import_export(context, mine.user, path, parts=[part])
        assert set(more.created) <= {part.removesuffix("s"), "user"}
        assert more.created["user"] == (part is Part.AGENTS)  # mine has notes by now
        assert part not in more.not_taken


async def test_an_agent_gets_what_it_may_read_and_no_more(life: Life) -> None:
    api = life.api
    await api(
        "mutation A($i: AgentInput!) { registerAgent(input: $i) { id } }",
        i={"id": "gardener", "domains": ["garden"]},
    )
    await api.remember("The shed code is 4711.", domain="work", visibility="USER_ONLY")
    agent = api.as_agent("gardener")
    lines = await lines_of(agent)
    assert {line["record"] for line in lines} <= {
        "header",
        "note",
        "revision",
        "wording",
        "link",
        "lineage",
        "end",
    }
    readable = {node["id"] for node in (await agent(NOTES))["notes"]["nodes"]}
    assert {line["id"] for line in lines if line["record"] == "note"} == readable
    assert len(readable) < len((await api(NOTES))["notes"]["nodes"])
    shown = json.dumps(lines)
    assert "4711" not in shown
    assert "givenTags" not in shown
    assert "curated" not in shown


@pytest.mark.feature("MUMA-128")
async def test_the_sentence_gives_the_same_as_the_export(life: Life) -> None:
    for client in (life.api, life.api.as_agent("helper")):
        done = (await client(SAY))["command"]
        assert done["intent"] == "EXPORT"
        told, lines = done["data"]["records"], await lines_of(client)
        assert [{**line, "at": None} for line in told[:1]] == [{**lines[0], "at": None}]
        assert told[1:] == lines[1:]


async def test_notes_of_one_moment_are_all_there_however_many(
    api: Any, context: Context, tmp_path: Path
) -> None:
    notes = [{"content": f"The kiln of hall {i}."} for i in range(250)]
    await api(MANY, notes=notes)
    lines = await lines_of(api)
    assert lines[-1]["counts"] == {"note": 250, "revision": 250, "user": 1}
    assert len({line["createdAt"] for line in lines if line["record"] == "note"}) == 1
    other = api.as_user(a_new_user())
    path = written(tmp_path, lines)
    done = await import_export(context, other.user, path, parts=EVERYTHING)
    assert done.created == Counter({"note": 250, "revision": 250})
    assert (await lines_of(other))[-1] == lines[-1]


async def test_commands_write_a_file_and_read_it(
    api: Any, neo4j_address: ServerAddress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await api.as_agent("narrow").remember("A kiln.")
    monkeypatch.setenv("GRAPHMEM_NEO4J_USER", neo4j_address.user)
    monkeypatch.setenv("GRAPHMEM_NEO4J_PASSWORD", neo4j_address.password)
    monkeypatch.setenv("GRAPHMEM_EMBEDDER", "hash")
    path = tmp_path / "memory.jsonl"

    async def run(*given: str) -> Any:
        words = [*given, "--neo4j", neo4j_address.bolt_uri]
        done = await asyncio.to_thread(CliRunner().invoke, build(), words)
        assert done.exit_code == 0, done.output
        return done.stdout

    assert "1 note" in await run("export", "--user", api.user, "-o", str(path))
    assert path.stat().st_mode & 0o777 == 0o600
    written_lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert written_lines[1:] == (await lines_of(api))[1:]
    printed = await run("export", "--user", api.user, "--agent", "narrow")
    assert json.loads(printed.splitlines()[0])["agent"] == "narrow"
    other = a_new_user()
    told = await run("import", str(path), "--user", other, "--dry-run")
    assert told.startswith(f"would be made for {other}: 1 note")
    told = await run("import", str(path), "--user", other)
    assert "made for" in told
    assert "not taken, since the file is somebody else's: " in told
    assert "2 agents" in told
    assert "--with agents" in told
    more = await run("import", str(path), "--user", other, "--with", "agents,rules")
    assert "1 agent" in more.splitlines()[0]
    assert "agents" not in more.splitlines()[-1]
    for wrong in (("--agent", "narrow"), ("--with", "keys")):
        words = ["import", str(path), "--user", other, *wrong, "--neo4j", neo4j_address.bolt_uri]
        refused = await asyncio.to_thread(CliRunner().invoke, build(), words)
        assert refused.exit_code == 2, refused.output
    again = json.loads(await run("import", str(path), "--user", other, "--json"))
    assert (again["created"], again["there"]["note"], again["complete"]) == ({}, 1, True)


async def test_no_export_names_keys_or_anybody_elses_notes(life: Life) -> None:
    text = json.dumps(await lines_of(life.api))
    assert "The lathe is in Kiel" not in text
    assert "gm_" not in text


BROKEN: list[tuple[str, str]] = [
    ("", "no JSON"),
    ("[]", "no object"),
    ('{"record": "header", "format": "graphmem", "version": 2, "user": "me"}', "another version"),
    ('{"record": "header", "format": "other", "version": 1, "user": "me"}', "not an export"),
    ('{"record": "header", "format": "graphmem", "version": 1, "user": "/"}', "user of the export"),
]


@pytest.mark.parametrize(("text", "reason"), BROKEN)
async def test_a_file_that_is_no_export_is_refused(
    context: Context, new_user: Any, tmp_path: Path, text: str, reason: str
) -> None:
    path = tmp_path / "broken.jsonl"
    path.write_text(text)
    with pytest.raises(Invalid, match=reason):
        await import_export(context, new_user(), path)


async def test_bad_lines_are_left_out_and_named(
    context: Context, api: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await api.remember("A kiln.", tags=["clay"], metadata={"a": 1})
    lines = await lines_of(api)
    (good,) = [line for line in lines if line["record"] == "note"]
    other = api.as_user(a_new_user())
    number = iter(range(100))

    def with_id(**given: Any) -> dict[str, Any]:
        return {**good, "id": f"019ca4ce-7600-7067-8e83-b5137e7c90{next(number):02}", **given}

    bad: list[Any] = [
        *({"record": "note"}, {"record": "nothing"}, 7, {}),
        *(with_id(**{name: value}) for name, value in (
            ("content", 7), ("content", "x" * 50_001), ("content", "a\x00b"), ("id", "no id"),
            ("kind", "ODD"), ("visibility", "ALL"), ("visibility", None), ("version", -1),
            ("version", 1.5), ("importance", 2), ("confidence", float("nan")), ("tags", "clay"),
            ("tags", ["x"] * 3_000), ("createdAt", "yesterday"), ("createdAt", "9999-12-31"),
            ("domain", "a//b"), ("author", "a/b"), ("pinned", 1), ("halfLifeHours", -1),
            ("accessTimes", ["2026-01-01T00:00:00Z"] * 30), ("metadata", {"x": "y" * 30_000}),
            ("mentions", [{"key": "Not A Key", "name": "x", "type": "thing"}]),
            ("mentions", [{"key": "x", "name": "x", "type": "thing", "of": "somebody:y"}]),
        )),
        {"record": "agent", "id": "x", "name": "x", "role": "KING", "domains": ["*"]},
        {"record": "rule", "domain": "a", "visibility": "LOCAL"},
        {"record": "link", "id": good["id"]},
    ]  # fmt: skip
    past = with_id(expiresAt="2020-01-01T00:00:00Z")
    path = written(tmp_path, [lines[0], *bad, past, with_id(author="ghost"), lines[-1]])
    done = await import_export(context, other.user, path, parts=EVERYTHING)
    assert (done.created["note"], done.refused, done.complete) == (1, len(bad), True)
    assert done.left["note"] == 1
    assert [each["id"] for each in (await other("{ agents { id } }"))["agents"]] == ["ghost"]
    assert len(done.skipped) == len(bad)
    cut = written(tmp_path, [lines[0], with_id()])
    assert not (await import_export(context, other.user, cut)).complete
    monkeypatch.setattr("graphmem.services.importing.portable.reading.MAX_LINE", 50_000)
    long = written(tmp_path, [lines[0], with_id(content="x" * 60_000)])
    with pytest.raises(Invalid, match="longer than"):
        await import_export(context, other.user, long)
    deep = tmp_path / "deep.jsonl"
    deep.write_text(f"{json.dumps(lines[0])}\n{'[' * 20_000}\n")
    assert (await import_export(context, other.user, deep)).refused == 1


async def test_an_import_meets_notes_that_are_there_without_changing_them(
    context: Context, api: Any, tmp_path: Path
) -> None:
    note = await api.remember("A kiln.", externalId="kiln", idempotencyKey="once")
    path = written(tmp_path, await lines_of(api))
    await api(
        'mutation R($id: ID!) { revise(id: $id, content: "A lathe.") { id } }',
        id=note["note"]["id"],
    )
    there = await lines_of(api)
    assert await import_export(context, api.user, path) == Restored(
        there=Counter({"note": 1, "revision": 1}), complete=True
    )
    assert (await lines_of(api))[1:] == there[1:]


FOLLOWS = {  # of other properties, or is of no use elsewhere
    "note": "user audience audienceToken words terms traits textKey name titleKey happenedAt "
    "curatedKey topicsOf toldVersion refineAt refineTask refineTries section",
    "agent": "user judges",
    "rule": "user",
    "conflict": "user pair",
    "session": "user closing",
    "recall": "user asker embedding model",
    "reflection": "user",
    "proposal": "user embedding requestKey requestHash",
}
LABELS = {"rule": "VisibilityRule"}


async def test_the_format_knows_all_that_the_graph_keeps(life: Life, context: Context) -> None:
    """A new property of a node is exported, or is said in FOLLOWS to follow of others."""
    for record, follows in FOLLOWS.items():
        label = LABELS.get(record, record.title())
        keys = "MATCH (n) WHERE $label IN labels(n) AND n.user = $user UNWIND keys(n) AS key"
        rows = await cypher(context, f"{keys} RETURN DISTINCT key", label=label, user=life.api.user)
        known = {*FIELDS[Record(record)], *follows.split()}
        assert {row[0] for row in rows} <= known, record


@pytest.mark.feature("MUMA-121", "DAEM-28")
async def test_exported_erased_and_imported_it_is_the_same(
    life: Life, context: Context, tmp_path: Path
) -> None:
    api = life.api
    before = await lines_of(api, embeddings="true")
    kinds = Counter(line["record"] for line in before)
    assert kinds.keys() == set(Record), kinds
    ids = {node["id"] for node in (await api(NOTES))["notes"]["nodes"]}
    assert {line["id"] for line in before if line["record"] == "note"} == ids
    assert (await erase_user(context, api.user)).complete
    path = written(tmp_path, before)
    done = await import_export(context, api.user, path)
    assert done.complete
    local = [line for line in before if line.get("visibility") == "LOCAL"]
    assert (done.refused, done.left["note"], len(local)) == (0, 1, 1)
    assert done.there == Counter({"revision": 1})  # of that note
    after = await lines_of(api, embeddings="true")
    for one, two in zip(restored(after), restored(before), strict=True):
        assert one == two
    again = await import_export(context, api.user, path)
    assert sum(again.created.values()) == 0
    assert again.there == done.created + done.there
