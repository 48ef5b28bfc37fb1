"""The program as a stranger runs it: help, exit codes, a running service and commands beside it."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import pytest
from left_folder import LeftFolder

from graphmem.server.lockfile import is_alive

COMMANDS = (
    *("serve", "demo", "neo4j", "migrate", "schema", "status", "debug", "reindex", "import"),
    *("remember", "recall", "call"),
    *("jobs list", "jobs run", "jobs runs", "keys create", "keys list", "keys revoke"),
)
START_S = 180


@dataclass(frozen=True)
class Program:
    """graphmem with a folder and a port of its own."""

    folder: Path
    port: int

    @property
    def environment(self) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith("GRAPHMEM_")}
        return kept | {
            "GRAPHMEM_DATA": str(self.folder / "data"),
            "GRAPHMEM_PORT": str(self.port),
            "GRAPHMEM_EMBEDDER": "hash",
            "GRAPHMEM_EXTRACTOR": "rules",
            "GRAPHMEM_OPERATION_TIMEOUT_S": "200",  # after a start, beside other tests
            "GRAPHMEM_NEO4J_HEAP": "512m",
            "GRAPHMEM_NEO4J_PAGE_CACHE": "64m",
            "GRAPHMEM_EMBEDDER_KEY": "hunter2",
            "GRAPHMEM_JOBS": "off",  # so that a test knows which runs there are
            "GRAPHMEM_WARM_UP": "false",
            "GRAPHMEM_AOT_CACHE": "false",  # the Java of tests will not be started again
            "COLUMNS": "100",
        }

    def start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "graphmem", *words],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *words: str) -> tuple[int, str, str]:
        """Exit code, stdout, stderr."""
        with self.start(*words) as process:
            out, err = process.communicate(timeout=START_S)
            return process.returncode, out, err

    def json(self, *words: str):
        code, out, err = self.run(*words, "--json")
        assert code == 0, err
        return json.loads(out)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def program(tmp_path: Path, quick_java: None) -> Program:
    return Program(tmp_path, free_port())


@pytest.fixture(scope="module")
def serving(
    tmp_path_factory: pytest.TempPathFactory, quick_java: None
) -> Iterator[tuple[Program, subprocess.Popen]]:
    """A service that is ready."""
    program = Program(tmp_path_factory.mktemp("cli"), free_port())
    (program.folder / "notes").mkdir()
    (program.folder / "notes" / "a.md").write_text("# Kiln\nThe kiln is blue.")
    process = program.start("serve")
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "graphmem is ready.\n", process.communicate()
        yield program, process
    finally:
        process.kill()
        process.communicate()


# Asks for help on each command, and tells at last which of the slow packages were loaded for it.
ALL_HELP = """
import json, sys
from graphmem.__main__ import main
for words in json.loads(sys.argv[1]):
    sys.argv = ["graphmem", *words, "--help"]
    print("HELP ON", *words)
    try:
        main()
    except SystemExit as end:
        print("ENDED WITH", end.code)
print("LOADED", *{"neo4j", "numpy", "torch", "strawberry", "openai"} & sys.modules.keys())
"""


def test_help_of_everything_is_in_words_and_loads_no_model_or_driver(program: Program):
    code, out, _ = program.run("--help")
    assert code == 0
    for command in COMMANDS:
        assert command.split()[0] in out
    wanted = json.dumps([command.split() for command in COMMANDS])
    done = subprocess.run(
        [sys.executable, "-c", ALL_HELP, wanted],
        cwd=program.folder,
        env=program.environment,
        capture_output=True,
        text=True,
        timeout=START_S,
    )
    *told, loaded = re.split("HELP ON |LOADED", done.stdout)[1:]
    assert [text.partition("\n")[0] for text in told] == list(COMMANDS), done
    for text in told:
        assert "--help" in text.partition("\n")[2], text
        assert text.endswith("ENDED WITH 0\n"), text
    assert loaded.split() == []


def test_wrong_use_is_2_and_a_failure_is_1_in_one_line(program: Program):
    for words in (["frob"], ["serve", "--port", "x"], ["import"], ["import", "missing"]):
        code, _, err = program.run(*words)
        assert (code, "Traceback" in err) == (2, False), words
    for words in (["serve", "--host", "0.0.0.0"], ["keys", "list", "--neo4j", "nonsense://x"]):
        code, out, err = program.run(*words)
        assert (code, out) == (1, ""), words
        assert re.fullmatch(r"graphmem: .+\n", err), err


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("serve", "--neo4j", "http://127.0.0.1:7474"), 1, r"GRAPHMEM_NEO4J_URI: .* neo4j://"),
        (("serve", "--neo4j", "127.0.0.1:7687"), 1, r"GRAPHMEM_NEO4J_URI: .* neo4j://"),
        (("import", "/nope"), 2, "there is no file or folder /nope"),
        (("import", ".", "--from", "mem0"), 2, r"\. is a folder: --from mem0 takes a file"),
        (("status", "--url", "ftp://foo"), 2, "'ftp://foo' is not the address of a service"),
        (("debug", "--url", "foo:80"), 2, "'foo:80' is not the address of a service"),
        (("recall", "x", "--url", "ftp://foo"), 2, "'ftp://foo' is not the address of a service"),
        (("remember", "x", "--url", "http://"), 2, "'http://' is not the address of a service"),
        (
            ("call", "getStats", "--url", "http://a:b"),
            2,
            "'http://a:b' is not the address of a service",
        ),
    ],
)
def test_a_wrong_address_or_file_is_told_in_one_line(
    program: Program, words: tuple[str, ...], code: int, told: str
):
    found, out, err = program.run(*words)
    assert (found, out) == (code, "")
    assert re.fullmatch(rf"graphmem: {told}.*\n", err), err
    assert not (program.folder / "data").exists()


def test_the_schema_needs_nothing_to_run(program: Program):
    code, out, _ = program.run("schema")
    assert code == 0
    assert "type Query" in out
    assert program.run("schema", "--output", "s.graphql")[0] == 0
    assert (program.folder / "s.graphql").read_text() == out
    assert not (program.folder / "data").exists()


def test_queries_are_printed_as_browser_runs_them(program: Program):
    code, listed, _ = program.run("cypher")
    assert code == 0
    assert {"recall/candidates", "job:maintain_memory"} <= set(listed.split())
    code, out, _ = program.run("cypher", "recall/candidates")
    assert code == 0
    assert ":param audiences => [];\n" in out
    assert "n.audience IN $audiences AND" in out
    assert "@" not in out
    code, out, err = program.run("cypher", "recall/nothing")
    assert (code, out) == (1, "")
    assert "there is no query" in err
    assert not (program.folder / "data").exists()


@pytest.mark.feature("DAEM-26")
def test_status(serving: tuple[Program, subprocess.Popen]):
    program, _ = serving
    code, out, _ = program.run("status")
    assert code == 0
    assert re.fullmatch(r"graphmem: ready, Neo4j: connected, Memories: \d+\n", out)
    assert program.json("status")["graphmem"] == "ready"
    code, out, _ = Program(program.folder / "notes", free_port()).run("status")
    assert (code, out) == (1, "graphmem: down, Neo4j: not connected\n")


def test_a_shell_asks_the_service(serving: tuple[Program, subprocess.Popen]):
    program, _ = serving
    user = ("--user", "shell")
    code, out, _ = program.run("remember", "The kiln is in room four.", "--tag", "kiln", *user)
    assert code == 0
    note = re.fullmatch(r"ADD ([0-9a-f-]{36})\n", out)
    assert note
    code, out, _ = program.run("recall", "Where is the kiln?", *user)
    assert (code, out) == (0, "1. The kiln is in room four.\n")
    metadata = ("--body", '{"metadata": {"from": "shell"}}')
    code, out, _ = program.run("call", "remember", "content=The door is red.", *metadata, *user)
    assert json.loads(out)["note"]["metadata"] == {"from": "shell"}
    code, out, _ = program.run("call", "revise", f"id={note[1]}", "tags=a", "tags=b", *user)
    assert json.loads(out)["tags"] == ["a", "b"]
    for words, told in (
        (("getNote", "id=nothing"), (1, "graphmem: NOT_FOUND: no such note\n")),
        (("recall", "query=x", "k=0"), (2, "graphmem: BAD_USER_INPUT: k must be from 1 to 100\n")),
        (("getNote",), (2, "graphmem: id is missing\n")),
    ):
        code, _, err = program.run("call", *words, *user)
        assert (code, err) == told
    assert program.run("call", "nothing")[0] == 2
    code, out, _ = program.run("call")
    assert "listEvents  [after]" in out
    code, _, err = program.run("recall", "x", "--url", f"http://127.0.0.1:{free_port()}")
    assert code == 1
    assert err.startswith("graphmem: UNAVAILABLE: no answer from 127.0.0.1")


def test_commands_beside_it_use_its_server(serving: tuple[Program, subprocess.Popen]):
    program, _ = serving
    assert program.json("migrate") == {"applied": []}
    done = program.json("import", "notes", "--user", "ruta")
    assert (done["created"], done["skipped"]) == (1, [])
    assert program.json("import", "notes", "--user", "ruta")["unchanged"] == 1
    (program.folder / "notes" / "bad.md").write_bytes(b"\xff")
    code, out, _ = program.run("import", "notes", "--user", "ruta")
    assert code == 1
    assert "bad.md: not a text in UTF-8" in out
    assert program.json("status")["memories"] == 3
    beside = Program(program.folder, free_port())
    done = beside.json("reindex")
    assert (done["notes"] >= 3, done["model"]) == (True, "hash-384")
    [slot] = beside.json("reindex", "--status")["slots"]
    assert (slot["embedding"]["model"], slot["in_use"], slot["missing"]) == ("hash-384", True, 0)
    assert beside.json("reindex", "--drop") == {"dropped": None}
    assert beside.run("reindex", "--drop", "--status")[0] == 2
    assert program.json("debug")["indexes"]["note_embedding"] == "ONLINE, VECTOR"


@pytest.mark.feature("DAEM-26")
def test_a_service_is_found_by_its_folder_or_its_address(
    serving: tuple[Program, subprocess.Popen],
):
    program, _ = serving
    address = f"http://127.0.0.1:{program.port}"
    beside = Program(program.folder, free_port())  # which configures another port
    assert beside.json("status")["graphmem"] == "ready"
    assert beside.json("debug")["service"] == {"address": address, "state": "ready"}
    assert beside.run("recall", "Where is the kiln?", "--user", "nobody")[0] == 0
    elsewhere = Program(program.folder / "notes", free_port())
    state = json.loads(elsewhere.run("status", "--json", "--url", address)[1])
    assert state == {"graphmem": "ready", "neo4j": False, "memories": None}
    assert elsewhere.json("debug", "--url", address)["service"]["address"] == address


def test_keys(serving: tuple[Program, subprocess.Popen]):
    program, _ = serving
    made = program.json("keys", "create", "--user", "ruta", "--agent", "desk", "--expires", "90d")
    assert re.fullmatch(r"gm_[a-z0-9]{8}_[\w-]{43}_\w{6}", made["key"])
    code, out, err = program.run("keys", "create", "--expires", "soon")
    assert (code, out) == (2, "")
    assert "give a time such as 30s, 15m, 12h, 90d" in " ".join(err.split())
    listed = program.json("keys", "list")
    assert [(one["id"], one["scope"]) for one in listed] == [(made["id"], "agent")]
    assert "key" not in listed[0]
    assert program.json("keys", "revoke", made["id"])["revokedAt"] is not None
    code, _, err = program.run("keys", "revoke", "missing0")
    assert (code, err) == (1, "graphmem: no such key\n")


def test_jobs(serving: tuple[Program, subprocess.Popen]):
    program, _ = serving
    listed = program.json("jobs", "list")
    names = [job["name"] for job in listed]
    assert {"consolidate_memory", "maintain_memory", "move_tiers", "sweep_decay"} <= set(names)
    assert [job["lastRun"] for job in listed] == [None] * len(names)
    shown = program.run("jobs", "list")[1]
    assert re.search(r"^maintain_memory +\*/5 \* \* \* \* +never run", shown, re.MULTILINE)
    run = program.json("jobs", "run", "maintain_memory")
    assert (run["status"], run["error"], run["counts"]["linksMade"]) == ("DONE", None, 0)
    code, out, _ = program.run("jobs", "run", "maintain_memory")
    assert code == 0
    assert re.search(r"^maintain_memory  DONE .+ UTC  users \d+, dormantCandidates 0", out)
    job = program.json("jobs", "list")[names.index("maintain_memory")]
    assert job["lastRun"]["status"] == "DONE"
    assert job["lastRun"]["id"] > run["id"]
    assert [each["id"] for each in program.json("jobs", "runs", "--first", "5")] == [
        job["lastRun"]["id"],
        run["id"],
    ]
    assert program.run("jobs", "runs", "sweep_decay")[:2] == (0, "no runs yet\n")
    code, out, err = program.run("jobs", "run", "frob")
    assert (code, out, "maintain_memory" in err) == (2, "", True)


@pytest.mark.feature("DAEM-27")
def test_debug_tells_versions_settings_counts_indexes_and_jobs(
    serving: tuple[Program, subprocess.Popen],
):
    program, _ = serving
    found = program.json("debug")
    assert found["versions"]["graphmem"] == version("graphmem")
    assert found["settings"]["port"] == program.port
    assert found["graph"]["Migration"] > 0
    assert found["graph"]["relationships"] >= 0
    assert found["indexes"]["note_embedding"] == "ONLINE, VECTOR"
    assert found["indexes"]["note_text"] == "ONLINE, FULLTEXT"
    assert {"sweep_decay", "maintain_memory"} <= found["jobs"].keys()
    assert all(re.match(r"never run$|DONE |RUNNING ", told) for told in found["jobs"].values())


@pytest.mark.feature("DAEM-40")
def test_debug_shows_no_secret(serving: tuple[Program, subprocess.Popen]):
    program, _ = serving
    password = (program.folder / "data" / "neo4j.password").read_text()
    code, out, _ = program.run("debug")
    assert code == 0
    assert "hunter2" not in out
    assert password not in out
    assert program.json("debug")["service"]["state"] == "ready"


@pytest.mark.feature("DAEM-41")
def test_it_answers_this_machine_only(serving: tuple[Program, subprocess.Popen]):
    program, process = serving
    base = f"http://127.0.0.1:{program.port}"
    for path in ("/livez", "/readyz", "/version", "/schema.graphql"):
        with urllib.request.urlopen(base + path, timeout=60) as response:
            assert response.status == 200
    other = urllib.request.Request(f"{base}/readyz", headers={"Host": "evil.example"})
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(other, timeout=60)
    assert caught.value.code == 403
    caught.value.close()
    listening = Path(f"/proc/{process.pid}/net/tcp").read_text().splitlines()[1:]
    local = [line.split()[1] for line in listening if line.split()[3] == "0A"]
    assert f"0100007F:{program.port:04X}" in local
    assert f"00000000:{program.port:04X}" not in local
    assert (program.folder / "data").stat().st_mode & 0o777 == 0o700


def test_a_taken_port_is_told_at_once(serving: tuple[Program, subprocess.Popen]):
    program, _ = serving
    elsewhere = Program(program.folder / "notes", program.port)
    code, out, err = elsewhere.run("serve")
    assert (code, out) == (1, "")
    assert re.fullmatch(rf"graphmem: can't listen on 127\.0\.0\.1 port {program.port} .+\n", err)


def test_a_second_service_on_its_folder_is_refused(serving: tuple[Program, subprocess.Popen]):
    program, process = serving
    code, out, err = program.run("serve", "--port", "0")
    assert (code, out) == (1, "")
    assert f"is in use by process {process.pid}. Stop that one" in err.splitlines()[-1]
    assert program.json("status")["graphmem"] == "ready"


def test_it_stops_in_good_order(serving: tuple[Program, subprocess.Popen], left: LeftFolder):
    """The last one, since the others need it running."""
    program, process = serving
    java = program.json("debug")["server"]["pid"]
    assert is_alive(java)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 0
    assert "Traceback" not in err
    assert "the service is warm" not in err  # by GRAPHMEM_WARM_UP
    assert not is_alive(java)
    code, out, _ = program.run("status")
    assert (code, out) == (1, "graphmem: down, Neo4j: not connected\n")
    left.folder = program.folder / "data"


def test_the_demo_asks_its_questions_and_ends(program: Program, left: LeftFolder):
    if left.folder:
        program = Program(left.folder.parent, program.port)
    code, out, err = program.run("demo", "--once")
    assert code == 0, err
    assert re.search(r"Python packages: \d+ notes, \d+ of them new", out)
    assert "Mara Ellingsen: 96 notes, 96 of them new" in out
    assert out.count(" asks: ") == 3
    assert "via -" in out
    assert re.search(r"Cash floor \(PRIVATE\)   <- not for sales", out)
    assert "is asked: At what time is the visit of Bernard Odell on 13 April?" in out
    before, shared, after = out.partition("sales of mara is asked")[2].split("The same question:")
    assert "nobody knows" in before
    assert "route    desk of idris. 1 note on this speaks for" in shared
    assert "memory of desk of idris: it knows" in shared
    assert "* 1. Inspection date" in shared
    assert "nobody knows" in after
    assert re.search(r"Dashboard      http://127\.0\.0\.1:\d+/#/overview\?user=mara\n", out)
    assert re.search(r"Neo4j Browser  http://127\.0\.0\.1:\d+/browser/", out)
