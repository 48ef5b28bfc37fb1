"""The hooks for plugins: decide before a note moves to another tier, and be notified after.

A plugin is a package with an entry point of the group `graphmem`, which names a module or an object
with functions marked by `hookimpl`. It runs in the service, so install only what you trust."""

from dataclasses import dataclass
from typing import Final, Literal

import pluggy

GROUP: Final = "graphmem"
hookspec: Final = pluggy.HookspecMarker(GROUP)
hookimpl: Final = pluggy.HookimplMarker(GROUP)

Verdict = Literal["proceed", "skip", "force"]


@dataclass(frozen=True, kw_only=True)
class Moving:
    """A note that is old enough for another tier; `due` is true if its recalls allow the move,
    too."""

    id: str
    user: str
    domain: str
    kind: str
    title: str | None
    tags: tuple[str, ...]
    due: bool


@hookspec
def before_transition(note: Moving, from_tier: str, to_tier: str) -> Verdict | None:  # type: ignore[empty-body]  # pyright: ignore[reportReturnType]
    """Decide whether a note moves: `skip`: it stays; `force`: it moves though it is not due;
    `proceed` or None: as the rules say. Of several plugins, one that says `skip` decides, then
    `force`. When it raises, the note stays."""


@hookspec
def after_transition(note: Moving, from_tier: str, to_tier: str) -> None:
    """Notify of a finished move. An exception is logged and undoes nothing."""
