"""`graphmem erase-user`: destroys all that a user owns, and counts what is left."""

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from graphmem.cli.options import AsJson, Data, Neo4jUri, answer, settings_of
from graphmem.errors import NotFound
from graphmem.settings import Settings

if TYPE_CHECKING:
    from graphmem.domain.erasing import ErasureProgress


def erase_user(
    user: Annotated[str, typer.Argument(help="The id of the user.")],
    yes: Annotated[
        bool, typer.Option("--yes", help="Erase them; without it, what names them is only counted.")
    ] = False,
    data: Data = None,
    neo4j: Neo4jUri = None,
    as_json: AsJson = False,
) -> None:
    """Destroy for good all that a user owns, and remove their name from what others keep.

    Notes with their history, names, events, agents, sessions, keys, and what teams know of their
    notes go. It can't be undone. If it is stopped early, the same command continues, or the service
    does. The answer says how many nodes still name them."""
    settings = settings_of(data=data, neo4j_uri=neo4j)
    done = asyncio.run(_erase_or_count(settings, user, yes=yes))
    answer(asdict(done), _render(done, yes=yes), as_json=as_json)
    if yes and not done.complete:
        raise typer.Exit(1)


def _render(done: "ErasureProgress", *, yes: bool) -> str:
    left = ", ".join(f"{count} {label}" for label, count in done.remaining.items())
    if not yes:
        return f"{left or 'nothing'} would go; --yes erases {done.user}"
    count = sum(done.destroyed.values())
    after = f"left: {left}" if left else "nothing names them any more"
    return f"{count} nodes destroyed, {done.unnamed} without the name now; {after}"


async def _erase_or_count(settings: Settings, user: str, *, yes: bool) -> "ErasureProgress":
    from graphmem.app import open_context
    from graphmem.services.forgetting.erasing import count_named, erase_user

    async with open_context(settings) as context:
        found = await count_named(context, user)
        if found.complete:
            raise NotFound(f"nothing names {user}: there is no such user, or all of it is erased")
        return await erase_user(context, user) if yes else found
