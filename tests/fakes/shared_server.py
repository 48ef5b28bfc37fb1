"""One Neo4j for all the processes of a test run, and users that belong to one of them."""

import fcntl
import json
import os
import secrets
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import asdict
from pathlib import Path
from typing import LiteralString

from neo4j import GraphDatabase

from graphmem.server import ServerAddress

WORKER = os.environ.get("PYTEST_XDIST_WORKER", "")
MANY = 200  # notes of a user
_REMOVE: LiteralString = """MATCH (n:Note) WHERE n.user STARTS WITH $own AND n.status IS NOT NULL
WITH n.user AS user, count(*) AS notes WHERE notes >= $many
CALL (user) {
  MATCH (n:Note {user: user})
  CALL (n) { MATCH (n)-[:HAD]->(r:Revision) DETACH DELETE r }
  DETACH DELETE n
} IN TRANSACTIONS OF 1 ROW"""
Started = tuple[ServerAddress, Callable[[], None]]


def new_user() -> str:
    """A user id that no other test has, of this process."""
    return f"u-{WORKER}{secrets.token_hex(6)}"


OWNERS: ContextVar[frozenset[str] | None] = ContextVar("OWNERS", default=None)


def is_own(user: str) -> bool:
    """Whether a user belongs to this process."""
    owners = OWNERS.get()
    return user.startswith(f"u-{WORKER}") if owners is None else user in owners


def own_range() -> tuple[str, str]:
    """Between which ids these users are: after the first one, up to the last one."""
    owners = OWNERS.get()
    if owners is None:
        return f"u-{WORKER}", f"u-{WORKER}\uffff"
    return min(owners)[:-1], max(owners)


def remove_many_notes(address: ServerAddress) -> None:
    """Destroy the notes of those users of this process who have many."""
    auth = (address.user, address.password)
    with GraphDatabase.driver(address.bolt_uri, auth=auth) as driver, driver.session() as session:
        session.run(_REMOVE, own=f"u-{WORKER}", many=MANY).consume()


class SharedServer:
    """The first process that needs the server starts it, and stops it when all others have ended.

    Every process holds the shared lock from before the first test on, so that the server outlives
    the process that needs it last."""

    def __init__(self) -> None:
        run = os.environ.get("PYTEST_XDIST_TESTRUNUID", secrets.token_hex(16))
        self._folder = Path(tempfile.gettempdir()) / f"graphmem-tests-{run}"
        self._folder.mkdir(mode=0o700, exist_ok=True)
        self._alive = os.open(self._folder / "alive", os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(self._alive, fcntl.LOCK_SH)
        self._stop: Callable[[], None] | None = None

    def address(self, start: Callable[[], Started]) -> ServerAddress:
        """Where the server is; `start` starts it and tells how to stop it."""
        self._folder.mkdir(mode=0o700, exist_ok=True)  # somebody may have tidied up meanwhile
        place = self._folder / "address"
        with (self._folder / "starting").open("a") as starting:
            fcntl.flock(starting, fcntl.LOCK_EX)
            if place.exists():
                return ServerAddress(**json.loads(place.read_text("utf-8")))
            address, self._stop = start()
            place.touch(0o600)
            place.write_text(json.dumps(asdict(address)), "utf-8")
            return address

    def known(self) -> ServerAddress | None:
        """Where the server is, if somebody has started it."""
        place = self._folder / "address"
        with suppress(FileNotFoundError, ValueError):
            return ServerAddress(**json.loads(place.read_text("utf-8")))
        return None

    def end(self) -> None:
        """Stop the server if this process has started it, as soon as nobody else may need it."""
        if self._stop is not None:
            fcntl.flock(self._alive, fcntl.LOCK_EX)
            self._stop()
        with suppress(BlockingIOError):
            fcntl.flock(self._alive, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(self._folder, ignore_errors=True)  # nobody else is left
        os.close(self._alive)
