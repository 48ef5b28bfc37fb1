import hashlib
import http.server
import os
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from jgo.maven import MavenContext

from graphmem.errors import Misconfigured
from graphmem.server import jars
from graphmem.server.artifacts import Jar, JarSet, locked
from graphmem.server.classpath import class_path

CONTENT = b"not really a jar"


def test_lock_file_names_every_jar_once_with_a_checksum():
    server, browser = locked("server"), locked("browser")
    names = [jar.filename for jar in server.jars]
    assert (server.version, browser.version) == ("2026.08.1", "5.24.0")
    assert "neo4j-kernel-2026.08.1.jar" in names
    assert len(names) == len(set(names)) > 200
    assert all(len(jar.sha256) == 64 and jar.size > 0 for jar in server.jars + browser.jars)
    assert not {"junit", "mockito-core", "hamcrest"} & {jar.artifact for jar in server.jars}
    assert [jar.filename for jar in browser.jars] == ["neo4j-browser-5.24.0.jar"]
    assert [jar.artifact for jar in locked("graphiql").jars] == ["graphiql", "react", "react-dom"]


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
    jars.publish(finished, target)
    assert (target / "a.jar").read_bytes() == CONTENT


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
        class_path(tmp_path / "cache", browser=True, neo4j_home=None)
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
    cache.mkdir(mode=0o700)
    for folder in (old, new):
        folder.mkdir()
    os.utime(old, (0, 0))
    jars.ensure_jars(cache, jar_set(CONTENT))
    assert (old.exists(), new.exists()) == (False, True)


def test_unpacked_distribution(tmp_path: Path):
    with pytest.raises(Misconfigured, match="no Neo4j server"):
        class_path(tmp_path, browser=True, neo4j_home=tmp_path)
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "neo4j-kernel-5.26.3.jar").touch()
    with pytest.raises(Misconfigured, match=r"older than 2026\.08\.1"):
        class_path(tmp_path, browser=True, neo4j_home=tmp_path)
    (tmp_path / "lib" / "neo4j-kernel-2026.08.1.jar").touch()
    found = class_path(tmp_path, browser=True, neo4j_home=tmp_path)
    assert found == str(tmp_path / "lib" / "*")


def test_default_cache_dir(monkeypatch, tmp_path: Path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert jars.default_cache_dir() == tmp_path / "graphmem"
