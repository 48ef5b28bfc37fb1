"""Writes pages of docs/reference that are made of the code: settings.md, schema.md and graph.md.

    python scripts/write_reference.py

What a setting, a type or a field is stands in the docstring behind it, and what is in the graph in
the files of schema/graph. A test compares the pages.
"""

import dataclasses
import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from graphql import (
    GraphQLArgument,
    GraphQLEnumType,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLScalarType,
    GraphQLSchema,
    GraphQLType,
    build_schema,
    get_named_type,
    is_specified_scalar_type,
    print_ast,
)

from graphmem.api.schema import sdl
from graphmem.operations.docstrings import docstrings
from graphmem.settings import Settings, variable_of

ROOT = Path(__file__).parents[1]
REFERENCE = ROOT / "docs" / "reference"
MADE = "<!-- Written by scripts/write_reference.py: change the code, then run that. -->"
FOLDERS = {"data": "~/.local/share/graphmem", "cache": "~/.cache/graphmem"}
SECTIONS = {  # of the settings: a heading, and how the names of its fields begin
    "Neo4j and folders": (
        *("data", "cache", "neo4j_", "java_", "aot_cache", "warm_up", "browser", "graphiql"),
        "sync_dir",
    ),
    "The service": (
        *("host", "port", "auth", "default_user", "allowed_origins", "body_limit"),
        *(
            "bodies_limit",
            "rate_limit",
            "metrics_key",
            "user_connections",
            "operation_timeout_s",
            "log_level",
            "mcp",
        ),
    ),
    "The embedding model": ("embedder", "judge_updates"),
    "An LLM": ("llm_",),
    "Reading and writing": (
        *(
            "extractor",
            "half_life_hours",
            "write_k",
            "conflict_similarity",
            "persistence_threshold",
            "high_value_importance",
            "deduplication",
            "secrets",
        ),
        *(
            "review_mode",
            "auto_commit_confidence",
            "proposal_days",
            "audit_retention_days",
            "critical_alerts",
            "promotion",
        ),
        *("core_token_cap", "reflection", "consolidation"),
    ),
    "Ranking": (
        *("domain_boost", "max_search", "min_search", "act_r", "tiered", "model_profile"),
        *("graph_depth", "query_expansion", "temporal_decay"),
    ),
    "Jobs and forgetting": ("jobs", "backup", "decay", "archival"),
    "Related notes": ("related_memories", "co_retrieval"),
}
SETTINGS_HEAD = """# Settings

graphmem reads each setting from the environment, or else from a file: the one that
`GRAPHMEM_ENV_FILE` names by its whole path, otherwise `~/.config/graphmem/settings.env`
(`XDG_CONFIG_HOME` is obeyed). An option of a command, such as `--port`, goes before both. No file
of the folder where graphmem starts is read: programs start `graphmem mcp` in folders that may be
anybody's.

A setting that holds a list or a mapping is written as JSON. `GRAPHMEM_DEBUG=1` is no setting of the
service: it adds tracebacks to the errors of commands.

The graph remembers which embedding model made its vectors. After you change `GRAPHMEM_EMBEDDER`,
the service starts again only once `graphmem reindex` is done, during which it may run; see
[use another embedding model](../how-to/change-the-model.md).
"""
SCHEMA_HEAD = """# GraphQL schema

Every operation, type and field. The service hands out the same as SDL at `/schema.graphql`, and
`graphmem schema` prints it. [The GraphQL API](graphql.md) tells about addresses, errors and limits.

A type with `!` is never null. An argument that is left out, or null, has the default that is told.
"""
GRAPH_HEAD = """# The graph

Each label, relationship type and property of the graph in Neo4j, for whoever looks into it.
[Explore in Neo4j Browser](../how-to/explore-in-neo4j-browser.md) has questions to begin with.

A value that is not known is missing. "Written by" names queries: `notes/create` is the file
`cypher/notes/create.cypher`, whose first line says what it does. Where a property names none, those
of its label or type write it.

The service shows a viewer only the notes whose `audience` that viewer may read. Neo4j does not:
whoever may open it sees the notes of everybody.

## The parts that matter
"""
SYSTEM = "System"  # the label that all technical nodes have, too
GRAPH_SYSTEM = """
The service keeps other parts for itself. They are marked as technical below, and pictures are
readable without them. Nodes of these labels have one more label, `System`, so
`MATCH (n) WHERE NOT n:System` leaves them out:"""
GRAPH_TECHNICAL = (
    "These labels, which are second labels of nodes, and these types are technical, too:"
)


def settings_page() -> str:
    """The page of all settings. Raises ValueError if one has no section or no docstring."""
    rows = dict(_settings())
    lines = [SETTINGS_HEAD.replace("\n\n", f"\n\n{MADE}\n\n", 1)]
    for heading, starts in SECTIONS.items():
        lines += [f"## {heading}\n", "| variable | default | what |", "|---|---|---|"]
        for name in [name for name in rows if name.startswith(starts)]:
            lines += [
                f"| `{each}` | {default} | {what} |" for each, default, what in rows.pop(name)
            ]
        lines.append("")
    if rows:
        raise ValueError(f"no section for {', '.join(rows)}")
    return "\n".join(lines)


def _settings() -> Iterator[tuple[str, list[tuple[str, str, str]]]]:
    """Each field with the rows of its variables."""
    told = _told_of(Settings)
    for name, field in Settings.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and dataclasses.is_dataclass(kind):
            group, what = kind(), _told_of(kind)
            yield (
                name,
                [
                    (
                        f"{variable_of(name)}__{each.name.upper()}",
                        _default(getattr(group, each.name)),
                        what[each.name],
                    )
                    for each in dataclasses.fields(kind)
                ],
            )
        else:
            default = FOLDERS[name] if name in FOLDERS else field.get_default()
            yield name, [(variable_of(name), _default(default), told[name])]


def _told_of(kind: type) -> dict[str, str]:
    return {name: _one_line(text) for name, text in docstrings(kind).items()}


def _default(value: Any) -> str:
    if hasattr(value, "get_secret_value"):
        value = value.get_secret_value()
    if value in (None, "", ()):
        return "none"
    return f"`{json.dumps(value) if isinstance(value, bool | dict | tuple) else value}`"


def schema_page() -> str:
    """The page of the GraphQL schema."""
    schema = build_schema(sdl())
    roots = (schema.query_type, schema.mutation_type, schema.subscription_type)
    lines = [SCHEMA_HEAD.replace("\n\n", f"\n\n{MADE}\n\n", 1)]
    for root, heading in zip(roots, ("Queries", "Mutations", "Subscriptions"), strict=True):
        assert root is not None
        lines += [f"## {heading}\n", *_operations(root), ""]
    named = sorted(_named(schema, roots), key=lambda each: each.name)
    for heading, kind in (
        ("Types", GraphQLObjectType),
        ("Inputs", GraphQLInputObjectType),
        ("Enums", GraphQLEnumType),
        ("Scalars", GraphQLScalarType),
    ):
        lines.append(f"## {heading}\n")
        for each in named:
            if isinstance(each, kind):
                lines += _type(each)
    return "\n".join(lines).rstrip() + "\n"


def _named(schema: GraphQLSchema, roots: Iterable[Any]) -> Iterator[GraphQLNamedType]:
    for each in schema.type_map.values():
        if not (each in roots or each.name.startswith("__") or is_specified_scalar_type(each)):
            yield each


def _operations(root: GraphQLObjectType) -> list[str]:
    lines = ["| operation | answers | what |", "|---|---|---|"]
    for name, field in sorted(root.fields.items()):
        arguments = "<br>".join(_argument(*each) for each in field.args.items())
        called = f"`{name}`" + (f"<br>{arguments}" if arguments else "")
        lines.append(f"| {called} | {_linked(field.type)} | {_words(field)} |")
    return lines


def _argument(name: str, argument: GraphQLArgument) -> str:
    return f"{name}: {_linked(argument.type)}{_given(argument)}"


def _given(field: GraphQLArgument | GraphQLInputField) -> str:
    """The default of an argument or an input's field, if it is another than null."""
    node = field.ast_node and field.ast_node.default_value
    return "" if node is None or print_ast(node) == "null" else f" = `{print_ast(node)}`"


def _type(named: GraphQLNamedType) -> list[str]:
    lines = [f"### {named.name}\n", _words(named) + "\n"]
    match named:
        case GraphQLEnumType():
            lines.append(", ".join(f"`{value}`" for value in named.values) + "\n")
        case GraphQLInputObjectType():
            lines += ["| field | type | what |", "|---|---|---|"]
            for name, field in named.fields.items():
                kind = _linked(field.type) + _given(field)
                lines.append(f"| `{name}` | {kind} | {_words(field)} |")
            lines.append("")
        case GraphQLObjectType():
            lines += ["| field | type | what |", "|---|---|---|"]
            for name, field in named.fields.items():
                given = ", ".join(_argument(*each) for each in field.args.items())
                called = f"`{name}`" + (f" ({given})" if given else "")
                lines.append(f"| {called} | {_linked(field.type)} | {_words(field)} |")
            lines.append("")
    return [line for line in lines if line != "\n"]


def _words(of: Any) -> str:
    return _one_line(of.description or "")


def _linked(kind: GraphQLType) -> str:
    """A type as it is written, with a link to where it is told about."""
    name = get_named_type(kind).name
    if is_specified_scalar_type(get_named_type(kind)):
        return f"`{kind}`"
    before, _, after = str(kind).partition(name)
    linked = f"{before}[{name}](#{name.lower()}){after}"
    return linked.replace("[[", r"\[[").replace("!]", r"!\]")


def graph_model() -> list[dict[str, Any]]:
    """The described graph: a section a file, with its labels and types, in the order of the files.
    Raises ValueError if a label or a type is described twice."""
    sections = [
        tomllib.loads(path.read_text(encoding="utf-8"))
        for path in sorted((ROOT / "schema" / "graph").glob("*.toml"))
    ]
    for kind in ("labels", "types"):
        names = [name for section in sections for name in section.get(kind, {})]
        if twice := {name for name in names if names.count(name) > 1}:
            raise ValueError(f"described twice: {', '.join(sorted(twice))}")
    return sections


def system_labels(sections: Sequence[Mapping[str, Any]]) -> list[str]:
    """The labels of nodes that the service keeps for itself, beside which `System` stands."""
    return [
        name
        for section in sections
        for name, label in section.get("labels", {}).items()
        if label.get("technical") and "beside" not in label and name != SYSTEM
    ]


def graph_page() -> str:
    """The page of labels, relationship types and properties."""
    sections = graph_model()
    lines = [GRAPH_HEAD.replace("\n\n", f"\n\n{MADE}\n\n", 1), *_diagram(sections)]
    system = system_labels(sections)
    technical = [
        name
        for section in sections
        for kind in ("labels", "types")
        for name, each in section.get(kind, {}).items()
        if each.get("technical") and name not in (*system, SYSTEM)
    ]
    for head, names in ((GRAPH_SYSTEM, system), (GRAPH_TECHNICAL, technical)):
        lines += [head, ", ".join(f"`{name}`" for name in names) + ".\n"]
    for section in sections:
        lines += [f"## {section['title']}\n", section["text"] + "\n"]
        for name, label in section.get("labels", {}).items():
            beside = f" A second label of `{label['beside']}`." if "beside" in label else ""
            lines += _described(f":{name}", label, label["what"] + beside)
        for name, kind in section.get("types", {}).items():
            ways = ", ".join(f"`{_way(way, name)}`" for way in kind["ways"])
            lines += _described(name, kind, f"{ways}: {kind['what']}")
    return "\n".join(lines).rstrip() + "\n"


def _diagram(sections: Sequence[dict[str, Any]]) -> Iterator[str]:
    """The labels that are marked as main, and the types between them that are not technical."""
    main = {
        name
        for section in sections
        for name, label in section.get("labels", {}).items()
        if label.get("main")
    }
    between: dict[tuple[str, ...], list[str]] = {}
    for section in sections:
        for name, kind in section.get("types", {}).items():
            for ends in (tuple(way.split(" -> ")) for way in kind["ways"]):
                if main.issuperset(ends) and not kind.get("technical"):
                    between.setdefault(ends, []).append(name)
    yield "```mermaid\ngraph LR"
    for (one, other), names in between.items():
        yield f"  {one} -- {', '.join(names)} --> {other}"
    yield "```"


def _way(way: str, name: str) -> str:
    one, other = way.split(" -> ")
    return f"(:{one})-[:{name}]->(:{other})"


def _described(name: str, of: Mapping[str, Any], what: str) -> list[str]:
    """The part of the page about a label or a type."""
    by = f" Written by {_queries(of['by'])}." if of["by"] else ""
    told = f"{'Technical. ' if of.get('technical') else ''}{what}{by}"
    lines = [f"### {name}\n", told + "\n"]
    if "properties" in of:
        lines += ["| property | type | what | written by |", "|---|---|---|---|"]
        for key, (kind, meaning, *by) in of["properties"].items():
            lines.append(f"| `{key}` | `{kind}` | {_one_line(meaning)} | {_queries(by)} |")
        lines.append("")
    return lines


def _queries(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _one_line(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|")


def main() -> None:
    """Write all pages."""
    REFERENCE.mkdir(parents=True, exist_ok=True)
    pages = {"settings": settings_page, "schema": schema_page, "graph": graph_page}
    for name, page in pages.items():
        (REFERENCE / f"{name}.md").write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
