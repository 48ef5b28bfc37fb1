"""Pages of a synced folder as text: pure functions from rows to Markdown, and back where a page may
be edited. Text of notes is harmless wherever it stands in them."""

from graphmem.language.pages.audit import (
    NO_FILE,
    NOTE,
    consolidation_file,
    file_of_event,
    name_files_of_log,
    render_archive,
    render_audit_line,
    render_consolidations,
    top_file,
)
from graphmem.language.pages.entities import (
    FACTS,
    LISTS,
    QUESTIONS,
    TIMELINE,
    EntityText,
    FactLine,
    RelationLine,
    facts_by_note,
    parse_facts,
    render_entity,
)
from graphmem.language.pages.escaping import (
    inline_text,
    is_one_line,
    one_line,
    shorten_text,
)
from graphmem.language.pages.procedures import render_procedure
from graphmem.language.pages.thoughts import Told, render_evolution, render_log, render_pending
from graphmem.language.pages.topology import (
    EdgeRow,
    EntityRow,
    render_index,
    render_relations,
    slugs_of,
)
from graphmem.language.pages.waiting import (
    parse_choice,
    parse_sides,
    render_conflict,
    render_proposals,
)

__all__ = [
    "FACTS",
    "LISTS",
    "NOTE",
    "NO_FILE",
    "QUESTIONS",
    "TIMELINE",
    "EdgeRow",
    "EntityRow",
    "EntityText",
    "FactLine",
    "RelationLine",
    "Told",
    "consolidation_file",
    "facts_by_note",
    "file_of_event",
    "inline_text",
    "is_one_line",
    "name_files_of_log",
    "one_line",
    "parse_choice",
    "parse_facts",
    "parse_sides",
    "render_archive",
    "render_audit_line",
    "render_conflict",
    "render_consolidations",
    "render_entity",
    "render_evolution",
    "render_index",
    "render_log",
    "render_pending",
    "render_procedure",
    "render_proposals",
    "render_relations",
    "shorten_text",
    "slugs_of",
    "top_file",
]
