"""Texts that give their reader instructions instead of information.

An agent follows what it reads, so a text of somebody else may make it leave its task, hide what
it does, or call a tool. Known are wordings of that in some languages, what programs put around
messages and tool calls, and letters that nobody sees."""

import re
import unicodedata
from typing import Final

MOST_READ: Final = 50_000  # characters
_HIDDEN: Final = "text that nobody sees"
_MARKUP: Final = "it looks like a message or a tool call of a program"
_WORDS: Final = "it gives its reader instructions"
_SHOWN: Final = re.compile(
    "[\U0001f3f4][\U000e0020-\U000e007e]{1,8}\U000e007f"  # a flag, such as that of Wales
)
_TAGS: Final = re.compile("[\U000e0000-\U000e007f\U000e0100-\U000e01ef]")
_UNSEEN: Final = re.compile(
    "[\u200b\u200c\u200d\u2060-\u2064\ufeff\u00ad\ufe00-\ufe0f]{4}|[\u202d\u202e]"
)
_INVISIBLE: Final = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u00ad]")
_BLANKS: Final = re.compile(r"\s+")
_MARKS: Final = (  # in small letters
    *("<|im_start|>", "<|im_end|>", "<|system|>", "<|assistant|>", "<|start_header_id|>"),
    *("<<sys>>", "[/inst]", "<tool_call>", "<tool_use>", "<function_calls>", "<invoke name="),
    *("</tool_result>", "<function_results>", "<system-reminder>", "</system>", "<system_prompt>"),
    "begin system prompt",
)
_WHAT = (
    r"(?:instructions?|prompts?|rules|guidelines|directives|commands|context|messages?|training)"
)
_BEFORE = (
    r"(?:previous|prior|above|earlier|preceding|foregoing|former|existing|original|other|your"
    r"|system|developer|safety|user'?s?)"
)
_PHRASES: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"\b(?:ignore|disregard|forget|override|bypass|skip|discard)(?: (?:all|any|every|each|the"
        r"|of|these|those|my|your|and|or|completely)){0,4} "
        + _BEFORE
        + r"(?: (?:and|or|system|user|developer|safety|previous|prior|all)){0,3} "
        + _WHAT
        + r"\b",
        r"\b(?:ignore|disregard|forget) (?:everything|anything|all|what)(?: (?:that )?(?:was|is|i"
        r"|you|we|were|have|has|been|he|she|they)){0,4} (?:above|before this|(?:said|told|written)"
        r" (?:above|before this|until now|so far))\b",
        r"\b(?:do not|don't|never|stop) (?:follow|obey|comply with|listen to)(?:ing)?(?: (?:any|all"
        r"|the|your)){0,2} " + _BEFORE + " " + _WHAT + r"\b",
        r"\bnew (?:system |developer )?(?:instructions?|prompt)(?: for (?:the|you|this)"
        r"(?: (?:assistant|agent|model|ai))?)? ?:",
        r"\b(?:reveal|print|show|output|repeat|leak|disclose)(?: me)?(?: (?:all|the|of|your|full"
        r"|entire|exact|hidden|whole|verbatim)){1,4} (?:system|developer|initial|hidden) "
        r"(?:prompts?|instructions?|messages?)\b",
        r"\byou are now (?:in )?(?:dan|developer mode|jailbroken|unrestricted|free of (?:all|any)"
        r" (?:rules|restrictions)|a different (?:ai|assistant|agent))\b",
        r"\b(?:do not|don't|never|without)(?: ever)? (?:tell|telling|inform|informing|alert"
        r"|alerting|notify|notifying|mention(?:ing)? (?:this|it) to|ask|asking|warn|warning)"
        r"(?: (?:to))? the (?:user|human|operator)\b",
        r"\b(?:send|post|forward|upload|e-?mail|exfiltrate|transmit)(?: (?:all|any|the|of|your"
        r"|user'?s?|every|whole|entire|this|their|my)){1,4} (?:memor(?:y|ies)|conversations?"
        r"|chat history|credentials|passwords?|api keys?|secrets|private keys?|tokens)"
        r"(?: and [a-z]{1,20})? to (?:https?:|[a-z0-9._%+-]{1,40}@|the (?:following|address))",
        r"\b(?:ai|assistant|agent|model|llm)s?(?:,| that reads? this| reading this)[^.!?]{0,40}"
        r"\b(?:you )?must (?:now )?(?:ignore|call|run|execute|send|delete|reply only)\b",
        # German, French, Spanish, Italian, Portuguese, Dutch
        r"\b(?:ignorier\w{0,3}|vergiss|missachte)(?: (?:bitte|alle|die|deine)){0,3}"
        r" (?:vorherigen|bisherigen|vorigen|obigen|früheren) (?:anweisungen|instruktionen|regeln)",
        r"\b(?:ignor\w{1,4}|oublie\w{0,2})(?: (?:toutes|les|tes|vos)){0,3}"
        r" (?:instructions|consignes|règles) (?:précédentes|antérieures|ci-dessus)",
        r"\b(?:ignor\w{1,3}|olvida\w{0,2})(?: (?:todas|las|tus|sus)){0,3}"
        r" (?:instrucciones|reglas|órdenes) (?:anteriores|previas)",
        r"\b(?:ignor\w{1,3}|dimentica\w{0,2})(?: (?:tutte|le|tue|sue)){0,3}"
        r" (?:istruzioni|regole) (?:precedenti|anteriori)",
        r"\b(?:ignor\w{1,3}|esqueça)(?: (?:todas|as|suas|tuas)){0,3}"
        r" (?:instruções|regras) (?:anteriores|prévias)",
        r"\b(?:negeer|vergeet)(?: (?:alle|de|je|uw)){0,3}"
        r" (?:vorige|eerdere|voorgaande|bovenstaande) (?:instructies|regels|opdrachten)",
    )
)


def why_instructing(text: str) -> str | None:
    """Return in a few words why a text seems to instruct its reader; None if it does not."""
    text = text[:MOST_READ]
    if not text.isascii():
        without_flags = _SHOWN.sub("", text)
        if _TAGS.search(without_flags) or _UNSEEN.search(without_flags):
            return _HIDDEN
        text = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text))
    plain = _BLANKS.sub(" ", text.lower().replace("\u2019", "'"))
    if any(mark in plain for mark in _MARKS):
        return _MARKUP
    return _WORDS if any(phrase.search(plain) for phrase in _PHRASES) else None
