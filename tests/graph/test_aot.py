"""Java's AOT cache as the real Java makes and takes it: one training run, then only `-version`."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphmem.errors import Misconfigured
from graphmem.server import EmbeddedNeo4j, TrainingRun, default_cache_dir, embedded
from graphmem.server.aot import AotCache, has_room, recording_options
from graphmem.server.artifacts import locked
from graphmem.server.command import SERVER_CLASS
from graphmem.server.jars import ensure_jars
from graphmem.server.java import find_java

USED = "sharing"  # what `java -version` says of a cache that it has taken


@pytest.fixture(scope="module", autouse=True)
def whole_java() -> Iterator[None]:
    """The Java that users have: what other tests put into JAVA_HOME is no whole one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("JAVA_HOME", raising=False)
        yield


@pytest.fixture(scope="module")
def cache_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache folder of its own."""
    return with_jars(tmp_path_factory.mktemp("cache"))


def with_jars(folder: Path) -> Path:
    """The folder, with the jars that are on this machine already."""
    jars = ensure_jars(default_cache_dir(), locked("server"))
    (folder / jars.name).symlink_to(jars)
    return folder


@pytest.fixture(scope="module")
def made(cache_dir: Path) -> AotCache:
    """The cache of a training run that asks nothing."""
    if find_java().version < 25:
        pytest.skip("this Java makes no such cache")
    run = TrainingRun(cache_dir, heap="512m", neo4j_home=None, java_home=None)
    try:
        address = run.start()
        if address is None:
            pytest.skip("disk or memory is short")
        return AotCache(run.finish())
    finally:
        run.close()


def version(command: list[str]) -> tuple[int, str]:
    """Exit code and words of the server's Java, told to say its version instead."""
    words = [*command[: command.index(SERVER_CLASS)], "-version"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def command(
    made: AotCache, cache_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> list[str]:
    """The command of a later start, on another folder and with another heap."""
    monkeypatch.setattr(embedded, "ensure_password", lambda *_: "secret")
    server = EmbeddedNeo4j(tmp_path / "data", cache_dir=cache_dir, heap="1g")
    server._prepare()
    assert server.aot == made
    quick = server._quick_command
    server.stop()
    return quick


def test_it_is_made_once_and_used_by_later_starts(command: list[str], cache_dir: Path):
    code, said = version(command)
    assert code == 0
    assert USED in said
    assert "[aot" not in said  # no warning
    assert [file.suffix for file in cache_dir.glob("java-*")] == [".aot"]
    assert not (cache_dir / ".aot").exists()
    again = TrainingRun(cache_dir, heap="512m", neo4j_home=None, java_home=None)
    assert again.start() is None
    again.close()


def truncated(file: Path) -> None:
    with file.open("r+b") as opened:
        opened.truncate(50_000_000)


def with_a_hole(file: Path) -> None:
    with file.open("r+b") as opened:
        opened.seek(60_000_000)
        opened.write(bytes(20_000_000))


@pytest.mark.parametrize(
    "spoil", [truncated, with_a_hole, lambda file: file.write_bytes(b"x" * 99_999), Path.unlink]
)
def test_java_starts_without_it_where_it_is_spoiled(spoil, made, command, tmp_path: Path):
    copy = tmp_path / "copy.aot"
    shutil.copy(made.file, copy)
    spoil(copy)
    code, said = version([word.replace(str(made.file), str(copy)) for word in command])
    assert code == 0
    assert USED not in said


def test_java_refuses_it_with_other_jars(made: AotCache, command: list[str], tmp_path: Path):
    place = command.index("-cp") + 1
    code, said = version([*command[:place], str(tmp_path), *command[place + 1 :]])
    assert code == 0
    assert USED not in said


def test_a_run_that_is_killed_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    if not has_room(tmp_path):
        pytest.skip("disk or memory is short")
    run = TrainingRun(with_jars(tmp_path), heap="512m", neo4j_home=None, java_home=None)

    def killed(*_: object) -> None:
        run.kill()
        raise Misconfigured("killed")

    monkeypatch.setattr(embedded, "ensure_password", killed)
    with pytest.raises(Misconfigured):
        run.start()
    run.close()
    assert not (tmp_path / ".aot").exists()


def test_options_of_a_run_that_records_nothing():
    assert recording_options(None) == []
