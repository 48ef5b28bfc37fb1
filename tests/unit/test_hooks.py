"""What hooks read of a conversation: turns, projects, secrets; and that they trouble nobody."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from graphmem.client.hooks.events import Hook, run
from graphmem.client.hooks.projects import domain_of
from graphmem.client.hooks.transcripts import read_turns
from graphmem.client.secrets import CUT, cut_secrets
from graphmem.domain.ids import check_domain

CLAUDE = [
    {"type": "summary", "summary": "Earlier work"},
    {"type": "user", "uuid": "u1", "timestamp": "2026-05-01T08:00:00.000Z",
     "message": {"role": "user", "content": "Where is the kiln?"}},
    {"type": "user", "uuid": "u2", "isMeta": True,
     "message": {"role": "user", "content": "Caveat: the messages below"}},
    {"type": "user", "uuid": "u3", "message": {"role": "user", "content": "<command-name>/model"}},
    {"type": "assistant", "uuid": "a1", "timestamp": "2026-05-01T08:00:02.000Z",
     "message": {"role": "assistant", "content": [
         {"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "In room four."},
         {"type": "tool_use", "name": "Bash", "input": {"command": "ls"}}]}},
    {"type": "user", "uuid": "u4", "message": {"role": "user", "content": [
        {"type": "tool_result", "content": "a very long output"}]}},
]  # fmt: skip
CODEX = [
    {"timestamp": "2026-05-01T08:00:00Z", "type": "session_meta", "payload": {"id": "s"}},
    {"timestamp": "2026-05-01T08:00:01Z", "type": "response_item", "payload": {
        "type": "message", "role": "user",
        "content": [{"type": "input_text", "text": "<environment_context>x"}]}},
    {"timestamp": "2026-05-01T08:00:02Z", "type": "response_item", "payload": {
        "type": "message", "role": "user",
        "content": [{"type": "input_text", "text": "Where is the kiln?"}]}},
    {"timestamp": "2026-05-01T08:00:03Z", "type": "response_item", "payload": {
        "type": "function_call", "name": "shell", "arguments": "{}"}},
    {"timestamp": "2026-05-01T08:00:04Z", "type": "response_item", "payload": {
        "type": "message", "role": "assistant",
        "content": [{"type": "output_text", "text": "In room four."}]}},
]  # fmt: skip
GEMINI = {"messages": [
    {"id": "m1", "timestamp": "2026-05-01T08:00:00Z", "type": "user", "content": "Where is it?"},
    {"id": "m2", "type": "gemini", "content": "In room four."},
    {"id": "m3", "type": "info", "content": "Update available"},
]}  # fmt: skip


def lines(file: Path, entries: list[Any]) -> Path:
    file.write_text("".join(f"{json.dumps(each)}\n" for each in entries), "utf-8")
    return file


@pytest.mark.parametrize("entries", [CLAUDE, CODEX])
def test_the_turns_of_a_transcript(tmp_path: Path, entries: list[Any]) -> None:
    turns, end = read_turns(lines(tmp_path / "t.jsonl", entries), 0)
    said = [(each.speaker, each.text) for each in turns]
    assert said == [("user", "Where is the kiln?"), ("assistant", "In room four.")]
    assert end == (tmp_path / "t.jsonl").stat().st_size
    assert turns[0].at is not None
    assert len({each.key for each in turns}) == 2


def test_a_transcript_of_one_document(tmp_path: Path) -> None:
    file = tmp_path / "t.json"
    file.write_text(json.dumps(GEMINI), "utf-8")
    turns, _ = read_turns(file, 0)
    assert [each.speaker for each in turns] == ["user", "assistant"]


def test_only_what_is_new_and_whole_is_read(tmp_path: Path) -> None:
    file = lines(tmp_path / "t.jsonl", CLAUDE)
    _, end = read_turns(file, 0)
    more = {"type": "user", "uuid": "u9", "message": {"role": "user", "content": "And the key?"}}
    with file.open("a", encoding="utf-8") as opened:
        opened.write(json.dumps(more)[:30])
    assert read_turns(file, end) == ([], end)
    with file.open("a", encoding="utf-8") as opened:
        opened.write(json.dumps(more)[30:] + "\nbroken {\n")
    turns, last = read_turns(file, end)
    assert [each.text for each in turns] == ["And the key?"]
    assert last == file.stat().st_size
    file.write_text("", "utf-8")
    assert read_turns(file, last) == ([], 0)  # made anew: from its beginning


@pytest.mark.parametrize(
    "odd",
    ["[]", "null", "{}", '{"message": 3}', '{"message": {"content": {"a": 1}, "role": "user"}}',
     '{"message": {"role": ["user"], "content": "x"}}', "[" * 3000,
     '{"type": "response_item", "payload": [1]}'],
)  # fmt: skip
def test_odd_lines_are_no_turns(tmp_path: Path, odd: str) -> None:
    file = tmp_path / "t.jsonl"
    file.write_text(odd + "\n", "utf-8")
    assert read_turns(file, 0)[0] == []


SECRETS = [
    "sk-proj-abcdefghijklmnopqrstuvwx",
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "github_pat_11ABCDEFG0123456789abc_defghijklmnopqrstuvwxyz012345",
    "glpat-abcdefghijklmnopqrst",
    "xoxb-123456789012-abcdefghijkl",
    "AKIAIOSFODNN7EXAMPLE",
    "AIzaSyA1234567890abcdefghijklmnopqrstuv",
    "hf_abcdefghijklmnopqrstuvwxyzabcdefgh",
    "gm_0123456789abcdefghijABCDEFGHIJ",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7bq\n-----END RSA PRIVATE KEY-----",
    "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,7F\n\nMIIEp\n"
    "-----END RSA PRIVATE KEY-----",
    "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQOYBF\n=aB1-\n-----END PGP PRIVATE KEY BLOCK-----",
]


def test_a_private_key_without_an_end_is_cut_out_up_to_the_next_one() -> None:
    key, other = r"-----BEGIN RSA PRIVATE KEY-----\nMIIEpA.7\n and ", "-----BEGIN PUBLIC KEY-----"
    assert cut_secrets(f"It is {key}{other}") == f"It is {CUT}{other}"


@pytest.mark.parametrize("secret", SECRETS)
def test_secrets_are_cut_out(secret: str) -> None:
    text = f"The key is {secret} for now."
    assert cut_secrets(text) == f"The key is {CUT} for now."


def test_named_passwords_are_cut_out() -> None:
    cut = cut_secrets('password = "hunter2hunter2", api_key: abcdef123456')
    assert ("hunter2" in cut, "abcdef" in cut, cut.count(CUT)) == (False, False, 2)
    assert "wJalr" not in cut_secrets("AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCY")
    assert "abcdefgh" not in cut_secrets("Authorization: Bearer abcdefghijklmnop0123456789")
    assert cut_secrets("postgres://ann:s3cret@db/x") == f"postgres://{CUT}@db/x"


def test_ordinary_text_stays() -> None:
    for text in (
        "The password of the shed hangs on the door.",
        "Our risk-free plan costs 3 pk-rounds; task-1234567890 is done.",
        "See https://example.org/a/b?c=d and docs/ask-a-question-of-somebody-else.md",
    ):
        assert cut_secrets(text) == text


def test_clones_share_a_domain(tmp_path: Path) -> None:
    domains = []
    for place, url in (
        ("a", "git@git.example.org:Acme/Shop.git"),
        ("b/deep/er", "https://git.example.org/acme/shop"),
        ("c", "https://ann:secret-key@evil.example/acme/shop.git"),
    ):
        (tmp_path / place / ".git").mkdir(parents=True)
        text = f'[core]\n\tbare = false\n[remote "origin"]\n\turl = {url}\n'
        (tmp_path / place / ".git" / "config").write_text(text, "utf-8")
        (tmp_path / place / "src").mkdir()
        domains.append(domain_of(tmp_path / place / "src"))
    assert domains[0] == domains[1]
    assert domains[0].startswith("projects/acme-shop-")
    assert len(set(domains)) == 2  # another host is another project
    assert "secret" not in domains[2]
    plain = domain_of(tmp_path)
    assert plain != domain_of(tmp_path / "d")
    for domain in (plain, domain_of(tmp_path / "…" / "   ")):
        assert check_domain(domain) == domain


def test_a_worktree_has_the_domain_of_its_repository(tmp_path: Path) -> None:
    git = tmp_path / "main" / ".git"
    (git / "worktrees" / "w").mkdir(parents=True)
    (git / "config").write_text('[remote "origin"]\nurl = https://x.example/acme/shop.git\n')
    (git / "worktrees" / "w" / "commondir").write_text("../..\n")
    tree = tmp_path / "w"
    tree.mkdir()
    (tree / ".git").write_text(f"gitdir: {git}/worktrees/w\n")
    assert domain_of(tree).startswith("projects/acme-shop-")
    (tree / ".git").write_bytes(b"gitdir: \xff\xfe")
    assert domain_of(tree).startswith("projects/w-")


@pytest.mark.parametrize("event", ["start", "prompt", "keep"])
def test_a_service_that_is_away_troubles_nobody(tmp_path: Path, event: str) -> None:
    given = {
        "prompt": "Where is the kiln?",
        "session_id": "s",
        "cwd": str(tmp_path),
        "transcript_path": str(lines(tmp_path / "t.jsonl", CLAUDE)),
    }
    command = [sys.executable, "-P", "-m", "graphmem.client.hooks", event]
    options = ["--client", "claude-code", "--url", "http://127.0.0.1:9", "--state"]
    done = subprocess.run(
        [*command, *options, str(tmp_path / "state")],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    [told] = (tmp_path / "state").glob("last-claude-code-*.json")
    assert json.loads(told.read_text("utf-8"))["error"] == "NotAvailable"
    assert len(list((tmp_path / "state").iterdir())) == 1  # nothing counts as kept


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"prompt": 3},
        {"prompt": "/clear"},
        {"prompt": "ok"},
        {"cwd": 4},
        {"transcript_path": {}},
    ],
)
def test_odd_input_says_nothing(tmp_path: Path, given: dict[str, Any]) -> None:
    hook = Hook(client="codex", url="http://127.0.0.1:9", state=tmp_path, agent="a")
    for event in ("prompt", "keep"):
        assert run(hook, event, given).text == ""
