"""Classifies a text: its type and kind, the store it belongs to, its importance and confidence."""

import re
from collections.abc import Sequence
from typing import Final

from graphmem.domain.extraction import Store
from graphmem.domain.notes import Kind, NoteType
from graphmem.language.lexicon import CUE_PHRASES

_SMALL_TALK = re.compile(
    r"\W*+(?:(?:ok(?:ay)?|thanks?(?: you)?(?: so much| a lot)?|thx|ty|sure|great|cool|nice|awesome|"
    r"perfect|yes|yep|yeah|no|nope|hi|hello|hey|bye|got it|sounds good|lol|haha+|wow|congrats|"
    r"good(?:bye| morning| night| evening| afternoon)?|congratulations|welcome|you'?re welcome|"
    r"no problem|np|see you(?: later| soon| tomorrow)?|take care|cheers|alright|right|"
    r"that sounds (?:good|great)|that'?s (?:great|nice|cool|awesome))\b[\s,.!?…:)]{0,5}){1,4}",
    re.IGNORECASE,
)
_ACTOR = re.compile(
    r"\b(?:I|[Ww]e|[Hh]e|[Ss]he|[Tt]hey|[Uu]ser|[Tt]eam|[A-Z][\w'-]+) "
    r"(?:just |finally |also |all )?\w+"
)
_STEPS = re.compile(r"(?:\A|\s)(?:step )?[1-9][.):] \S", re.IGNORECASE)
_TYPES: Final = (
    NoteType.CORRECTION,
    NoteType.DECISION,
    NoteType.EMOTION,
    NoteType.PREFERENCE,
    NoteType.TASK,
)  # in the order in which they are checked


def _has_cue(sign: str, text: str) -> bool:
    return CUE_PHRASES[sign].search(text) is not None


def without_trigger(text: str) -> str:
    """Return the text without an opening such as «remember that»."""
    match = CUE_PHRASES["asked"].match(text)
    return text[match.end() :].lstrip(" ,:;.-") or text if match else text


def asked_for(text: str) -> bool:
    """Check whether the text asks to be remembered (the triggers of Moltbot 8.1)."""
    return _has_cue("asked", text) or _has_cue("reminding", text)


def type_of_note(text: str, sentences: Sequence[str]) -> NoteType:
    """Return the type of a text, by its first sentence that shows it, in the order of `_TYPES`."""
    head = [sentence for sentence in sentences[:12] if not sentence.endswith("?")] or [text]
    head = [sentence[:400] for sentence in head]
    for type_ in _TYPES:
        if any(_has_cue(type_.lower(), sentence) for sentence in head):
            return type_
    for sentence in head:
        if _has_cue("happened", sentence) and (
            _has_cue("timed", sentence) or _ACTOR.match(sentence)
        ):
            return NoteType.EVENT
    return NoteType.FACT


def kind_of(text: str, type_: NoteType) -> Kind:
    """Return the memory store it belongs to: how to do something, what happened, or what is so."""
    if len(_STEPS.findall(text[:4000])) >= 2 or _has_cue("procedure", text[:1000]):
        return Kind.PROCEDURAL
    lived = (NoteType.EVENT, NoteType.DECISION, NoteType.EMOTION, NoteType.TASK)
    return Kind.EPISODIC if type_ in lived else Kind.SEMANTIC


def core_block_of(text: str) -> str | None:
    """Return the block of core memory that it changes: identity, context or critical.

    None for most texts."""
    if text.rstrip().endswith("?"):
        return None
    if _has_cue("critical", text):
        return "critical"
    if _has_cue("identity", text):
        return "identity"
    return "context" if _has_cue("context", text) else None


def store_of(text: str, kind: Kind, core_block: str | None) -> Store:
    """Return the store that the router chooses (Moltbot 8.2)."""
    if _has_cue("forever", text):
        return Store.VAULT
    if kind is Kind.PROCEDURAL:
        return Store.PROCEDURAL
    if core_block is not None:
        return Store.CORE
    return Store.EPISODIC if kind is Kind.EPISODIC else Store.SEMANTIC


_BASE: Final = {
    NoteType.DECISION: 0.7,
    NoteType.CORRECTION: 0.65,
    NoteType.PREFERENCE: 0.6,
    NoteType.TASK: 0.6,
    NoteType.EVENT: 0.5,
    NoteType.EMOTION: 0.5,
    NoteType.FACT: 0.45,
}


def importance_of(text: str, type_: NoteType, core_block: str | None, names: int) -> float:
    """Return how important it is, from 0 to 1."""
    if _SMALL_TALK.fullmatch(text):
        return 0.1
    value = _BASE[type_] + 0.03 * min(names, 3)
    value += 0.15 * _has_cue("important", text) + 0.15 * asked_for(text)
    value += {"critical": 0.3, "identity": 0.15, "context": 0.05}.get(core_block or "", 0)
    value += 0.2 * bool(_has_cue("forever", text))
    value -= 0.1 * bool(_has_cue("hedged", text)) + 0.15 * text.rstrip().endswith("?")
    return round(min(max(value, 0.1), 1.0), 2)


def confidence_of(text: str, memorable: bool) -> float:
    """Return how surely it is worth keeping.

    It may be requested or clearly important, useful, or uncertain."""
    if asked_for(text) or _has_cue("forever", text):
        return 0.9
    if _has_cue("hedged", text):
        return 0.4 if memorable else 0.2
    if _has_cue("important", text):
        return 0.85
    return 0.6 if memorable else 0.3


def is_memorable(
    text: str, sentences: Sequence[str], type_: NoteType, kind: Kind, known: int
) -> bool:
    """Check whether it is worth keeping without being asked.

    `known` counts what the text names: things, relations, dates, and the block of core memory it
    changes."""
    statements = [sentence for sentence in sentences if not sentence.endswith("?")]
    if not statements or _SMALL_TALK.fullmatch(text):
        return False
    words = sum(sentence.count(" ") + 1 for sentence in statements)
    if asked_for(text):
        return True
    if words < 3 or (_has_cue("command", text) and len(statements) == 1):
        return False
    if kind is Kind.PROCEDURAL or type_ not in (NoteType.FACT, NoteType.TASK):
        return True
    if known or _has_cue("important", text):
        return True
    return words >= (3 if type_ is NoteType.TASK else 4) and _has_cue("own", text)
