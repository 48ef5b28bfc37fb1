"""Chooses what an import takes of an export.

Of one's own export it takes everything; of somebody else's only the notes, unless more is
requested by name, since the other parts of a file decide who may read and do what."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from graphmem.domain.actors import Unlisted
from graphmem.domain.portable import Record
from graphmem.domain.visibility import Visibility


class Part(StrEnum):
    """The parts, apart from the notes, that an import takes of others' exports on request."""

    AGENTS = "agents"  # with their rights, those of agents without a profile, and who wrote notes
    RULES = "rules"  # of visibility, and its default
    OPT_OUTS = "opt-outs"
    SOPS = "sops"
    CORE = "core"  # notes that are in core memory, pinned, confirmed or foundational
    SKILLS = "skills"
    LINKS = "links"
    HISTORY = "history"  # earlier texts, merges, conflicts, sessions, recalls


EVERYTHING: Final = frozenset(Part)
OF_RECORD: Final[Mapping[Record, Part]] = MappingProxyType(
    {
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


@dataclass(frozen=True, kw_only=True)
class UserSettings:
    """The settings of a user in an export, as far as they are not those of the beginning."""

    opt_outs: tuple[str, ...] = ()
    unlisted: Unlisted | None = None  # the profile of agents that have none of their own
    default: Visibility | None = None

    @property
    def parts(self) -> frozenset[Part]:
        """The parts that they belong to."""
        given = (
            (Part.OPT_OUTS, bool(self.opt_outs)),
            (Part.AGENTS, self.unlisted is not None),
            (Part.RULES, self.default is not None),
        )
        return frozenset(part for part, is_set in given if is_set)

    def only(self, parts: Collection[Part]) -> "UserSettings":
        """Return those of some parts."""
        return replace(
            self,
            opt_outs=self.opt_outs if Part.OPT_OUTS in parts else (),
            unlisted=self.unlisted if Part.AGENTS in parts else None,
            default=self.default if Part.RULES in parts else None,
        )
