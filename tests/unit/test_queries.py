"""The loader of the query files."""

import re
from pathlib import Path

import pytest

from graphmem.store.queries import LANGUAGE, Queries

CYPHER = Path(__file__).parents[2] / "cypher"


@pytest.fixture
def queries(tmp_path: Path) -> Queries:
    (tmp_path / "notes" / "deep").mkdir(parents=True)
    (tmp_path / "notes" / "get.cypher").write_text("// Not $this.\nMATCH (n {id: $id}) RETURN $x\n")
    (tmp_path / "notes" / "deep" / "all.cypher").write_text("RETURN 1\n")
    (tmp_path / "notes" / "readme.md").write_text("RETURN 2\n")
    return Queries(tmp_path)


def test_names_are_paths_below_the_folder(queries: Queries) -> None:
    assert queries.names == ("notes/deep/all", "notes/get")
    assert queries.text("notes/deep/all") == LANGUAGE + "RETURN 1\n"


def test_parameters_are_checked_against_the_file(queries: Queries) -> None:
    bound = queries.bind("notes/get", {"id": 1, "x": None}, 2.5)
    assert bound.query.metadata == {"query": "notes/get"}
    assert bound.query.timeout == 2.5
    with pytest.raises(TypeError, match="takes"):
        queries.bind("notes/get", {"id": 1})
    with pytest.raises(TypeError, match="takes"):
        queries.bind("notes/get", {"id": 1, "x": 1, "this": 1})
    with pytest.raises(KeyError):
        queries.bind("notes/none", {})


def test_parameters_go_in_one_map(queries: Queries) -> None:
    bound = queries.bind("notes/get", {"id": 1, "x": None})
    assert "MATCH (n {id: $given.id}) RETURN $given.x\n" in bound.query.text
    assert bound.parameters == {"given": {"id": 1, "x": None}}


def test_a_parameter_stays_one_where_cypher_takes_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "paths.cypher").write_text("MATCH SHORTEST $k (a {id: $id})--(b) RETURN b\n")
    bound = Queries(tmp_path).bind("paths", {"id": 1, "k": 2})
    assert bound.query.text == LANGUAGE + "MATCH SHORTEST $k (a {id: $given.id})--(b) RETURN b\n"
    assert bound.parameters == {"given": {"id": 1, "k": 2}, "k": 2}


def test_a_folder_without_queries_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Queries(tmp_path)


def test_what_changes_how_a_note_counts_looks_after_its_label() -> None:
    counts = re.compile(
        r"SET n (\+)?= |\b(n|note|old)\.(status|tier|validFrom|validTo|expiresAt) = "
        r"(?!\$|'ACTIVE' AND)"
    )
    changing = {
        file.relative_to(CYPHER).as_posix()
        for file in CYPHER.rglob("*.cypher")
        if any(
            counts.search(line) for line in file.read_text("utf-8").splitlines() if "SET" in line
        )
    }
    assert changing == {
        "notes/change.cypher",
        "notes/create.cypher",
        "reflection/archive.cypher",
        "reflection/unarchive.cypher",
        "reflection/unmake.cypher",
    }
    assert all(":Current" in (CYPHER / name).read_text("utf-8") for name in changing)
