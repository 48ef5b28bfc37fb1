"""What is taken of an export: of one's own all of it, of somebody else's the notes alone, unless
more is asked for by name. What else is in the file decides who may read and do what."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from graphmem.domain.portable import Record


class Part(StrEnum):
    """The parts that an import takes of somebody else's export apart from the notes, where
    it is asked for."""

    AGENTS = "agents"  # with their rights, and who wrote which note
    RULES = "rules"  # of visibility
    OPT_OUTS = "opt-outs"
    SOPS = "sops"
    CORE = "core"  # what core memory tells, what is pinned, confirmed and foundational
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


def taken_of(source: str, user: str, asked: Iterable[Part]) -> frozenset[Part]:
    """What a user takes of the export of `source`."""
    return EVERYTHING if source == user else frozenset(asked)
