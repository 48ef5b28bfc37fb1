"""Rules that the source keeps: Cypher in files of its own, each called, no file too long."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphmem.services.jobs.statements import STATEMENTS

ROOT = Path(__file__).parents[2]
PACKAGE = sorted((ROOT / "graphmem").rglob("*.py"))
SOURCES = [
    path
    for folder in ("graphmem", "cypher", "jobs", "schema", "scripts", "tests", "bench", "examples")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in {".py", ".cypher", ".graphql", ".toml", ".md", ".mjs"}
    and "node_modules" not in path.parts
]
QUERIES = {
    path.relative_to(ROOT / "cypher").with_suffix("").as_posix(): path
    for path in (ROOT / "cypher").rglob("*.cypher")
    if path.parent.name != "fragments"
} | {f"job:{path.stem}": path for path in (ROOT / "jobs").glob("*.cypher")}
RUNNERS = {"read", "read_one", "read_list", "write_one", "run", "run_batches", "Step"}
CYPHER = re.compile(
    r"\b(MATCH|MERGE|CREATE|DELETE)\s*\(|\bUNWIND\s+\S+\s+AS\b|\bRETURN\s+\w+\.\w|\bCALL\s+db\."
    r"|\b(CREATE|DROP|SHOW)\s+(VECTOR |FULLTEXT )?(INDEX|CONSTRAINT)"
)
REGISTRIES = re.compile(
    r"\b(pypi\.org|files\.pythonhosted\.org|registry\.npmjs\.org|repo1?\.maven\.org"
    r"|repo\.maven\.apache\.org|crates\.io|huggingface\.co|proxy\.golang\.org)\b"
)


def strings(path: Path) -> Iterator[tuple[int, str]]:
    """The string literals of a Python file that are no docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documentation = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in documentation
        ):
            yield node.lineno, node.value


def callers() -> dict[str, list[str]]:
    """Where each query is run: its name to the places."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in PACKAGE:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else None
            name = node.func.id if isinstance(node.func, ast.Name) else name
            first = node.args[0]
            if name in RUNNERS and isinstance(first, ast.Constant) and isinstance(first.value, str):
                found[first.value].append(f"{path.relative_to(ROOT)}:{node.lineno}")
    return found


FRAGMENTS = sorted((ROOT / "cypher" / "fragments").glob("*.cypher"))


@pytest.mark.parametrize("path", FRAGMENTS, ids=[path.stem for path in FRAGMENTS])
def test_a_fragment_says_what_it_is_and_is_used_more_than_once(path: Path) -> None:
    assert re.match(r"// \w+\([\w, ]+\): [a-z].*\.\n", path.read_text(encoding="utf-8"))
    files = (*QUERIES.values(), *FRAGMENTS)
    used = [each.read_text(encoding="utf-8").count(f"@{path.stem}(") for each in files]
    assert sum(used) > 1


def test_no_query_writes_out_what_a_fragment_says() -> None:
    said = [" ".join(path.read_text("utf-8").split("\n", 1)[1].split()) for path in FRAGMENTS]
    for name, path in QUERIES.items():
        text = " ".join(path.read_text("utf-8").split())
        assert not any(each in text for each in said), name


def test_every_query_that_is_run_has_a_file_and_every_file_is_run_in_one_place() -> None:
    used = callers() | {f"job:{name}": ["services/jobs/statements.py"] for name in STATEMENTS}
    assert set(used) == set(QUERIES)
    assert {name: places for name, places in used.items() if len(places) > 1} == {}


@pytest.mark.parametrize("name", sorted(QUERIES))
def test_a_query_file_says_what_it_does_and_holds_one_query(name: str) -> None:
    text = QUERIES[name].read_text(encoding="utf-8")
    first, *rest = text.splitlines()
    assert re.fullmatch(r"// [A-Z].*\.", first)
    assert any(line.strip() for line in rest)
    assert ";" not in re.sub(r"//[^\n]*", "", text)
    # A backup copies the store place by place; nothing else may go by what only Neo4j numbers.
    assert name.startswith("backups/") or "elementId" not in text


def test_no_python_holds_cypher() -> None:
    held = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in PACKAGE
        for line, text in strings(path)
        if CYPHER.search(text)
    ]
    assert held == []


def test_no_file_names_a_registry() -> None:
    this = Path(__file__)
    named = [
        str(path.relative_to(ROOT))
        for path in SOURCES
        if path != this and REGISTRIES.search(path.read_text(encoding="utf-8"))
    ]
    assert named == []


def test_no_file_of_the_package_is_over_400_lines() -> None:
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines())
        for path in [*PACKAGE, *QUERIES.values()]
    }
    assert {name: lines for name, lines in lengths.items() if lines > 400} == {}


def test_no_module_has_a_name_that_says_nothing() -> None:
    assert [p for p in PACKAGE if p.stem in {"utils", "util", "helpers", "common", "base"}] == []
