"""Findings in a text: the result of EXTRACT and CONSTRUCT, before anything is decided."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from graphmem.domain.notes import EntityDraft, Kind, NoteType, RelationDraft
from graphmem.domain.visibility import Visibility

MEDIUM_CONFIDENCE = 0.5


class Store(StrEnum):
    """The store that the router chooses for a text (Moltbot 8.2)."""

    CORE = "core"
    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    PROCEDURAL = "procedural"
    VAULT = "vault"


@dataclass(frozen=True, kw_only=True)
class DateMention:
    """A date or span named in a text, as the half-open span [start, end) in UTC."""

    surface: str
    start: datetime
    end: datetime


@dataclass(frozen=True, kw_only=True)
class Amount:
    """A sum of money named in a text."""

    surface: str
    value: float
    currency: str  # ISO 4217


@dataclass(frozen=True, kw_only=True)
class Extraction:
    """The content of one note's text, as far as the extractor can find it.

    Names are spelled as in the text. Every end of a relation is the name of one of `entities`;
    predicates are those of `domain.predicates`, each pair in its one stored direction."""

    entities: tuple[EntityDraft, ...]
    relations: tuple[RelationDraft, ...]
    dates: tuple[DateMention, ...]
    amounts: tuple[Amount, ...]
    keywords: tuple[str, ...]  # 3 to 7 for texts of eight words or more, best first, lower case
    tags: tuple[str, ...]  # 3 to 5 for such texts
    context: str  # one sentence
    kind: Kind
    type: NoteType
    store: Store
    importance: float  # 0 to 1
    confidence: float  # 0 to 1, that it is worth keeping and meant that way
    visibility: Visibility | None  # None: the rules don't decide
    domain: str | None  # a path such as personal/health; None: the rules don't decide
    memorable: bool  # worth keeping without being asked
    core_block: str | None  # identity, context or critical: which block of core memory it changes

    @property
    def core_update(self) -> bool:
        """True if core memory should change with it (Moltbot 8.2)."""
        return self.core_block is not None

    def route(self, confidence: str) -> dict[str, object]:
        """Return the answer of the router, in its format (Moltbot 8.2)."""
        return {
            "store": self.store,
            "entities": [{"name": each.name, "type": each.type} for each in self.entities],
            "relations": [
                {"from": each.subject, "relation": each.predicate, "to": each.object}
                for each in self.relations
            ],
            "tags": list(self.tags[:5]),
            "confidence": confidence,
            "core_update": self.core_update,
            "summary": self.context,
        }
