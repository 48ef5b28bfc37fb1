"""`graphmem cypher`: the queries of the program in the form that Neo4j Browser runs."""

from typing import Annotated, Final

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
    given = [f":param {each} => {_VALUES.get(each, 'null')};" for each in queries.parameters(name)]
    typer.echo("\n".join([*given, queries.text(name)]), nl=False)
