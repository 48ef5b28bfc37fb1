import hashlib
import http.server
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from jgo.maven import MavenContext

from graphmem.errors import Misconfigured
from graphmem.server import EmbeddedNeo4j, embedded, jars, running_server
from graphmem.server.artifacts import Jar, JarSet, locked
from graphmem.server.command import memory_size, server_command
from graphmem.server.conf import Ports, conf_text
from graphmem.server.guard import die_with_parent, stop
from graphmem.server.holder import FolderLock, is_alive
from graphmem.server.home import LOG_LIMIT, DataFolder, quoted, write_private
from graphmem.server.java import Java, find_java, probe
from graphmem.server.ports import PortReservation

CONTENT = b"not really a jar"


def wait_until(condition, seconds: float = 10.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.02)


# --- the lock file and the download


def test_lock_file_names_every_jar_once_with_a_checksum():
    server, browser = locked("server"), locked("browser")
    names = [jar.filename for jar in server.jars]
    assert (server.version, browser.version) == ("2026.08.1", "5.24.0")
    assert "neo4j-kernel-2026.08.1.jar" in names
    assert len(names) == len(set(names)) > 200
    assert all(len(jar.sha256) == 64 and jar.size > 0 for jar in server.jars + browser.jars)
    assert not {"junit", "mockito-core", "hamcrest"} & {jar.artifact for jar in server.jars}
    assert [jar.filename for jar in browser.jars] == ["neo4j-browser-5.24.0.jar"]


def test_another_lock_file_gives_another_folder():
    first = jar_set(CONTENT)
    assert first.folder_name.startswith("neo4j-test-1.0-")
    assert first.folder_name != jar_set(b"something else").folder_name


def jar_set(content: bytes, size: int | None = None) -> JarSet:
    """Two jars with this content."""
    digest = hashlib.sha256(content).hexdigest()
    rows = [
        Jar("org.example", "thing", "1.0", classifier, digest, size or len(content))
        for classifier in ("", "linux-x86_64")
    ]
    return JarSet("neo4j-test", "1.0", tuple(rows))


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A Maven repository on loopback that has the jars of `jar_set(CONTENT)`."""
    root = tmp_path / "repository"
    folder = root / "org" / "example" / "thing" / "1.0"
    folder.mkdir(parents=True)
    for jar in jar_set(CONTENT).jars:
        (folder / jar.filename).write_bytes(CONTENT)

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=root))
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    remote = {"central": f"http://127.0.0.1:{server.server_port}"}
    monkeypatch.setattr(
        jars, "maven_context", lambda cache: MavenContext(repo_cache=cache, remote_repos=remote)
    )
    yield root
    server.shutdown()
    thread.join()
    server.server_close()


def test_jars_are_downloaded_once(repository: Path, tmp_path: Path, monkeypatch):
    cache = tmp_path / "cache"
    wanted = jar_set(CONTENT)
    folder = jars.ensure_jars(cache, wanted)
    assert sorted(file.name for file in folder.iterdir()) == [
        "thing-1.0-linux-x86_64.jar",
        "thing-1.0.jar",
    ]
    assert [entry.name for entry in cache.iterdir()] == [wanted.folder_name]
    monkeypatch.setattr(jars, "maven_context", lambda cache: pytest.fail("downloads again"))
    assert jars.ensure_jars(cache, wanted) == folder


def test_another_process_was_first(tmp_path: Path):
    finished, target = tmp_path / "finished", tmp_path / "target"
    for folder in (finished, target):
        folder.mkdir()
        (folder / "a.jar").write_bytes(CONTENT)
    assert jars.publish(finished, target) == target


def test_wrong_checksum_leaves_nothing_behind(repository: Path, tmp_path: Path):
    other = jar_set(b"X" * len(CONTENT))
    with pytest.raises(Misconfigured, match=r"checksum of thing-1\.0.*not the expected one"):
        jars.ensure_jars(tmp_path / "cache", other)
    assert list((tmp_path / "cache").iterdir()) == []


def test_download_that_ends_early_is_no_jar(repository: Path, tmp_path: Path):
    with pytest.raises(Misconfigured, match="can't be downloaded"):
        jars.ensure_jars(tmp_path / "cache", jar_set(CONTENT, size=len(CONTENT) + 1))
    assert list((tmp_path / "cache").iterdir()) == []


def test_no_network_names_the_other_ways(tmp_path: Path, monkeypatch):
    nowhere = {"central": "http://127.0.0.1:9/maven2"}
    monkeypatch.setattr(
        jars, "maven_context", lambda cache: MavenContext(repo_cache=cache, remote_repos=nowhere)
    )
    with pytest.raises(Misconfigured) as caught:
        jars.class_path(tmp_path / "cache", browser=True, neo4j_home=None)
    for way in ("NEO4J_HOME", "GRAPHMEM_NEO4J_URI", "docker compose"):
        assert way in caught.value.message
    assert list((tmp_path / "cache").iterdir()) == []


def test_cache_that_cannot_be_written(tmp_path: Path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(Misconfigured, match="can't be written"):
        jars.ensure_jars(tmp_path / "file" / "cache", jar_set(CONTENT))


def test_abandoned_downloads_are_removed(repository: Path, tmp_path: Path):
    cache = tmp_path / "cache"
    old, new = cache / f"{jars.WORK_PREFIX}old", cache / f"{jars.WORK_PREFIX}new"
    for folder in (old, new):
        folder.mkdir(parents=True)
    os.utime(old, (0, 0))
    jars.ensure_jars(cache, jar_set(CONTENT))
    assert (old.exists(), new.exists()) == (False, True)


def test_unpacked_distribution(tmp_path: Path):
    with pytest.raises(Misconfigured, match="no Neo4j server"):
        jars.class_path(tmp_path, browser=True, neo4j_home=tmp_path)
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "neo4j-kernel-5.26.3.jar").touch()
    with pytest.raises(Misconfigured, match=r"older than 2026\.08\.1"):
        jars.class_path(tmp_path, browser=True, neo4j_home=tmp_path)
    (tmp_path / "lib" / "neo4j-kernel-2026.08.1.jar").touch()
    found = jars.class_path(tmp_path, browser=True, neo4j_home=tmp_path)
    assert found == str(tmp_path / "lib" / "*")


def test_default_cache_dir(monkeypatch, tmp_path: Path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert jars.default_cache_dir() == tmp_path / "graphmem"


# --- Java


def fake_java(home: Path, version: str, *modules: str) -> Path:
    """A Java home whose program prints these modules."""
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    lines = "\n".join(f"echo {module}@{version}" for module in ("java.base", *modules))
    program.write_text(f"#!/bin/sh\n{lines}\n")
    program.chmod(0o755)
    return program


def test_java_17_is_refused_and_21_taken(tmp_path: Path, monkeypatch):
    old = fake_java(tmp_path / "17", "17.0.15")
    good = fake_java(tmp_path / "21", "21.0.9", "jdk.incubator.vector")
    monkeypatch.setenv("PATH", str(good.parent))
    assert find_java(str(old.parents[1])) == Java(good, 21, vector=True)


def test_java_home_comes_before_path(tmp_path: Path, monkeypatch):
    on_path = fake_java(tmp_path / "21", "21.0.9")
    home = fake_java(tmp_path / "25", "25.0.2")
    monkeypatch.setenv("PATH", str(on_path.parent))
    monkeypatch.setenv("JAVA_HOME", str(home.parents[1]))
    assert find_java() == Java(home, 25, vector=False)


def test_without_java_the_package_is_used(monkeypatch, tmp_path: Path):
    monkeypatch.setenv("PATH", str(tmp_path))
    java = find_java(str(tmp_path / "nothing"))
    assert java.version == 25
    assert not java.vector
    words = server_command(java, tmp_path, "x", "1g")
    assert not any(word.startswith("--add-modules") for word in words)


def test_no_java_at_all(monkeypatch, tmp_path: Path):
    old = fake_java(tmp_path, "17.0.15")
    monkeypatch.setattr("graphmem.server.java.candidates", lambda home: [old])
    with pytest.raises(Misconfigured, match="No Java 21 or 25"):
        find_java()


def test_vector_module_is_added_when_java_has_it(tmp_path: Path):
    words = server_command(Java(tmp_path, 25, vector=True), tmp_path, "x", "1g")
    assert "--add-modules=jdk.incubator.vector" in words


def test_probe_of_what_is_no_java(tmp_path: Path):
    program = tmp_path / "java"
    program.write_text("#!/bin/sh\necho hello\n")
    program.chmod(0o755)
    assert probe(program) is None


# --- settings and files


@pytest.mark.parametrize("text", ["", "1", "0g", "1 g", "-1g", "1t", "1g -X"])
def test_bad_memory_sizes(text: str, tmp_path: Path):
    with pytest.raises(Misconfigured, match="heap"):
        EmbeddedNeo4j(tmp_path, cache_dir=tmp_path, heap=text)


def test_memory_size():
    assert memory_size("512M", "x") == "512m"


def test_settings_without_browser_open_bolt_only():
    text = conf_text(Ports(bolt=7688, http=None), "64m", pinned=False)
    lines = text.splitlines()
    assert "server.bolt.listen_address=127.0.0.1:7688" in lines
    assert {"server.http.enabled=false", "server.https.enabled=false"} <= set(lines)
    assert {"dbms.security.auth_enabled=true", "db.query.default_language=CYPHER_25"} <= set(lines)
    assert not any(line.startswith("internal.") for line in lines)
    keys = [line.partition("=")[0] for line in lines]
    assert len(keys) == len(set(keys))


def test_settings_with_browser():
    text = conf_text(Ports(bolt=7687, http=7475), "64m", pinned=True)
    assert "server.http.enabled=true" in text
    assert "server.http.listen_address=127.0.0.1:7475" in text


def test_private_file_is_replaced_whole(tmp_path: Path):
    path = tmp_path / "secret"
    write_private(path, "one")
    write_private(path, "two")
    assert path.read_text() == "two"
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_words_of_an_argument_file():
    assert quoted('a "b" \\c') == '"a \\"b\\" \\\\c"'


def test_large_log_is_set_aside(tmp_path: Path):
    folder = DataFolder(tmp_path / "data")
    folder.make()
    folder.log.write_bytes(b"x" * 10)
    folder.rotate_log()
    assert folder.log.exists()
    with folder.log.open("ab") as file:
        file.truncate(LOG_LIMIT + 1)
    folder.rotate_log()
    assert not folder.log.exists()
    assert (folder.log.parent / "neo4j.log.1").exists()


def test_data_folder_that_is_a_file(tmp_path: Path):
    (tmp_path / "data").touch()
    with pytest.raises(Misconfigured, match="can't be used"):
        DataFolder(tmp_path / "data").make()


def test_lost_password_is_an_error(tmp_path: Path):
    folder = DataFolder(tmp_path)
    (folder.home / "data" / "databases" / "system").mkdir(parents=True)
    with pytest.raises(Misconfigured, match="needs its password"):
        embedded.ensure_password(folder, Java(Path("java"), 25, vector=False), "x")
    assert not folder.password.exists()


# --- ports, the folder's lock, the guard


def test_two_reservations_get_two_ports(tmp_path: Path):
    first = PortReservation(tmp_path, 7687)
    second = PortReservation(tmp_path, first.port)
    assert first.port != second.port
    first.release()
    first.release()
    third = PortReservation(tmp_path, first.port)
    assert third.port == first.port
    second.release()
    third.release()


def hold(folder: DataFolder) -> "subprocess.Popen[bytes]":
    """Another process that has the lock of this folder."""
    code = (
        "import pathlib, sys, time\n"
        "from graphmem.server.holder import FolderLock\n"
        "from graphmem.server.home import DataFolder\n"
        "lock = FolderLock(DataFolder(pathlib.Path(sys.argv[1])))\n"
        "print('held', flush=True)\n"
        "time.sleep(60)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(folder.root)],
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"held\n"
    process.stdout.close()
    return process


def test_second_process_is_refused_by_the_holders_name(tmp_path: Path):
    folder = DataFolder(tmp_path)
    holder = hold(folder)
    try:
        with pytest.raises(Misconfigured, match=f"in use by process {holder.pid}"):
            FolderLock(folder)
        assert running_server(tmp_path) is None  # it has the folder, but no server yet
    finally:
        holder.kill()
        holder.wait()
    lock = FolderLock(folder)
    assert folder.lock.read_text() == f"{os.getpid()}\n"
    lock.release()


def test_nothing_runs_on_an_unknown_folder(tmp_path: Path):
    assert running_server(tmp_path / "nothing") is None


def test_guard_kills_what_does_not_stop():
    program = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(1); "
    process = subprocess.Popen(
        [sys.executable, "-uc", program + "time.sleep(60)"],
        stdout=subprocess.PIPE,
        preexec_fn=die_with_parent(),
    )
    assert process.stdout is not None
    process.stdout.readline()
    stop(process, 0.2)
    process.stdout.close()
    assert process.returncode == -signal.SIGKILL


# --- supervision, with a stand-in that answers as a Bolt server does

STAND_IN = """
import socket, sys
server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
while True:
    connection, _ = server.accept()
    connection.recv(20)
    connection.sendall(bytes((0, 0, 0, 6)))
    connection.close()
"""


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch) -> Iterator[EmbeddedNeo4j]:
    """An EmbeddedNeo4j that runs the stand-in instead of Java."""
    server = EmbeddedNeo4j(tmp_path / "data", cache_dir=tmp_path / "cache")

    def command(*_: object) -> list[str]:
        assert server._ports is not None
        return [sys.executable, "-c", STAND_IN, str(server._ports.bolt)]

    monkeypatch.setattr(embedded, "find_java", lambda home: None)
    monkeypatch.setattr(embedded, "class_path", lambda *_: "")
    monkeypatch.setattr(embedded, "ensure_password", lambda *_: "secret")
    monkeypatch.setattr(embedded, "server_command", command)
    yield server
    server.stop()


def test_start_and_stop(stand_in: EmbeddedNeo4j):
    with stand_in as server:
        address = server.address
        assert is_alive(address.pid)
        assert address.browser_url is None
        assert "secret" not in repr(address)
        assert server.start() == address
    assert not is_alive(address.pid)
    assert not stand_in.folder.address.exists()
    stand_in.stop()
    with pytest.raises(RuntimeError):
        _ = stand_in.address
    again = stand_in.start()
    assert again.bolt_uri == address.bolt_uri


def test_killed_server_is_restarted_on_its_port(stand_in: EmbeddedNeo4j):
    first = stand_in.start()
    write_private(stand_in.folder.password, "secret")
    os.kill(first.pid, signal.SIGKILL)
    wait_until(lambda: stand_in.address.pid != first.pid)
    assert stand_in.address.bolt_uri == first.bolt_uri
    wait_until(lambda: running_server(stand_in.folder.root) == stand_in.address)


def test_killed_guard_takes_the_server_along(stand_in: EmbeddedNeo4j):
    first = stand_in.start()
    assert stand_in._child is not None
    stand_in._child._guard.kill()
    wait_until(lambda: stand_in.address.pid != first.pid)
    assert not is_alive(first.pid)


def test_server_that_keeps_crashing_stays_down(stand_in: EmbeddedNeo4j, monkeypatch, caplog):
    monkeypatch.setattr(embedded, "FIRST_PAUSE", 0.001)
    stand_in.start()
    stand_in._command = [sys.executable, "-c", "print('out of order'); raise SystemExit(2)"]
    os.kill(stand_in.address.pid, signal.SIGKILL)
    wait_until(lambda: stand_in.failure is not None)
    assert "5 times" in str(stand_in.failure)
    assert "out of order" in str(stand_in.failure)
    assert "stays down" in caplog.text


def test_failed_start_shows_the_log_and_gives_the_folder_back(stand_in, monkeypatch):
    broken = [sys.executable, "-c", "print('no such setting'); raise SystemExit(3)"]
    monkeypatch.setattr(embedded, "server_command", lambda *_: broken)
    with pytest.raises(Misconfigured) as caught:
        stand_in.start()
    for words in ("exit code 3", "too little memory", "neo4j.log", "no such setting"):
        assert words in caught.value.message
    FolderLock(stand_in.folder).release()


def test_server_that_never_answers(stand_in, monkeypatch):
    silent = [sys.executable, "-c", "import time; time.sleep(60)"]
    monkeypatch.setattr(embedded, "server_command", lambda *_: silent)
    with pytest.raises(Misconfigured, match="did not answer within 0 seconds"):
        stand_in.start(timeout_s=0.3)


def test_program_that_cannot_be_started(stand_in, monkeypatch):
    monkeypatch.setattr(embedded, "server_command", lambda *_: ["/nowhere/java"])
    with pytest.raises(Misconfigured, match="could not be started"):
        stand_in.start()
    assert "/nowhere/java" in stand_in.folder.log_tail()
