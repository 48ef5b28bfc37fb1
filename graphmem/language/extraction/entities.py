"""Creates the entities of a text from the names in its sentences, each entity once."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from graphmem.domain.ids import name_key
from graphmem.domain.notes import EntityDraft
from graphmem.language.extraction.literals import NameSpan, literals
from graphmem.language.extraction.names import names

MOST_ENTITIES = 40


def name_spans(sentence: str) -> list[NameSpan]:
    """Return all names of a sentence, in order, none inside another."""
    spelled = literals(sentence)
    return sorted((*spelled, *names(sentence, spelled)), key=lambda span: span.start)


def with_full_names(found: Sequence[Sequence[NameSpan]]) -> list[list[NameSpan]]:
    """Return the spans of the sentences with one spelling for each thing.

    Ann becomes Ann Lee if the text has one person of that name, an alias the name it stands for."""
    full: dict[str, NameSpan | None] = {}
    for span in (span for spans in found for span in spans):
        for name in (*_short_forms(span), *span.aliases):
            key = name_key(name)
            known = full.get(key, span)
            same = known is not None and name_key(known.name) == name_key(span.name)
            full[key] = known if same else None
    return [[_replace_by_full_name(span, full) for span in spans] for spans in found]


def _short_forms(span: NameSpan) -> tuple[str, ...]:
    """Return the short forms a text may use: a person's first or last name, else the last word."""
    words = span.name.split()
    if len(words) == 1 or span.type not in (None, "person"):
        return ()
    return (words[0], words[-1]) if span.type == "person" else (words[-1],)


def _replace_by_full_name(span: NameSpan, full: dict[str, NameSpan | None]) -> NameSpan:
    whole = full.get(name_key(span.name))
    if whole is None or span.type not in (None, "person", whole.type):
        return span
    return replace(span, name=whole.name, type=whole.type)


def entities_of(spans: Iterable[NameSpan]) -> tuple[EntityDraft, ...]:
    """Return one draft for each thing, in the order of the text."""
    drafts: dict[str, EntityDraft] = {}
    for span in spans:
        key = name_key(span.name)
        if not key or (key not in drafts and len(drafts) >= MOST_ENTITIES):
            continue
        draft = drafts.get(key) or EntityDraft(name=span.name, type=span.type)
        other = tuple(alias for alias in span.aliases if name_key(alias) != key)
        drafts[key] = replace(
            draft,
            type=draft.type or span.type,
            aliases=tuple(dict.fromkeys((*draft.aliases, *other))),
        )
    return tuple(drafts.values())
