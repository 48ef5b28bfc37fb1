import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphmem.errors import Misconfigured
from graphmem.server import EmbeddedNeo4j, embedded, running_server
from graphmem.server.command import memory_size
from graphmem.server.conf import Ports, conf_text
from graphmem.server.home import LOG_LIMIT, DataFolder, quote, write_private
from graphmem.server.java import Java
from graphmem.server.lockfile import FolderLock, is_alive
from graphmem.server.ports import PortReservation, reservations
from graphmem.server.watchdog import die_with_parent, stop


def wait_until(condition, seconds: float = 10.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.02)


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
    assert "internal.cypher.use_parameter_size=false" in text
    assert "internal.dbms.index.vector.standard_merge_factor=20" in text
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
    assert quote('a "b" \\c') == '"a \\"b\\" \\\\c"'


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


# --- ports, the folder's lock, the watchdog


def test_reservations_are_shared_unless_somebody_else_took_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    one, other = reservations(tmp_path / "one"), reservations(tmp_path / "other")
    assert (one, one.parent) == (other, tmp_path)
    assert one.stat().st_mode & 0o777 == 0o700
    one.chmod(0o777)
    assert reservations(tmp_path / "one") == tmp_path / "one"
    one.rmdir()
    one.symlink_to(tmp_path)
    assert reservations(tmp_path / "one") == tmp_path / "one"
    one.unlink()
    one.write_text("")
    assert reservations(tmp_path / "one") == tmp_path / "one"


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
        "from graphmem.server.lockfile import FolderLock\n"
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


def test_the_watchdog_kills_what_does_not_stop():
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

    java = Java(Path("java"), 21, vector=False)
    monkeypatch.setattr(embedded, "find_java", lambda home: java)
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


def test_a_killed_watchdog_takes_the_server_along(stand_in: EmbeddedNeo4j):
    first = stand_in.start()
    assert stand_in._child is not None
    stand_in._child._watchdog.kill()
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


def test_server_that_never_answers(stand_in, monkeypatch, caplog):
    monkeypatch.setattr(embedded, "TOLD_EVERY", 0.1)
    silent = [sys.executable, "-c", "import time; time.sleep(60)"]
    monkeypatch.setattr(embedded, "server_command", lambda *_: silent)
    with pytest.raises(Misconfigured, match="did not answer within 0 seconds"):
        stand_in.start(timeout_s=0.3)
    assert "still starting" in caplog.text


RECOVERS = """
import pathlib, sys, time
log = pathlib.Path(sys.argv[2])
with log.open("a") as file:
    print("[neo4j] Recovery required from position LogPosition{logVersion=0}", file=file)
time.sleep(1.5)
with log.open("a") as file:
    print("[neo4j] Recovery in 'full' mode completed. Observed", file=file)
"""


def test_a_recovery_is_waited_for(stand_in: EmbeddedNeo4j, monkeypatch, caplog):
    def command(*_: object) -> list[str]:
        assert stand_in._ports is not None
        port, log = str(stand_in._ports.bolt), str(stand_in.folder.debug_log)
        return [sys.executable, "-c", RECOVERS + STAND_IN, port, log]

    monkeypatch.setattr(embedded, "server_command", command)
    stand_in.start(timeout_s=0.5)
    assert "recovers what its last end left unfinished" in caplog.text


def test_a_recovery_that_is_over_is_not(stand_in: EmbeddedNeo4j, monkeypatch):
    stand_in.folder.make()
    stand_in.folder.debug_log.write_text("Recovery required from position of the start before\n")
    ended = RECOVERS.replace("1.5", "0") + "time.sleep(60)"

    def command(*_: object) -> list[str]:
        return [sys.executable, "-c", ended, "", str(stand_in.folder.debug_log)]

    monkeypatch.setattr(embedded, "server_command", command)
    with pytest.raises(Misconfigured, match="did not answer"):
        stand_in.start(timeout_s=0.5)


def test_program_that_cannot_be_started(stand_in, monkeypatch):
    monkeypatch.setattr(embedded, "server_command", lambda *_: ["/nowhere/java"])
    with pytest.raises(Misconfigured, match="could not be started"):
        stand_in.start()
    assert "/nowhere/java" in stand_in.folder.log_tail()
