"""A Neo4j that keeps crashing ends the program, by a program in Java's place that speaks as little
Bolt as it takes to be taken for a server; and a folder that is in use."""

import os
import re
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from graphmem.server import running_server

JAVA = """#!{python}
import socket, sys
if "--list-modules" in sys.argv:
    print("java.base@25")
elif any(word.startswith("--home-dir=") for word in sys.argv):
    home = next(word for word in sys.argv if word.startswith("--home-dir=")).partition("=")[2]
    lines = open(home + "/conf/neo4j.conf").read().splitlines()
    place = next(line for line in lines if line.startswith("server.bolt.listen_address="))
    print("the stand-in runs", flush=True)
    server = socket.create_server(("127.0.0.1", int(place.rpartition(":")[2])))
    while True:
        connection, _ = server.accept()
        connection.recv(20)
        connection.sendall(bytes((0, 0, 0, 6)))
        connection.close()
"""


@pytest.fixture
def graphmem(tmp_path: Path) -> Iterator[Callable[..., "subprocess.Popen[str]"]]:
    """Starts the program with the stand-in for Java, on the folder `data`."""
    java = tmp_path / "java" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(JAVA.format(python=sys.executable))
    java.chmod(java.stat().st_mode | stat.S_IXUSR)
    jar = tmp_path / "distribution" / "lib" / "neo4j-kernel-2026.08.1.jar"
    jar.parent.mkdir(parents=True)
    jar.touch()
    kept = {k: v for k, v in os.environ.items() if not k.startswith("GRAPHMEM_")}
    env = kept | {
        "JAVA_HOME": str(tmp_path / "java"),
        "NEO4J_HOME": str(tmp_path / "distribution"),
        "GRAPHMEM_DATA": str(tmp_path / "data"),
        "GRAPHMEM_CACHE": str(tmp_path / "cache"),
        "GRAPHMEM_EMBEDDER": "hash",
        "GRAPHMEM_EXTRACTOR": "rules",
    }
    started = []

    def start(*words: str) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [sys.executable, "-m", "graphmem", *words],
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def kill_java(data: Path, times: int) -> None:
    """Kill each Java that the program starts on the folder."""
    killed: set[int] = set()
    deadline = time.monotonic() + 90
    while len(killed) < times:
        assert time.monotonic() < deadline, f"killed {len(killed)} only"
        address = running_server(data)
        if address is not None and address.pid not in killed:
            killed.add(address.pid)
            os.kill(address.pid, signal.SIGKILL)
        time.sleep(0.05)


def test_five_crashes_end_the_program_with_1(
    graphmem: Callable[..., "subprocess.Popen[str]"], tmp_path: Path
):
    process = graphmem("neo4j", "--no-browser")
    assert process.stdout is not None
    assert process.stdout.readline() == "Neo4j is ready.\n", process.communicate()
    kill_java(tmp_path / "data", 5)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    told = r"^graphmem: Neo4j crashed 5 times within 120 seconds and stays down\. .+neo4j\.log:$"
    assert re.search(told, err, re.MULTILINE), err
    assert "the stand-in runs" in err
    assert "Traceback" not in err
    assert not (tmp_path / "data" / "neo4j.address").exists()


def test_a_second_service_on_a_folder_is_refused(
    graphmem: Callable[..., "subprocess.Popen[str]"], tmp_path: Path
):
    """With the first one's Neo4j it would lose its database as soon as the first one stops."""
    first = graphmem("neo4j", "--no-browser")
    assert first.stdout is not None
    first.stdout.readline()
    address = running_server(tmp_path / "data")
    for words in (["serve", "--port", "0"], ["demo", "--once", "--port", "0"]):
        second = graphmem(*words, "--data", str(tmp_path / "data"))
        out, err = second.communicate(timeout=120)
        assert second.returncode == 1, words
        assert f"is in use by process {first.pid}. " in err.splitlines()[-1]
        assert "ready" not in out
    assert running_server(tmp_path / "data") == address
    told, _ = graphmem("neo4j", "--no-browser").communicate(timeout=60)
    assert told.startswith("Neo4j is running already.\n")
    assert first.poll() is None
