"""A Neo4j cluster as small as can be: two members that speak Bolt 5.4, of which one leads, and the
other one reads. They answer each query without a row, and keep what they were asked."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Final

# The driver has no public codec; its own is what a real member would meet.
from neo4j._codec.packstream.v1 import Packer, Unpacker

MEMBERS: Final = ("one", "two")
BOLT: Final = bytes((0, 0, 4, 5))
SUCCESS, IGNORED, FAILURE = b"\x70", b"\x7e", b"\x7f"
NO_LEADER: Final = {"code": "Neo.ClientError.Cluster.NotALeader", "message": "not the leader"}


class Tag(IntEnum):
    """The messages that matter here; the others are answered with success."""

    HELLO = 0x01
    GOODBYE = 0x02
    RESET = 0x0F
    RUN = 0x10
    BEGIN = 0x11
    COMMIT = 0x12
    ROLLBACK = 0x13
    PULL = 0x3F
    ROUTE = 0x66


Answer = tuple[bytes, Mapping[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A transaction that began at a member, or a query that is one by itself."""

    member: str
    mode: str  # "r" or "w"
    database: str | None
    bookmarks: frozenset[str]


@dataclass
class BoltCluster:
    """What the members know; `leader` may change."""

    leader: str = "two"
    ports: dict[str, int] = field(default_factory=dict[str, int])
    asked: list[Asked] = field(default_factory=list[Asked])
    routed: list[str | None] = field(default_factory=list[str | None])  # for which database
    bookmarks: list[str] = field(default_factory=list[str])  # that were given

    @property
    def uri(self) -> str:
        """The address of the first member, which names both."""
        return f"neo4j://127.0.0.1:{self.ports['one']}"

    def route(self, database: str | None) -> Answer:
        """The table of who writes and who reads."""
        self.routed.append(database)
        roles = {"WRITE": [self.leader], "READ": [m for m in MEMBERS if m != self.leader]}
        servers = [
            {"role": role, "addresses": [f"127.0.0.1:{self.ports[member]}" for member in members]}
            for role, members in (roles | {"ROUTE": list(MEMBERS)}).items()
        ]
        return SUCCESS, {"rt": {"ttl": 300, "db": database, "servers": servers}}

    def begin(self, member: str, extra: Mapping[str, Any], fields: Mapping[str, Any]) -> Answer:
        """Begin a transaction; only the leader writes."""
        mode = extra.get("mode", "w")
        if mode == "w" and member != self.leader:
            return FAILURE, NO_LEADER
        bookmarks = frozenset(extra.get("bookmarks", ()))
        asked = Asked(member=member, mode=mode, database=extra.get("db"), bookmarks=bookmarks)
        self.asked.append(asked)
        return SUCCESS, fields

    def end(self, member: str) -> Answer:
        """End a transaction."""
        self.bookmarks.append(f"{member}:{len(self.bookmarks)}")
        return SUCCESS, {"bookmark": self.bookmarks[-1]}


class _Connection:
    """One connection to a member."""

    def __init__(self, cluster: BoltCluster, member: str) -> None:
        self._cluster, self._member = cluster, member
        self._in_transaction = self._failed = False

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            await reader.readexactly(20)
            writer.write(BOLT)
            while (message := await self._read(reader))[0] != Tag.GOODBYE:
                tag, given = self._answer(*message)
                buffer = Packer.new_packable_buffer()
                Packer(buffer).pack_struct(tag, [] if tag == IGNORED else [dict(given)])
                writer.write(len(buffer.data).to_bytes(2, "big") + bytes(buffer.data) + b"\0\0")
        writer.close()

    async def _read(self, reader: asyncio.StreamReader) -> tuple[int, list[Any]]:
        data = b""
        while (size := int.from_bytes(await reader.readexactly(2), "big")) or not data:
            data += await reader.readexactly(size)
        buffer = Unpacker.new_unpackable_buffer()
        buffer.data, buffer.used = bytearray(data), len(data)
        unpacker = Unpacker(buffer)
        count, tag = unpacker.unpack_structure_header()
        assert tag is not None
        assert count is not None
        return tag[0], [unpacker.unpack() for _ in range(count)]

    def _answer(self, tag: int, fields: list[Any]) -> Answer:
        if tag == Tag.RESET:
            self._failed = self._in_transaction = False
        if self._failed:
            return IGNORED, {}
        answer = self._act(tag, fields)
        self._failed = answer[0] == FAILURE
        return answer

    def _act(self, tag: int, fields: list[Any]) -> Answer:
        match tag:
            case Tag.HELLO:
                return SUCCESS, {"server": "Neo4j/5.26.0", "connection_id": self._member}
            case Tag.ROUTE:
                return self._cluster.route(fields[2].get("db"))
            case Tag.BEGIN:
                self._in_transaction = True
                return self._cluster.begin(self._member, fields[0], {})
            case Tag.RUN if not self._in_transaction:
                return self._cluster.begin(self._member, fields[2], {"fields": []})
            case Tag.RUN:
                return SUCCESS, {"fields": []}
            case Tag.PULL if not self._in_transaction:
                return self._cluster.end(self._member)
            case Tag.COMMIT:
                self._in_transaction = False
                return self._cluster.end(self._member)
            case _:
                self._in_transaction &= tag != Tag.ROLLBACK
                return SUCCESS, {}


@asynccontextmanager
async def bolt_cluster() -> AsyncIterator[BoltCluster]:
    """Start the members."""
    cluster = BoltCluster()
    async with AsyncExitStack() as stack:
        for member in MEMBERS:

            async def serve(
                reader: asyncio.StreamReader, writer: asyncio.StreamWriter, member: str = member
            ) -> None:
                await _Connection(cluster, member).serve(reader, writer)

            server = await asyncio.start_server(serve, "127.0.0.1", 0)
            await stack.enter_async_context(server)
            cluster.ports[member] = server.sockets[0].getsockname()[1]
        yield cluster
