"""What is run from the cache folder is nobody else's to write."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from graphmem.errors import Misconfigured
from graphmem.server import EmbeddedNeo4j, TrainingRun, jars
from graphmem.server.aot import AotCache
from graphmem.server.artifacts import Jar, JarSet

SET = JarSet("neo4j-test", "1.0", (Jar("org.example", "thing", "1.0", "", "0" * 64, 1),))


@pytest.fixture
def umask() -> Iterator[None]:
    """Nothing is closed to others by itself."""
    old = os.umask(0)
    yield
    os.umask(old)


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A cache with one jar and Java's cache, of modes as they were before."""
    folder = tmp_path / "cache"
    jar = folder / SET.folder_name / "thing-1.0.jar"
    jar.parent.mkdir(parents=True)
    aot = folder / "java-1.aot"
    for file in (jar, aot):
        file.write_bytes(b"1")
    for path in (jar, aot, jar.parent, folder):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return folder


def give_away(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make it somebody else's: whoever may not do so is somebody else."""
    if os.geteuid() == 0:
        os.chown(path, 12345, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 12345)


def open_to_all(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.chmod(path.stat().st_mode | 0o002)


def open_to_the_group(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.chmod(path.stat().st_mode | 0o020)


WAYS = (open_to_all, open_to_the_group, give_away)
Spoil = Callable[[Path, pytest.MonkeyPatch], None]


def test_a_cache_that_only_its_owner_writes_is_used(cache: Path) -> None:
    assert jars.ensure_jars(cache, SET) == cache / SET.folder_name
    assert AotCache(cache / "java-1.aot").used_by()


@pytest.mark.parametrize("spoil", WAYS)
@pytest.mark.parametrize("place", ["", SET.folder_name, f"{SET.folder_name}/thing-1.0.jar"])
def test_jars_that_others_can_write_are_not_used(
    cache: Path, place: str, spoil: Spoil, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoil(cache / place, monkeypatch)
    with pytest.raises(Misconfigured, match=r"GRAPHMEM_CACHE") as caught:
        jars.ensure_jars(cache, SET)
    assert str(cache / place) in caught.value.message or spoil is give_away
    assert ("chmod" in caught.value.message) is (spoil is not give_away)


@pytest.mark.parametrize("spoil", WAYS)
@pytest.mark.parametrize("place", ["", "java-1.aot"])
def test_a_cache_of_java_that_others_can_write_is_not_used(
    cache: Path, place: str, spoil: Spoil, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoil(cache / place, monkeypatch)
    with pytest.raises(Misconfigured, match=r"GRAPHMEM_CACHE"):
        AotCache(cache / "java-1.aot").used_by()


@pytest.mark.parametrize("spoil", WAYS)
def test_neither_a_server_nor_a_training_run_begins_with_it(
    cache: Path, tmp_path: Path, spoil: Spoil, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoil(cache, monkeypatch)
    elsewhere = tmp_path / "distribution"  # whose jars are not in the cache
    server = EmbeddedNeo4j(tmp_path / "data", cache_dir=cache, neo4j_home=elsewhere)
    run = TrainingRun(cache, heap="512m", neo4j_home=elsewhere, java_home=None)
    for begin in (lambda: server.start(1.0), run.start):
        with pytest.raises(Misconfigured, match=r"GRAPHMEM_CACHE"):
            begin()
    server.stop()
    run.close()


@pytest.mark.usefixtures("umask")
def test_what_is_made_is_closed_to_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def download(jar_set: JarSet, work: Path) -> None:
        (work / "jars").mkdir()
        (work / "jars" / "thing-1.0.jar").write_bytes(b"1")

    monkeypatch.setattr(jars, "download", download)
    cache = tmp_path / "new" / "cache"
    folder = jars.ensure_jars(cache, SET)
    assert cache.stat().st_mode & 0o777 == 0o700
    assert [p.stat().st_mode & 0o777 for p in (folder, *folder.iterdir())] == [0o755, 0o644]
    assert jars.ensure_jars(cache, SET) == folder
