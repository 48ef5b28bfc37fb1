"""Conversations of Cursor: its database and its transcripts, read without changing them."""

import json
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from graphmem.cli.connect import cursor, earlier
from graphmem.cli.connect.cursor import Conversations, folders_of
from graphmem.cli.connect.earlier import count_database, keep_database, keep_earlier, transcripts_of
from graphmem.client.hooks import events
from graphmem.client.hooks.events import Hook
from graphmem.client.hooks.transcripts import read_turns
from graphmem.client.secrets import CUT

TABLES = """CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);"""
TOKEN = "ghp_" + 36 * "a"
LINES: list[Mapping[str, Any]] = [
    {"role": "user", "message": {"content": [{"type": "text", "text":
        "<timestamp>Tuesday</timestamp>\n<user_query>\nWhere is the kiln?\n</user_query>"}]}},
    {"role": "assistant", "message": {"content": [
        {"type": "text", "text": "In room four."},
        {"type": "tool_use", "name": "Shell", "input": {"command": "ls"}}]}},
    {"role": "user", "message": {"content": [{"type": "tool_result", "content": "long"}]}},
    {"role": "user", "message": {"content": [
        {"type": "text", "text": "<system_notification>done</system_notification>"}]}},
    {"type": "turn_ended"},
]  # fmt: skip


def bubble(kind: int, text: str, **more: Any) -> dict[str, Any]:
    return {"_v": 3, "type": kind, "text": text, "createdAt": "2026-05-01T08:00:00.000Z", **more}


class Made:
    """A home with what Cursor keeps in it."""

    def __init__(self, home: Path) -> None:
        self.home, self.place = home, home / "Cursor" / "User"
        self.database = self.place / "globalStorage" / "state.vscdb"
        self.database.parent.mkdir(parents=True)
        with closing(sqlite3.connect(self.database)) as made:
            made.executescript(TABLES)
        self.sent: list[dict[str, Any]] = []

    def put(self, key: str, value: Any, table: str = "cursorDiskKV") -> None:
        text = value if isinstance(value, str | bytes | None) else json.dumps(value)
        with closing(sqlite3.connect(self.database)) as made:
            made.execute(f"INSERT INTO {table} VALUES (?, ?)", (key, text))
            made.commit()

    def say(self, id: str, *bubbles: dict[str, Any], **more: Any) -> None:
        headers = [{"bubbleId": f"b{i}", "type": b["type"]} for i, b in enumerate(bubbles)]
        given = {"_v": 10, "composerId": id, "createdAt": 1_777_622_400_000, **more}
        self.put(f"composerData:{id}", {"fullConversationHeadersOnly": headers, **given})
        for i, each in enumerate(bubbles):
            self.put(f"bubbleId:{id}:b{i}", {"bubbleId": f"b{i}", **each})

    def turns(self) -> dict[str, list[tuple[str, str]]]:
        with closing(Conversations(self.database)) as source:
            return {
                each.id: [(turn.speaker, turn.text) for turn in each.read_turns(0)[0]]
                for each in source
            }


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Made:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setattr(cursor.sys, "platform", "linux")
    return Made(tmp_path)


@pytest.fixture
def hook(made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hook:
    """A hook whose service takes everything, each key once."""

    class Taking:
        def __init__(self, *_: Any, **__: Any) -> None: ...
        def close(self) -> None: ...
        def send(self, request: Any) -> Any:
            notes = request.body["notes"]
            made.sent += notes
            return {"results": [{} for _ in notes]}

    monkeypatch.setattr(events, "Transport", Taking)
    return Hook(client="cursor", url="", state=tmp_path / "state", agent="cursor")


def test_the_turns_of_a_conversation(made: Made) -> None:
    tool = {"toolFormerData": {"name": "read_file", "result": "a long file"}}
    made.say(
        "one",
        bubble(1, f"Where is the kiln? Key {TOKEN}"),
        bubble(2, "", thinking={"text": "hm"}),
        bubble(2, "", **tool),
        bubble(2, "In room four.", createdAt=1_777_622_401_000),
        bubble(1, "<system_notification>done"),
        bubble(3, "no speaker"),
    )
    assert made.turns() == {
        "one": [("user", f"Where is the kiln? Key {CUT}"), ("assistant", "In room four.")]
    }
    with closing(Conversations(made.database)) as source:
        (one,) = source
        turns, end = one.read_turns(0)
        assert ([each.key for each in turns], end) == (["b0", "b3"], 6)
        assert [each.at for each in turns] == [
            *("2026-05-01T08:00:00+00:00", "2026-05-01T08:00:01+00:00")
        ]
        assert one.read_turns(3)[0] == turns[1:]
        assert one.read_turns(6) == ([], 6)
        assert one.read_turns(7)[0] == turns  # it was cut since


def test_half_a_letter_is_left_out(made: Made, tmp_path: Path) -> None:
    made.say("one", bubble(1, "Hot\ud83d and\x00 cold."), bubble(2, "\ud83d"))
    assert made.turns() == {"one": [("user", "Hot and cold.")]}
    text = {"role": "user", "message": {"content": "Hot\ud83d."}}
    (tmp_path / "t.jsonl").write_text(json.dumps(text) + "\n", "utf-8")
    assert [each.text for each in read_turns(tmp_path / "t.jsonl", 0)[0]] == ["Hot."]


def test_messages_within_their_conversation_and_json_within_json(made: Made) -> None:
    said = [{"bubbleId": "x", "type": 1, "text": "Inline."}]
    old = {"createdAt": 1_777_622_400_000, "conversation": said}
    made.put("composerData:old", json.dumps(json.dumps(old)))
    made.put("composerData:blob", json.dumps(old).encode())
    assert made.turns() == {"old": [("user", "Inline.")], "blob": [("user", "Inline.")]}


def test_damaged_rows_are_left_out_and_counted(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cursor, "MAX_VALUE", 1_000)
    made.say("one", bubble(1, "First."), bubble(2, "Second."), bubble(2, "x" * 1_000))
    made.put("bubbleId:one:b1", "{not json")
    made.put("composerData:bad", b"\xff\xfe")
    made.put("composerData:list", [1])
    made.put("composerData:gone", None)
    made.put("composerData:null", "null")
    made.put("composerData:deep", "[" * 500)
    made.put("composerData:odd", {"fullConversationHeadersOnly": [1, {"bubbleId": 2}, {}, None]})
    made.put("composerData:none", {"fullConversationHeadersOnly": {"a": 1}})
    with closing(Conversations(made.database)) as source:
        found = {each.id: each.read_turns(0)[0] for each in source}
        assert [each.text for each in found["one"]] == ["First."]
        assert found.keys() == {"one", "odd"}
        assert source.damaged == 4


def test_helpers_are_left_out(made: Made) -> None:
    made.say("one", bubble(1, "Hello."))
    made.say("two", bubble(1, "Do a part."), subagentInfo={"parent": "one"})
    made.say("three", bubble(1, "Do a part."))
    with closing(sqlite3.connect(made.database)) as opened:
        opened.execute("CREATE TABLE composerHeaders (composerId TEXT, isSubagent INTEGER)")
        opened.execute("INSERT INTO composerHeaders VALUES ('three', 1)")
        opened.commit()
    assert made.turns().keys() == {"one"}


@pytest.mark.parametrize("mode", ["WAL", "DELETE"])
def test_a_database_in_use_is_read_and_not_changed(made: Made, mode: str) -> None:
    with closing(sqlite3.connect(made.database)) as writer:
        writer.execute(f"PRAGMA journal_mode={mode}")
        made.say("one", bubble(1, "Hello."))
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("INSERT INTO ItemTable VALUES ('a', 'b')")
        before = made.database.read_bytes()
        assert made.turns() == {"one": [("user", "Hello.")]}
        assert made.database.read_bytes() == before
        writer.rollback()


def test_a_database_that_stays_locked_is_told(
    made: Made, hook: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cursor, "WAIT_S", 0.01)
    monkeypatch.setattr(cursor, "COPY_S", 0.0)
    made.say("one", bubble(1, "Hello."))
    with closing(sqlite3.connect(made.database)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        done = earlier.Earlier()
        keep_database(hook, done)
        assert "close it" in done.skipped["state.vscdb"]
        writer.rollback()
    keep_database(hook, done := earlier.Earlier())
    assert (done.turns, done.skipped) == (1, {})


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\x00" + bytes(2_000)])
def test_a_file_that_is_no_database_is_told(made: Made, hook: Hook, content: bytes) -> None:
    made.database.write_bytes(content)
    keep_database(hook, done := earlier.Earlier())
    assert (done.turns, [*done.skipped]) == (0, ["state.vscdb"])
    assert count_database() == 0


def test_a_transcript_of_cursor(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    file.write_text("".join(f"{json.dumps(each)}\n" for each in LINES), "utf-8")
    turns, _ = read_turns(file, 0)
    said = [(each.speaker, each.text) for each in turns]
    assert said == [("user", "Where is the kiln?"), ("assistant", "In room four.")]


@pytest.fixture
def talks(made: Made, tmp_path: Path) -> Callable[[], list[Path]]:
    """A conversation with a transcript, which is in the database, too; one of the database alone;
    one of a helper. They were held in a folder."""
    place = tmp_path / ".cursor" / "projects" / "home-Me-acme-pots" / "agent-transcripts"
    for id, inner in (("one", "one"), ("helper", "one/subagents")):
        folder = place / inner
        folder.mkdir(parents=True, exist_ok=True)
        text = "".join(f"{json.dumps(each)}\n" for each in LINES)
        (folder / f"{id}.jsonl").write_text(text, "utf-8")
    storage = made.place / "workspaceStorage" / "4f"
    storage.mkdir(parents=True)
    told = {"folder": "file:///home/Me/acme%20pots"}
    (storage / "workspace.json").write_text(json.dumps(told), "utf-8")
    with closing(sqlite3.connect(storage / "state.vscdb")) as opened:
        opened.executescript(TABLES)
        listed = json.dumps({"allComposers": [{"composerId": "two"}, 1, {}]})
        opened.execute("INSERT INTO ItemTable VALUES ('composer.composerData', ?)", (listed,))
        opened.commit()
    (made.place / "workspaceStorage" / "5e").mkdir()
    (made.place / "workspaceStorage" / "5e" / "workspace.json").write_text("[", "utf-8")
    made.say("one", bubble(1, "Where is the kiln?"), bubble(2, "In room four."))
    made.say("two", bubble(1, "How hot is it?"), bubble(2, "900 degrees."))
    return lambda: transcripts_of("cursor")


def test_each_conversation_is_kept_once(
    made: Made, hook: Hook, talks: Callable[[], list[Path]]
) -> None:
    assert folders_of(made.place).by_slug == {"home-me-acme-pots": "/home/Me/acme pots"}
    assert (len(talks()), count_database()) == (1, 1)
    done = keep_earlier(hook, talks(), lambda _: None)
    keep_database(hook, done)
    assert (done.conversations, done.turns, done.skipped) == (2, 4, {})
    assert [(each["episode"], each["content"]) for each in made.sent] == [
        ("cursor one", "Where is the kiln?"),
        ("cursor one", "In room four."),
        ("cursor two", "How hot is it?"),
        ("cursor two", "900 degrees."),
    ]
    assert len({each["idempotencyKey"] for each in made.sent}) == 4
    assert {each["domain"].startswith("projects/acme-pots-") for each in made.sent} == {True}
    again = keep_earlier(hook, talks(), lambda _: None)
    keep_database(hook, again)
    assert (again.turns, len(made.sent)) == (0, 4)
    made.say("two", *(bubble(1, f"{i}?") for i in range(3)))  # it went on
    keep_database(hook, again)
    assert [each["content"] for each in made.sent[4:]] == ["2?"]


def test_what_came_of_the_database_does_not_come_of_a_later_transcript(
    made: Made, hook: Hook, talks: Callable[[], list[Path]]
) -> None:
    keep_database(hook, earlier.Earlier())
    later = talks()[0].with_name("two.jsonl")
    later.write_text("".join(f"{json.dumps(each)}\n" for each in LINES), "utf-8")
    done = keep_earlier(hook, talks(), lambda _: None)
    keep_database(hook, done)
    assert (done.turns, done.conversations) == (2, 1)


@pytest.mark.parametrize(
    ("told", "slugs"),
    [
        ([{"workspace": "file:///home/me/all.code-workspace"}], {}),
        ([{"folder": 5}, {"folder": "vscode-remote://ssh/home"}, 5], {}),
        ([{"folder": "file:///x/client/a"}, {"folder": "file:///x/client-a"}], {}),
        ([{"folder": "file:///x/a"}, {"folder": "file:///x/a"}], {"x-a": "/x/a"}),
    ],
)
def test_a_folder_that_is_not_sure_is_none(
    made: Made, told: list[Any], slugs: dict[str, str]
) -> None:
    for number, each in enumerate(told):
        storage = made.place / "workspaceStorage" / str(number)
        storage.mkdir(parents=True)
        (storage / "workspace.json").write_text(json.dumps(each), "utf-8")
    assert folders_of(made.place).by_slug == slugs


def test_a_database_that_gets_locked_loses_nothing(
    made: Made, hook: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    made.say("one", bubble(1, "Where is the kiln?"), bubble(2, "In room four."))
    usual = Conversations.read

    def locked(self: Conversations, key: str) -> Any:
        if key == "bubbleId:one:b1":
            raise OSError(cursor.LOCKED)
        return usual(self, key)

    monkeypatch.setattr(Conversations, "read", locked)
    done = earlier.Earlier()
    keep_database(hook, done)
    assert (done.turns, done.skipped) == (0, {"one": cursor.LOCKED})
    monkeypatch.setattr(Conversations, "read", usual)
    keep_database(hook, done)
    assert [each["content"] for each in made.sent] == ["Where is the kiln?", "In room four."]


def test_without_cursor_there_is_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert (transcripts_of("cursor"), count_database()) == ([], 0)
