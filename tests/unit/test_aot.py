"""Java's AOT cache: its key, its files, and that nothing about it stands in the way of a start."""

import asyncio
import gc
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from graphmem.errors import Misconfigured
from graphmem.server import EmbeddedNeo4j, aot, embedded, trainer
from graphmem.server.aot import AotCache, cache_for, has_room, tidy, training_folder
from graphmem.server.command import server_command
from graphmem.server.java import Java
from graphmem.server.lifetimes import run_cancellable
from graphmem.server.lockfile import is_alive


@pytest.fixture
def java(tmp_path: Path) -> Java:
    """What looks like a Java 25."""
    home = tmp_path / "java"
    for name in ("bin/java", "lib/modules"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(name)
    return Java(home / "bin" / "java", 25, vector=False, release="25.0.2")


@pytest.fixture
def jar(tmp_path: Path) -> Path:
    jar = tmp_path / "neo4j.jar"
    jar.write_text("jar")
    return jar


def test_the_key_is_of_jars_java_and_options(tmp_path: Path, java: Java, jar: Path):
    def key(*options: str) -> Path:
        cache = cache_for(tmp_path, java, options, [jar])
        assert cache is not None
        return cache.file

    first = key("-a")
    assert key("-a") == first
    assert key("-b") != first
    jar.write_text("another jar")
    assert key("-a") != first


def test_who_has_no_cache(tmp_path: Path, java: Java, jar: Path):
    older = Java(java.path, 21, vector=False, release="21.0.9")
    assert cache_for(tmp_path, older, [], [jar]) is None
    assert cache_for(tmp_path, java, [], [tmp_path / "gone.jar"]) is None


def test_only_a_file_that_is_there_is_used(tmp_path: Path):
    cache = AotCache(tmp_path / "java-1.aot")
    assert cache.used_by() == []
    assert cache.is_wanted
    cache.failed.touch()
    assert not cache.is_wanted
    cache.file.touch()
    os.utime(cache.file, (0, 0))
    assert f"-XX:AOTCache={cache.file}" in cache.used_by()
    assert cache.file.stat().st_mtime > time.time() - 60  # it counts as used


def test_what_nobody_uses_any_more_is_removed(tmp_path: Path):
    current, other, old = (tmp_path / f"java-{name}.aot" for name in ("a", "b", "c"))
    unfinished = tmp_path / aot.WORK / "record"
    unfinished.parent.mkdir()
    for file in (current, other, old, unfinished):
        file.touch()
    for file in (current, old):
        os.utime(file, (0, 0))
    tidy(AotCache(current))
    assert current.exists()
    assert other.exists()
    assert not old.exists()
    assert not unfinished.parent.exists()


def test_one_training_run_at_a_time(tmp_path: Path):
    with training_folder(tmp_path) as first:
        assert first is not None
        (first[0] / "record").touch()
        with training_folder(tmp_path) as second:
            assert second is None
        tidy(AotCache(tmp_path / "java-1.aot"))
        assert (first[0] / "record").exists()
    assert not first[0].exists()


@pytest.mark.parametrize("limit", ["FREE_DISK", "FREE_MEMORY"])
def test_no_training_run_where_room_is_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str
):
    for name in ("FREE_DISK", "FREE_MEMORY"):
        monkeypatch.setattr(aot, name, 10**18 if name == limit else 0)
    assert not has_room(tmp_path)
    monkeypatch.setattr(aot, limit, 0)
    assert has_room(tmp_path)


ANSWERS = """
import socket, sys
server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
while True:
    connection, _ = server.accept()
    connection.recv(20)
    connection.sendall(bytes((0, 0, 0, 6)))
    connection.close()
"""


@pytest.fixture
def server(
    tmp_path: Path, java: Java, jar: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[EmbeddedNeo4j]:
    """A stand-in that answers, unless it is started with an AOT cache: then it ends."""
    server = EmbeddedNeo4j(tmp_path / "data", cache_dir=tmp_path / "cache")

    def command(*given: object) -> list[str]:
        assert server._ports is not None
        broken = "import os; os.abort()"
        return [sys.executable, "-c", broken if given[-1] else ANSWERS, str(server._ports.bolt)]

    monkeypatch.setattr(embedded, "find_java", lambda home: java)
    monkeypatch.setattr(embedded, "class_path", lambda *_: str(jar.parent / "*"))
    monkeypatch.setattr(embedded, "ensure_password", lambda *_: "secret")
    monkeypatch.setattr(embedded, "server_command", command)
    yield server
    server.stop()


def test_a_cache_that_ends_java_is_given_up(server: EmbeddedNeo4j, caplog):
    server.start()
    assert server.aot is not None
    server.aot.file.touch()
    server.stop()
    server.start()
    assert "trying a plain start" in caplog.text
    assert not server.aot.file.exists()


def test_switched_off_it_is_neither_used_nor_made(server: EmbeddedNeo4j):
    server._with_aot = False
    server.start()
    assert server.aot is None


def test_with_plugins_there_is_none(server: EmbeddedNeo4j):
    server.folder.make()
    (server.folder.home / "plugins" / "more.jar").touch()
    server.start()
    assert server.aot is None
    words = server_command(Java(Path("java"), 25, vector=False), server.folder.home, "x", "1g")
    assert words[words.index("-cp") + 1] == f"{server.folder.home / 'plugins' / '*'}{os.pathsep}x"


SLOW = "#!/bin/sh\necho $$ > {pid}\nexec sleep 60\n"


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What is started instead of Python; it says its process id in the file `pid` beside it."""
    program = tmp_path / "program"
    program.write_text(SLOW.format(pid=tmp_path / "pid"))
    program.chmod(0o755)
    monkeypatch.setattr(trainer.sys, "executable", str(program))
    monkeypatch.setattr(trainer, "IDLE_S", 0)
    return program


def wait_until(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.02)


async def test_a_missing_cache_is_made_beside_and_the_end_ends_that(program: Path, tmp_path: Path):
    told = tmp_path / "pid"

    def started() -> bool:
        return told.exists() and bool(told.read_text())

    async with trainer.make_cache_when_idle(lambda: AotCache(tmp_path / "java-1.aot")):
        await asyncio.to_thread(wait_until, started)
        pid = int(told.read_text())
        assert is_alive(pid)
    await asyncio.sleep(0.1)  # asyncio takes its exit code
    await asyncio.to_thread(wait_until, lambda: not is_alive(pid))


async def test_it_begins_when_nobody_has_asked_for_a_while(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(trainer, "IDLE_S", 0.01)
    monkeypatch.setattr(trainer, "POLL_S", 0.01)
    told, idle, asked = tmp_path / "pid", [0.0], list[bool]()

    def idle_s() -> float:
        asked.append(told.exists())
        return idle[0]

    async with trainer.make_cache_when_idle(lambda: AotCache(tmp_path / "java-1.aot"), idle_s):
        await asyncio.to_thread(wait_until, lambda: len(asked) > 5)
        idle[0] = 0.01
        await asyncio.to_thread(wait_until, told.exists)
    assert not any(asked)


async def test_what_is_there_is_not_made(program: Path, tmp_path: Path):
    cache = AotCache(tmp_path / "java-1.aot")
    cache.file.touch()
    for known in (cache, None):
        async with trainer.make_cache_when_idle(lambda known=known: known):
            await asyncio.sleep(0.1)
    assert not (tmp_path / "pid").exists()


async def test_a_program_that_is_gone_hinders_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog
):
    caplog.set_level("INFO", "graphmem")
    monkeypatch.setattr(trainer, "IDLE_S", 0)
    monkeypatch.setattr(trainer.sys, "executable", str(tmp_path / "gone"))
    async with trainer.make_cache_when_idle(lambda: AotCache(tmp_path / "java-1.aot")):
        await asyncio.to_thread(wait_until, lambda: "is not made" in caplog.text)


@pytest.mark.parametrize("fails", [True, False])
async def test_work_that_is_given_up_tells_nothing(fails: bool):
    """Ctrl-C while a server starts: that it then fails to start is what was wanted."""
    told: list[dict[str, object]] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, found: told.append(found))
    begun, ended = threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        ended.wait(60)
        if fails:
            raise Misconfigured("Neo4j did not start")

    task = asyncio.create_task(run_cancellable(ended.set, work))
    await asyncio.to_thread(begun.wait, 60)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    del task
    gc.collect()
    await asyncio.sleep(0)
    assert told == []
