"""Reads a note: its entities, relations, dates, topics, type, domain and place in core memory."""

from graphmem.language.extraction.clauses import clause_relations
from graphmem.language.extraction.core_memory import (
    core_line,
    core_lines,
    is_of_conduct,
    mark_of,
)
from graphmem.language.extraction.dates import date_mentions
from graphmem.language.extraction.entities import name_spans
from graphmem.language.extraction.literals import NameSpan
from graphmem.language.extraction.names_by_grammar import join_numbers, with_people, with_subjects
from graphmem.language.extraction.note_titles import title_names
from graphmem.language.extraction.pipeline import SentenceReader, extract
from graphmem.language.extraction.things import Word
from graphmem.language.extraction.tokens import Token, tokenize
from graphmem.language.extraction.topics import domain_of, topics_of
from graphmem.language.lexicon import NEVER_NAMES

__all__ = (
    "NEVER_NAMES",
    "NameSpan",
    "SentenceReader",
    "Token",
    "Word",
    "clause_relations",
    "core_line",
    "core_lines",
    "date_mentions",
    "domain_of",
    "extract",
    "is_of_conduct",
    "join_numbers",
    "mark_of",
    "name_spans",
    "title_names",
    "tokenize",
    "topics_of",
    "with_people",
    "with_subjects",
)
