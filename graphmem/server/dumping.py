"""Dumps by Neo4j's own tool: the files of a stopped store in one archive, and the way back."""

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from graphmem.errors import Invalid, Misconfigured
from graphmem.server.classpath import class_path
from graphmem.server.command import ADMIN_CLASS, environment
from graphmem.server.home import DataFolder
from graphmem.server.java import find_java
from graphmem.server.lockfile import FolderLock

BEGINNINGS = (b"DZV1", b"DGV1")  # of dumps
DATABASE = "neo4j"
LONGEST_S = 3 * 3600.0  # for one dump or load
HEAP = "512m"
MOST_SAID = 500  # characters of what the tool says
NO_REASON = ("Files: ", "Full exception details", "Please provide this file")


@dataclass(frozen=True)
class Dumper:
    """Neo4j's tool and where it is found; each call blocks."""

    cache_dir: Path
    neo4j_home: Path | None = None
    java_home: str | None = None

    def dump(self, data_dir: Path, file: BinaryIO) -> None:
        """Write a dump of a store that nobody uses into a file.

        Raises Misconfigured where there is no graph, where a process uses it, and where its last
        end left something to recover."""
        folder = DataFolder(data_dir.absolute())
        if not folder.has_graph():
            raise Misconfigured(f"there is no graph in {folder.root}")
        lock = FolderLock(folder)
        try:
            file.flush()
            words = ["dump", DATABASE, "--to-stdout"]
            done = self._run(folder.home, words, lock.descriptor, stdout=file)
        finally:
            lock.release()
        if done.returncode != 0:
            raise Misconfigured(f"Neo4j could not dump the store: {_said(done.stderr)}")

    def load(self, file: Path, data_dir: Path) -> None:
        """Make the store of a data folder that has none of a dump.

        It is there as a whole or not at all. Raises Misconfigured where there is a graph or a
        process that uses the folder, and Invalid for a damaged file."""
        folder = DataFolder(data_dir.absolute())
        folder.make()
        lock = FolderLock(folder)
        try:
            if folder.has_graph():
                raise Misconfigured(f"there is a graph in {folder.root}: use an empty folder")
            unpacked = folder.root / "restoring"
            shutil.rmtree(unpacked, ignore_errors=True)  # of one that was broken off
            try:
                self._unpack(file, unpacked, lock.descriptor)
                # The folder by which a graph is recognised comes last.
                for part in ("transactions", "databases"):
                    whole = folder.home / "data" / part / DATABASE
                    shutil.rmtree(whole, ignore_errors=True)
                    whole.parent.mkdir(parents=True, exist_ok=True)
                    (unpacked / "data" / part / DATABASE).rename(whole)
            finally:
                shutil.rmtree(unpacked, ignore_errors=True)
        finally:
            lock.release()

    def check(self, file: Path) -> None:
        """Unpack a dump into a folder that is removed again. Raises Invalid for a damaged one."""
        with TemporaryDirectory(prefix="graphmem-dump-") as place:
            self._unpack(file, Path(place) / "unpacked", None)

    def _unpack(self, file: Path, home: Path, lock: int | None) -> None:
        for name in ("conf", "data"):
            (home / name).mkdir(mode=0o700, parents=True)
        with file.open("rb") as packed:
            done = self._run(home, ["load", DATABASE, "--from-stdin"], lock, stdin=packed)
        if done.returncode != 0:
            raise Invalid(f"{file} can't be unpacked: {_said(done.stderr)}")

    def _run(
        self,
        home: Path,
        words: Sequence[str],
        lock: int | None,
        stdin: BinaryIO | int = subprocess.DEVNULL,
        stdout: BinaryIO | int = subprocess.DEVNULL,
    ) -> subprocess.CompletedProcess[bytes]:
        """Run the tool, which keeps the lock of the folder should this process end before it."""
        java = find_java(self.java_home)
        jars = class_path(self.cache_dir, False, self.neo4j_home)
        try:
            return subprocess.run(
                [java.path, f"-Xmx{HEAP}", "-cp", jars, ADMIN_CLASS, "database", *words],
                env=environment(home),
                stdin=stdin,
                stdout=stdout,
                stderr=subprocess.PIPE,
                pass_fds=() if lock is None else (lock,),
                timeout=LONGEST_S,
            )
        except (OSError, subprocess.TimeoutExpired) as exc:
            raise Misconfigured("Neo4j's admin tool could not be run to its end") from exc


def is_dump(file: Path) -> bool:
    """Check if a file begins as a dump of Neo4j does."""
    try:
        with file.open("rb") as opened:
            return opened.read(4) in BEGINNINGS
    except OSError:
        return False


def _said(errors: bytes) -> str:
    """Return what the tool says of a failure, without its progress, warnings and traces."""
    text = errors.decode("utf-8", "replace").rpartition("Command Failed")[2]
    lines = [line.strip(" -") for line in text.splitlines() if not line.startswith("\tat ")]
    reasons = [line for line in lines if line and not line.startswith(NO_REASON)]
    return " ".join(dict.fromkeys(reasons))[:MOST_SAID] or "it does not say why"
