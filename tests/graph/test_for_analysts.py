"""A filled graph as an analyst sees it: everything in it is described, and the saved questions of
examples/browser are answered."""

import re
import runpy
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from clients import Client
from filled_graph import Filled
from race_world import cypher

from graphmem.ai.embedders import create_embedder
from graphmem.app import connect_context, create_app
from graphmem.server import EmbeddedNeo4j, ServerAddress, conf, default_cache_dir
from graphmem.services.context import Context
from graphmem.settings import Settings

pytestmark = pytest.mark.timeout(900)  # the first test fills the graph

ROOT = Path(__file__).parents[2]
QUESTIONS = {
    path.stem: path.read_text("utf-8") for path in (ROOT / "examples" / "browser").glob("*.cypher")
}
PARAMETER = re.compile(r"^:param (\w+) => (.+);$", re.MULTILINE)
STYLE = (ROOT / "examples" / "browser" / "graphmem.grass").read_text("utf-8")
NODES = """MATCH (n) UNWIND keys(n) AS key
RETURN labels(n), key, collect(DISTINCT valueType(n[key]))"""
RELATIONSHIPS = """MATCH (a)-[r]->(b)
UNWIND CASE WHEN size(keys(r)) = 0 THEN [null] ELSE keys(r) END AS key
RETURN type(r), labels(a), labels(b), key,
  CASE WHEN key IS NULL THEN [] ELSE collect(DISTINCT valueType(r[key])) END"""
READABLE = """query R($t: String!) { notes(filter: {text: $t}, first: 10) {
  nodes { title readableBy { id } } } }"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, quick_java: None) -> Iterator[ServerAddress]:
    """A server where nothing is but what this file puts there, that keeps its plans while the
    graph grows: otherwise it plans most of the time."""
    data = tmp_path_factory.mktemp("analysts")
    server = EmbeddedNeo4j(data, cache_dir=default_cache_dir(), heap="512m", page_cache="64m")
    with pytest.MonkeyPatch.context() as patch:
        keep_plans = "dbms.cypher.min_replan_interval=1h"
        patch.setattr(conf, "SETTINGS", (*conf.SETTINGS, keep_plans))
        address = server.start(180)
    yield address
    server.stop()


@pytest.fixture(scope="module")
async def filled(settings: Settings, server: ServerAddress) -> AsyncIterator[Context]:
    """A service on that server, and something of everything in its graph."""
    embedder = create_embedder("hash")
    async with connect_context(settings, embedder, server) as context:
        transport = httpx.ASGITransport(app=create_app(settings, opened=context))
        base = "http://127.0.0.1:8321"
        async with httpx.AsyncClient(transport=transport, base_url=base, timeout=200) as http:
            await Filled(context, http).fill()
        yield context
    await embedder.close()


REFERENCE = runpy.run_path(str(ROOT / "scripts" / "write_reference.py"))
SECTIONS = REFERENCE["graph_model"]()
SYSTEM_LABELS = set[str](REFERENCE["system_labels"](SECTIONS))


def described(kind: str) -> dict[str, Any]:
    """The described labels or types by name."""
    return {name: each for of in SECTIONS for name, each in of.get(kind, {}).items()}


def is_of(types: list[str], kind: str) -> bool:
    """Tell if values of these types are of the described one; an empty list is of any list."""
    plain = {each.replace(" NOT NULL", "") for each in types}
    return plain <= {kind, "LIST<NOTHING>" if kind.startswith("LIST") else kind}


async def test_every_label_and_property_in_the_graph_is_described(filled: Context) -> None:
    labels, wrong, seen = described("labels"), set[str](), set[str]()
    for of, key, types in await cypher(filled, NODES):
        assert set(of) <= labels.keys()
        seen |= set(of)
        told = [labels[name].get("properties", {}).get(key) for name in of]
        if not any(each is not None and is_of(types, each[0]) for each in told):
            wrong.add(f"{of} {key} {types}")
    assert wrong == set()
    assert len(seen) > 25


async def test_what_the_service_keeps_for_itself_is_labelled_so_and_nothing_else(
    filled: Context,
) -> None:
    found = [set(of) for (of,) in await cypher(filled, "MATCH (n) RETURN DISTINCT labels(n)")]
    wrong = [of for of in found if ("System" in of) is SYSTEM_LABELS.isdisjoint(of)]
    assert wrong == []
    assert len(SYSTEM_LABELS & set[str]().union(*found)) > 10


async def test_every_relationship_in_the_graph_is_described(filled: Context) -> None:
    kinds, wrong, seen = described("types"), set[str](), set[str]()
    for kind, one, other, key, types in await cypher(filled, RELATIONSHIPS):
        seen.add(kind)
        ways = [way.split(" -> ") for way in kinds[kind]["ways"]]
        if not any(first in one and last in other for first, last in ways):
            wrong.add(f"{one} {kind} {other}")
        told = kinds[kind].get("properties", {}).get(key)
        if key is not None and (told is None or not is_of(types, told[0])):
            wrong.add(f"{kind} {key} {types}")
    assert wrong == set()
    assert len(seen) > 30


async def test_each_note_has_a_name_to_be_drawn_by(filled: Context) -> None:
    unnamed = "MATCH (n:Note) WHERE n.name IS NULL OR NOT 0 < size(n.name) <= 60 RETURN n.content"
    assert await cypher(filled, unnamed) == []
    titled = "MATCH (n:Note) WHERE n.name <> left(n.title, 60) RETURN n.title, n.name"
    assert await cypher(filled, titled) == []


async def asked(context: Context, question: str) -> list[list[Any]]:
    """The rows of a question, with the parameters that stand in its file."""
    text = QUESTIONS[question]
    given = {
        name: (await cypher(context, f"CYPHER 25 RETURN {value}"))[0][0]
        for name, value in PARAMETER.findall(text)
    }
    return await cypher(context, PARAMETER.sub("", text).rstrip().rstrip(";"), **given)


@pytest.mark.parametrize("question", sorted(QUESTIONS))
async def test_a_question_is_answered(filled: Context, question: str) -> None:
    first = QUESTIONS[question].partition("\n")[0]
    assert re.match(r"// [A-Z][^?]+\?", first), "the first line says the question"
    rows = await asked(filled, question)
    assert rows
    assert any(value not in (None, [], "") for value in rows[0])


def test_there_are_more_than_twenty_questions() -> None:
    assert len(QUESTIONS) > 20


async def test_the_picture_of_a_memory_shows_no_technical_node(filled: Context) -> None:
    rows = await asked(filled, "picture_of_a_memory")
    labels = {label for a, _, b in rows for node in (a, b) for label in node.labels}
    assert {"Note", "Entity", "Agent"} <= labels
    assert labels.isdisjoint({"System", *SYSTEM_LABELS})


async def test_who_may_read_a_note_is_what_the_service_says(filled: Context, settings: Any) -> None:
    transport = httpx.ASGITransport(app=create_app(settings, opened=filled))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8321") as http:
        notes = await Client(http, "mara")(READABLE, t="sixty days")
    [note] = [each for each in notes["notes"]["nodes"] if each["title"] == "Brindlow & Fox terms"]
    rows = await asked(filled, "who_may_read")
    assert [row[3] for row in rows] == sorted(each["id"] for each in note["readableBy"])


async def test_answers_hold_what_was_done(filled: Context) -> None:
    found = {
        name: str(await asked(filled, name))
        for name in ("found_nothing", "chains_of_updates", "contradictions", "team_knowledge")
    }
    assert "Where is the moon?" in found["found_nothing"]
    assert "I live in Paris now." in found["chains_of_updates"]
    assert "March 15" in found["contradictions"]
    assert "switched off at the wall" in found["team_knowledge"]


def beside(name: str) -> dict[str, Any]:
    """The properties of the label that a node has beside this one."""
    labels = described("labels")
    return labels[labels[name].get("beside", name)]["properties"]


def test_the_style_knows_every_label() -> None:
    styled = re.findall(r"^node\.(\w+) \{(.*?)^\}", STYLE, re.MULTILINE | re.DOTALL)
    labels = described("labels")
    assert {name for name, _ in styled} == labels.keys() - {"Current"}
    assert styled[0][0] == "System"  # a later rule that fits a node goes before an earlier one
    for name, style in styled:
        for key in re.findall(r"caption: \"\{(\w+)\}\"", style):
            assert key in labels[name]["properties"] | beside(name), name
        small = int(re.findall(r"diameter: (\d+)px", style)[0]) <= 25
        assert small == labels[name].get("technical", False), name
