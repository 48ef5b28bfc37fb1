"""Reads the command in a message: its intent, and the part of the text that it is about.

A trigger counts at the start of a sentence, after words of politeness and a name; a reminder may
also end the message. Everything else is plain talk. The time is linear in the length of the
text, and only texts of up to 2,000 characters are searched beyond their start."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from graphmem.domain.ids import is_within, name_key
from graphmem.domain.visibility import Visibility
from graphmem.language.lexicon import SUBJECTS
from graphmem.language.messages import cue_phrases
from graphmem.language.subjects import named_subject

MAX_WITHIN = 2_000  # characters of a text that is searched for triggers
MAX_SENTENCE = 500  # characters of a text that may be a command as a whole


class Intent(StrEnum):
    """The request of a message to the memory."""

    REMEMBER = "REMEMBER"
    FORGET = "FORGET"
    RECALL = "RECALL"
    VISIBILITY = "VISIBILITY"
    STATS = "STATS"
    EXPORT = "EXPORT"
    SHARED = "SHARED"
    REFLECT = "REFLECT"
    DECIDE = "DECIDE"
    AUDIT = "AUDIT"
    REVERT = "REVERT"
    NONE = "NONE"


class Audit(StrEnum):
    """The subject of a question about the past of the memory.

    Also the group names of its pattern."""

    CHANGES = "changes"
    WHY = "why"
    REFLECTION = "reflection"
    FILE = "file"


@dataclass(frozen=True, kw_only=True)
class ParsedMessage:
    """A message as understood."""

    intent: Intent
    subject: str = ""  # what it is about; for DECIDE the decision; empty if the message doesn't say
    visibility: Visibility | None = None  # for VISIBILITY, and a REMEMBER that states it
    rest: str = ""  # for VISIBILITY: the other text of the message
    permanent: bool = False  # for FORGET: destroy; for REMEMBER: never let it decay
    preference: bool = False  # for REMEMBER: how the user wants things to be
    audit: Audit | None = None  # for AUDIT

    @property
    def mine(self) -> bool:
        """True if the subject is something of the user's own."""
        return cue_phrases.MINE.match(self.subject) is not None


_FLAT = str.maketrans("’‘“”—–…\u00a0", "''\"\"--. ")  # noqa: RUF001
MAX_TOPIC = 200  # characters
_BEFORE_TOPICS = frozenset("about the a an my our your what you we i know knew learned of".split())
_EVERYTHING = frozenset(
    "memory memories note notes everything all it this that them day days week weeks month months "
    "year years today yesterday tonight lately recently past conversation conversations session "
    "sessions interactions monday tuesday wednesday thursday friday saturday sunday".split()
)
_EDGE = " \t\r\n,.!?;:-"
_WHOLE = (
    (Intent.RECALL, cue_phrases.RECALL),
    (Intent.SHARED, cue_phrases.SHARED),
    (Intent.STATS, cue_phrases.STATS),
    (Intent.EXPORT, cue_phrases.EXPORT),
    (Intent.AUDIT, cue_phrases.AUDIT),
    (Intent.REVERT, cue_phrases.REVERT),
    (Intent.DECIDE, cue_phrases.DECIDE),
)


def parse(text: str) -> ParsedMessage:
    """Return what a message asks for; intent NONE for plain talk."""
    text = _strip_quotes(text.strip())
    flat = text.translate(_FLAT)  # character for character, so that places are the same in both
    if len(flat) <= MAX_SENTENCE and (found := _parse_whole(flat)):
        return found
    if found := _parse_sentence(text, flat, 0):
        return found
    if len(flat) <= MAX_WITHIN:
        if found := _find_readers(text, flat):
            return found
        for match in cue_phrases.SENTENCE.finditer(flat):
            if found := _parse_sentence(text, flat, match.end()):
                return found
        if found := _parse_end(text, flat):
            return found
    return ParsedMessage(intent=Intent.NONE)


def topic_of(subject: str) -> str | None:
    """Return the topic to reflect on; None if it is all of the memory, or a time."""
    words = name_key(subject).split()
    while words and words[0] in _BEFORE_TOPICS:
        words = words[1:]
    if not words or not _EVERYTHING.isdisjoint(words):
        return None
    return " ".join(words)[:MAX_TOPIC]


def domain_of(subject: str, known: Iterable[str]) -> str | None:
    """Return the domain that a subject means, None if unclear.

    It is a path as written, the usual domain of a topic, or the one of the `known` domains whose
    last part is a word of the subject; a domain that has notes precedes the usual one."""
    known = sorted(known, key=lambda domain: (domain.count("/"), domain))
    if found := next((word for word in subject.split() if "/" in word.strip("/")), None):
        return found
    words = name_key(subject).split()
    usual = next((SUBJECTS[word] for word in words if word in SUBJECTS), None)
    if usual and any(is_within(domain, usual) for domain in known):
        return usual
    ends = {name_key(domain.rpartition("/")[2]): domain for domain in reversed(known)}
    phrases = (" ".join(words[i:j]) for i in range(len(words)) for j in range(len(words), i, -1))
    return next((ends[phrase] for phrase in phrases if phrase in ends), usual)


def _strip_quotes(text: str) -> str:
    quoted = len(text) > 1 and text[0] + text[-1] in ('""', "''", "“”", "‘’")  # noqa: RUF001
    return text[1:-1].strip() if quoted else text


def _parse_whole(flat: str) -> ParsedMessage | None:
    """Parse a command that is the whole message."""
    asked = flat.endswith("?")
    bodies = [_strip_end(flat[start:]) for start in _find_starts(flat, 0)]
    for body in bodies if asked else ():
        if match := cue_phrases.ASKED.fullmatch(body):
            return ParsedMessage(intent=Intent.RECALL, subject=_subject(match))
    for intent, pattern in _WHOLE:
        for body in bodies:
            if match := pattern.fullmatch(body):
                audit = _audit_of(match) if intent is Intent.AUDIT else None
                return ParsedMessage(intent=intent, subject=_subject(match), audit=audit)
    return None if asked else next(filter(None, map(_parse_readers, bodies)), None)


def _parse_readers(body: str) -> ParsedMessage | None:
    """Find who may read about what, if a sentence says so: a verb, its object, and for whom it is.

    The bolder patterns apply only to subjects of the user's own life, as much else is private."""
    for pattern, is_meant in (
        (cue_phrases.VISIBILITY, cue_phrases.NAMES_NOTES.search),
        (cue_phrases.WISH, _is_own),
    ):
        match = pattern.fullmatch(body)
        if match and is_meant(_subject(match)):
            return ParsedMessage(
                intent=Intent.VISIBILITY, subject=_subject(match), visibility=_visibility_of(match)
            )
    return None


def _is_own(subject: str) -> bool:
    """Check whether something of the user's own life is meant."""
    own = cue_phrases.OWN.match(subject)
    return own is not None and named_subject(subject) is not None


def _find_readers(text: str, flat: str) -> ParsedMessage | None:
    """Find the one of several sentences that says who may read something, with the others.

    One about "that" means the others."""
    ends = [(match.start(), match.end()) for match in cue_phrases.SENTENCE.finditer(flat)]
    starts = [0, *(end for _, end in ends)]
    for start, (end, after) in zip(starts, [*ends, (len(flat), len(flat))], strict=True):
        if end - start > MAX_SENTENCE or flat[end : end + 1] == "?":
            continue
        parts = (part.strip() for part in (text[:start], text[after:]))
        rest = " ".join(part for part in parts if not cue_phrases.POLITE.fullmatch(f"{part} "))
        for body in (_strip_end(flat[at:end]) for at in _find_starts(flat, start)):
            match = cue_phrases.VISIBILITY.fullmatch(body)
            if rest and match and cue_phrases.THAT.fullmatch(_subject(match)):
                visibility = _visibility_of(match)
                return ParsedMessage(intent=Intent.REMEMBER, subject=rest, visibility=visibility)
            if found := _parse_readers(body):
                return replace(found, rest=rest)
    return None


def _audit_of(match: re.Match[str]) -> Audit:
    named = {name.rstrip("0123456789") for name, found in match.groupdict().items() if found}
    return next((audit for audit in Audit if audit in named), Audit.CHANGES)


def _visibility_of(match: re.Match[str]) -> Visibility:
    named = {name.rstrip("0123456789") for name, found in match.groupdict().items() if found}
    for visibility in Visibility:
        if visibility.lower() in named:
            return visibility
    raise AssertionError


def _find_starts(flat: str, start: int) -> list[int]:
    """Return where a trigger may stand.

    At the start, after politeness, or after a name and politeness."""
    polite = _match_end(cue_phrases.POLITE, flat, start)
    called = _match_end(cue_phrases.POLITE, flat, _match_end(cue_phrases.CALLED, flat, polite))
    return list(dict.fromkeys((start, polite, called)))


def _parse_sentence(text: str, flat: str, start: int) -> ParsedMessage | None:
    """Parse a command that begins with a sentence."""
    for at in _find_starts(flat, start):
        if match := cue_phrases.REFLECT.match(flat, at):
            return ParsedMessage(
                intent=Intent.REFLECT,
                subject=_strip_end(flat[match.end() : at + MAX_SENTENCE]).strip(),
            )
        if match := cue_phrases.REMEMBER.match(flat, at):
            lasting = bool(match["lasting"] or match["vault"])
            found = _create_reminder(text[match.end() :], flat[match.end() :], lasting=lasting)
            if start and found.subject.lower().rstrip(_EDGE) in ("", "it", "this", "that"):
                return _create_reminder(text[:start], flat[:start], lasting=lasting)
            return found
        if match := cue_phrases.FORGET.match(flat, at):
            rest = flat[match.end() : match.end() + MAX_WITHIN]
            ends = cue_phrases.SENTENCE.search(rest)
            rest = rest[: ends.start()] if ends else rest
            found = _create_forget(match["first"] or rest, permanent=bool(match["permanent"]))
            # "The old plan. Scratch that."
            return found if found.subject else _create_forget(flat[:start], found.permanent)
    return None


def _parse_end(text: str, flat: str) -> ParsedMessage | None:
    """Parse a message whose last words say what to do with it."""
    body = _strip_end(flat)
    if match := cue_phrases.REMEMBER_LAST.search(body):
        body = body[: match.start()].rstrip(" ,;:-")
        return _create_reminder(text[: len(body)], body, lasting=False)
    if match := cue_phrases.FORGET_LAST.search(body):
        starts = [found.end() for found in cue_phrases.SENTENCE.finditer(body, 0, match.start())]
        return _create_forget(body[starts[-1] if starts else 0 : match.start()])
    return None


def _create_reminder(text: str, flat: str, *, lasting: bool) -> ParsedMessage:
    """Return the reminder of `text`, in the writer's own spelling."""
    body = flat.rstrip()
    while match := cue_phrases.THANKS.search(body.rstrip(_EDGE)[-20:]):
        body = body.rstrip(_EDGE)
        body = body[: len(body) - (match.end() - match.start())].rstrip(", -")
    start = len(body) - len(body.lstrip(_EDGE))
    subject = text[start : len(body)].rstrip(" ?")  # from "can you remember that ...?"
    return ParsedMessage(
        intent=Intent.REMEMBER,
        subject=subject if any(letter.isalnum() for letter in subject) else "",
        permanent=lasting,
        preference=bool(cue_phrases.PREFERENCE.search(body[start:MAX_WITHIN])),
    )


def _create_forget(rest: str, permanent: bool = False) -> ParsedMessage:
    body = _strip_end(rest)
    if match := cue_phrases.FOR_GOOD.search(body):
        body, permanent = _strip_end(body[: match.start()]), True
    start = _match_end(cue_phrases.FILLERS, body, _match_end(cue_phrases.POLITE, body, 0))
    subject = _strip_end(body[start:])
    return ParsedMessage(intent=Intent.FORGET, subject=subject, permanent=permanent)


def _subject(match: re.Match[str]) -> str:
    """Return the subject, whichever of the alternatives has matched."""
    groups = match.groupdict()
    found = next((text for name, text in groups.items() if name.startswith("subject") and text), "")
    return _strip_end(found).strip()


def _match_end(pattern: re.Pattern[str], text: str, start: int) -> int:
    match = pattern.match(text, start)
    return match.end() if match else start


def _strip_end(text: str) -> str:
    """Return the text without politeness and punctuation at its end."""
    text = text.rstrip(_EDGE)
    while match := cue_phrases.THANKS.search(text[-20:]):
        text = text[: len(text) - (match.end() - match.start())].rstrip(_EDGE)
    return text
