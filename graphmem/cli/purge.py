"""`graphmem purge`: destroys for good what was put away long ago."""

import asyncio
from dataclasses import asdict
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from graphmem.cli.options import AsJson, Data, Neo4jUri, answer, settings_of
from graphmem.domain.durations import read_duration
from graphmem.settings import Settings

if TYPE_CHECKING:
    from graphmem.services.forgetting.clearing import Cleared


def purge(
    older_than: Annotated[
        str,
        typer.Option(metavar="TIME", help="For how long they have been put away: 90d, 12h."),
    ],
    user: Annotated[str | None, typer.Option(help="Whose notes; none: those of all users.")] = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="Destroy them; without it they are only counted.")
    ] = False,
    data: Data = None,
    neo4j: Neo4jUri = None,
    as_json: AsJson = False,
) -> None:
    """Destroy for good the notes that were forgotten, archived or expired long ago.

    Their text, vectors, revisions and events go; an event that tells of the deletion stays. It
    can't be undone. A note that changed since it was put away counts from that change on."""
    age = _age(older_than)
    settings = settings_of(data=data, neo4j_uri=neo4j)
    done = asyncio.run(_purge(settings, age, user, dry_run=not yes))
    told = f"{done.purged} of {done.found} notes destroyed" if yes else _counted(done.found)
    answer(asdict(done), told, as_json=as_json)


def _age(text: str) -> timedelta:
    try:
        return read_duration(text)
    except ValueError as exc:
        raise typer.BadParameter(str(exc), param_hint="--older-than") from exc


def _counted(found: int) -> str:
    return f"{found} notes would be destroyed; --yes destroys them"


async def _purge(
    settings: Settings, age: timedelta, user: str | None, *, dry_run: bool
) -> "Cleared":
    from graphmem.app import open_context
    from graphmem.services.forgetting.clearing import purge_old

    async with open_context(settings) as context:
        before = context.clock() - age
        return await purge_old(context, before, user=user, dry_run=dry_run)
