from pathlib import Path

import pytest

from graphmem.errors import Misconfigured
from graphmem.server.command import server_command
from graphmem.server.java import Java, find_java, probe


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
    assert find_java(str(old.parents[1])) == Java(good, 21, vector=True, release="21.0.9")


def test_java_home_comes_before_path(tmp_path: Path, monkeypatch):
    on_path = fake_java(tmp_path / "21", "21.0.9")
    home = fake_java(tmp_path / "25", "25.0.2")
    monkeypatch.setenv("PATH", str(on_path.parent))
    monkeypatch.setenv("JAVA_HOME", str(home.parents[1]))
    assert find_java() == Java(home, 25, vector=False, release="25.0.2")


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
