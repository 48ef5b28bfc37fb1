"""Reads messages: commands to the memory in everyday words, and decisions about a reflection."""

from graphmem.language.messages.decisions import choose, number_of
from graphmem.language.messages.parsing import Intent, ParsedMessage, domain_of, parse, topic_of

__all__ = (
    "Intent",
    "ParsedMessage",
    "choose",
    "domain_of",
    "number_of",
    "parse",
    "topic_of",
)
