"""`graphmem clear`: forgets all notes that one agent wrote."""

import asyncio
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from graphmem.cli.options import AsJson, Data, Neo4jUri, answer, settings_of
from graphmem.settings import Settings

if TYPE_CHECKING:
    from graphmem.services.forgetting.clearing import AgentCleared


def clear(
    agent: Annotated[str, typer.Option(metavar="ID", help="The agent that wrote the notes.")],
    user: Annotated[
        str | None,
        typer.Option(help="Whose agent it is. [default: GRAPHMEM_DEFAULT_USER, else me]"),
    ] = None,
    permanent: Annotated[
        bool, typer.Option("--permanent", help="Destroy them for good, archived ones, too.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do it without asking.")] = False,
    data: Data = None,
    neo4j: Neo4jUri = None,
    as_json: AsJson = False,
) -> None:
    """Forget all notes that an agent wrote; `restore` can bring each back, unless --permanent.

    Prints how many there are, and asks at a terminal; elsewhere they are only counted without
    --yes. The agent itself and what others wrote stay. A note belongs to whoever said it first,
    even if others said the same later."""
    settings = settings_of(data=data, neo4j_uri=neo4j)
    owner = user or settings.default_user
    ask = not (yes or as_json) and at_a_terminal()
    done = asyncio.run(_clear(settings, owner, agent, permanent=permanent, yes=yes, ask=ask))
    answer(asdict(done), _render(done, agent, yes=yes), as_json=as_json)


def at_a_terminal() -> bool:
    """Return True if somebody can be asked."""
    return sys.stdin.isatty()


def _render(done: "AgentCleared", agent: str, *, yes: bool) -> str:
    verb = "destroyed for good" if done.permanent else "forgotten"
    if done.found and not (done.cleared or yes):
        return f"{_count_text(done.found)} of {agent} would be {verb}; --yes does it"
    return f"{done.cleared} of {_count_text(done.found)} of {agent} {verb}"


def _count_text(count: int) -> str:
    return "1 note" if count == 1 else f"{count} notes"


async def _clear(
    settings: Settings, user: str, agent: str, *, permanent: bool, yes: bool, ask: bool
) -> "AgentCleared":
    from graphmem.app import open_context
    from graphmem.services.forgetting.clearing import clear_agent

    async with open_context(settings) as context:
        if not yes:
            counted = await clear_agent(context, user, agent, permanent=permanent, dry_run=True)
            if not (ask and counted.found and await _confirm(counted.found, agent, permanent)):
                return counted
        return await clear_agent(context, user, agent, permanent=permanent)


async def _confirm(count: int, agent: str, permanent: bool) -> bool:
    verb = "Destroy for good" if permanent else "Forget"
    return await asyncio.to_thread(typer.confirm, f"{verb} {_count_text(count)} of {agent}?")
