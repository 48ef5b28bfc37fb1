"""The loader of the query files."""

from pathlib import Path

import pytest

from graphmem.store.queries import LANGUAGE, Queries


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
    assert bound.metadata == {"query": "notes/get"}
    assert bound.timeout == 2.5
    with pytest.raises(TypeError, match="takes"):
        queries.bind("notes/get", {"id": 1})
    with pytest.raises(TypeError, match="takes"):
        queries.bind("notes/get", {"id": 1, "x": 1, "this": 1})
    with pytest.raises(KeyError):
        queries.bind("notes/none", {})


def test_a_folder_without_queries_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Queries(tmp_path)
