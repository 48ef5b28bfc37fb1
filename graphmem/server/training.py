"""A training run: a Neo4j on a temporary folder, from which Java's AOT cache is made.

Java could make the cache from a service's own run when that stops; but the stop would take ten
seconds longer, and hold the data folder as long."""

import contextlib
import logging
import time
from contextlib import ExitStack
from pathlib import Path

from graphmem.errors import Misconfigured
from graphmem.server.aot import (
    AotCache,
    assembling_options,
    cache_of,
    has_room,
    publish,
    training_folder,
)
from graphmem.server.cache import open_cache
from graphmem.server.child import Child
from graphmem.server.classpath import class_path
from graphmem.server.command import environment, java_options
from graphmem.server.embedded import RECORDING_GRACE, EmbeddedNeo4j
from graphmem.server.java import find_java
from graphmem.server.lockfile import ServerAddress

_log = logging.getLogger(__name__)

START_S = 600.0  # it gives way to everything else
ASSEMBLY_S = 600.0
POLL = 0.2


class TrainingRun:
    """`start` returns a server to practise on, `finish` makes the cache from its record; both
    block.

    `kill` ends them from another thread; `close` removes all but a finished cache."""

    def __init__(
        self, cache_dir: Path, *, heap: str, neo4j_home: Path | None, java_home: str | None
    ) -> None:
        """Keep the settings that decide which cache it is; nothing is started yet."""
        self._cache_dir = cache_dir
        self._heap = heap
        self._neo4j_home = neo4j_home
        self._java_home = java_home
        self._stack = ExitStack()
        self._server: EmbeddedNeo4j | None = None
        self._assembler: Child | None = None
        self._work = cache_dir
        self._lock = -1
        self._cache: AotCache | None = None
        self._ended = False

    def start(self) -> ServerAddress | None:
        """Start and return a server that records; None if the cache exists, is impossible or is
        being made by another process, or if disk or memory are short. Raises Misconfigured,
        OSError."""
        open_cache(self._cache_dir)
        shop = self._stack.enter_context(training_folder(self._cache_dir))
        if shop is None or not has_room(self._cache_dir):
            return None
        self._work, self._lock = shop
        java = find_java(self._java_home)
        jars = class_path(self._cache_dir, False, self._neo4j_home)
        self._cache = cache_of(self._cache_dir, java, jars)
        if self._cache is None or not self._cache.is_wanted:
            return None
        self._server = EmbeddedNeo4j(
            self._work / "data",
            cache_dir=self._cache_dir,
            heap=self._heap,
            page_cache="64m",
            neo4j_home=self._neo4j_home,
            java_home=self._java_home,
            record=self._work / "record",
        )
        return self._server.start(START_S)

    def finish(self) -> Path:
        """Stop the server, make the cache and return its path. Raises Misconfigured, OSError."""
        assert self._server is not None
        assert self._cache is not None
        self._server.stop()
        made = self._work / "made"
        java = find_java(self._java_home)
        jars = class_path(self._cache_dir, False, self._neo4j_home)
        options = [
            *java_options(java),
            *assembling_options(self._work / "record", made),
            "-cp",
            jars,
        ]
        command = [str(java.path), f"-Xmx{self._heap}", *options]
        log = self._work / "log"
        self._assembler = Child(command, environment(self._work), log, self._lock, RECORDING_GRACE)
        deadline = time.monotonic() + ASSEMBLY_S
        while self._assembler.poll() is None and not self._ended and time.monotonic() < deadline:
            time.sleep(POLL)
        if self._assembler.poll() is None:
            self._assembler.kill()
        if self._assembler.wait() != 0 or not made.exists() or self._ended:
            raise Misconfigured("Java did not make its AOT cache.")
        publish(made, self._cache)
        return self._cache.file

    def give_up(self) -> None:
        """Record the failure, so that it isn't tried at each start."""
        if self._cache is not None:
            with contextlib.suppress(OSError):
                self._cache.failed.touch()

    def kill(self) -> None:
        """End what runs at once: `start` and `finish` fail then."""
        self._ended = True
        if self._server is not None:
            self._server.kill()

    def close(self) -> None:
        """End and remove everything, once `start` and `finish` have returned."""
        if self._server is not None:
            self._server.kill()
            self._server.stop()
        self._stack.close()
