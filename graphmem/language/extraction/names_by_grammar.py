"""Finds in the grammar of a sentence what belongs to a name, and which names are people."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from graphmem.language.extraction import clause_words as w
from graphmem.language.extraction.clauses import LISTED, Clauses
from graphmem.language.extraction.literals import NameSpan
from graphmem.language.extraction.things import Word
from graphmem.language.extraction.tokens import Token
from graphmem.language.lexicon import NAME_WORDS

_SHORTEST: Final = 3  # letters of a name that only the grammar shows
_ENDINGS: Final = NAME_WORDS["organisation endings"]


def join_numbers(words: Sequence[Word], spans: Sequence[NameSpan]) -> list[NameSpan]:
    """Return the names of a sentence, joined with a following number, as in Kiln 4."""
    ends = {word.end: i for i, word in enumerate(words)}
    found = list[NameSpan]()
    for span in spans:
        last = ends.get(span.end)
        after = words[last + 1] if last is not None and last + 1 < len(words) else None
        if last is not None and after is not None and _is_number_of(words, last):
            span = replace(span, end=after.end, name=f"{span.name} {after.text}")
        found.append(span)
    return found


def with_subjects(
    words: Sequence[Word], tokens: Sequence[Token], spans: Sequence[NameSpan]
) -> list[NameSpan]:
    """Return the names of a sentence, with the single words that the grammar takes for names and
    makes subjects of a verb: Hanneke looks after the garden.

    Most open a sentence, where a capital letter alone shows nothing."""
    by_start = {token.start: token for token in tokens}
    taken = {i for span in spans for i in range(span.start, span.end)}
    modified = {w.head for w in words if w.dep in ("compound", "amod", "det", "poss")}
    last_aux = {w.head: i for i, w in enumerate(words) if w.dep == "aux"}
    found = list(spans)
    for i, word in enumerate(words):
        token = by_start.get(word.start)
        plain = word.text.isalpha() and word.text.istitle() and len(word.text) >= _SHORTEST
        if word.tag != "NNP" or word.dep != "nsubj" or not plain or word.start in taken:
            continue
        acts = words[word.head].tag in ("VBZ", "VBD") or last_aux.get(word.head, -1) > i
        unknown = token is not None and not (token.common or token.never)
        if i not in modified and acts and unknown:
            found.append(NameSpan(word.start, word.end, word.text, None))
    return sorted(found, key=lambda span: span.start)


def with_people(words: Sequence[Word], spans: Sequence[NameSpan]) -> list[NameSpan]:
    """Return the names of a sentence, with the type person for those whom the grammar shows.

    They have a role, do what people do, or are meant by "who". That overrides only a guessed
    type."""
    clauses = Clauses(words, spans, None, None)
    shown = {one.start for one, _, _ in clauses.of_roles()}
    for i, word in enumerate(words):
        if word.dep == "relcl" and any(words[j].text.lower() == "who" for j in clauses.below[i]):
            shown |= {span.start for span in clauses.named([word.head])}
        if word.lemma.lower() in w.HUMAN and word.tag.startswith("VB"):
            shown |= {span.start for span in clauses.named(clauses.below[i], "nsubj")}
    return [
        replace(span, type="person") if span.start in shown and _is_guess(span) else span
        for span in spans
    ]


def _is_guess(span: NameSpan) -> bool:
    words = span.name.split()
    plain = len(words) < 4 and all(word[0].isupper() and word[1:].islower() for word in words)
    return plain and words[-1] not in _ENDINGS and not any(span.name in names for names in LISTED)


def _is_number_of(words: Sequence[Word], last: int) -> bool:
    """Check whether the number after a name belongs to it: Kiln 4, but not 4 tiles."""
    name, number = words[last], words[last + 1]
    if number.tag != "CD" or not number.text[0].isdigit() or number.start != name.end + 1:
        return False
    behind = number.dep == "nummod" and number.head == last
    return behind or (name.dep == "compound" and name.head == last + 1)
