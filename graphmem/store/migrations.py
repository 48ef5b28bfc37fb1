"""Applies schema/migrations in order, once, however many replicas start together."""

import asyncio
import hashlib
import re
from dataclasses import dataclass
from datetime import datetime
from importlib.resources.abc import Traversable

from graphmem.errors import Misconfigured, Unavailable
from graphmem.store.graph import Graph, Row, Step

INDEXES_S = 300
LEASE_S = INDEXES_S + 60  # renewed before each statement, and before the wait for indexes
WAIT_S = LEASE_S + 60
_FILE = re.compile(r"(\d{4})_\w+\.cypher")
_COMMENT = re.compile(r"//[^\n]*")
_STATEMENT_END = re.compile(r";[ \t]*(?:\n|$)")
_BEFORE_FIRST = (
    "the store was made by a version of graphmem before 0.1.0, which this version can't open: "
    "write what each user owns to a file by `graphmem export` of that version, and read the files "
    "by `graphmem import` of this one into a new data folder or an empty database"
)


@dataclass(frozen=True)
class Migration:
    """One numbered file; its checksum is the SHA-256 of its text."""

    number: int
    name: str
    checksum: str
    statements: tuple[str, ...]


def load_migrations(folder: Traversable) -> tuple[Migration, ...]:
    """Return the files of the folder by number. Raises Misconfigured when one has a wrong name."""
    found = []
    for entry in folder.iterdir():
        match = _FILE.fullmatch(entry.name)
        if match is None:
            raise Misconfigured(f"schema/migrations: {entry.name} is not named 0001_what.cypher")
        text = entry.read_text(encoding="utf-8").replace("\r\n", "\n")
        statements = tuple(part for part in _STATEMENT_END.split(text) if _code(part))
        checksum = hashlib.sha256(text.encode()).hexdigest()
        found.append(Migration(int(match[1]), entry.name, checksum, statements))
    found.sort(key=lambda migration: migration.number)
    if not found or [each.number for each in found] != list(range(1, len(found) + 1)):
        raise Misconfigured("schema/migrations: the numbers are not 1, 2, 3 …")
    return tuple(found)


def _code(text: str) -> str:
    return _COMMENT.sub("", text).strip()


async def migrate(
    graph: Graph, migrations: tuple[Migration, ...], *, owner: str, now: datetime
) -> list[str]:
    """Apply the missing migrations; return the names of the files that this call applied.

    `owner` names this process. Raises Misconfigured when an applied file has changed, or the graph
    is newer than this version or older than 0.1.0; Unavailable when another process holds the lease
    for too long."""
    applied = await _check(graph, migrations)
    if len(applied) == len(migrations):
        return []
    await _take_lease(graph, owner)
    try:
        applied = await _check(graph, migrations)
        done = []
        for migration in migrations[len(applied) :]:
            for statement in migration.statements:
                await _keep_lease(graph, owner)
                await graph.run_statement(statement)
            await _keep_lease(graph, owner)
            await await_indexes(graph, INDEXES_S)
            await graph.write_one(
                "migrations/record",
                number=migration.number,
                name=migration.name,
                checksum=migration.checksum,
                now=now,
            )
            done.append(migration.name)
        return done
    finally:
        await graph.write(Step("migrations/unlock", {"owner": owner}))


async def pending(graph: Graph, migrations: tuple[Migration, ...]) -> list[str]:
    """Return the names of the files that are not applied yet. Raises Misconfigured as `migrate`
    does."""
    applied = await _check(graph, migrations)
    return [migration.name for migration in migrations[len(applied) :]]


async def list_checksums(graph: Graph) -> dict[str, str]:
    """Return the checksums of the applied migrations by file name, in their order."""
    return {row["name"]: row["checksum"] for row in await _list_applied(graph)}


async def await_indexes(graph: Graph, seconds: int) -> None:
    """Wait until every index can be used."""
    await graph.run("meta/await_indexes", seconds=seconds)


async def _list_applied(graph: Graph) -> list[Row]:
    return await graph.read("migrations/list")


async def _check(graph: Graph, migrations: tuple[Migration, ...]) -> list[int]:
    rows = await _list_applied(graph)
    # File names never change, so only a store from before 0.1.0 has a different first migration.
    if rows and rows[0]["name"] != migrations[0].name:
        raise Misconfigured(_BEFORE_FIRST)
    known = {migration.number: migration for migration in migrations}
    for row in rows:
        file = known.get(row["number"])
        if file is None:
            raise Misconfigured(
                f"the graph has migration {row['name']}, which this version of graphmem does not "
                "know: start a newer version"
            )
        if file.checksum != row["checksum"]:
            raise Misconfigured(
                f"schema/migrations/{file.name} was changed after it was applied: put the applied "
                "text back and write a new migration"
            )
    return [row["number"] for row in rows]


async def _keep_lease(graph: Graph, owner: str) -> bool:
    """Take the lease, or renew it; False while another process has it."""
    return await graph.write_one("migrations/lock", owner=owner, seconds=LEASE_S) is not None


async def _take_lease(graph: Graph, owner: str) -> None:
    # Retried, since parallel CREATE CONSTRAINT statements of several replicas may collide.
    for _ in range(WAIT_S * 2):
        try:
            await graph.run("migrations/lease_constraint")
            await graph.run("migrations/number_constraint")
            if await _keep_lease(graph, owner):
                return
        except Unavailable:
            pass
        await asyncio.sleep(0.5)
    raise Unavailable("another process has been migrating the graph for too long")
