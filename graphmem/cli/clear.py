"""`graphmem clear`: forgets all notes of one agent, episode or import."""

import asyncio
import sys
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Annotated

import typer

from graphmem.cli.memories import open_memory
from graphmem.cli.options import AsJson, Data, Neo4jUri, answer, settings_of
from graphmem.domain.notes import NoteFilter
from graphmem.operations.scalars import format_instant, parse_instant
from graphmem.settings import Settings


@dataclass(frozen=True, kw_only=True)
class Cleared:
    """Counts of clearing: the notes found, and those forgotten, none where nobody agreed."""

    found: int
    cleared: int
    permanent: bool
    at: str | None = None  # for --undo


def clear(
    agent: Annotated[
        str | None, typer.Option(metavar="ID", help="Notes that this agent wrote.")
    ] = None,
    episode: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Notes of this conversation or day, such as one session."
        ),
    ] = None,
    imported: Annotated[
        str | None,
        typer.Option(
            "--import",
            metavar="PREFIX",
            help="Notes whose external id begins so, such as an imported folder.",
        ),
    ] = None,
    since: Annotated[
        str | None, typer.Option(metavar="TIME", help="Only what happened from then on.")
    ] = None,
    until: Annotated[
        str | None, typer.Option(metavar="TIME", help="Only what happened until then.")
    ] = None,
    undo: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Restore all that were forgotten at this instant."),
    ] = None,
    user: Annotated[
        str | None,
        typer.Option(help="Whose notes. [default: GRAPHMEM_DEFAULT_USER, else me]"),
    ] = None,
    permanent: Annotated[
        bool, typer.Option("--permanent", help="Destroy them for good, archived ones, too.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do it without asking.")] = False,
    data: Data = None,
    neo4j: Neo4jUri = None,
    as_json: AsJson = False,
) -> None:
    """Forget all notes of an agent, an episode or an import; with several options, those to which
    all of them apply.

    Prints how many there are, and asks at a terminal; elsewhere they are only counted without
    --yes. `--undo` takes it back, unless --permanent. The agent itself and what others wrote stay.
    A note belongs to whoever said it first, even if others said the same later."""
    given = NoteFilter(
        author=agent,
        episode=episode,
        external_prefix=imported,
        since=None if since is None else parse_instant(since),
        until=None if until is None else parse_instant(until),
    )
    at = None if undo is None else parse_instant(undo)
    settings = settings_of(data=data, neo4j_uri=neo4j)
    owner = user or settings.default_user
    if at is not None:
        count = asyncio.run(_undo(settings, owner, at))
        answer({"restored": count}, f"{count_text(count)} restored", as_json=as_json)
        return
    if not (given.author or given.episode or given.external_prefix):
        raise typer.BadParameter("give --agent, --episode or --import")
    ask = not (yes or as_json) and at_a_terminal()
    done = asyncio.run(_clear(settings, owner, given, permanent=permanent, yes=yes, ask=ask))
    answer(asdict(done), _render(done, yes=yes), as_json=as_json)


def at_a_terminal() -> bool:
    """Return True if somebody can be asked."""
    return sys.stdin.isatty()


def _render(done: Cleared, *, yes: bool) -> str:
    verb = "destroyed for good" if done.permanent else "forgotten"
    if done.found and not (done.cleared or yes):
        return f"{count_text(done.found)} would be {verb}; --yes does it"
    undo = f"; `--undo {done.at}` takes it back" if done.at else ""
    return f"{done.cleared} of {count_text(done.found)} {verb}{undo}"


def count_text(count: int) -> str:
    """Return a number of notes in words."""
    return "1 note" if count == 1 else f"{count} notes"


async def _clear(
    settings: Settings, user: str, given: NoteFilter, *, permanent: bool, yes: bool, ask: bool
) -> Cleared:
    from graphmem.services.actors import open_access
    from graphmem.services.forgetting.many import forget_many

    async with open_memory(settings, user, given.author) as (context, _):
        access = await open_access(context, user, None)
        found = (await forget_many(context, access, given, permanent=permanent)).found
        verb = "Destroy for good" if permanent else "Forget"
        if not (yes or (ask and found and await confirm(f"{verb} {count_text(found)}?"))):
            return Cleared(found=found, cleared=0, permanent=permanent)
        now, at, cleared, forgotten = context.clock(), None, 0, 1
        at_once = replace(context, clock=lambda: now)  # one instant, so that it can be taken back
        while forgotten:
            done = await forget_many(at_once, access, given, confirm=True, permanent=permanent)
            forgotten, at = done.forgotten, done.at or at
            cleared += forgotten
        undo = None if at is None else format_instant(at)
        return Cleared(found=found, cleared=cleared, permanent=permanent, at=undo)


async def _undo(settings: Settings, user: str, at: datetime) -> int:
    from graphmem.services.forgetting.many import restore_many

    async with open_memory(settings, user, None) as (context, reopen):
        access, restored = await reopen(), 0
        while some := await restore_many(context, access, at):
            restored += some
        return restored


async def confirm(question: str) -> bool:
    """Ask at the terminal."""
    return await asyncio.to_thread(typer.confirm, question)
