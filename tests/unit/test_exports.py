"""What other programs export, read as documents; the files are anybody's."""

import io
import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from exports import EXPORTS

from graphmem.cli.importing import Exported
from graphmem.domain.notes import Kind
from graphmem.domain.visibility import Visibility
from graphmem.errors import Invalid
from graphmem.services.importing.markdown import Document
from graphmem.services.importing.sources import records
from graphmem.services.importing.sources.kinds import READERS, Program, read_export
from graphmem.services.importing.sources.records import IMPORTED, instant_of, key_of

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def exported(tmp_path: Path, value: Any, *, lines: bool = False) -> Path:
    """A file with a value, or with its entries line by line."""
    file = tmp_path / "export.json"
    text = "\n".join(map(json.dumps, value)) if lines else json.dumps(value)
    file.write_text(text, "utf-8")
    return file


def by_text(found: list[Document]) -> dict[str, Document]:
    return {document.draft.content: document for document in found}


@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_is_known_by_what_is_in_it(name: str, tmp_path: Path) -> None:
    value, texts = EXPORTS[name]
    file = exported(tmp_path, value)
    found = read_export(file, NOW)
    assert sorted(document.draft.content for document in found) == texts
    assert read_export(file, NOW, Program(name)) == found
    keys = [document.draft.external_id for document in found]
    assert len(set(keys)) == len(keys)
    program = "graphiti" if name == "graphiti" else name
    for document in found:
        told: Any = document.draft.metadata
        assert told[IMPORTED]["program"] in (program, "graphiti")
        assert document.draft.visibility is None
    if isinstance(value, list):
        assert read_export(exported(tmp_path, value, lines=True), NOW) == found
    other = Program.CLAUDE if name != "claude" else Program.CHATGPT
    with pytest.raises(Invalid, match="not an export of"):
        read_export(file, NOW, other)


def test_every_program_is_offered() -> None:
    assert {each.value for each in Exported} == set(Program) == set(READERS) == EXPORTS.keys()


def test_provenance_is_kept(tmp_path: Path) -> None:
    found = by_text(read_export(exported(tmp_path, EXPORTS["mem0"][0]), NOW))
    draft = found["Likes green tea"].draft
    assert draft.external_id == "mem0:m1"
    assert draft.occurred_at == datetime(2025, 3, 1, 17, tzinfo=UTC)
    assert draft.tags == ("food", "drinks")
    told = {"program": "mem0", "id": "m1", "user_id": "ada", "metadata": {"app": "x"}}
    assert draft.metadata == {IMPORTED: told}
    assert found["Works at Halden"].draft.occurred_at is None


def test_memories_of_agents_keep_what_was_known_of_them(tmp_path: Path) -> None:
    letta = by_text(read_export(exported(tmp_path, EXPORTS["letta"][0]), NOW))
    asked, block = letta["How hot?"].draft, letta["Ada makes plates."].draft
    assert (asked.speaker, asked.episode) == ("user", "letta:Potter")
    assert asked.occurred_at == datetime(2025, 3, 1, 10, tzinfo=UTC)
    assert (block.title, block.external_id) == ("human", "letta:Potter:human")
    first = {"core_memory": EXPORTS["letta"][0]["blocks"][:1], "messages": [], "name": "Potter"}
    assert read_export(exported(tmp_path, first), NOW)[0].draft.external_id == block.external_id
    item = by_text(read_export(exported(tmp_path, EXPORTS["langgraph"][0]), NOW))["Likes green tea"]
    assert item.draft.external_id == "langgraph:users:ada:1"
    facts = by_text(read_export(exported(tmp_path, EXPORTS["hindsight"][0]), NOW))
    named = [(each.name, each.type) for each in facts["Ada works at Halden."].draft.entities]
    assert named == [("Ada", "person"), ("Halden", "organization")]
    assert facts["I told Ada."].draft.kind is Kind.EPISODIC


def test_agents_of_one_name_keep_their_memories_apart(tmp_path: Path) -> None:
    """The first one has the keys that it has alone."""
    one: Any = EXPORTS["letta"][0]["agents"][0]
    other = {**one, "id": "agent-1", "block_ids": ["block-1"]}
    file = {"agents": [one, other], "blocks": EXPORTS["letta"][0]["blocks"][:2]}
    file["blocks"][1] = {**file["blocks"][1], "label": "human"}
    alone = read_export(exported(tmp_path, {**file, "agents": [one]}), NOW)
    both = read_export(exported(tmp_path, file), NOW)
    assert read_export(exported(tmp_path, file), NOW) == both
    keys = {each.draft.external_id: each.draft for each in both}
    assert keys.keys() >= {each.draft.external_id for each in alone if each.draft.episode}
    assert keys["letta:Potter:human"].content == "Ada makes plates."
    assert keys["letta:Potter:agent-1:human"].content == "The kiln is in Ulm."
    said = [each for each in keys.values() if each.content == "How hot?"]
    assert [each.episode for each in said] == ["letta:Potter", "letta:Potter:agent-1"]
    first = {"core_memory": [{"label": "human", "value": "Ada."}], "messages": [], "name": "Potter"}
    files = read_export(exported(tmp_path, [first, first, first]), NOW)
    assert len({each.draft.external_id for each in files}) == 3


def test_facts_have_their_entities_and_times(tmp_path: Path) -> None:
    found = by_text(read_export(exported(tmp_path, EXPORTS["graphiti"][0]), NOW))
    fact = found["Ada Kessler worked at Halden."].draft
    (relation,) = fact.relations
    said = (relation.subject, relation.predicate, relation.object)
    assert said == ("Ada Kessler", "worked at", "Halden")
    assert (fact.valid_from, fact.valid_to) == (
        datetime(2024, 1, 1, tzinfo=UTC),
        datetime(2025, 1, 1, tzinfo=UTC),
    )
    (entity,) = found["Potter."].draft.entities
    assert (entity.name, entity.type) == ("Ada Kessler", "person")
    found = by_text(read_export(exported(tmp_path, EXPORTS["mcp-memory"][0]), NOW))
    assert found["Ada Kessler works at Halden."].draft.relations[0].predicate == "works at"
    found = by_text(read_export(exported(tmp_path, EXPORTS["agent-memory"][0]), NOW))
    assert found["Hi."].draft.episode == "agent-memory:s1"
    assert found["Ada works at Halden."].draft.confidence is None
    assert found["Prefers tea"].draft.confidence == 0.8


def test_a_talk_is_an_episode(tmp_path: Path) -> None:
    found = by_text(read_export(exported(tmp_path, EXPORTS["chatgpt"][0]), NOW))
    draft = found["How hot is a kiln?"].draft
    assert (draft.episode, draft.speaker, draft.title) == ("chatgpt:c1", "user", "Kilns")
    assert draft.domain == "conversations/chatgpt"
    assert draft.occurred_at == datetime(2025, 1, 2, 0, 0, 0, 500_000, tzinfo=UTC)
    assert found["1200 degrees."].draft.speaker == "assistant"


def test_a_long_text_is_several_notes(tmp_path: Path) -> None:
    value = [{"memory": "x" * 120_000, "id": "é" * 400}]
    found = read_export(exported(tmp_path, value), NOW)
    assert [len(each.draft.content) for each in found] == [50_000, 50_000, 20_000]
    assert all(len(each.draft.external_id or "") <= 255 for each in found)


def archive(tmp_path: Path, **files: str) -> Path:
    place = tmp_path / "export.zip"
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as made:
        for name, text in files.items():
            made.writestr(name.replace("__", "/"), text)
    return place


def test_an_archive_is_read_in_place(tmp_path: Path) -> None:
    one, two = (json.dumps([each]) for each in EXPORTS["chatgpt"][0][:2])
    given = {"..__..__conversations-000.json": one, "conversations-001.json": two}
    found = read_export(archive(tmp_path, **given, **{"user.json": "{broken"}), NOW)
    assert len(found) == 3
    assert {each.name for each in tmp_path.iterdir()} == {"export.zip"}
    with pytest.raises(Invalid, match="holds no conversations"):
        read_export(archive(tmp_path, **{"user.json": "[]"}), NOW)


def test_what_is_too_long_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MAX_BYTES", 10_000)
    with pytest.raises(Invalid, match="longer than"):
        read_export(archive(tmp_path, **{"conversations.json": " " * 1_000_000}), NOW)
    with pytest.raises(Invalid, match="longer than"):
        read_export(exported(tmp_path, "x" * 10_001), NOW)
    monkeypatch.setattr(records, "MAX_LINE", 10)
    (tmp_path / "x.json").write_text('{"a": 1}\n{"memory": "a long line"}\n')
    with pytest.raises(Invalid, match="line 2"):
        read_export(tmp_path / "x.json", NOW)


HOSTILE: list[tuple[bytes, str]] = [
    (b"", "holds no records"),
    (b"[]", "holds no records"),
    (b"[1, null]", "holds no records"),
    (b'{"a": 1}', "not an export of"),
    (b"{broken", "not JSON, line 1"),
    (b"[" * 100_000, "not JSON"),
    (b'{"a":' * 100_000, "not JSON"),
    (b"\xff\xfe", "not JSON"),
    (b"PK\x03\x04", "not JSON"),
]


@pytest.mark.parametrize(("text", "message"), HOSTILE)
def test_a_hostile_file_is_refused(text: bytes, message: str, tmp_path: Path) -> None:
    file = tmp_path / "export.json"
    file.write_bytes(text)
    with pytest.raises(Invalid, match=message):
        read_export(file, NOW)
    with pytest.raises(Invalid, match="not a file"):
        read_export(tmp_path, NOW)


@pytest.mark.parametrize("name", EXPORTS)
@pytest.mark.parametrize(
    "value",
    [
        *(None, 7, [], {}, "x", "a\x00\ud800é", [[]], -1e300, float("nan"), {"id": "x"}),
        pytest.param(10**400, id="no float"),
    ],
)
def test_odd_values_anywhere_break_nothing(name: str, value: Any, tmp_path: Path) -> None:
    whole, _ = EXPORTS[name]
    for path in list(_paths(whole)):
        changed = json.loads(json.dumps(whole))
        _put(changed, path, value)
        try:
            found = read_export(exported(tmp_path, changed), NOW, Program(name))
        except Invalid:
            continue
        for document in found:
            assert document.draft.content
            assert document.draft.visibility is not Visibility.LOCAL
            assert len(document.draft.external_id or "") <= 255


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Any:
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for name, each in inner:
        yield (*path, name)
        if isinstance(each, dict | list):
            yield from _paths(each, (*path, name))


def _put(value: Any, path: tuple[Any, ...], new: Any) -> None:
    for name in path[:-1]:
        value = value[name]
    value[path[-1]] = new


def test_a_deep_or_circular_talk_ends(tmp_path: Path) -> None:
    mapping = {
        str(i): {"parent": str((i + 1) % 5_000), "message": {"author": {"role": "user"}}}
        for i in range(5_000)
    }
    value = [{"id": "c", "mapping": mapping, "current_node": "0"}]
    assert read_export(exported(tmp_path, value), NOW) == []


@pytest.mark.parametrize(
    "value",
    ["", "2025-13-01", 1e300, float("nan"), True, [], "2025-01-01T00:00:00Z[UTC]", 1735689600000],
)
def test_a_time_is_a_time_or_none(value: Any) -> None:
    found = instant_of({"at": value}, "at")
    good = isinstance(value, str | int) and str(value)[:4] in ("2025", "1735")
    assert (found is not None) == (good and value not in ("2025-13-01",))


def test_keys_are_short_and_differ() -> None:
    assert key_of("p", "a", "b") == "p:a:b"
    long = {key_of("p", "x" * 300, i) for i in range(3)} | {key_of("p", "a\nb")}
    assert len(long) == 4
    assert all(len(key) <= 255 and key.isprintable() for key in long)


def test_an_archive_lies_about_its_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MAX_BYTES", 10_000)
    place = archive(tmp_path, **{"conversations.json": " " * 1_000_000})
    text = bytearray(place.read_bytes())
    for at in (text.find(b"PK\x01\x02") + 24, text.find(b"PK\x03\x04") + 22):
        text[at : at + 4] = (100).to_bytes(4, "little")
    place.write_bytes(bytes(text))
    assert zipfile.is_zipfile(io.BytesIO(bytes(text)))
    with pytest.raises(Invalid, match=r"longer than|broken archive"):
        read_export(place, NOW)


@pytest.mark.parametrize("kind", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_broken_entry_of_an_archive_is_refused(tmp_path: Path, kind: int) -> None:
    place = tmp_path / "export.zip"
    with zipfile.ZipFile(place, "w", kind) as made:
        made.writestr("conversations.json", json.dumps([{"a": f"x{i}"} for i in range(500)]))
    text = bytearray(place.read_bytes())
    for at in (60, 70, 80, 100, 150):  # of what is packed
        text[at] ^= 0xFF
    place.write_bytes(bytes(text))
    with pytest.raises(Invalid, match=r"broken archive|can't be read"):
        read_export(place, NOW)
