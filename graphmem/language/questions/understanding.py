"""Finds what a question asks for: a time, an entity, a procedure, the newest notes (Moltbot 11)."""

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from graphmem.domain.core import Block
from graphmem.language.lexicon import STOP_WORDS
from graphmem.language.lexicon.numbers_and_dates import MONTHS, NUMBERS, WEEKDAYS
from graphmem.language.questions.time_spans import DateReader, TimeSpan, time_spans
from graphmem.language.tokenizer import Tokens, tokens_in

LONGEST = 1_000  # characters; a longer text is not a question of one kind
_LONGEST_PHRASE = 12  # words of a search without a question word that may name its time
_LONGEST_THING = 8  # words


class Strategy(StrEnum):
    """The way a recall finds its notes."""

    HYBRID = "HYBRID"  # by meaning, words and graph
    VECTOR = "VECTOR"  # by meaning alone
    TEMPORAL = "TEMPORAL"  # asks for a time; notes of a named time come first
    ENTITY = "ENTITY"  # notes of a thing first, and the way from it to the others
    PROCEDURAL = "PROCEDURAL"  # procedures first
    LATEST = "LATEST"  # the newer first of about equal fits
    CORE = "CORE"  # the lines of core memory, nothing else


def _words(*choices: str, before: str = "", after: str = r"\b") -> re.Pattern[str]:
    return re.compile(f"{before}(?:{'|'.join(choices)}){after}", re.IGNORECASE)


_POLITE: Final = (
    r"^\W*+(?:(?:and|so|ok|okay|hey|hi|please|well)\b\W*+){0,3}"
    r"(?:(?:can|could|would) you )?(?:please )?"
)
_ME = r"(?:tell|show|remind|teach) (?:me|us) "
_COURTESY: Final = re.compile(
    r"^\W*(?:(?:hi|hello|hey|ok|okay|so|well|please|excuse me)\b\W+){0,3}"
    r"(?:(?:can|could|would|will) you (?:please |kindly |just )?|please )?"
    r"(?:(?:tell|remind) (?:me|us)|let (?:me|us) know"
    r"|help (?:me|us) (?:to )?(?:find out|find|remember|recall)"
    r"|do you (?:happen to )?(?:know|remember|recall)"
    r"|i(?:['\u2019]d| would) (?:like|love) to know|i (?:want|need) to know"
    r"|i(?:['\u2019]m| am| was) wondering"
    r")\b\W*(?:(?:if|whether|about|again)\b\W*)?",
    re.IGNORECASE,
)
_THANKS: Final = re.compile(
    r"(?<![\s,;.!?-])[\s,;.!?-]++(?:please|thanks|thank you|if you (?:can|know|remember))"
    r"[\s,;.!?]*+$",
    re.IGNORECASE,
)
_PROCEDURAL: Final = _words(
    rf"(?:{_ME})?how (?:do|should|can|would) (?:i|we|you|one)",
    rf"(?:{_ME})?how to",
    r"(?:what|which)(?:'s| is| are) (?:the|our|my) (?:\w+ )?"
    r"(?:steps?|procedure|process|workflow|instructions?|recipe|runbook|checklist) (?:for|to|of)",
    r"(?:the |our |my )?(?:steps|procedure|instructions|recipe|runbook|checklist) (?:for|to)",
    before=_POLITE,
)
_ASKS_WHEN: Final = _words(
    "when", "how long", "(?:what|which) (?:date|day|month|year|time)", before=r"\b"
)
_LATEST: Final = _words(
    r"latest|newest|most recent(?:ly)?|up to date",
    r"what(?:'s| is| has been) new",
    r"(?:news|updates?) (?:on|about|from|with|for|regarding)",
    r"current (?:status|state)|status of|the last time",
    r"when (?:did|have|was|were|had) (?:\w+ ){1,4}last",
    r"catch (?:me|us) up|bring (?:me|us) up to speed",
    before=r"\b",
)
_LATELY: Final = _words("lately|recently|these days|nowadays", before=r"\b")
_NOW_ASKED: Final = re.compile(  # one short question about the present
    rf"{_POLITE}(?:(?:who|what|which|where|how|when)\b[^.!?]{{1,90}}?\b"
    r"(?:(?:right )?now|nowadays|these days|at present|at the moment|currently|current|any ?more)"
    r"|(?:is|are|do|does|has|have|can)\b[^.!?]{1,60}?\b(?:still|currently|any ?more))"
    r"\b[^.!?]{0,60}\W*$",
    re.IGNORECASE,
)
_WHEN: Final = _words(
    r"(?:since |until |by )?when(?:'s| (?:did|do|does|was|were|is|are|has|have|had|will|would))",
    r"(?:in |on |at )?(?:what|which) (?:day|date|time|week|month|year)",
    r"how long ago",
    before=_POLITE,
)
_KNOW = r"know|remember|have|recall|tell me|learned"
_ABOUT: Final = _words(
    r"(?:what|anything|everything|all)(?: else)?(?: do| does| did| can| have)? (?:you|we|i)"
    rf"(?: all| already| still| really| currently)? (?:{_KNOW})(?: so far)? (?:about|on|of)",
    r"(?:tell|remind) (?:me|us)(?: everything| all| more| something| what)?"
    rf"(?: (?:you|we|i) (?:{_KNOW}))? (?:about|of)",
    r"(?:everything|anything|information|info|background|details|notes)"
    rf"(?: (?:you|we|i) (?:{_KNOW}))? (?:about|on|regarding)",
    r"describe|introduce|summari[sz]e",
    before=_POLITE,
    after=r"\s+(?P<thing>.+)",
)
_NAMING = r"(?!(?:of|in|at|for|to|that|who|the) )[\w.&+#-]++"
_WHO: Final = _words(
    r"who(?:'s| is| was| are| were)",
    before=_POLITE,
    after=rf"\s++(?P<thing>{_NAMING}(?:\s++{_NAMING}){{0,3}}+\W*+)$",
)
_THE_THING: Final = re.compile(
    r"^\W*+the (?P<thing>[\w'.&+#-]++(?: [\w'.&+#-]++){0,2}+ ?)\W*+$", re.IGNORECASE
)
_QUESTION: Final = _words(
    "what|when|where|who|whom|whose|which|why|how|did|do|does|is|are|was|were|has|have|had|will",
    "tell|show|remind|list|find|give|recall|summari[sz]e|catch|bring",
    "(?:the |any )?(?:latest|newest|most recent|news|updates?|status)",
    before=_POLITE,
)
_LEADING: Final = re.compile(r"(?:the|a|an|my|our|your|this|that|his|her|their|its) ", re.I)
_TRAILING: Final = _words(
    "please|so far|again|right now|now|exactly|anyway|today|then|by the way",
    before=r"(?<![\s,])[\s,]++",
)
_ENDING: Final = " \t\r\n?!.,;:\"')"
_TELL = rf"{_POLITE}(?:(?:tell|remind) (?:me|us) |do you (?:still )?(?:know|remember) )?"
_NOW = r"(?: (?:right now|now|at the moment|at present|currently|lately|these days|nowadays))?"
_WE = r"(?:i|we|(?:you and i)|(?:you and me))"


def _whole(*choices: str) -> re.Pattern[str]:
    return re.compile(f"{_TELL}(?:{'|'.join(choices)}){_NOW}", re.IGNORECASE)


_GENERAL: Final = {
    (Block.IDENTITY,): _whole(
        r"who(?:'s| am| is) (?:i|me|the user)", "who i am", "who the user is"
    ),
    (Block.CONTEXT,): _whole(
        rf"what (?:am|are|is|have) {_WE} (?:currently |still |now )?(?:been )?"
        r"(?:working on|up to|focuss?ing on|busy with|waiting (?:for|on)|blocked (?:by|on))"
        r"(?: (?:with (?:me|you|us)|together))?",
        r"what are you (?:currently )?working on with (?:me|us)",
        rf"what {_WE} (?:am|are) (?:currently )?working on(?: together)?",
        r"what(?:'s| is) (?:currently )?(?:going on|happening|on my plate|my (?:current )?focus)",
        r"what are (?:my|our) (?:current |top |main |open |next )?"
        r"(?:projects|tasks|priorities|to-?dos|decisions|open questions|blockers)",
        r"where (?:are we|were we|do we stand|did we (?:leave|stop)(?: off)?)",
        r"what(?:'s| is) the (?:current |general )?(?:context|situation)",
    ),
    (Block.PERSONA,): _whole(
        r"how (?:should|do|can) you (?:best )?(?:behave|work|talk|act)(?: (?:with|to|towards) me)?",
        r"how (?:do|should) we work(?: together)?",
        r"how long have we (?:known each other|(?:worked|been working) together)",
    ),
    (Block.CRITICAL,): _whole(
        r"what (?:must|should) (?:you|i|we) never forget(?: about (?:me|the user))?",
        r"what are (?:the|my) (?:critical|most important) facts(?: about (?:me|the user))?",
    ),
    tuple(Block): _whole(
        r"what (?:do|should|must) (?:you|i|we) (?:already |all )?(?:know|remember)"
        r" (?:about|of) (?:me|us|myself|the user)",
        r"what (?:have you|you have|you(?:'ve)?|did you) (?:know|remember|learn(?:ed|t)?)"
        r" (?:about|of) (?:me|us)",
        r"(?:what|everything|all)(?: that)? you (?:know|remember) (?:about|of) (?:me|us)",
        r"(?:everything )?about (?:me|us|myself)",
        r"(?:describe|introduce|summari[sz]e) me",
    ),
}  # whole questions only: with one more word it is about something else
_SAYS_NOTHING: Final = STOP_WORDS["topics"].union(
    MONTHS, WEEKDAYS, (word for word, n in NUMBERS.items() if 1 < n <= 10)
)


@dataclass(frozen=True, kw_only=True)
class QuestionIntent:
    """The intent of a question, as far as its words show it."""

    strategy: Strategy = Strategy.HYBRID
    spans: tuple[TimeSpan, ...] = ()  # the times that it names
    thing: str = ""  # the name or description of what it asks about
    topic: tuple[str, ...] = ()  # its words that say what it is about, lower case


def understand(text: str, now: datetime, read: DateReader) -> QuestionIntent:
    """Return what a question asks for; `read` finds the dates of a text said at an instant.

    A named time precedes "latest", that precedes "when", and a thing comes last."""
    if len(text) > LONGEST:
        return QuestionIntent()
    text = " ".join(text.replace("\u2019", "'").split())
    if _PROCEDURAL.match(text):
        return QuestionIntent(strategy=Strategy.PROCEDURAL, topic=topic_of(text))
    asks = "?" in text or _QUESTION.match(text) or text.count(" ") < _LONGEST_PHRASE
    if asks and (spans := time_spans(text, now, read)):
        return QuestionIntent(strategy=Strategy.TEMPORAL, spans=spans, topic=topic_of(text))
    if ("?" in text or _QUESTION.match(text)) and _asks_for_news(text):
        return QuestionIntent(strategy=Strategy.LATEST, topic=topic_of(text))
    if _WHEN.match(text):
        return QuestionIntent(strategy=Strategy.TEMPORAL, topic=topic_of(text))
    if thing := _find_thing(text):
        return QuestionIntent(strategy=Strategy.ENTITY, thing=thing)
    return QuestionIntent()


def asks_when(text: str) -> bool:
    """Check whether a question asks for a time, anywhere in it."""
    return bool(_ASKS_WHEN.search(text[:LONGEST]))


def core_blocks_asked(text: str) -> tuple[Block, ...]:
    """Return the blocks of core memory that a question about the user or current affairs concerns.

    Empty for any other question (Moltbot 11.1)."""
    if len(text) > LONGEST:
        return ()
    text = " ".join(text.replace("\u2019", "'").split())
    text = _THANKS.sub("", text).rstrip(_ENDING)
    return next((blocks for blocks, whole in _GENERAL.items() if whole.fullmatch(text)), ())


def without_courtesy(text: str) -> str:
    """Return a question without courtesies around it ("Could you please tell me ..., thanks").

    Unchanged if nothing else would be left."""
    if len(text) > LONGEST:
        return text
    bare = _THANKS.sub("", _COURTESY.sub("", text, count=1))
    return bare if topic_of(bare) else text


def _asks_for_news(text: str) -> bool:
    """Check whether the newest is meant; "recently" about one thing does not show that."""
    asked = _LATEST.search(text) or _NOW_ASKED.match(text)
    return bool(asked or (_LATELY.search(text) and not topic_of(text)))


def topic_of(text: str) -> tuple[str, ...]:
    """Return the words of a question that say what it is about.

    "What happened last week?" has none."""
    words = dict.fromkeys(tokens_in(text.lower(), Tokens.QUESTION))
    return tuple(word for word in words if word not in _SAYS_NOTHING)


def _find_thing(text: str) -> str:
    """Return what a question asks about if it asks for nothing else; at most eight words."""
    found = _ABOUT.match(text) or _WHO.match(text) or _THE_THING.match(text)
    if found is None:
        return ""
    thing = found["thing"].rstrip(_ENDING)
    while (end := _TRAILING.search(thing)) and end.end() == len(thing):
        thing = thing[: end.start()].rstrip(_ENDING)
    thing = _LEADING.sub("", thing, count=1) if _LEADING.match(thing) else thing
    known = any(word not in _SAYS_NOTHING for word in tokens_in(thing.lower(), Tokens.QUESTION))
    return thing if known and thing.count(" ") < _LONGEST_THING else ""
