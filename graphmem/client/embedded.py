"""A service that is started for a client, as a process of its own."""

import atexit
import os
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from graphmem.client.errors import NotAvailable

STOP_S: Final = 60.0
TOLD_LINES: Final = 20
ADDRESS: Final = "GraphQL"


class EmbeddedService:
    """`graphmem serve` on a free port of this machine, until `stop` or the end of the process."""

    def __init__(self, data: Path | None, settings: Mapping[str, str]) -> None:
        self._environment = {**os.environ, **settings, "PYTHONUNBUFFERED": "1"}
        self._command = [sys.executable, "-P", "-m", "graphmem", "serve", "--port", "0"]
        self._command += ["--host", "127.0.0.1"]
        if data is not None:
            self._command += ["--data", str(data.absolute())]
        self._process: subprocess.Popen[str] | None = None
        self._output: deque[str] = deque(maxlen=TOLD_LINES)
        self._url, self._ready = "", threading.Event()

    def start(self, timeout_s: float) -> str:
        """Start the service and return its address, when it answers. Raises NotAvailable."""
        self._process = subprocess.Popen(
            self._command,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        atexit.register(self.stop)
        threading.Thread(target=self._read_output, args=(self._process,), daemon=True).start()
        ends = time.monotonic() + timeout_s
        while not self._ready.wait(0.1):
            if time.monotonic() > ends:
                self.stop()
                raise NotAvailable(f"the service did not start in {timeout_s:g} seconds")
        if not self._url:
            self.stop()
            raise NotAvailable("the service did not start: " + " ".join(self._output))
        return self._url

    def stop(self) -> None:
        """Stop it in good order, or by force when that takes too long."""
        atexit.unregister(self.stop)
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _read_output(self, process: subprocess.Popen[str]) -> None:
        """Read what the service prints, so that it never waits for a reader."""
        assert process.stdout is not None
        with process.stdout:
            for line in process.stdout:
                words = line.split()
                if words[:1] == [ADDRESS] and not self._url:
                    self._url = words[1].removesuffix("/graphql")
                    self._ready.set()
                self._output.append(line.strip())
        self._ready.set()
