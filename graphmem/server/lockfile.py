"""One process per data folder: the lock, and the address that others may read."""

import fcntl
import json
import os
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

from graphmem.errors import Misconfigured
from graphmem.server.home import DataFolder, write_private

PATIENCE = 15.0  # seconds after which the server of a dead process has surely stopped


@dataclass(frozen=True)
class ServerAddress:
    """The address and login of a running server; `pid` is the process id of its Java."""

    bolt_uri: str
    user: str
    password: str = field(repr=False)
    browser_url: str | None
    pid: int


class FolderLock:
    """Exclusive use of a data folder, for as long as this process and its server live."""

    def __init__(self, folder: DataFolder) -> None:
        """Take the lock; raises Misconfigured, which names the process that has it.

        A process that was killed leaves its server behind for some seconds: this waits for that."""
        self._folder = folder
        self.descriptor = os.open(folder.lock, os.O_RDWR | os.O_CREAT, 0o600)
        deadline = time.monotonic() + PATIENCE
        refused_at_once = time.monotonic() + 0.5  # `running_server` holds the lock for an instant
        while not try_lock(self.descriptor):
            pid = pid_in(folder.lock)
            alive = pid is not None and is_alive(pid)
            if time.monotonic() > (refused_at_once if alive else deadline):
                os.close(self.descriptor)
                raise Misconfigured(
                    f"The data folder {folder.root} is in use by process {pid or 'unknown'}. "
                    "Stop that one, or use another folder."
                )
            time.sleep(0.1)
        os.ftruncate(self.descriptor, 0)
        os.pwrite(self.descriptor, f"{os.getpid()}\n".encode(), 0)
        self._unpublish()

    def publish(self, address: ServerAddress) -> None:
        """Let other processes of this user know where the server is."""
        fields = asdict(address)
        del fields["password"]  # it has its own file
        write_private(self._folder.address, json.dumps(fields))

    def release(self) -> None:
        """Release the folder."""
        self._unpublish()
        os.close(self.descriptor)

    def _unpublish(self) -> None:
        self._folder.address.unlink(missing_ok=True)
        self._folder.service.unlink(missing_ok=True)


def try_lock(descriptor: int) -> bool:
    """Take the lock if it is free; return False if it is not."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def pid_in(lock: Path) -> int | None:
    """Return the process id in the lock file."""
    try:
        return int(lock.read_text("ascii"))
    except (OSError, ValueError):
        return None


def is_alive(pid: int) -> bool:
    """Return True if a process with this id is running."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def holder_of(data_dir: Path) -> int | None:
    """Return the process that uses this folder now; None if there is none."""
    folder = DataFolder(data_dir.absolute())
    try:
        descriptor = os.open(folder.lock, os.O_RDWR)
    except OSError:
        return None
    try:
        if try_lock(descriptor):
            return None
    finally:
        os.close(descriptor)
    pid = pid_in(folder.lock)
    return pid if pid is not None and is_alive(pid) else None


def running_server(data_dir: Path) -> ServerAddress | None:
    """Return the server that a live process runs on this folder; None if there is none, or not
    yet."""
    if holder_of(data_dir) is None:
        return None
    folder = DataFolder(data_dir.absolute())
    try:
        fields = json.loads(folder.address.read_text("utf-8"))
        return ServerAddress(**fields, password=folder.password.read_text("utf-8").strip())
    except (OSError, ValueError, TypeError):
        return None


def publish_service(data_dir: Path, url: str) -> None:
    """Let other processes of this user know the address of the service that this process runs on
    the folder; do nothing if it does not hold the folder's lock."""
    if holder_of(data_dir) == os.getpid():
        write_private(DataFolder(data_dir.absolute()).service, url + "\n")


def running_service(data_dir: Path) -> str | None:
    """Return the base of the URLs of the service that runs on this folder; None if none does, or
    not yet."""
    if holder_of(data_dir) is None:
        return None
    try:
        return DataFolder(data_dir.absolute()).service.read_text("utf-8").strip() or None
    except (OSError, ValueError):
        return None
