"""Compares a new text with an old one: the same, more, a replacement, or another subject.

Pure and careful: a number, name, date, negation or condition that differs is never the same, and
what can't be decided is UNCLEAR, which leaves both. Of texts in another language only identical
ones are the same, since its negations and restrictions are not known here. The similarity of the
vectors is checked first and decides nothing alone: texts that differ in one number are nearer
than many paraphrases."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from graphmem.language.comparison import vocabulary as w
from graphmem.language.comparison.normalisation import capitalised_words, stem
from graphmem.language.comparison.sentence_rules import (
    Comparison,
    TextVerdict,
    compare_sentences,
)
from graphmem.language.comparison.statements import Statement, read_statements
from graphmem.language.languages import are_in_english
from graphmem.language.sentences import sentences

LIKE_ENOUGH = 0.2  # cosine below which two texts are about different things
_KEPT = (TextVerdict.SAME, TextVerdict.EXTENDS)
MOST_SENTENCES = 12  # in texts that are compared sentence by sentence


def compare(old: str, new: str, similarity: float = 1.0) -> Comparison:
    """Return the relation of `new` to `old`; `similarity` is the cosine of their vectors."""
    if similarity < LIKE_ENOUGH:
        return Comparison(TextVerdict.DIFFERENT, "about something else")
    if " ".join(old.split()) == " ".join(new.split()):
        return Comparison(TextVerdict.SAME, "the same text")
    if not are_in_english(old, new):
        return Comparison(TextVerdict.DIFFERENT, "in a language that is not compared")
    if _is_long(old) or _is_long(new):
        return Comparison(TextVerdict.UNCLEAR, "too long to compare")
    before, after = _read_cached(old), _read_cached(new)
    if not before or not after or max(len(before), len(after)) > MOST_SENTENCES:
        return Comparison(TextVerdict.UNCLEAR, "too long to compare")
    if len(before) == len(after) == 1 and not (before[0].phrase or after[0].phrase):
        return compare_sentences(before[0], after[0])
    return _compare_statements(before, after)


def is_repeated_by(old: str, new: str) -> bool:
    """Check whether `compare` finds the same.

    Stops at the first sentence that the old text lacks."""
    if " ".join(old.split()) != " ".join(new.split()):
        if _is_long(old) or _is_long(new) or not are_in_english(old, new):
            return False
        before, after = _read_cached(old), _read_cached(new)
        if max(len(before), len(after)) > MOST_SENTENCES:
            return False
        for other in after:
            if not any(compare_sentences(one, other).verdict is TextVerdict.SAME for one in before):
                return False
    return compare(old, new).verdict is TextVerdict.SAME


@lru_cache(maxsize=1024)  # only long texts are cached
def _is_long(text: str) -> bool:
    """Check whether a text has more sentences than are compared, without parsing them."""
    return len(sentences(text, MOST_SENTENCES + 1)) > MOST_SENTENCES


@lru_cache(maxsize=8192)
def _read_cached(text: str) -> tuple[Statement, ...]:
    return tuple(read_statements(text))


def _compare_statements(before: Sequence[Statement], after: Sequence[Statement]) -> Comparison:
    """Compare texts of several sentences, by what each sentence states.

    Set phrases state nothing: those shared or missing decide nothing, except that a name in one
    must not get lost."""
    olds, news = _without_phrases(before), _without_phrases(after)
    if not olds or not news:
        return _compare_phrases(before, after)
    found = [[compare_sentences(one, other) for other in news] for one in olds]
    wrong = _find_change(cell for row in found for cell in row)
    if wrong is not None:
        if wrong.verdict is TextVerdict.REPLACES and len(olds) > 1:
            return Comparison(TextVerdict.UNCLEAR, f"{wrong.reason}, among other things")
        return wrong
    repeated = [any(row[i].verdict is TextVerdict.SAME for row in found) for i in range(len(news))]
    if all(repeated) and _names_in_phrases(after) <= _names_in_phrases(before):
        return Comparison(TextVerdict.SAME, "the old text says all of it")
    covered = all(any(cell.verdict in _KEPT for cell in row) for row in found)
    if covered and _names_in_phrases(before) <= _names_in_phrases(after):
        return Comparison(TextVerdict.EXTENDS, "says all of the old text, and more")
    if any(repeated):
        return Comparison(TextVerdict.DIFFERENT, "only a part of the old text is told again")
    return Comparison(TextVerdict.DIFFERENT, "another subject")


def _without_phrases(read_of: Sequence[Statement]) -> list[Statement]:
    return [one for one in read_of if not one.phrase]


def _names_in_phrases(read_of: Sequence[Statement]) -> frozenset[str]:
    """Return the names in set phrases: who is greeted, who signs."""
    return frozenset(name for one in read_of for name in one.signed)


def _compare_phrases(before: Sequence[Statement], after: Sequence[Statement]) -> Comparison:
    """Compare texts of which one states nothing: only another such text is the same."""
    both = all(one.phrase for one in (*before, *after))
    if both and len(before) == len(after):
        found = [compare_sentences(one, other) for one, other in zip(before, after, strict=True)]
        if all(cell.verdict is TextVerdict.SAME for cell in found):
            return Comparison(TextVerdict.SAME, "the same set phrase")
    return Comparison(TextVerdict.DIFFERENT, "a set phrase states nothing")


def _find_change(cells: Iterable[Comparison]) -> Comparison | None:
    """Return the first change among some comparisons, else the first contradiction."""
    found = list(cells)
    for verdict in (TextVerdict.REPLACES, TextVerdict.CONTRADICTS):
        change = next((cell for cell in found if cell.verdict is verdict), None)
        if change is not None:
            return change
    return None


def merged_text(old: str, new: str, *, append: bool = False) -> str:
    """Return one text that says what both say, when `new` extends `old`.

    `append`: the old text stays as its beginning."""
    before, parts = read_statements(old), [(part, read_statements(part)) for part in sentences(new)]
    after = [one for _, found in parts for one in found]
    if (
        not append
        and _names_in_phrases(before) <= _names_in_phrases(after)
        and _keeps_all(_without_phrases(before), after)
    ):
        return new
    extra = [part for part, found in parts if not all(_is_covered(one, before) for one in found)]
    return "\n".join([old, " ".join(extra)]) if append else " ".join([old, *extra])


def differs_in_value(old: str, new: str) -> bool:
    """Check whether two texts differ in a number, date, negation, condition, code or name.

    Such texts never count as the same in other words. Texts in other languages differ unless
    they are identical."""
    if not are_in_english(old, new):
        return " ".join(old.split()) != " ".join(new.split())
    return _values(old) != _values(new) or not (_has_names(old, new) and _has_names(new, old))


def holds_values(more: str, less: str) -> bool:
    """Check whether a text has every number, date, negation, condition, code and name of another.

    In another language it must contain that text."""
    if not are_in_english(more, less):
        return " ".join(less.split()) in " ".join(more.split())
    one, other = _values(more), _values(less)
    return _has_names(more, less) and all(
        set(less_of) <= set(more_of)
        if isinstance(less_of, frozenset | tuple) and isinstance(more_of, frozenset | tuple)
        else less_of == more_of
        for more_of, less_of in zip(one, other, strict=True)
    )


def _has_names(more: str, less: str) -> bool:
    """Check whether a text has the names and numbers of another, also those that begin a sentence.

    A verb in -ing or a plural that begins the other is not a name if the text has another form
    of it."""
    found = _read_cached(more)
    literal = {word for one in found for word in one.literal}
    marks = {mark for one in found for mark in one.marks if not _begins(more, mark)}
    forms = {stem(word) for word in literal - marks}
    missing = {mark for one in _read_cached(less) for mark in one.marks if mark not in literal}
    return all(stem(mark) in forms and _begins(less, mark) for mark in missing)


def _begins(text: str, word: str) -> bool:
    """Check whether a text begins with a word that is likely a verb in -ing or a plural."""
    return word.endswith(("ing", "s")) and text.startswith(word.capitalize())


def rests_are_alike(old: str, new: str) -> bool:
    """Check whether two texts are alike without the sentences they share.

    A long signature brings texts near that have nothing else in common."""
    before, after = _read_cached(old), _read_cached(new)
    if len(before) * len(after) > MOST_SENTENCES**2:
        return False
    rest = [
        o
        for o in after
        if not any(compare_sentences(n, o).verdict is TextVerdict.SAME for n in before)
    ]
    missing = [
        o
        for o in before
        if not any(compare_sentences(o, n).verdict is TextVerdict.SAME for n in after)
    ]
    if len(rest) == len(after) and len(missing) == len(before):
        return True
    words, others = ({word for one in part for word in one.words} for part in (missing, rest))
    return 2 * len(words & others) >= len(words | others)


def _values(text: str) -> tuple[object, ...]:
    found = _read_cached(text)
    words = frozenset(word for one in found for word in one.words)
    return (
        frozenset(word for word in words if any(letter.isdigit() for letter in word)),
        frozenset(word for word in words if word in w.RESTRICTING or word != word.lower()),
        tuple(sorted(time for one in found for time in one.times)),
        sum(one.negative is not None for one in found),
        sum(one.ended for one in found),
        frozenset(modal for one in found for modal in one.modals),
        capitalised_words(text),
    )


def _keeps_all(before: Sequence[Statement], after: Sequence[Statement]) -> bool:
    """Check whether every statement is repeated, or extended."""
    return all(
        any(compare_sentences(one, other).verdict in _KEPT for other in after) for one in before
    )


def _is_covered(one: Statement, before: Sequence[Statement]) -> bool:
    """Check whether a text already has a sentence, or loses nothing without it."""
    if one.phrase and not one.signed:
        return True
    return any(compare_sentences(other, one).verdict is TextVerdict.SAME for other in before)


CACHES: Final = (_is_long, _read_cached)
"""Caches that hold parts of texts; see `services/caches`."""
