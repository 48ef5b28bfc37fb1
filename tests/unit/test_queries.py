"""The loader of the query files."""

import re
from pathlib import Path

import pytest

from graphmem.domain.visibility import Visibility, audience_of
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


def test_a_fragment_takes_the_names_that_a_query_gives(tmp_path: Path) -> None:
    (tmp_path / "fragments").mkdir()
    fragment = tmp_path / "fragments" / "seen.cypher"
    fragment.write_text("// seen(n, r): what is seen.\nn.open AND r.n = $n AND n:Note OR 'n.x'\n")
    query = tmp_path / "get.cypher"
    query.write_text("MATCH (note)-[x]-() WHERE @seen(note, x) RETURN note.n\n")
    queries = Queries(tmp_path)
    assert queries.names == ("get",)
    assert queries.text("get") == (
        "CYPHER 25\nMATCH (note)-[x]-() WHERE note.open AND x.n = $n AND note:Note OR 'n.x' "
        "RETURN note.n\n"
    )
    query.write_text("MATCH (note) WHERE @seen(note) RETURN note.n\n")
    with pytest.raises(ValueError, match="shorter"):
        Queries(tmp_path)
    query.write_text("MATCH (note) WHERE @unseen(note) RETURN note.n\n")
    with pytest.raises(KeyError, match="unseen"):
        Queries(tmp_path)
    fragment.write_text("n.open\n")
    with pytest.raises(ValueError, match="does not begin"):
        Queries(tmp_path)


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
    changing.remove("backups/add_nodes.cypher")  # its labels come with it, as they were
    assert changing == {
        "fragments/changed.cypher",
        "notes/change.cypher",
        "notes/create.cypher",
    }
    for name in changing:
        text = (CYPHER / name).read_text("utf-8")
        assert ":Current" in text or "@settled(n)" in text, name


def test_the_keys_of_rows_are_checked(tmp_path: Path) -> None:
    (tmp_path / "write.cypher").write_text(
        "UNWIND $rows AS row\nMATCH (n {id: row.id})\nCALL (n, row) {\n"
        "  UNWIND row.parts AS part\n  CREATE (n)-[:HAS]->({a: part.a})\n}\n"
        "WITH 1 AS one\nUNWIND $whole AS row\nCREATE (m) SET m = row.properties, m += row\n"
    )
    queries = Queries(tmp_path)
    whole = [{"properties": {}, "more": 1}]
    queries.bind("write", {"rows": [{"id": 1, "parts": [{"a": 1}]}], "whole": whole})
    for rows in (
        [{"id": 1}],
        [{"id": 1, "parts": [], "more": 1}],
        [{"id": 1, "parts": [{}]}],
        [{"id": 1, "parts": [{"a": 1, "b": 2}]}],
    ):
        with pytest.raises(TypeError, match=r"rows.* take"):
            queries.bind("write", {"rows": rows, "whole": whole})


def _texts() -> dict[str, str]:
    return {
        file.relative_to(CYPHER).as_posix(): file.read_text("utf-8")
        for file in CYPHER.rglob("*.cypher")
    }


def test_every_query_that_returns_notes_returns_the_same_projection() -> None:
    returned = {
        name: " ".join(match[0].split()).replace("content: left(n.content, $letters)", ".content")
        for name, text in _texts().items()
        if (
            match := re.search(
                r"n \{\.id, \.user, .*?expiresAt: n\.expiresAt\.epochMillis", text, re.S
            )
        )
    }
    returned = {n: t.replace(".metadata,", "metadata: null,") for n, t in returned.items()}
    assert returned.keys() == {
        "core/read.cypher",
        "deciding/nearest.cypher",
        "meta/notes_after.cypher",
        "notes/load.cypher",
    }
    assert len(set(returned.values())) == 1


def test_one_query_changes_version_readers_status_and_text_of_notes() -> None:
    notes = re.compile(r"\((\w+):(?:Note|Skill|Knowledge)\b")
    guarded = ("version", "audience", "visibility", "domain", "status", "content", "author")
    changing = set[str]()
    for name, text in _texts().items():
        plain = re.sub(r"//[^\n]*", "", text)
        setting = " ".join(
            re.findall(
                r"\bSET\b(.*?)(?=\b(?:MATCH|WITH|RETURN|CALL|CREATE|MERGE|WHERE|REMOVE|DELETE|UNWIND)\b|[{}]|\Z)",
                plain,
                re.S,
            )
        )
        for note in {*notes.findall(plain), "n"}:
            if re.search(rf"\b{note}(?:\.(?:{'|'.join(guarded)})\s*=(?!=)|\s*\+?=)", setting):
                changing.add(name)
    of_others = {name for name in changing if not notes.search(_texts()[name])}
    by_hand = {"fragments/changed.cypher"}  # what the jobs of the next test use
    assert changing - of_others == {"notes/change.cypher", "notes/create.cypher"} | by_hand


def test_the_stamp_of_a_note_changes_with_all_that_changes_it() -> None:
    """A sync reads a note again only where its stamp has changed. Where words change, so do version
    and time; what other queries set is in the stamp itself."""
    texts = _texts()
    shown = re.search(
        r"n \{(\.id, \.user, .*?)expiresAt: n\.expiresAt", texts["notes/load.cypher"], re.S
    )
    assert shown
    shown = {*re.findall(r"\.(\w+)[, ]", shown[1]), *re.findall(r"(\w+): ", shown[1])}
    assert {"content", "accessTimes", "createdAt"} <= shown
    stamp = set(re.findall(r"\bn\.(\w+)", texts["notes/stamps.cypher"].split("RETURN")[-1]))
    stamp |= {"visibility", "domain", "tier", "status"}  # they change with the audience or the time
    with_time = {"notes/change.cypher", "notes/create.cypher", "fragments/changed.cypher"}
    for name in texts.keys() - with_time:
        plain = re.sub(r"//[^\n]*", "", texts[name])
        if not re.search(r":(?:Note|Skill|Knowledge)\b", plain):
            continue
        for setting in re.findall(r"\bSET\b(.*?)(?=\b[A-Z]{4,}\b|\Z)", plain, re.S):
            changed = set(re.findall(r"\bn\.(\w+)\s*=(?!=)", setting)) & shown
            assert changed <= stamp, name


def test_jobs_in_batches_change_status_and_tier_alone() -> None:
    given = [
        each
        for file in (CYPHER.parent / "jobs").iterdir()
        for line in re.findall(r"^ *given: (.+?)(?:, changes: .*)?$", file.read_text("utf-8"), re.M)
        for each in re.findall(r"(\w+): ", line)
    ]
    assert len(given) > 5
    assert set(given) == {"status", "archivedBy", "curatedKey", "tier", "promotedAt"}


def test_the_guard_of_changes_knows_whose_readers_go_by_author() -> None:
    guarded = re.search(r"n\.visibility IN \[([^\]]*)\]", _texts()["notes/change.cypher"])
    assert guarded is not None
    keys = {each: audience_of("me", each, "general", "agent").key for each in Visibility}
    by_author = {each.value for each, key in keys.items() if "/agent/" in key}
    assert set(re.findall(r"'(\w+)'", guarded[1])) == by_author == {"PRIVATE", "LOCAL"}
