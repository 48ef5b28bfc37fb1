"""Reads messages: commands to the memory in everyday words, and decisions about a reflection."""

from graphmem.language.messages.decisions import choose, number_of
from graphmem.language.messages.parsing import (
    Audit,
    Intent,
    ParsedMessage,
    domain_of,
    parse,
    topic_of,
)

__all__ = (
    "Audit",
    "Intent",
    "ParsedMessage",
    "choose",
    "domain_of",
    "number_of",
    "parse",
    "topic_of",
)
