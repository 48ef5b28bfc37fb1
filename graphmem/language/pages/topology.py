"""The index of the graph and the words of its relations (Moltbot 6.1, 6.3), and names of pages."""

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from graphmem.domain.ids import digest
from graphmem.domain.predicates import PREDICATES, inverse
from graphmem.language.pages.escaping import inline_text, render_table
from graphmem.language.pages.words import confidence_word

MADE_ANEW: Final = "<!-- Made again by each sync; what is written here by hand is dropped. -->"
LABEL: Final = 120  # characters of a name
_SLUG_BYTES: Final = 100
_TYPE_BYTES: Final = 30
_NO_WORD = re.compile(r"[\W_]+")
_SECTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "Structural": (
        *("develops", "uses", "part-of", "depends-on", "works-at", "manages", "leads", "owns"),
        *("founded", "works-with", "located-in", "has-role"),
    ),
    "Temporal": ("decided-on", "supersedes", "preceded-by", "attended", "visited", "born-in"),
}
QUALITATIVE: Final = "Qualitative"


@dataclass(frozen=True, kw_only=True)
class EntityRow:
    """A row of the registry."""

    slug: str
    type: str
    label: str
    score: float
    pinned: bool


@dataclass(frozen=True, kw_only=True)
class EdgeRow:
    """A row of the edges; `start` and `end` are names of pages, or labels where there is none."""

    start: str
    predicate: str
    end: str
    confidence: float
    first_seen: datetime
    last_accessed: datetime | None


def slugs_of(entities: Sequence[tuple[str, str, str]]) -> dict[str, str]:
    """Return the name of the page of each entity, given as (id, type, name): type--name.

    Where names would be equal, also for a folder that ignores case, each gets a part of its id."""
    plain = {
        each: f"{_slug(kind, _TYPE_BYTES)}--{_slug(name, _SLUG_BYTES)}"
        for each, kind, name in entities
    }
    keys = {each: unicodedata.normalize("NFC", slug).casefold() for each, slug in plain.items()}
    often = Counter(keys.values())
    return {
        each: slug if often[keys[each]] == 1 else f"{slug}-{digest(each, 8)}"
        for each, slug in plain.items()
    }


def _slug(text: str, most: int) -> str:
    words = _NO_WORD.sub("-", unicodedata.normalize("NFKC", text).lower()).strip("-")
    cut = words.encode()[:most].decode(errors="ignore").strip("-")
    return unicodedata.normalize("NFC", cut) or "thing"


def render_index(entities: Sequence[EntityRow], edges: Sequence[EdgeRow]) -> str:
    """Return the index of the graph: a row for each entity, and one for each relation."""
    registry = render_table(
        ("ID", "Type", "Label", "File", "Decay Score"), [_entity_cells(each) for each in entities]
    )
    table = render_table(
        ("From", "Relation", "To", "Confidence", "First Seen", "Last Accessed"),
        [_edge_cells(each) for each in edges],
    )
    return f"# Semantic Graph Index\n{MADE_ANEW}\n## Entity Registry\n{registry}## Edges\n{table}"


def _entity_cells(row: EntityRow) -> tuple[str, ...]:
    label, kind = inline_text(row.label, LABEL), inline_text(row.type, LABEL)
    score = f"{row.score:.2f}{' (pinned)' if row.pinned else ''}"
    return (row.slug, kind, label, f"entities/{row.slug}.md", score)


def _edge_cells(row: EdgeRow) -> tuple[str, ...]:
    seen = "—" if row.last_accessed is None else f"{row.last_accessed:%Y-%m-%d}"
    sure = f"{confidence_word(row.confidence)} ({row.confidence:g})"
    ends = [inline_text(end, LABEL) for end in (row.start, row.end)]
    predicate = inline_text(row.predicate, LABEL)
    return (ends[0], predicate, ends[1], sure, f"{row.first_seen:%Y-%m-%d}", seen)


def render_relations(used: Mapping[str, int]) -> str:
    """Return the words of relations, each as seen from both ends, with how many relations use it.

    `used` has the number of relations of each predicate."""
    lines = ["# Relation Types", MADE_ANEW]
    placed = {each for words in _SECTIONS.values() for each in words}
    rest = tuple(sorted(PREDICATES - placed))
    own = tuple(sorted(used.keys() - PREDICATES))
    for title, words in [*_SECTIONS.items(), (QUALITATIVE, rest), ("Own words", own)]:
        lines += [f"## {title}", *(_predicate_line(each, used.get(each, 0)) for each in words)]
    return "\n".join(lines) + "\n"


def _predicate_line(predicate: str, count: int) -> str:
    other = inverse(predicate)
    back = f" / {other}" if other and other != predicate else ""
    both = " (the same from both ends)" if other == predicate else ""
    relations = "1 relation" if count == 1 else f"{count} relations"
    return f"- {inline_text(predicate, LABEL)}{back}{both} — {relations}"
