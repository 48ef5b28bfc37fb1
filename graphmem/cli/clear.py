"""`graphmem clear`: forgets all notes of one agent, episode or import, or about somebody."""

import asyncio
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from graphmem.cli.memories import open_memory
from graphmem.cli.options import AsJson, Data, Neo4jUri, answer, settings_of
from graphmem.domain.notes import NoteFilter
from graphmem.operations.scalars import format_instant, parse_instant
from graphmem.settings import Settings

if TYPE_CHECKING:
    from graphmem.services.context import Access, Context


BEYOND: Final = (
    *("notes of others", "what teams have and what was proposed to them", "backups and exports"),
    *("names of domains", "synced folders and their history", "logs of Neo4j's transactions"),
    "other names of the same person",
)


@dataclass(frozen=True, kw_only=True)
class Cleared:
    """Counts of clearing: the notes found, and those forgotten, none where nobody agreed.

    `holding` and `remaining`: how much of what the user owns held the words of `--about` before,
    and holds them now, by label; None unless notes are destroyed by it."""

    found: int
    cleared: int
    permanent: bool
    at: str | None = None  # for --undo
    holding: Mapping[str, int] | None = None
    remaining: Mapping[str, int] | None = None
    beyond: Sequence[str] = ()  # where nobody has looked


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
    about: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Notes that mention a person, firm or thing, or contain its name."
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
    """Forget all notes of an agent, an episode or an import, or about somebody; with several
    options, those to which all of them apply.

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
        answer({"restored": count}, f"{_count_text(count)} restored", as_json=as_json)
        return
    filters = _filters(given, about)
    ask = not (yes or as_json) and at_a_terminal()
    done = asyncio.run(_clear(settings, owner, filters, permanent=permanent, yes=yes, ask=ask))
    answer(asdict(done), _render(done, yes=yes), as_json=as_json)


def at_a_terminal() -> bool:
    """Return True if somebody can be asked."""
    return sys.stdin.isatty()


def _filters(given: NoteFilter, about: str | None) -> list[NoteFilter]:
    """Return the filters of which a note has to pass one."""
    if about is not None:
        return [replace(given, entity=about), replace(given, text=about)]
    if not (given.author or given.episode or given.external_prefix):
        raise typer.BadParameter("give --agent, --episode, --import or --about")
    return [given]


def _render(done: Cleared, *, yes: bool) -> str:
    verb = "destroyed for good" if done.permanent else "forgotten"
    if done.found and not (done.cleared or yes):
        return f"{_count_text(done.found)} would be {verb}; --yes does it"
    undo = f"; `--undo {done.at}` takes it back" if done.at else ""
    told = f"{done.cleared} of {_count_text(done.found)} {verb}{undo}"
    if done.holding is None and done.remaining is None:
        return told
    return "\n".join(
        (
            told,
            f"held the name before: {_labels_text(done.holding)}",
            f"holds it now: {_labels_text(done.remaining)}",
            f"not looked at: {', '.join(done.beyond)}",
        )
    )


def _labels_text(counts: Mapping[str, int] | None) -> str:
    if counts is None:
        return "could not be counted in time"
    return ", ".join(f"{count} {label}" for label, count in counts.items()) or "nothing"


def _count_text(count: int) -> str:
    return "1 note" if count == 1 else f"{count} notes"


async def _clear(
    settings: Settings,
    user: str,
    filters: Sequence[NoteFilter],
    *,
    permanent: bool,
    yes: bool,
    ask: bool,
) -> Cleared:
    from graphmem.services.actors import open_access
    from graphmem.services.forgetting.many import forget_many

    async with open_memory(settings, user, filters[0].author) as (context, _):
        access = await open_access(context, user, None)
        found = await _count(context, access, filters, permanent=permanent)
        before = await _remaining(context, access, filters, permanent=permanent)
        proof: dict[str, Any] = {"holding": before, "beyond": () if before is None else BEYOND}
        if not (yes or (ask and found and await _confirm(found, permanent))):
            return Cleared(found=found, cleared=0, permanent=permanent, remaining=before, **proof)
        now, at, cleared = context.clock(), None, 0
        at_once = replace(context, clock=lambda: now)  # all by one instant, to be taken back
        for each in filters:
            forgotten = 1
            while forgotten:
                done = await forget_many(at_once, access, each, confirm=True, permanent=permanent)
                forgotten, at = done.forgotten, done.at or at
                cleared += forgotten
        undo = None if at is None else format_instant(at)
        after = await _remaining(context, access, filters, permanent=permanent)
        return Cleared(
            found=found, cleared=cleared, permanent=permanent, at=undo, remaining=after, **proof
        )


async def _remaining(
    context: "Context", access: "Access", filters: Sequence[NoteFilter], *, permanent: bool
) -> Mapping[str, int] | None:
    """Count what holds the name; None if notes are not destroyed by one."""
    from graphmem.services.forgetting.many import forget_many

    named = [each for each in filters if each.text]
    if not (named and permanent):
        return None
    return (await forget_many(context, access, named[0], permanent=True)).remaining


async def _undo(settings: Settings, user: str, at: datetime) -> int:
    from graphmem.services.forgetting.many import restore_many

    async with open_memory(settings, user, None) as (context, reopen):
        access, restored = await reopen(), 0
        while some := await restore_many(context, access, at):
            restored += some
        return restored


async def _count(
    context: "Context", access: "Access", filters: Sequence[NoteFilter], *, permanent: bool
) -> int:
    """Count the notes that pass one of at most two filters."""
    from graphmem.services.forgetting.many import forget_many

    counted = [await forget_many(context, access, each, permanent=permanent) for each in filters]
    found = sum(each.found for each in counted)
    if len(filters) == 1:
        return found
    both = replace(filters[0], text=filters[1].text)  # counted twice
    return found - (await forget_many(context, access, both, permanent=permanent)).found


async def _confirm(count: int, permanent: bool) -> bool:
    verb = "Destroy for good" if permanent else "Forget"
    return await asyncio.to_thread(typer.confirm, f"{verb} {_count_text(count)}?")
