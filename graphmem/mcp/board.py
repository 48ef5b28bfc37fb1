"""The tools of `commons` for a team's board."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from graphmem.domain.commons import BoardEntry
from graphmem.mcp.answers import page, place_of
from graphmem.mcp.reading import PAGED
from graphmem.mcp.shown import OfMemory
from graphmem.mcp.tool import Call, Param, Tool, carry_out
from graphmem.mcp.writing import Done, succeed
from graphmem.operations.commands.commons import ListBoard, PostBoard, RemoveFromBoard


@dataclass(frozen=True, kw_only=True)
class ShownEntry:
    """An entry of a team's board."""

    key: str
    scope: str
    value: Any
    version: int
    by: str
    updated_at: datetime
    team: str


@dataclass(frozen=True, kw_only=True)
class Board(OfMemory):
    """Entries of the boards of the user's teams."""

    entries: tuple[ShownEntry, ...]
    next_cursor: str | None = None


@dataclass(frozen=True, kw_only=True)
class Posted:
    """An entry that was posted."""

    key: str
    scope: str
    version: int


async def read(tool: Tool, call: Call) -> Board:
    """List the entries of the boards."""
    found = [_to_shown(each) for each in await carry_out(tool, call)]
    shown = page(found, call.tokens, place_of(call.cursor))
    return Board(entries=shown.items, next_cursor=shown.next_cursor)


def _to_shown(entry: BoardEntry) -> ShownEntry:
    return ShownEntry(
        key=entry.key,
        scope=entry.scope,
        value=entry.value,
        version=entry.version,
        by=entry.actor,
        updated_at=entry.updated_at,
        team=entry.team,
    )


async def post(tool: Tool, call: Call) -> Posted:
    """Post an entry."""
    made = await carry_out(tool, call)
    return Posted(key=made.key, scope=made.scope, version=made.version)


TEAM: Final = Param(name="team", of="team", about="If the user is in several.")
SCOPE: Final = "team, an agent's id or a domain."
VERSION: Final = Param(
    name="expected_version",
    of="expectedVersion",
    about="Needed where somebody else posted it.",
)
BOARD: Final = (
    Tool(
        name="commons.board",
        title="Read the team's board",
        about="Look at the team's blackboard or bulletin board: what is posted on it, "
        "announcements, who has taken which job, the state of a joint work.",
        command=ListBoard,
        answer=Board,
        run=read,
        params=(
            Param(name="scope", of="scope", about=f"Only {SCOPE}"),
            Param(name="prefix", of="prefix", about="Only keys that begin so."),
            TEAM,
        ),
        frame=PAGED,
    ),
    Tool(
        name="commons.post_board",
        title="Post on the team's board",
        about="Put something up on the team's blackboard for all members and agents: 'post it on "
        "the board', 'announce to the team', that you take over a job, how far it is.",
        command=PostBoard,
        answer=Posted,
        run=post,
        params=(
            Param(name="key", of="key", about="What it is about, such as release/owner."),
            Param(name="value", of="value", about="A text or any JSON."),
            Param(name="scope", of="scope", about=SCOPE),
            VERSION,
            TEAM,
        ),
    ),
    Tool(
        name="commons.remove_from_board",
        title="Take down from the board",
        about="Take a posting off the team's blackboard that is over or no longer holds: 'take "
        "that announcement down'.",
        command=RemoveFromBoard,
        answer=Done,
        run=succeed,
        params=(
            Param(name="key", of="key"),
            Param(name="scope", of="scope", about=SCOPE),
            VERSION,
            TEAM,
        ),
        destructive=True,
        idempotent=True,
    ),
)
