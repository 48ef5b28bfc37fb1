"""What is described of the graph in schema/graph, and what the queries say."""

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

from graphmem.resources import folder
from graphmem.store.queries import Queries

ROOT = Path(__file__).parents[2]
REFERENCE = runpy.run_path(str(ROOT / "scripts" / "write_reference.py"))
SECTIONS: list[dict[str, Any]] = REFERENCE["graph_model"]()
SYSTEM_LABELS: list[str] = REFERENCE["system_labels"](SECTIONS)
LABELS = {name: each for section in SECTIONS for name, each in section["labels"].items()}
TYPES = {name: each for section in SECTIONS for name, each in section.get("types", {}).items()}
COMMENT = re.compile(r"^\s*//.*$|\s// .*$", re.MULTILINE)
QUOTED = re.compile(r"'[^'\n]*'")
LABEL = re.compile(r":([A-Z][a-z]\w*(?:[|:&]:?[A-Z][a-z]\w*)*)\b")
TYPE = re.compile(r"\[\w*:([A-Z_]{2,}(?:\|[A-Z_]{2,})*)")
WRITTEN = re.compile(r"(?<![$\w.])\w+\.(\w+) = ")
TAKEN_BACK = {"touched", "made"}  # by the query that sets them: a lock, a mark
MAP = r"\b(?:properties|given|event)\b"  # one that sets a whole map names no property


def queries() -> dict[str, str]:
    """The text of each query and job with its fragments, and each fragment, without comments."""
    known = Queries(folder("cypher"), folder("jobs"))
    texts = {name.removeprefix("job:"): known.text(name) for name in known.names}
    for path in (ROOT / "cypher" / "fragments").iterdir():
        texts[f"fragments/{path.stem}"] = path.read_text("utf-8")
    return {name: COMMENT.sub("", text) for name, text in texts.items()}


DESCRIBED = [*LABELS.items(), *TYPES.items()]
QUERIES = queries()
TEXT = "\n".join(QUERIES.values())


def names(pattern: re.Pattern[str]) -> set[str]:
    """What a pattern finds in the queries, each name of a list by itself."""
    found = pattern.findall(QUOTED.sub("''", TEXT))
    return {name for each in found for name in re.split(r"[|:&]+", each)}


def properties() -> set[str]:
    return {name for _, each in DESCRIBED for name in each.get("properties", {})}


def test_the_labels_are_those_of_the_queries() -> None:
    assert names(LABEL) == LABELS.keys()


def test_the_types_are_those_of_the_queries() -> None:
    assert names(TYPE) == TYPES.keys()


def test_each_property_that_a_query_sets_is_described() -> None:
    sets = "\n".join(re.findall(r"\bSET\b[^\n]*(?:\n {4,}[^\n]*)*", QUOTED.sub("''", TEXT)))
    assert set(WRITTEN.findall(sets)) - TAKEN_BACK <= properties()


@pytest.mark.parametrize(("name", "each"), DESCRIBED, ids=[*LABELS, *TYPES])
def test_each_described_property_is_in_a_query(name: str, each: dict[str, Any]) -> None:
    words = set(re.findall(r"\w+", TEXT))
    assert {key for key in each.get("properties", {}) if key not in words} == set()


@pytest.mark.parametrize(("name", "each"), DESCRIBED, ids=[*LABELS, *TYPES])
def test_each_writer_is_a_query_about_it(name: str, each: dict[str, Any]) -> None:
    for query in each["by"]:
        assert re.search(rf"\b{name}\b", QUERIES[query]), query
    for key, (kind, told, *by) in each.get("properties", {}).items():
        assert kind in {"STRING", "INTEGER", "FLOAT", "BOOLEAN", "ZONED DATETIME"} or re.fullmatch(
            r"LIST<(STRING|INTEGER|FLOAT|ZONED DATETIME)>", kind
        )
        assert told, key
        for query in by:
            assert re.search(rf"\b{key}\b|{MAP}", QUERIES[query]), (key, query)


def test_each_end_of_a_type_is_a_label() -> None:
    ends = {end for each in TYPES.values() for way in each["ways"] for end in way.split(" -> ")}
    assert ends <= LABELS.keys()
    assert {each["beside"] for each in LABELS.values() if "beside" in each} <= LABELS.keys()


MADE = r"\b(CREATE|MERGE) (?:\([^()]*\)-\[[^\]]*\]->)?\((\w*):(%s)\b([^\n]*)\n([^\n]*)"


@pytest.mark.parametrize("label", SYSTEM_LABELS)
def test_each_query_that_makes_a_technical_node_labels_it_so(label: str) -> None:
    made = re.findall(MADE % label, TEXT)
    assert made
    for clause, name, _, rest, following in made:
        if clause == "CREATE":
            assert rest.startswith(":System"), rest
        else:
            assert re.match(rf" *(ON CREATE )?SET {name}:System\b", following), following
    assert not re.search(rf"\bSET \w+:{label}\b(?!:System)", TEXT)


def test_verify_looks_at_each_technical_label() -> None:
    verified = re.findall(r"\(n:System\) <> \(n:([\w|]+)\)", QUERIES["verify/orphans"])
    assert [sorted(each.split("|")) for each in verified] == [sorted(SYSTEM_LABELS)]


def test_the_diagram_shows_a_dozen_labels() -> None:
    assert sum(each.get("main", False) for each in LABELS.values()) == 12


def test_the_page_about_browser_lists_the_questions() -> None:
    page = (ROOT / "docs" / "how-to" / "explore-in-neo4j-browser.md").read_text("utf-8")
    told = dict(re.findall(r"^\| `(\w+)` \| ([^|]+\?) \|$", page, re.MULTILINE))
    asked = {
        path.stem: path.read_text("utf-8").removeprefix("// ").partition("?")[0] + "?"
        for path in (ROOT / "examples" / "browser").glob("*.cypher")
    }
    assert told == asked
