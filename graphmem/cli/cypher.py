"""`graphmem cypher`: the queries of the program in the form that Neo4j Browser runs."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Final, cast

import typer

from graphmem.errors import NotFound

# Placeholder values for parameters, by their names; null for all others.
_STANDING_FOR: Final = {
    "datetime()": ("now", "at", "until"),
    "datetime('0001-01-02T00:00:00Z')": ("since", "before"),
    "25": ("limit", "first", "k"),
    "true": ("current", "plain"),
    "['ACTIVE', 'FADING', 'DORMANT']": ("statuses",),
    "['FOUNDATIONAL', 'WORKING', 'DAILY', 'SHORT_TERM', 'LONG_TERM']": ("tiers",),
    "['EPISODIC', 'SEMANTIC', 'PROCEDURAL']": ("kinds",),
    "[]": ("audiences", "ids", "keys", "rows", "notes", "named", "known", "shared"),
    "'me'": ("user",),
}
_VALUES: Final = {name: value for value, names in _STANDING_FOR.items() for name in names}


def cypher(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Such as recall/candidates; none: list.")
    ] = None,
) -> None:
    """Print a query of the program, with its parameters, for Neo4j Browser.

    Without a name it lists the queries, those of jobs as job:NAME. The values after `:param` are
    placeholders for those that the service gives. Nothing needs to run."""
    from graphmem.resources import folder
    from graphmem.store.queries import Queries

    queries = Queries(folder("cypher"), folder("jobs"))
    if name is None:
        typer.echo("\n".join(queries.names))
        return
    if name not in queries.names:
        raise NotFound(f"there is no query {name!r}: `graphmem cypher` lists them")
    given = {each: _VALUES.get(each, "null") for each in queries.parameters(name)}
    typer.echo(browser_text(queries.text(name), given), nl=False)


def browser_text(query: str, values: Mapping[str, str]) -> str:
    """Return a query as Neo4j Browser runs it, with the values of its parameters in Cypher."""
    given = [f":param {name} => {values[name]};" for name in sorted(values)]
    in_transactions = ":auto " if "IN TRANSACTIONS" in query else ""
    return "\n".join([*given, in_transactions + query])


def literal(value: object) -> str:
    """Return a value as Cypher writes it. Raises TypeError for one of another kind than jobs
    take."""
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case int() | float():
            return repr(value)
        case str():
            shown = value.replace("\\", "\\\\").replace("'", "\\'")
            return "'" + "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in shown) + "'"
        case datetime():
            return f"datetime('{value.isoformat()}')"
        case Mapping():
            pairs = cast("Mapping[str, object]", value).items()
            return "{" + ", ".join(f"`{key}`: {literal(each)}" for key, each in pairs) + "}"
        case list():
            return "[" + ", ".join(map(literal, cast("list[object]", value))) + "]"
        case _:
            raise TypeError(f"no parameter of a job is a {type(value).__name__}")
