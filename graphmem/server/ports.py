"""Free ports on loopback, reserved for one server while it runs and while it restarts."""

import fcntl
import os
import random
import socket
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from graphmem.errors import Misconfigured

HOST = "127.0.0.1"
# Below the range from which the system takes ports for outgoing connections: in that range a
# client that waits for the server could take the server's port itself.
SPARE = range(17_000, 32_000)
TRIES = 200


class PortReservation:
    """A port that no other server of graphmem takes, even if nothing listens on it yet.

    A server takes seconds until it listens. Until then, and during a restart, a file lock says that
    the port has an owner."""

    def __init__(self, folder: Path, usual: int) -> None:
        """Reserve `usual` or else a spare port; raises Misconfigured if all seem taken."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for port in candidates(usual):
            descriptor = os.open(folder / f"{port}.lock", os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(descriptor)
                continue
            if is_free(port):
                self.port = port
                self._descriptor: int | None = descriptor
                return
            os.close(descriptor)
        raise Misconfigured(f"No free port on {HOST}.")

    def release(self) -> None:
        """Release the port; a second call does nothing."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def reservations(fallback: Path) -> Path:
    """Return the folder with the reservations of all servers that this user runs, whatever their
    data folders; `fallback` where the temporary folder has something else under its name."""
    folder = Path(tempfile.gettempdir()) / f"graphmem-ports-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return fallback
    private = found.st_uid == os.getuid() and not stat.S_IMODE(found.st_mode) & 0o077
    return folder if private and stat.S_ISDIR(found.st_mode) else fallback


def candidates(usual: int) -> Iterator[int]:
    """Yield ports to try, best first."""
    yield usual
    yield from random.sample(SPARE, TRIES)


def is_free(port: int) -> bool:
    """Return True if a server could listen on this port."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as client:
        client.settimeout(0.5)
        if client.connect_ex((HOST, port)) == 0:
            return False
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            server.bind((HOST, port))
        except OSError:
            return False
    return True
