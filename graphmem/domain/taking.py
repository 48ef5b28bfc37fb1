"""Chooses what an import takes of an export.

Of one's own export it takes everything; of somebody else's only the notes, unless more is
requested by name, since the other parts of a file decide who may read and do what."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from graphmem.domain.portable import Record


class Part(StrEnum):
    """The parts, apart from the notes, that an import takes of others' exports on request."""

    AGENTS = "agents"  # with their rights and the authorship of notes
    RULES = "rules"  # of visibility
    OPT_OUTS = "opt-outs"
    SOPS = "sops"
    CORE = "core"  # notes that are in core memory, pinned, confirmed or foundational
    SKILLS = "skills"
    LINKS = "links"
    HISTORY = "history"  # earlier texts, merges, conflicts, sessions, recalls


EVERYTHING: Final = frozenset(Part)
OF_RECORD: Final[Mapping[Record, Part]] = MappingProxyType(
    {
        Record.USER: Part.OPT_OUTS,
        Record.AGENT: Part.AGENTS,
        Record.RULE: Part.RULES,
        Record.SOP: Part.SOPS,
        Record.LINK: Part.LINKS,
        Record.LINEAGE: Part.LINKS,
        Record.REVISION: Part.HISTORY,
        Record.WORDING: Part.HISTORY,
        Record.MERGE: Part.HISTORY,
        Record.CONFLICT: Part.HISTORY,
        Record.SESSION: Part.HISTORY,
        Record.RECALL: Part.HISTORY,
    }
)


def choose_parts(source: str, user: str, asked: Iterable[Part]) -> frozenset[Part]:
    """Return the parts that a user takes of the export of `source`."""
    return EVERYTHING if source == user else frozenset(asked)
