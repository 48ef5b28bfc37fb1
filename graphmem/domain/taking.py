"""Chooses what an import takes of an export: all of one's own, and only the notes of somebody
else's, unless more is asked for by name. The other parts of a file decide who may read and do
what."""

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
    CORE = "core"  # what core memory shows, what is pinned, confirmed and foundational
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
    """Give the parts that a user takes of the export of `source`."""
    return EVERYTHING if source == user else frozenset(asked)
