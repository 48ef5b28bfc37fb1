"""One life of the server: Java under its watchdog."""

import contextlib
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

from graphmem.errors import Misconfigured
from graphmem.server.lockfile import is_alive
from graphmem.server.watchdog import ABANDONED_GRACE, ORDERLY_GRACE

WATCHDOG = Path(__file__).with_name("watchdog.py")
PID_TIMEOUT = 30.0  # seconds until the watchdog has started Java


class Child:
    """A running Java and the watchdog that ends it with us; `pid` is Java's process id."""

    def __init__(
        self,
        command: list[str],
        env: dict[str, str],
        log: Path,
        lock_descriptor: int,
        grace: float = ORDERLY_GRACE,
    ) -> None:
        """Start both; raises Misconfigured if that is not possible.

        The watchdog keeps the folder's lock open, so that nobody else uses the folder while Java
        still runs after our end. It has its own session: Ctrl-C in a terminal is for us alone.
        `grace`: seconds that Java gets to stop when asked to.
        """
        self._grace = grace
        options = [str(os.getpid()), str(grace), str(log)]
        with log.open("ab") as errors:
            self._watchdog = subprocess.Popen(
                [sys.executable, "-I", "-S", WATCHDOG, *options, *command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=env,
                pass_fds=(lock_descriptor,),
                start_new_session=True,
            )
        self._orphan_checked = False
        self.pid = 0
        try:
            self.pid = self._read_pid()
        except Misconfigured:
            self.kill()
            raise

    def _read_pid(self) -> int:
        assert self._watchdog.stdout is not None
        ready, _, _ = select.select([self._watchdog.stdout], [], [], PID_TIMEOUT)
        line = self._watchdog.stdout.readline() if ready else b""
        if not line:
            raise Misconfigured("Java could not be started; the server's log says why.")
        return int(line)

    def poll(self) -> int | None:
        """Return Java's exit code, or None while it runs."""
        return self._watchdog.poll()

    def wait(self) -> int:
        """Wait until Java has ended and return its exit code (negative: the watchdog's end)."""
        code = self._watchdog.wait()
        self._close_pipes()
        if code < 0 and self.pid and not self._orphan_checked:
            self._orphan_checked = True  # only once: later another process may have this id
            self._kill_orphan()
        return code

    def _close_pipes(self) -> None:
        for pipe in (self._watchdog.stdin, self._watchdog.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def _kill_orphan(self) -> None:
        """Make sure that Java does not outlive a killed watchdog; Linux does it, other systems
        don't."""
        deadline = time.monotonic() + ABANDONED_GRACE
        while is_alive(self.pid) and time.monotonic() < deadline:
            with contextlib.suppress(OSError):
                os.kill(self.pid, signal.SIGKILL)
            time.sleep(0.05)

    def ask_to_stop(self) -> None:
        """Ask the watchdog to stop Java in good order."""
        assert self._watchdog.stdin is not None
        with contextlib.suppress(OSError, ValueError):  # it may have ended already
            self._watchdog.stdin.write(b"stop\n")
            self._watchdog.stdin.flush()

    def stop(self) -> None:
        """Stop Java in good order, by force if it takes too long."""
        self.ask_to_stop()
        try:
            self._watchdog.wait(self._grace + ABANDONED_GRACE)
        except subprocess.TimeoutExpired:
            self._watchdog.kill()
        self.wait()

    def kill(self) -> None:
        """End Java at once."""
        self._watchdog.kill()
        self.wait()
