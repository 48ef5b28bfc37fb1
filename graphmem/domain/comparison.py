"""What a new text says beside an old one: the same, more, something else instead, or another thing.

Pure and careful: a number, name, date, negation or condition that differs is never the same, and
what can't be told is UNCLEAR, which leaves both. How near two vectors are is asked first and
decides nothing alone: texts that differ in one number are nearer than many paraphrases."""

from collections.abc import Sequence
from functools import lru_cache

from graphmem.domain import wording as w
from graphmem.domain.relating import Comparison, Verdict, relate
from graphmem.domain.statements import Statement, read, read_sentence
from graphmem.domain.tokens import names_in, sentences

LIKE_ENOUGH = 0.2  # cosine below which two texts are about different things
MOST_SENTENCES = 12  # of texts that are compared sentence by sentence


def compare(old: str, new: str, similarity: float = 1.0) -> Comparison:
    """How `new` stands to `old`; `similarity` is the cosine of their vectors."""
    if similarity < LIKE_ENOUGH:
        return Comparison(Verdict.DIFFERENT, "about something else")
    if " ".join(old.split()) == " ".join(new.split()):
        return Comparison(Verdict.SAME, "the same text")
    before, after = _read(old), _read(new)
    if not before or not after or max(len(before), len(after)) > MOST_SENTENCES:
        return Comparison(Verdict.UNCLEAR, "too long to compare")
    if len(before) == len(after) == 1:
        return relate(before[0], after[0])
    return _relate_all(before, after)


def repeats(old: str, new: str) -> bool:
    """Whether `compare` finds the same; it stops at the first sentence that the old text lacks."""
    if " ".join(old.split()) != " ".join(new.split()):
        before, after = _read(old), _read(new)
        if max(len(before), len(after)) > MOST_SENTENCES:
            return False
        for other in after:
            if not any(relate(one, other).verdict is Verdict.SAME for one in before):
                return False
    return compare(old, new).verdict is Verdict.SAME


@lru_cache(maxsize=8192)
def _read(text: str) -> tuple[Statement, ...]:
    return tuple(read(text))


def _relate_all(before: Sequence[Statement], after: Sequence[Statement]) -> Comparison:
    """Texts of several sentences, by the best fit of each sentence."""
    found = [[relate(one, other) for other in after] for one in before]
    kept = [any(_is_kept(cell) for cell in row) for row in found]
    said = [any(row[i].verdict is Verdict.SAME for row in found) for i in range(len(after))]
    cells = [cell for row in found for cell in row]
    for verdict in (Verdict.REPLACES, Verdict.CONTRADICTS):
        wrong = next((cell for cell in cells if cell.verdict is verdict), None)
        if wrong is not None:
            if verdict is Verdict.REPLACES and len(before) > 1:
                return Comparison(Verdict.UNCLEAR, f"{wrong.reason}, among other things")
            return wrong
    if all(said):
        return Comparison(Verdict.SAME, "the old text says all of it")
    if all(kept):
        return Comparison(Verdict.EXTENDS, "says all of the old text, and more")
    if 2 * sum(said) >= min(len(before), len(after)) and any(said):
        return Comparison(Verdict.EXTENDS, "repeats the old text and adds to it")
    return Comparison(Verdict.DIFFERENT, "another subject")


def union_of(old: str, new: str, *, append: bool = False) -> str:
    """One text that says what both say, where `new` extends `old`; `append`: the old text stays as
    its beginning."""
    parts = sentences(new)
    before = [read_sentence(part) for part in sentences(old)]
    after = [read_sentence(part) for part in parts]
    if not append and all(any(_is_kept(relate(one, other)) for other in after) for one in before):
        return new
    extra = [
        part
        for part, other in zip(parts, after, strict=True)
        if not any(relate(one, other).verdict is Verdict.SAME for one in before)
    ]
    return "\n".join([old, " ".join(extra)]) if append else " ".join([old, *extra])


def differs_in_value(old: str, new: str) -> bool:
    """Whether two texts differ in a number, date, negation, condition, code or name: what may never
    count as a slip of wording."""
    return _values(old) != _values(new)


def holds_values(more: str, less: str) -> bool:
    """Whether a text has every number, date, negation, condition, code and name of another."""
    one, other = _values(more), _values(less)
    return all(
        set(less_of) <= set(more_of)
        if isinstance(less_of, frozenset | tuple) and isinstance(more_of, frozenset | tuple)
        else less_of == more_of
        for more_of, less_of in zip(one, other, strict=True)
    )


def _values(text: str) -> tuple[object, ...]:
    found = _read(text)
    words = frozenset(word for one in found for word in one.words)
    return (
        frozenset(word for word in words if any(letter.isdigit() for letter in word)),
        frozenset(word for word in words if word in w.RESTRICTING or word != word.lower()),
        tuple(sorted(time for one in found for time in one.times)),
        sum(one.negative is not None for one in found),
        sum(one.ended for one in found),
        frozenset(modal for one in found for modal in one.modals),
        names_in(text),
    )


def _is_kept(cell: Comparison) -> bool:
    return cell.verdict in (Verdict.SAME, Verdict.EXTENDS)
