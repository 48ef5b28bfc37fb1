"""`graphmem purge`: destroys for good what was archived long ago."""

import asyncio
from dataclasses import asdict
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from graphmem.cli.options import AsJson, Data, Neo4jUri, answer, settings_of
from graphmem.domain.durations import read_duration
from graphmem.settings import Settings

if TYPE_CHECKING:
    from graphmem.services.forgetting.clearing import PurgeCounts


def purge(
    older_than: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="For how long they have been put away: 90d, 12h.",
            show_default=False,
        ),
    ] = None,
    expired: Annotated[
        bool, typer.Option("--expired", help="Only those whose time is over, whenever that was.")
    ] = False,
    user: Annotated[str | None, typer.Option(help="Whose notes; none: those of all users.")] = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="Destroy them; without it they are only counted.")
    ] = False,
    data: Data = None,
    neo4j: Neo4jUri = None,
    as_json: AsJson = False,
) -> None:
    """Destroy for good the notes that were forgotten, archived or expired long ago.

    Their text, vectors, revisions and events go; an event that records the deletion stays. It can't
    be undone. For a note that changed since it was archived, the time counts from that change
    on."""
    if (older_than is None) == (not expired):
        raise typer.BadParameter("give --older-than or --expired, one of the two")
    age = timedelta(0) if older_than is None else _parse_age(older_than)
    settings = settings_of(data=data, neo4j_uri=neo4j)
    done = asyncio.run(_purge(settings, age, user, expired=expired, dry_run=not yes))
    answer(asdict(done), _render(done, older_than, yes=yes), as_json=as_json)


def _render(done: "PurgeCounts", older_than: str | None, *, yes: bool) -> str:
    """Return a summary such as "Deleted 15 memories older than 90d"."""
    count = done.purged if yes else done.found
    memories = "memory" if count == 1 else "memories"
    which = f"{memories} older than {older_than}" if older_than else f"expired {memories}"
    if not yes:
        return f"{count} {which} would be deleted; --yes deletes them"
    left = done.found - done.purged
    return f"Deleted {count} {which}" + (f"; {left} changed meanwhile" if left else "")


def _parse_age(text: str) -> timedelta:
    try:
        return read_duration(text)
    except ValueError as exc:
        raise typer.BadParameter(str(exc), param_hint="--older-than") from exc


async def _purge(
    settings: Settings, age: timedelta, user: str | None, *, expired: bool, dry_run: bool
) -> "PurgeCounts":
    from graphmem.app import open_context
    from graphmem.services.forgetting.clearing import purge_old

    async with open_context(settings) as context:
        before = context.clock() - age
        return await purge_old(context, before, user=user, expired=expired, dry_run=dry_run)
