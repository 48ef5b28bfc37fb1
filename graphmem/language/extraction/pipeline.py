"""Extracts all that is stored about a text (EXTRACT and CONSTRUCT) by rules, in linear time."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final

from graphmem.domain.extraction import Extraction
from graphmem.domain.found import within_bounds
from graphmem.domain.ids import name_key
from graphmem.domain.notes import EntityDraft, NoteType, RelationDraft
from graphmem.domain.visibility import Visibility
from graphmem.language.extraction.classification import (
    confidence_of,
    core_block_of,
    importance_of,
    is_memorable,
    kind_of,
    store_of,
    type_of_note,
    without_trigger,
)
from graphmem.language.extraction.dates import date_mentions
from graphmem.language.extraction.entities import entities_of, name_spans, with_full_names
from graphmem.language.extraction.foreign import safe_names
from graphmem.language.extraction.literals import NameSpan, amounts
from graphmem.language.extraction.note_titles import names_in_title
from graphmem.language.extraction.relations import mark_names, relations
from graphmem.language.extraction.topics import domain_of, topics_of, visibility_of
from graphmem.language.keywords import context, keywords, tags
from graphmem.language.languages import Language, is_foreign, language_of
from graphmem.language.sentences import sentences

MOST_RELATIONS = 40
MOST_READ = 10_000  # characters that are searched for names, relations and dates
MOST_JUDGED = 2_000  # characters considered for type, importance and confidence
MOST_SENTENCES = 200
LONGEST_SENTENCE = 600
_TAGGED: Final = frozenset({"organisation", "project", "product", "tool", "place"})
_NOBODY = frozenset(
    "user assistant system human ai bot agent me i you model tool admin unknown anonymous".split()
)


class SentenceReader:
    """Reads sentences by rules; another reader may find more in them."""

    def read(self, sentences: Sequence[str]) -> None:
        """Take all sentences of a text; later calls are mostly about one of them."""

    def names(self, sentence: str) -> list[NameSpan]:
        """Return the names of a sentence in order, none inside another."""
        return name_spans(sentence)

    def relations(
        self, sentence: str, names: Sequence[NameSpan], speaker: str | None, person: str | None
    ) -> Iterable[tuple[RelationDraft, tuple[NameSpan, ...]]]:
        """Return the relations beyond those that the phrases state, each with its two ends.

        `names`: the names of the sentence; `speaker`: the one meant by "I"; `person`: the one
        meant by "he" or "she"."""
        return ()


_RULES: Final = SentenceReader()


def extract(
    content: str,
    *,
    title: str | None,
    speaker: str | None,
    occurred_at: datetime | None,
    now: datetime,
    reader: SentenceReader = _RULES,
) -> Extraction:
    """Return what the text says.

    `speaker` is the one meant by "I"; relative dates count from `occurred_at`, else from `now`;
    both are aware. `reader` reads sentences in English."""
    head = content[:MOST_READ]
    parts = sentences(head)
    language = language_of(head)
    foreign = is_foreign(language)
    own = _ForeignReader(language) if foreign else reader
    entities, related = _find_entities(parts, _speaker_name(speaker), own, title, head)
    body = without_trigger(head)
    type_ = NoteType.FACT
    if not foreign:
        type_ = type_of_note(body, [without_trigger(parts[0]), *parts[1:]] if parts else [])
    kind = kind_of(body, type_)
    core_block = None if foreign else core_block_of(body[:MOST_JUDGED])
    subject = topics_of(f"{title}\n{content}" if title else content, entities)
    # A word may mean something else in another language: there only findings that make a note
    # less open count.
    clear = not foreign or bool(subject.sensitive)
    domain = domain_of(subject, type_, body[:MOST_JUDGED]) if clear else None
    visibility = visibility_of(subject, domain, type_, entities)
    if visibility is Visibility.OPEN and own is not _RULES:
        # A place or product that only a model finds must not open a note: the rules decide alone.
        by_rules, _ = _find_entities(parts, _speaker_name(speaker), _RULES, title, head)
        visibility = visibility_of(subject, domain, type_, by_rules)
    judged = head[:MOST_JUDGED]
    when = date_mentions(head, occurred_at or now)
    known = len(entities) + len(when) + (core_block is not None)
    memorable = is_memorable(judged, parts, type_, kind, known)
    words = keywords(body)
    found = Extraction(
        entities=entities,
        relations=related,
        dates=when,
        amounts=amounts(head),
        keywords=words,
        tags=tags(
            subject.labels if clear else (), [e.name for e in entities if e.type in _TAGGED], words
        ),
        context=context(body[:1].upper() + body[1:]),
        kind=kind,
        type=type_,
        store=store_of(judged, kind, core_block),
        importance=importance_of(judged, type_, core_block, len(entities)),
        confidence=confidence_of(judged, memorable),
        visibility=visibility if clear or visibility is Visibility.PRIVATE else None,
        domain=domain,
        memorable=memorable,
        core_block=core_block,
    )
    return within_bounds(found)


class _ForeignReader(SentenceReader):
    def __init__(self, language: Language) -> None:
        self._language = language

    def names(self, sentence: str) -> list[NameSpan]:
        """Return the names that hold whatever the words mean."""
        return safe_names(sentence, name_spans(sentence), self._language)


def _speaker_name(speaker: str | None) -> str | None:
    """Return the speaker's name, or None for a role such as "user"."""
    name = (speaker or "").strip()
    return name if name and name.lower() not in _NOBODY else None


def _find_entities(
    parts: Sequence[str],
    speaker: str | None,
    reader: SentenceReader,
    title: str | None,
    text: str,
) -> tuple[tuple[EntityDraft, ...], tuple[RelationDraft, ...]]:
    """Return the entities and relations of the sentences.

    They include the names in a title that is not a name itself."""
    chosen = [sentence[:LONGEST_SENTENCE] for sentence in parts[:MOST_SENTENCES]]
    reader.read(chosen)
    titled = names_in_title(title, text, reader.names) if title else ()
    in_title, *found = with_full_names([titled, *map(reader.names, chosen)])
    others: list[NameSpan] = []
    drafts: dict[tuple[str, str, str], RelationDraft] = {}
    persons: set[str] = set()
    for sentence, spans in zip(chosen, found, strict=True):
        only = next(iter(persons)) if len(persons) == 1 else None
        stated = [*relations(mark_names(sentence, spans, speaker, only))]
        pairs = {frozenset((draft.subject, draft.object)) for draft, _ in stated}
        for draft, ends in reader.relations(sentence, spans, speaker, only):
            if frozenset((draft.subject, draft.object)) not in pairs:
                stated.append((draft, ends))
        for draft, ends in stated:
            key = (draft.subject, draft.predicate, draft.object)
            if len(drafts) < MOST_RELATIONS:
                drafts.setdefault(key, draft)
                others += ends
        persons.update(span.name for span in spans if span.type == "person")
    spans = [*(span for spans in found for span in spans), *in_title]
    entities = entities_of((*spans, *others))
    known = {name_key(entity.name) for entity in entities}
    return entities, tuple(
        draft
        for draft in drafts.values()
        if {name_key(draft.subject), name_key(draft.object)} <= known
    )
