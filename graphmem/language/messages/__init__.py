"""Reads messages: commands to the memory in everyday words, and decisions about a reflection."""

from graphmem.language.messages.decisions import number_of, parse_decision
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
    "domain_of",
    "number_of",
    "parse",
    "parse_decision",
    "topic_of",
)
