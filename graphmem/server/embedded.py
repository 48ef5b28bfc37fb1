"""A Neo4j server that runs as a child process and is kept running."""

import contextlib
import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from graphmem.errors import Misconfigured
from graphmem.server import bolt
from graphmem.server.aot import AotCache, cache_of, recording_options
from graphmem.server.cache import open_cache
from graphmem.server.child import Child
from graphmem.server.classpath import class_path
from graphmem.server.command import (
    environment,
    extensions,
    memory_size,
    server_command,
)
from graphmem.server.conf import Ports, conf_text
from graphmem.server.home import USER, DataFolder, ensure_password
from graphmem.server.jars import is_locked_version
from graphmem.server.java import Java, find_java
from graphmem.server.lockfile import FolderLock, ServerAddress
from graphmem.server.ports import HOST, PortReservation, reservations
from graphmem.server.recovery import is_recovering
from graphmem.server.watchdog import ORDERLY_GRACE

_log = logging.getLogger(__name__)

USUAL_BOLT = 7687
USUAL_HTTP = 7474
CRASHES = 5  # after so many within CRASH_WINDOW it stays down
CRASH_WINDOW = 120.0  # seconds
FIRST_PAUSE = 0.25  # seconds before a restart; doubled for each further crash in the window
POLL = 0.1  # seconds
PATIENCE = 300.0  # seconds for a start, which a busy machine may need
TOLD_EVERY = 30.0  # seconds between log messages about a slow start
RECOVERY = 3600.0  # the longest wait for a recovery, in seconds
INVALID_CONFIGURATION = 3  # exit code
RECORDING_GRACE = 300.0  # seconds to stop, for a server that writes a record of Java at its end


class EmbeddedNeo4j:
    """A Neo4j Community server on one data folder, on loopback, with a password.

    It ends with this process, however that ends, and is restarted on the same ports when it
    crashes. A context manager; `start` and `stop` block.
    """

    def __init__(
        self,
        data_dir: Path,
        *,
        cache_dir: Path,
        heap: str = "1g",
        page_cache: str = "512m",
        browser: bool = False,
        neo4j_home: Path | None = None,
        java_home: str | None = None,
        aot_cache: bool = True,
        record: Path | None = None,
        read_only: bool = False,
    ) -> None:
        """Check the settings (Misconfigured); nothing is started or written yet.

        `neo4j_home` is an unpacked distribution, used instead of a download; `java_home` is tried
        before the Java of PATH; `aot_cache`: start with Java's AOT cache, if there is one;
        `record`: the file that the record for such a cache is written to when the server stops;
        `read_only`: nobody can change the graph, which has to be there."""
        self.folder = DataFolder(data_dir.absolute())
        self._cache_dir = cache_dir.absolute()
        self._heap = memory_size(heap, "The heap of Neo4j")
        self._page_cache = memory_size(page_cache, "The page cache of Neo4j")
        self._browser = browser
        self._neo4j_home = neo4j_home
        self._java_home = java_home
        self._with_aot = aot_cache
        self._record = record
        self._read_only = read_only
        self.aot: AotCache | None = None  # known after `start`; None: not to be used
        self._ports: Ports | None = None
        self._reservations: list[PortReservation] = []
        self._lock: FolderLock | None = None
        self._child: Child | None = None
        self._latest: Child | None = None  # the same, but kept while it stops
        self._command: list[str] = []
        self._quick_command: list[str] = []  # the same with Java's AOT cache; empty: there is none
        self._password = ""
        self._logged = (self.folder.debug_log, 0)  # the log and its length at the start
        self._supervisor: threading.Thread | None = None
        self._stopping = threading.Event()
        self._mutex = threading.Lock()
        self._failure: str | None = None
        self._on_failure: Callable[[], object] | None = None

    def __enter__(self) -> Self:
        """Start the server."""
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop the server."""
        self.stop()

    @property
    def address(self) -> ServerAddress:
        """The address of the server; raises RuntimeError before `start` and after `stop`."""
        if self._child is None or self._ports is None:
            raise RuntimeError("the server is not started")
        http = self._ports.http
        return ServerAddress(
            bolt_uri=f"bolt://{HOST}:{self._ports.bolt}",
            user=USER,
            password=self._password,
            browser_url=None if http is None else f"http://{HOST}:{http}/browser/",
            pid=self._child.pid,
        )

    @property
    def failure(self) -> str | None:
        """The reason why the server stays down after crashing too often; None while it is
        supervised."""
        return self._failure

    def when_failed(self, tell: Callable[[], object] | None) -> None:
        """Call `tell` from another thread once there is a `failure`; at once if there is one."""
        self._on_failure = tell
        if tell is not None and self._failure is not None:
            tell()

    def start(self, timeout_s: float = PATIENCE) -> ServerAddress:
        """Start the server and wait until it answers; a download before that is not counted.

        Raises Misconfigured when it can't be started: no jars, no Java, folder in use, bad memory
        settings, or no answer within `timeout_s` seconds. While it recovers from a crash, the wait
        continues, since an interrupted recovery starts from the beginning."""
        if self._child is not None:
            return self.address
        self._stopping.clear()
        self._failure = None
        try:
            self._prepare()
            self._launch(timeout_s)
            self._publish()
        except BaseException:
            self.stop()
            raise
        self._supervisor = threading.Thread(
            target=self._supervise, name="neo4j-supervisor", daemon=True
        )
        self._supervisor.start()
        return self.address

    def stop(self) -> None:
        """Stop the server in good order and release its folder and ports; may be repeated."""
        self._stopping.set()
        with self._mutex:
            child, self._child = self._child, None
        if child is not None:
            child.stop()
        if self._supervisor is not None:
            self._supervisor.join()
            self._supervisor = None
        for reservation in self._reservations:
            reservation.release()
        self._reservations.clear()
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def kill(self) -> None:
        """End Java at once, for a server whose data nobody needs; a `start` in progress fails."""
        self._stopping.set()
        if self._latest is not None:
            self._latest.kill()

    def _launch(self, timeout_s: float) -> None:
        """Start Java and wait for it; if it ends with its AOT cache, try once more without it."""
        self._child = self._spawn(self._quick_command or self._command)
        try:
            self._await_bolt(self._child, timeout_s)
        except Misconfigured:
            code = self._child.poll()
            if not self._quick_command or code in (None, INVALID_CONFIGURATION):
                raise
            _log.warning("Neo4j ended while it started (exit code %d); trying a plain start", code)
            self._child.wait()
            self._child = self._spawn(self._command)
            self._await_bolt(self._child, timeout_s)
            if self.aot is not None:
                self.aot.drop()

    def _prepare(self) -> None:
        """Prepare everything that is needed before the first start of Java."""
        if self._read_only and not self.folder.has_graph():
            raise Misconfigured(f"there is no graph in {self.folder.root}")
        self.folder.make()
        self._lock = FolderLock(self.folder)
        open_cache(self._cache_dir)
        java = find_java(self._java_home)
        jars = class_path(self._cache_dir, self._browser, self._neo4j_home)
        self.folder.rotate_log()
        self._ports = self._reserve_ports()
        conf = self.folder.home / "conf" / "neo4j.conf"
        pinned = is_locked_version(self._neo4j_home)
        text = conf_text(self._ports, self._page_cache, pinned, read_only=self._read_only)
        conf.write_text(text, "utf-8")
        self._password = ensure_password(self.folder, java, jars)
        self.aot = self._find_aot_cache(java, jars)
        self._command = self._build_command(java, jars, recording_options(self._record))
        quick = self.aot.used_by() if self.aot is not None and self._record is None else []
        self._quick_command = self._build_command(java, jars, quick) if quick else []

    def _build_command(self, java: Java, jars: str, extra: list[str]) -> list[str]:
        return server_command(java, self.folder.home, jars, self._heap, extra)

    def _find_aot_cache(self, java: Java, jars: str) -> AotCache | None:
        """Return Java's AOT cache for this start; None with plugins, which it would not know."""
        if not self._with_aot or extensions(self.folder.home):
            return None
        return cache_of(self._cache_dir, java, jars)

    def _reserve_ports(self) -> Ports:
        """Reserve the same ports as before if this server was started before, else the usual
        ones."""
        last = self._ports
        wanted = [last.bolt if last else USUAL_BOLT]
        if self._browser:
            wanted.append(last.http if last and last.http else USUAL_HTTP)
        folder = reservations(self._cache_dir / "ports")
        for port in wanted:
            self._reservations.append(PortReservation(folder, port))
        found = [reservation.port for reservation in self._reservations]
        return Ports(bolt=found[0], http=found[1] if self._browser else None)

    def _spawn(self, command: list[str]) -> Child:
        assert self._lock is not None
        debug = self.folder.debug_log
        self._logged = (debug, debug.stat().st_size if debug.exists() else 0)
        self._latest = Child(
            command,
            environment(self.folder.home),
            self.folder.log,
            self._lock.descriptor,
            ORDERLY_GRACE if self._record is None else RECORDING_GRACE,
        )
        return self._latest

    def _publish(self) -> None:
        assert self._lock is not None
        self._lock.publish(self.address)

    def _await_bolt(self, child: Child, timeout_s: float) -> None:
        assert self._ports is not None
        started, patience, next_report = time.monotonic(), timeout_s, TOLD_EVERY
        while not bolt.answers(HOST, self._ports.bolt):
            code = child.poll()
            if code is not None or self._stopping.is_set():
                raise Misconfigured(self._explain(f"Neo4j did not start (exit code {code}).", code))
            waited = time.monotonic() - started
            if waited > next_report:
                _log.warning("Neo4j is still starting (%.0f s)", waited)
                next_report += TOLD_EVERY
            if waited > patience and waited < RECOVERY and is_recovering(*self._logged):
                _log.warning("Neo4j recovers what its last end left unfinished (%.0f s)", waited)
                patience += timeout_s
            if waited > patience:
                raise Misconfigured(
                    self._explain(f"Neo4j did not answer within {timeout_s:.0f} seconds.")
                )
            time.sleep(POLL)
        _log.info("Neo4j answers on port %d (%.1f s)", self._ports.bolt, time.monotonic() - started)

    def _explain(self, what: str, code: int | None = None) -> str:
        hint = ""
        if code == INVALID_CONFIGURATION:
            hint = (
                f" It refused its settings; perhaps this machine has too little memory for a heap "
                f"of {self._heap} and a page cache of {self._page_cache}."
            )
        return f"{what}{hint} The end of {self.folder.log}:\n{self.folder.log_tail()}"

    def _supervise(self) -> None:
        """Restart the server whenever it ends by itself; runs in a thread of its own."""
        crashes: deque[float] = deque()
        child = self._child
        while child is not None:
            code = child.wait()
            if self._stopping.is_set():
                return
            now = time.monotonic()
            crashes.append(now)
            while now - crashes[0] > CRASH_WINDOW:
                crashes.popleft()
            _log.error("Neo4j ended by itself (exit code %d), see %s", code, self.folder.log)
            if len(crashes) >= CRASHES:
                self._give_up(f"crashed {CRASHES} times within {CRASH_WINDOW:.0f} seconds")
                return
            if self._stopping.wait(FIRST_PAUSE * 2 ** (len(crashes) - 1)):
                return
            child = self._restart()

    def _restart(self) -> Child | None:
        """Start Java again; return None if `stop` was called, or if it can't be started."""
        with self._mutex:
            if self._stopping.is_set():
                return None
            try:
                # Without the AOT cache: slower, but that is ruled out as the cause.
                self._child = self._spawn(self._command)
                self._publish()
            except (Misconfigured, OSError) as exc:
                self._give_up(f"ended and can't be restarted ({exc})")
                return None
            _log.warning("Neo4j is restarted, process %d", self._child.pid)
            return self._child

    def _give_up(self, why: str) -> None:
        self._failure = self._explain(f"Neo4j {why} and stays down.")
        _log.critical("%s", self._failure)
        if (on_failure := self._on_failure) is not None:
            with contextlib.suppress(
                RuntimeError
            ):  # the event loop of the caller may have ended meanwhile
                on_failure()
