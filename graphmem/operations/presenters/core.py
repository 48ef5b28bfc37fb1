"""Core memory."""

from dataclasses import dataclass

from graphmem.domain.core import Core


@dataclass(frozen=True, kw_only=True)
class CoreBlock:
    """A part of core memory: identity, context, persona or critical; `pinned` are those of its
    lines that never decay."""

    name: str
    text: str
    token_budget: int
    pinned: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class CoreMemory:
    """The facts about the user that are always present, as far as the viewer may read them; for
    the start of a prompt."""

    text: str
    token_count: int
    token_cap: int
    blocks: tuple[CoreBlock, ...]


def core_of(found: Core) -> CoreMemory:
    """Return core memory."""
    return CoreMemory(
        text=found.text,
        token_count=found.token_count,
        token_cap=found.token_cap,
        blocks=tuple(
            CoreBlock(
                name=part.block,
                text=part.text,
                token_budget=part.token_budget,
                pinned=tuple(line.text for line in part.lines if line.pinned),
            )
            for part in found.parts
        ),
    )
