"""Turns a sentence into a statement: its content, in one form for all words with the same meaning.

It knows no grammar, only word lists and word order. What can't be distinguished from another
meaning stays unchanged, so two forms that are equal mean the same."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from graphmem.language.comparison import vocabulary as w
from graphmem.language.comparison.identifiers import identifiers_of
from graphmem.language.comparison.normalisation import (
    BE,
    ENDED,
    is_past,
    simplify_phrases,
    stem,
    take_times,
    tokens_of,
)
from graphmem.language.comparison.set_phrases import (
    is_set_phrase,
    names_in_phrase,
    split_set_phrases,
)
from graphmem.language.sentences import sentences

MAX_WORDS = 60  # of a sentence that is read; a longer one is compared verbatim
MAX_LETTERS = 600
MAX_SENTENCES = 40  # of a text; the last one is the whole rest
_SUBJECTS = frozenset("i we you he she they it the a an my our your his her their".split())
_HELPERS = frozenset("do does did".split())
_AFTER_HELPERS = w.NEGATORS | w.VERBS | {ENDED}
_CHANGED_WORDS = frozenset(w.SYNONYMS) | frozenset(
    w.IRREGULAR_VERBS
)  # Mrs. Small is not Mrs. Little


@dataclass(frozen=True)
class Statement:
    """The content of one sentence.

    `core` are the words in order without the copula, which stood before `core[be_at]`. `blocks`
    are prepositions and conjunctions with their words as (region, marker, words), `times` dates
    and times as (region, preposition, value); their place in the sentence does not matter. The
    region shows whether they stood before a copula ("s")."""

    core: tuple[str, ...]
    be_at: int | None = None
    blocks: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
    times: tuple[tuple[str, str, str], ...] = ()
    negative: int | None = None  # the place of the negation in the core
    modals: tuple[str, ...] = ()
    past: bool = False
    now: bool = False  # says that it has become so
    ended: bool = False  # says that it is no longer so
    definite: bool = False  # "the", "my", a genitive: the only one of its kind
    noun: bool = False  # a thing follows the copula, not a quality
    marks: frozenset[str] = frozenset()  # its names and numbers, letter by letter
    literal: frozenset[str] = frozenset()  # all its words, in lower case
    phrase: bool = False  # a greeting, a signature: it states nothing
    signed: frozenset[str] = frozenset()  # the names in such a phrase

    @cached_property
    def frame(self) -> object:
        """Everything but the polarity: equal for sentences that say the same or the opposite."""
        blocks = tuple(
            (region, marker, _sort_pairs(words)) for region, marker, words in self.blocks
        )
        return (_sort_pairs(self.core), self.be_at, blocks, self.times, self.modals, self.past)

    @cached_property
    def turned(self) -> object:
        """The frame of the sentence with the two sides of its copula exchanged.

        "My colour is green" becomes "green is my colour". None unless it is about the only one
        of its kind."""
        if self.be_at is None or not self.definite or self.blocks:
            return None
        core = (*self.core[self.be_at :], *self.core[: self.be_at])
        times = tuple(sorted(({"s": "p", "p": "s"}[r], p, v) for r, p, v in self.times))
        return replace(self, core=core, be_at=len(self.core) - self.be_at, times=times).frame

    @cached_property
    def core_words(self) -> frozenset[str]:
        """The words of the core, whatever their order."""
        return frozenset(self.core)

    @property
    def subject(self) -> tuple[str, ...]:
        """The words before the copula; without one, the first."""
        return self.core[: 1 if self.be_at is None else self.be_at]

    @cached_property
    def words(self) -> frozenset[str]:
        """All its words."""
        inner = [word for _, marker, words in self.blocks for word in (marker, *words)]
        return frozenset((*self.core, *inner))


@dataclass
class _Reader:
    """The state while the words of one sentence are read."""

    core: list[str]
    blocks: list[tuple[str, str, list[str]]]
    times: list[tuple[str, str, str]]
    be_at: int | None = None
    open: bool = False  # the last block takes the next word
    fronted: bool = False  # that block began the sentence
    clause: bool = False
    participle: bool = False
    negative: int | None = None
    definite: bool = False
    noun: bool = False
    now: bool = False
    ended: bool = False
    modals: list[str] = field(default_factory=list)


def read_statements(text: str) -> list[Statement]:
    """Return the statement of each sentence of a text, with the set phrases around it separate."""
    return [
        read_statement(piece)
        for each in sentences(text, MAX_SENTENCES)
        for piece in split_set_phrases(each)
    ]


def read_statement(sentence: str) -> Statement:
    """Return the statement of one sentence."""
    text = " ".join(sentence.split())
    if text.count(" ") > MAX_WORDS or len(text) > MAX_LETTERS:
        marks, literal = identifiers_of(text)
        return Statement(core=(text,), marks=marks, literal=literal)
    text = simplify_phrases(text)
    tokens = tokens_of(text)
    past = is_past(tokens)
    marks, literal = identifiers_of(text)
    phrase = is_set_phrase(sentence)
    reader = _Reader([], [], [], modals=["?"] if text.endswith("?") else [])
    tokens, times = take_times(tokens)
    _read_words(tokens, times, reader)
    verbal = reader.be_at is None  # without a copula there is one region
    made = Statement(
        core=tuple(reader.core),
        be_at=reader.be_at,
        blocks=tuple(
            sorted(
                ("p" if verbal else region, marker, tuple(words))
                for region, marker, words in reader.blocks
            )
        ),
        times=tuple(sorted(("p" if verbal else region, p, v) for region, p, v in reader.times)),
        negative=reader.negative,
        modals=tuple(sorted(reader.modals)),
        past=past,
        now=reader.now,
        ended=reader.ended,
        definite=reader.definite,
        noun=reader.noun,
        marks=marks,
        literal=literal,
        phrase=phrase,
        signed=names_in_phrase(sentence) if phrase else frozenset(),
    )
    return _rewrite_passive(made) if reader.participle else _rewrite_owner(made)


def _rewrite_owner(made: Statement) -> Statement:
    """Rewrite "the deadline for Halden" as "the deadline of Halden"."""
    own = [words for region, marker, words in made.blocks if (region, marker) == ("s", "for")]
    if len(own) != 1 or not made.be_at:
        return made
    core = (*made.core[: made.be_at], "of", *own[0], *made.core[made.be_at :])
    blocks = tuple(block for block in made.blocks if block[:2] != ("s", "for"))
    return replace(made, core=core, be_at=made.be_at + 1 + len(own[0]), blocks=blocks)


def _read_words(tokens: list[str], times: dict[str, tuple[str, str]], reader: _Reader) -> None:
    for i, token in enumerate(tokens):
        word = token.lower()
        after = tokens[i + 1].lower() if i + 1 < len(tokens) else ""
        if token in times:
            reader.times.append((_current_region(reader), *times[token]))
            reader.open = reader.open and reader.clause
        elif _take_adverb(reader, word) or (word in _HELPERS and after in _AFTER_HELPERS):
            continue
        elif reader.clause and reader.open and not (reader.fronted and word == ","):
            _take_into_clause(reader, token, word)
        elif word in (",", ";", ":", "(", ")"):
            reader.open = reader.open and not (reader.fronted or reader.clause)
        elif word in w.NEGATORS or (word == "without" and after):
            _take_negation(reader, word)
        elif word in w.MARKERS and after and not (after in w.MARKERS or after in ",;:"):
            _begin_block(reader, word, first=i == 0)
        elif word in BE:
            _take_copula(reader, tokens, i)
        else:
            _take_word(reader, token, word, named=i > 0 and token[:1].isupper())


def _take_into_clause(reader: _Reader, token: str, word: str) -> None:
    if word not in w.DROPPED and word not in BE and word not in ",;:()":
        reader.blocks[-1][2].append(stem(token))


def _take_adverb(reader: _Reader, word: str) -> bool:
    """Handle a word that modifies a sentence: can, now, no longer; return True if it is one."""
    if word == ENDED:
        reader.ended = True
        reader.negative = len(reader.core)
    elif word in w.NOW:
        reader.now = True
    elif word in w.MODALS and not (reader.clause and reader.open):
        reader.modals.append("can" if word == "could" else word)
        reader.open = reader.open and word == "always"
    else:
        return False
    return True


def _begin_block(reader: _Reader, word: str, *, first: bool) -> None:
    reader.open, reader.fronted = True, first
    reader.clause = word in w.CLAUSES
    marker = "at" if word == "for" and "work" in reader.core else w.SYNONYMS.get(word, word)
    reader.blocks.append((_current_region(reader), marker, []))


def _current_region(reader: _Reader) -> str:
    return "s" if reader.be_at is None and not reader.fronted and reader.core else "p"


def _take_negation(reader: _Reader, word: str) -> None:
    if reader.open and word != "without":
        reader.blocks[-1][2].append("not")
        return
    reader.negative = len(reader.core)
    if word == "without":
        reader.blocks.append((_current_region(reader), "with", []))
        reader.open = True


def _take_copula(reader: _Reader, tokens: list[str], i: int) -> None:
    reader.open = reader.fronted = False
    rest = [token for token in tokens[i + 1 :] if token.lower() not in w.NOW | {"not", ENDED}]
    first = rest[0] if rest else ""
    if first.lower().endswith("ing") and stem(first) != first.lower():
        return  # is living: lives
    if reader.be_at is None:
        reader.be_at = len(reader.core)
        reader.noun = first.lower() in w.DETERMINERS
        reader.participle = (
            first.lower().endswith("ed") or (first.lower() in w.IRREGULAR_VERBS)
        ) and any(token.lower() == "by" for token in rest)


def _take_word(reader: _Reader, token: str, word: str, *, named: bool) -> None:
    if word in w.DETERMINERS or word in _SUBJECTS:
        if reader.open and reader.fronted and (reader.blocks[-1][2] or word == "i"):
            reader.open = reader.fronted = False
        reader.definite = reader.definite or word in w.DEFINITE
    if word in w.DROPPED:
        return
    target = reader.blocks[-1][2] if reader.open else reader.core
    if word in w.NAME_NOUNS and target and target[-1].isalpha() and reader.core[:1] != ["project"]:
        return
    target.append(word if named and word in _CHANGED_WORDS else stem(token))


def _sort_pairs(words: Sequence[str]) -> tuple[str, ...]:
    """Sort two words joined by and/or."""
    made = list(words)
    for i in range(1, len(made) - 1):
        if made[i] in ("and", "or"):
            made[i - 1], made[i + 1] = sorted((made[i - 1], made[i + 1]))
    return tuple(made)


def _rewrite_passive(made: Statement) -> Statement:
    """Rewrite a passive with its doer as an active sentence."""
    doers = [block for block in made.blocks if block[1] == "by"]
    if len(doers) != 1 or made.be_at is None or made.be_at >= len(made.core):
        return made
    words = doers[0][2]
    if not words or words[0][:1].isdigit():
        return made
    verb, *rest = made.core[made.be_at :]
    core = (*words, verb, *made.core[: made.be_at], *rest)
    blocks = tuple(("p", m, t) for _, m, t in made.blocks if m != "by")
    times = tuple(("p", p, v) for _, p, v in made.times)
    return replace(
        made, core=core, be_at=None, blocks=tuple(sorted(blocks)), times=times, noun=False
    )
