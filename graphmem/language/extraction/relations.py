"""Finds the relations that a sentence states between its names, by phrases such as «works at».

A sentence is read with each name replaced by one sign, so that a phrase and its two ends are a
short pattern. Only plain statements count: no questions, conditions, negations, possibilities or
plans."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from graphmem.domain.notes import RelationDraft
from graphmem.domain.predicates import in_one_direction
from graphmem.language.extraction.literals import NameSpan
from graphmem.language.extraction.relation_phrases import (
    CONDITION,
    KIN,
    NAME,
    NAME_LIST,
    PERSON,
    PHRASES,
    SPEAKER,
    WE,
    WHERE,
    WORKPLACE,
    Phrase,
)
from graphmem.language.lexicon import FUNCTION_WORDS
from graphmem.language.tokenizer import Tokens, token_matches

STATED, CARRIED, HEDGED = 0.9, 0.7, 0.5  # confidence: stated; subject from before; in doubt
_IMPLIED_TYPES: Final = ((PERSON, "person"), (WHERE, "place"), (WORKPLACE, "organisation"))
_MOST_NAMES = 0x3FF
_ADVERBS = (
    r"(?:(?:also|now|currently|still|already|usually|really|always|just|recently|mostly|often|both|"
    r"generally|strongly|definitely|then|later|finally|mainly|typically|personally|much|absolutely|"
    r"actually|even|mainly) )*+"
)
_ADVERB = rf"{_ADVERBS}(?:together with [^,]{{1,30}} {_ADVERBS})?"
_NOUN = (
    r"(?: (?:team|project|service|app|library|platform|module|company|family|crew|cluster|server|"
    r"database|department|group|system|component|dashboard|api|backend|frontend|client|job|"
    r"pipeline|package|plugin))?"
)
_SUBJECT = re.compile(
    rf"(?P<who>{NAME_LIST}|{SPEAKER}|{WE}){_NOUN}(?: \([^()]{{1,40}}\))?(?:, [^,.;:]{{1,50}},)?"
    rf"(?:,? who|,? which| that)? {_ADVERB}\Z"
)
_GOES_ON = re.compile(rf"(?:,|;|,? and|,? but|,? or|,? then) {_ADVERB}\Z")
_GOES_ON_SURELY = re.compile(rf"(?:,? but|, and) {_ADVERB}\Z")  # «love and support» is not a verb
_PRONOUN = re.compile(rf"(?:^|[,;] (?:and |but |so )?)(?:He|She|he|she) {_ADVERB}\Z")
_OBJECTS = re.compile(rf" (?P<what>{NAME_LIST})")
_CONCEPT = re.compile(
    r" (?:an? |(?P<the>the ))?(?P<what>[^\W\d_][\w'-]*(?: [^\W\d_][\w'-]*){0,2})(?P<more> )?"
)
_LIKED = re.compile(r"\b(?:likes?|loves?|enjoys?|fan of|fond of)\Z", re.IGNORECASE)
_LIKING = 8  # characters before a place that contain each of these words
_UNREAL = re.compile(
    r"\b(?:if|unless|whether|would|wish|wishes|suppose|imagine|hypothetically|pretend|could|should)\b",
    re.IGNORECASE,
)
_DOUBT = re.compile(
    r"\b(?:i think|i guess|i believe|maybe|perhaps|probably|possibly|apparently|supposedly|seems|"
    r"not sure|might|rumou?r)\b",
    re.IGNORECASE,
)
_CLOSES = re.compile(r"[.,;!]|(?:and|but|over|more)\b")
_STOPS: Final = FUNCTION_WORDS | frozenset(
    "way lot lots bit kind sort idea thought even too quite rather".split()
)
_VERBS: Final = frozenset(  # «the quiet I love makes writing easier» names nothing that is loved
    "makes made gets takes took gives gave keeps kept helps helped brings lets means meant looks "
    "sounds seems feels works goes went comes came shows turns adds allows inspires reminds".split()
)
_NEVER_FIRST: Final = frozenset("a an the at in of on to by with for from new about".split())


def _first_words(pattern: str) -> Iterator[str]:
    """Yield the words with which a match of the pattern may begin, and some more."""
    for word in re.findall(r"[A-Za-z'-]+(?:\?[a-z]*)?|^,", pattern):
        if word not in _NEVER_FIRST:
            stem, _, rest = word.partition("?")
            yield stem + rest
            if "?" in word:
                yield stem[:-1] + rest


def _by_first_word() -> Mapping[str, tuple[tuple[Phrase, re.Pattern[str]], ...]]:
    found: dict[str, dict[int, tuple[Phrase, re.Pattern[str]]]] = {}
    for number, phrase in enumerate(PHRASES):
        pattern = re.compile(f"(?:{'|'.join(phrase.words)})(?= )")
        for word in (first for words in phrase.words for first in _first_words(words)):
            found.setdefault(word, {})[number] = (phrase, pattern)
    return MappingProxyType({word: tuple(each.values()) for word, each in found.items()})


_PHRASES_OF: Final = _by_first_word()


def _find_phrases(text: str) -> Iterator[tuple[Phrase, re.Match[str]]]:
    """Yield the phrases of a sentence in order."""
    for word in token_matches(text, Tokens.PHRASE):
        for phrase, pattern in _PHRASES_OF.get(word.group(), ()):
            if match := pattern.match(text, word.start()):
                yield phrase, match
                break


_KINDRED = re.compile(
    rf"(?:(?P<my>\b[Mm]y|\b[Hh]is|\b[Hh]er)|(?P<owner>{NAME})['’]s) (?:(?:older|younger|little|big|"  # noqa: RUF001
    rf"twin|late|dear|new|ex-) ?)?(?P<kin>{'|'.join(sorted(KIN, key=len, reverse=True))})"
    rf"(?:,|,? (?:is|is called|is named|named|called))? (?P<who>{NAME})"
)
_SWITCH = re.compile(
    rf"\b(?:switched|migrated|moved|moving|switching|migrating) (?:\w+ ){{0,3}}"
    rf"from (?P<old>{NAME}) to (?P<new>{NAME})"
)


@dataclass(frozen=True)
class MarkedSentence:
    """A sentence with placeholders for its names, and the name behind each."""

    text: str
    spans: tuple[NameSpan, ...]
    speaker: str | None
    person: str | None  # the one person of the sentences before, meant by he or she

    def span(self, sign: str) -> NameSpan | None:
        """Return the name that a sign stands for."""
        if sign in (SPEAKER, WE):
            return NameSpan(0, 0, self.speaker, "person") if self.speaker else None
        return self.spans[ord(sign) - 0xE000]

    def listed(self, placeholders: str) -> list[NameSpan]:
        """Return the names that the placeholders of a list stand for."""
        found = (self.span(sign) for sign in placeholders if "\ue000" <= sign <= "\uf001")
        return [span for span in found if span is not None]


def mark_names(
    sentence: str, spans: Sequence[NameSpan], speaker: str | None, person: str | None
) -> MarkedSentence:
    """Return the sentence with placeholders for its names, for I and for we."""
    parts = []
    place = 0
    for number, span in enumerate(spans[:_MOST_NAMES]):
        parts += [_mark_pronouns(sentence[place : span.start]), chr(0xE000 + number)]
        place = span.end
    parts.append(_mark_pronouns(sentence[place:]))
    return MarkedSentence("".join(parts).strip(), tuple(spans), speaker, person)


_SIGNS = re.compile("[\ue000-\uf8ff]")
_FIRST_PERSON = re.compile(r"\b(?:I|(?P<we>We|we))(?:['’](?P<end>m|ve|re))?(?![\w'’])")  # noqa: RUF001
_ENDS = {"m": " am", "ve": " have", "re": " are", None: ""}


def _mark_pronouns(text: str) -> str:
    text = _SIGNS.sub("", text)
    return _FIRST_PERSON.sub(lambda m: (WE if m["we"] else SPEAKER) + _ENDS[m["end"]], text)


def relations(sentence: MarkedSentence) -> Iterator[tuple[RelationDraft, tuple[NameSpan, ...]]]:
    """Yield the relations that a sentence states, each with the ends that are not names of it."""
    text = sentence.text
    if asks(text) or _UNREAL.search(text):
        return
    sure = HEDGED if is_doubted(text) else STATED
    yield from _find_stated(sentence, sure)
    yield from _find_kin(sentence, sure)
    for match in _SWITCH.finditer(text):
        old, new = sentence.span(match["old"]), sentence.span(match["new"])
        if old and new and "tool" in (old.type, new.type):
            yield relation(new, "supersedes", old, sure)


def asks(sentence: str) -> bool:
    """Check whether a sentence asks something."""
    return sentence.endswith(("?", "?”", '?"'))


def is_doubted(sentence: str) -> bool:
    """Check whether a sentence says that it is not sure."""
    return _DOUBT.search(sentence) is not None


def _find_stated(
    sentence: MarkedSentence, sure: float
) -> Iterator[tuple[RelationDraft, tuple[NameSpan, ...]]]:
    carried: list[NameSpan] = []
    end = 0
    for phrase, match in _find_phrases(sentence.text):
        left = sentence.text[max(end, match.start() - 160) : match.start()]
        if match.group()[0] == ",":  # the space comes after the comma
            left += " "
        subjects, trust = _find_subjects(sentence, phrase, left, carried)
        if not subjects:
            continue
        carried = subjects
        objects, end = _find_objects(sentence, phrase, match.end())
        for subject in subjects:
            for target in objects:
                fits = subject.type in phrase.subjects or subject.type is None
                if fits and subject.name != target.name:
                    ends = (
                        with_implied_type(subject, phrase.subjects),
                        with_implied_type(target, phrase.objects),
                    )
                    yield relation(ends[0], phrase.predicate, ends[1], min(sure, trust))


def with_implied_type(span: NameSpan, expected: frozenset[str | None]) -> NameSpan:
    """Return a name of unknown type with the type that the phrase implies.

    Whoever lives in a place is a person, and that is a place."""
    implied = next((t for wanted, t in _IMPLIED_TYPES if expected == wanted), None)
    return span if span.type is not None or implied is None else replace(span, type=implied)


def _find_subjects(
    sentence: MarkedSentence, phrase: Phrase, left: str, carried: list[NameSpan]
) -> tuple[list[NameSpan], float]:
    """Return the subjects of a phrase, and how sure they are."""
    match = _SUBJECT.search(left)
    if match:
        if WE in match["who"] and not phrase.we:
            return [], 0
        found = sentence.listed(match["who"])
        if None not in phrase.subjects or "person" not in phrase.subjects or len(found) > 1:
            return found, STATED
        thing = match["who"][:4].lower() == "the " and len(phrase.subjects) == 2
        return [] if thing and found[0].type is None else found, STATED
    goes_on = _GOES_ON_SURELY if phrase.predicate == "prefers" else _GOES_ON
    if carried and goes_on.search(left):
        return carried, STATED
    if sentence.person and _PRONOUN.search(left):
        return [NameSpan(0, 0, sentence.person, "person")], CARRIED
    return [], 0


def _find_objects(
    sentence: MarkedSentence, phrase: Phrase, place: int
) -> tuple[list[NameSpan], int]:
    """Return the objects of a phrase, and where they end."""
    match = _OBJECTS.match(sentence.text, place)
    if match:
        found = [span for span in sentence.listed(match["what"]) if span.type in phrase.objects]
        return found, match.end()
    if phrase.concept and (match := _CONCEPT.match(sentence.text, place)):
        if match["the"] and _LIKED.search(sentence.text, max(0, place - _LIKING), place):
            return [], place  # "I love the calm of it" is about one occasion, not a thing
        name = _find_concept(phrase, match["what"], sentence.text[match.end() :])
        if name:
            return [NameSpan(0, 0, name, "concept")], place + 1
    return [], place


def _find_concept(phrase: Phrase, words: str, after: str) -> str | None:
    """Return the few plain words that name what is preferred, avoided or had.

    None if there are none."""
    if phrase.predicate == "has-condition":
        match = CONDITION.match(words)
        return match.group() if match else None
    kept: list[str] = []
    for word in words.split():
        if word.lower() in _STOPS or word != word.lower() or (kept and word.endswith("ly")):
            break
        kept.append(word)
    if (
        not kept
        or kept[0] in _VERBS
        or kept[0].endswith("ly")
        or (len(kept) > 1 and kept[0].endswith("ing"))
    ):
        return None
    rest = " ".join(words.split()[len(kept) :]) or after.lstrip()
    if kept[0].endswith("ing") and rest and not _CLOSES.match(rest):
        return None
    return " ".join(kept)


def _find_kin(
    sentence: MarkedSentence, sure: float
) -> Iterator[tuple[RelationDraft, tuple[NameSpan, ...]]]:
    for match in _KINDRED.finditer(sentence.text):
        who = sentence.span(match["who"])
        owner = _find_owner(sentence, match)
        if who and owner and who.type in ("person", None) and who.name != owner.name:
            yield relation(replace(who, type="person"), KIN[match["kin"]], owner, sure)


def _find_owner(sentence: MarkedSentence, match: re.Match[str]) -> NameSpan | None:
    """Return the person whose relative it is."""
    if match["owner"]:
        return sentence.span(match["owner"])
    if match["my"].lower() == "my":
        return sentence.span(SPEAKER)
    before = [
        span
        for sign in sentence.text[: match.start()]
        if "\ue000" <= sign < SPEAKER and (span := sentence.span(sign)) and span.type == "person"
    ]
    if not before and sentence.person:
        return NameSpan(0, 0, sentence.person, "person")
    return before[0] if len(before) == 1 else None


def relation(
    subject: NameSpan, predicate: str, target: NameSpan, sure: float
) -> tuple[RelationDraft, tuple[NameSpan, ...]]:
    """Make a relation in its one stored direction, with its two ends."""
    first, stored, second = in_one_direction(subject.name, predicate, target.name)
    draft = RelationDraft(subject=first, predicate=stored, object=second, confidence=sure)
    return draft, (subject, target)
