"""Every pattern and every text function of the package, found by looking."""

import ast
import importlib
import inspect
import pkgutil
import re
import typing
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path

import graphmem
from graphmem.ai.llm_schema import repair
from graphmem.domain.extraction import DateMention
from graphmem.domain.linking import without_topics
from graphmem.domain.merging import merge_texts
from graphmem.domain.notes import EntityDraft, NoteDraft, RelationDraft
from graphmem.domain.profiles.parameters import QueryExpansion
from graphmem.domain.ranking import bm25
from graphmem.domain.reflection import ItemKind
from graphmem.domain.visibility import Visibility
from graphmem.language.anonymisation import anonymise, identifies_person, is_in_doubt, visible_text
from graphmem.language.extraction.clause_words import name_predicate, role_predicate
from graphmem.language.extraction.clauses import clause_relations
from graphmem.language.extraction.dates import date_mentions
from graphmem.language.extraction.entities import name_spans
from graphmem.language.extraction.literals import NameSpan
from graphmem.language.extraction.name_types import type_of
from graphmem.language.extraction.names_by_grammar import (
    join_numbers,
    with_people,
    with_subjects,
)
from graphmem.language.extraction.pipeline import extract
from graphmem.language.extraction.relations import relation
from graphmem.language.extraction.things import Word, thing_at
from graphmem.language.extraction.titles import quoted_titles, title_extension, whole_title
from graphmem.language.extraction.tokens import tokenize
from graphmem.language.extraction.topics import Topics, topics_of
from graphmem.language.languages import Language
from graphmem.language.messages.decisions import parse_decision
from graphmem.language.naming.matching import NameCandidate, name_candidates
from graphmem.language.naming.name_parts import NameParts, parts_of
from graphmem.language.own_terms import own_terms, spelled_words
from graphmem.language.pages.audit import name_files_of_log
from graphmem.language.pages.procedures import render_procedure
from graphmem.language.query_expansion import query_variants
from graphmem.language.relation_words import share_asked
from graphmem.language.subjects import narrowed_by_subject
from graphmem.language.topics import lines_of
from graphmem.language.word_index import count_words, index_of

NOW = datetime(2026, 1, 5, tzinfo=UTC)
AWAY = ("cli/", "server/")  # of the package; no text of a request gets there
METHODS = ("match", "fullmatch", "search", "findall", "finditer", "sub", "subn", "split")
# Where a request's text is read. What takes texts in other layers only passes them on.
READERS = (
    "graphmem.domain.",
    "graphmem.language.",
    "graphmem.services.recall.selection",
    "graphmem.ai.extract_",
    "graphmem.ai.hash_embedder",
    "graphmem.ai.llm_",
    "graphmem.services.importing.markdown",
    "graphmem.services.importing.sections",
    "graphmem.services.recall.ranking",
    "graphmem.services.recall.expansion",
    "graphmem.services.packages",
    "graphmem.store.keywords",
    "graphmem.api.negotiation",
)


FRAMEWORKS = ("anthropic", "langchain", "langgraph", "llama_index", "openai_agents", "pydantic_ai")
ADAPTERS = tuple(f"graphmem.adapters.{name}" for name in FRAMEWORKS)  # seconds to import


def modules() -> Iterator[object]:
    """Every module of the package, but those of the frameworks."""
    for found in pkgutil.walk_packages(graphmem.__path__, "graphmem."):
        if not found.name.endswith(("__main__", *ADAPTERS)):
            yield importlib.import_module(found.name)


def patterns() -> dict[str, re.Pattern[str]]:
    """Every compiled pattern over text that a module holds, by its place; each once."""
    found: dict[str, re.Pattern[str]] = {}
    seen: set[tuple[str, int]] = set()
    for module in modules():
        for name, value in vars(module).items():
            for place, pattern in _held(f"{module.__name__}.{name}", value, 4):
                if (pattern.pattern, pattern.flags) not in seen:
                    seen.add((pattern.pattern, pattern.flags))
                    found[place] = pattern
    return {place: found[place] for place in sorted(found)}


def _held(place: str, value: object, depth: int) -> Iterator[tuple[str, re.Pattern[str]]]:
    if isinstance(value, re.Pattern):
        if isinstance(value.pattern, str):
            yield place, value
    elif not depth or isinstance(value, (str, bytes)):
        return
    elif isinstance(value, Mapping):
        yield from _held(place, [*value.values()], depth - 1)
    elif isinstance(value, (list, tuple)):
        for number, each in enumerate(value):
            yield from _held(f"{place}[{number}]", each, depth - 1)


def compiled_inside() -> list[str]:
    """Where a request's text meets a pattern that no module holds, which nobody would find."""
    found = []
    package = Path(graphmem.__file__).parent
    for path in sorted(package.rglob("*.py")):
        place = path.relative_to(package).as_posix()
        for function in ast.walk(ast.parse(path.read_text("utf-8"))):
            is_function = isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef))
            if is_function and not place.startswith(AWAY) and any(_compiling(function)):
                found.append(f"{place}:{function.name}")
    return sorted(set(found))


def _compiling(function: ast.AST) -> Iterator[bool]:
    for node in ast.walk(function):
        held = node.func if isinstance(node, ast.Call) else None
        if isinstance(held, ast.Attribute) and isinstance(held.value, ast.Name):
            yield held.value.id == "re" and held.attr in (*METHODS, "compile")


def uses() -> dict[str, set[str]]:
    """With which methods each name that may hold a pattern is used."""
    found: dict[str, set[str]] = {}
    for path in Path(graphmem.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr in METHODS:
                for name in _names_of(node.value):
                    found.setdefault(name, set()).add(node.attr)
    return found


def _names_of(node: ast.AST) -> Iterator[str]:
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        if isinstance(node, ast.Attribute):
            yield node.attr
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id


def functions() -> dict[str, Callable[..., object]]:
    """Every public function that reads texts, by its place."""
    found = {}
    for module in modules():
        if module.__name__.startswith(READERS):
            for name, value in vars(module).items():
                function = inspect.unwrap(value) if callable(value) else value
                own = getattr(function, "__module__", "") == module.__name__
                public = own and inspect.isfunction(function) and not name.startswith("_")
                if public and _reads_text(function):
                    found[f"{module.__name__}.{name}"] = value
    return dict(sorted(found.items()))


def _hints(function: Callable[..., object]) -> dict[str, object]:
    function = inspect.unwrap(function)
    try:
        hints = typing.get_type_hints(function)
    except NameError:  # a type that only the checker knows
        hints = dict(function.__annotations__)
    return {name: hint for name, hint in hints.items() if name != "return"}


def _reads_text(function: Callable[..., object]) -> bool:
    hints = _hints(function)
    texts = (str, str | None, Sequence[str], Iterable[str], list[str], NoteDraft)
    return not inspect.iscoroutinefunction(function) and any(
        hint in texts for hint in hints.values()
    )


def work_of(function: Callable[..., object]) -> Callable[[str], object] | None:
    """The function with the text in the place of all that it takes; None when it takes something
    that can't be made from a text."""
    hints = _hints(function)
    taken = inspect.signature(function).parameters.values()
    fillers: dict[str, Callable[[str], object]] = {}
    named: set[str] = set()
    for parameter in taken:
        filler = _NAMED.get(parameter.name) or _filler(hints[parameter.name])
        if filler is None:
            if parameter.default is inspect.Parameter.empty:
                return None
            continue
        fillers[parameter.name] = filler
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            named.add(parameter.name)

    def work(text: str) -> object:
        given = {name: filler(text) for name, filler in fillers.items()}
        by_place = [value for name, value in given.items() if name not in named]
        result = function(*by_place, **{name: given[name] for name in named})
        return list(result) if inspect.isgenerator(result) else result

    return work


def _filler(hint: object) -> Callable[[str], object] | None:
    if isinstance(hint, type) and issubclass(hint, Enum):
        return lambda _: next(iter(hint))
    return next((filler for known, filler in _FILLERS if known == hint), None)


_FILLERS: tuple[tuple[object, Callable[[str], object]], ...] = (
    (str, str),
    (str | None, str),
    (bool, lambda _: True),
    (int, lambda _: 3),
    (float, lambda _: 0.9),
    (datetime, lambda _: NOW),
    (datetime | None, lambda _: NOW),
    (object, str),
    (Sequence[str], str.split),
    (list[str], str.split),
    (Iterable[str], str.split),
    (tuple[str, ...], lambda text: tuple(text.split())),
    (NoteDraft, lambda text: NoteDraft(content=text)),
    (NameParts, parts_of),
    (Iterable[NameCandidate], name_candidates),
    (Sequence[NameSpan], lambda _: []),
    (Iterable[NameSpan], name_spans),
    (Topics, lambda text: topics_of(text, ())),
    (tuple[EntityDraft, ...], lambda text: tuple(EntityDraft(name=n) for n in text.split()[:40])),
    (Path, lambda _: Path("folder/note.md")),
    (Callable[[str, datetime], Sequence[DateMention]], lambda _: date_mentions),
    (Callable[[str], list[NameSpan]], lambda _: name_spans),
    (Callable[[str], int], lambda _: lambda text: len(text) // 4),
    (Callable[[str], bool], lambda _: lambda text: len(text) < 1_000),
    (Callable[[str], float], lambda _: len),
    (Mapping[str, bool], lambda text: {run.key: run.cased for run in name_candidates(text)}),
    (Sequence[RelationDraft], lambda _: ()),
)
_NAMED: dict[str, Callable[[str], object]] = {"longest": len, "most": lambda _: 50}

# Functions of texts and of other things: what is made of the text.
DAY = datetime(2026, 3, 1, tzinfo=UTC)
SPOKEN = (Language.GERMAN, Language.FRENCH, Language.TURKISH, Language.CHINESE, Language.THAI)


def parsed(text: str) -> list[Word]:
    """The words of a sentence as the worst parse has them: each depends on the one before."""
    kinds = (("NNP", "conj"), ("VBZ", "conj"), ("NN", "appos"), ("VBN", "ccomp"))
    words = text[:600].split()
    return [
        Word(word, word.lower(), *kinds[i % 4], max(0, i - 1), 2 * i, 2 * i + 1)
        for i, word in enumerate(words)
    ]


OF_SEVERAL: dict[str, Callable[[str], object]] = {
    "graphmem.language.pages.audit.name_files_of_log": lambda text: name_files_of_log(
        text, {"x": "y"}
    ),
    "graphmem.language.pages.procedures.render_procedure": lambda text: render_procedure(
        f"how: 1. {text}\n2. {text}",
        text,
        learned="",
        used="",
        score="",
        accesses=0,
        episodes=[("", text)],
    ),
    "graphmem.domain.merging.merge_texts": lambda text: merge_texts(
        text, f"x\n{text}", f"{text}\ny"
    ),
    "graphmem.language.own_terms.own_terms": lambda text: [
        [*own_terms(text, language, parts=True)] for language in SPOKEN
    ],
    "graphmem.language.own_terms.spelled_words": lambda text: [
        spelled_words(text, language) for language in SPOKEN
    ],
    "graphmem.language.extraction.clause_words.name_predicate": lambda text: name_predicate(
        NameSpan(0, 1, text, "person"), text, NameSpan(0, 1, text, None)
    ),
    "graphmem.language.extraction.clause_words.role_predicate": lambda text: role_predicate(
        text, text, NameSpan(0, 1, text, "person"), NameSpan(0, 1, text, None)
    ),
    "graphmem.language.extraction.relations.relation": lambda text: relation(
        NameSpan(0, 1, text, None), text, NameSpan(0, 1, text, None), 0.9
    ),
    "graphmem.language.extraction.clauses.clause_relations": lambda text: [
        *clause_relations(
            text[:600],
            parsed(text),
            [NameSpan(w.start, w.end, w.text, None) for w in parsed(text)[::4]],
            "Ada",
            "Bob",
        )
    ],
    "graphmem.language.extraction.names_by_grammar.with_people": lambda text: with_people(
        parsed(text), [NameSpan(w.start, w.end, w.text, None) for w in parsed(text)[::4]]
    ),
    "graphmem.language.extraction.names_by_grammar.join_numbers": lambda text: join_numbers(
        parsed(text), [NameSpan(w.start, w.end, w.text, None) for w in parsed(text)[::4]]
    ),
    "graphmem.language.extraction.names_by_grammar.with_subjects": lambda text: with_subjects(
        parsed(text), tokenize(text[:600]), []
    ),
    "graphmem.language.extraction.things.thing_at": lambda text: [
        thing_at(i, words, below, {})
        for words in [parsed(text)]
        for below in [{each.head: [i] for i, each in enumerate(words)}]
        for i in range(len(words))
    ],
    "graphmem.language.subjects.narrowed_by_subject": lambda text: narrowed_by_subject(
        text, Visibility.OPEN, {"personal": Visibility.PRIVATE}
    ),
    "graphmem.language.extraction.name_types.type_of": lambda text: [
        type_of(token.text, [token], text[:600]) for token in tokenize(text[:600])
    ],
    "graphmem.language.extraction.titles.quoted_titles": lambda text: quoted_titles(
        text[:600], tokenize(text[:600])
    ),
    "graphmem.language.extraction.titles.title_extension": lambda text: [
        title_extension(words, at, at + 1, text[:600])
        for words in [tokenize(text[:600])]
        for at in range(len(words) - 1)
    ],
    "graphmem.language.extraction.titles.whole_title": lambda text: [
        whole_title(text[:600], words, at, at + 1)
        for words in [tokenize(text[:600])]
        for at in range(len(words))
    ],
    "graphmem.language.anonymisation.anonymise": lambda text: anonymise(
        text, lambda _: (), text.split()[:300]
    ),
    "graphmem.language.anonymisation.identifies_person": lambda text: identifies_person(
        text, lambda _: (), text.split()[:300]
    ),
    "graphmem.language.anonymisation.visible_text": visible_text,
    "graphmem.language.anonymisation.is_in_doubt": lambda text: is_in_doubt(text, lambda _: ()),
    "graphmem.ai.llm_schema.repair": lambda text: repair((), text),
    "graphmem.language.messages.decisions.parse_decision": lambda text: parse_decision(
        text, [(ItemKind.FACT, text[:300])] * 9
    ),
    "graphmem.domain.linking.without_topics": lambda text: without_topics(
        f"{text} (related: {text})", [text[:20]]
    ),
    "graphmem.language.query_expansion.query_variants": lambda text: query_variants(
        text, "business/sales", QueryExpansion()
    ),
    "graphmem.domain.ranking.bm25": lambda text: bm25(
        text.split()[:300], {i: (len(text), Counter(text.split())) for i in "12"}
    ),
    "graphmem.language.word_index.count_words": lambda text: count_words(
        text.split()[:300],
        [index_of((text,), text, Language.GERMAN)],
        [[index_of((), text, Language.GERMAN)] * 2],
    ),
    "graphmem.language.relation_words.share_asked": lambda text: share_asked(
        frozenset(text.split()), text
    ),
    "graphmem.language.topics.lines_of": lambda text: lines_of(
        text,
        DAY,
        lambda line: extract(line, title=None, speaker=None, occurred_at=None, now=DAY),
        spare=True,
    ),
    "graphmem.language.word_index.index_of": lambda text: index_of(
        (text, text), text, Language.GERMAN
    ),
}
# They look at ids and domains, or at files of the program, only.
NO_TEXT = frozenset(
    {
        "graphmem.domain.alerts.is_flagged",
        "graphmem.domain.alerts.needs_confirmation",
        "graphmem.domain.rights.adds_no_reader",
        "graphmem.domain.drafts.check_share",
        "graphmem.domain.expertise.expertise_of",
        "graphmem.domain.feedback.changes_of",
        "graphmem.domain.jobs.parse_job",
        "graphmem.domain.linking.evolve",
        "graphmem.domain.profiles.model.read_model_profile",
        "graphmem.domain.proposals.require_reviewer",
        "graphmem.domain.reranking.parse_curves",
        "graphmem.domain.taking.choose_parts",
        "graphmem.language.extraction.clause_words.fits_thing",
        "graphmem.language.pages.audit.render_audit_line",
        "graphmem.language.pages.audit.render_consolidations",
        "graphmem.language.reflection_findings.stale_lines",
        "graphmem.domain.visibility.readable_keys",
        "graphmem.domain.visibility.resolve_visibility",
        "graphmem.domain.visibility.rule_for",
        "graphmem.store.keywords.lucene_queries",
    }
)
