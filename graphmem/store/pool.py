"""The pool of connections to Neo4j: its size, and how many of them are in use."""

from typing import Final

MOST: Final = 64  # connections of one process


class InUse:
    """Counts the sessions that are open, each of which has a connection or waits for one."""

    def __init__(self, most: int = MOST) -> None:
        self.most, self.count = most, 0

    async def __aenter__(self) -> None:
        self.count += 1

    async def __aexit__(self, *_: object) -> None:
        self.count -= 1
