"""EXTRACT and CONSTRUCT by rules: no model, the same answer each time, linear in the text."""

from collections.abc import Sequence
from datetime import datetime

from graphmem.ai.extract_entities import entities, same_names, spans_of
from graphmem.ai.extract_literals import Span
from graphmem.ai.extract_relations import read, relations
from graphmem.domain.construct import context, keywords, sentences
from graphmem.domain.extraction import Extraction, Store
from graphmem.domain.notes import EntityDraft, Kind, NoteType, RelationDraft

MOST_RELATIONS = 40
MOST_READ = 20_000  # characters in which names and relations are looked for
LONGEST_SENTENCE = 600
_NOBODY = frozenset(
    "user assistant system human ai bot agent me i you model tool admin unknown anonymous".split()
)


def extract(
    content: str,
    *,
    title: str | None,
    speaker: str | None,
    occurred_at: datetime | None,
    now: datetime,
) -> Extraction:
    """What the text says. `speaker` is who says I; relative dates count from `occurred_at`, else
    from `now`; both are aware."""
    told = sentences(content)
    drafts, related = _graph(told, _named(speaker))
    words = keywords(content)
    return Extraction(
        entities=drafts,
        relations=related,
        dates=(),
        amounts=(),
        keywords=words,
        tags=words[:5],
        context=context(content),
        kind=Kind.SEMANTIC,
        type=NoteType.FACT,
        store=Store.SEMANTIC,
        importance=0.5,
        confidence=0.6,
        visibility=None,
        domain=None,
        memorable=True,
        core_block=None,
    )


def _named(speaker: str | None) -> str | None:
    """A speaker that is somebody; roles such as user and assistant are not."""
    name = (speaker or "").strip()
    return name if name and name.lower() not in _NOBODY else None


def _graph(
    told: Sequence[str], speaker: str | None
) -> tuple[tuple[EntityDraft, ...], tuple[RelationDraft, ...]]:
    """The entities and relations of the sentences."""
    chosen = [sentence[:LONGEST_SENTENCE] for sentence in told]
    found = same_names([spans_of(sentence) for sentence in chosen])
    others: list[Span] = []
    drafts: dict[tuple[str, str, str], RelationDraft] = {}
    persons: set[str] = set()
    for sentence, spans in zip(chosen, found, strict=True):
        only = next(iter(persons)) if len(persons) == 1 else None
        for draft, ends in relations(read(sentence, spans, speaker, only)):
            key = (draft.subject, draft.predicate, draft.object)
            if len(drafts) < MOST_RELATIONS:
                drafts.setdefault(key, draft)
                others += ends
        persons.update(span.name for span in spans if span.type == "person")
    spans = [span for spans in found for span in spans]
    return entities((*spans, *others)), tuple(drafts.values())
