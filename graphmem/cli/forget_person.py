"""`graphmem forget-person`: forgets, redacts or destroys all that names a person or firm."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Annotated, Final

import typer

from graphmem.cli.clear import at_a_terminal, confirm, count_text
from graphmem.cli.memories import open_memory
from graphmem.cli.options import AsJson, Data, Neo4jUri, answer, settings_of
from graphmem.operations.scalars import format_instant
from graphmem.settings import Settings

SHOWN: Final = 20  # notes that are listed
SHOWN_OF_NOTE: Final = 100  # characters
NOT_LOOKED_AT: Final = (
    *("notes of others", "what teams have and what was proposed to them", "backups and exports"),
    *("names of domains", "synced folders and their history", "logs of Neo4j's transactions"),
    "other names of the same person",
)


class Action(StrEnum):
    """An action on notes that name a person."""

    ARCHIVE = "archive"
    REDACT = "redact"
    DESTROY = "destroy"


_OFFERED: Final = {
    Action.ARCHIVE: "archives them; see --redact and --permanent, too",
    Action.REDACT: "cuts the name out of them and of all other texts, for good",
    Action.DESTROY: "destroys them for good",
}
_DONE: Final = {
    Action.ARCHIVE: "archived",
    Action.REDACT: "are without the name now",
    Action.DESTROY: "destroyed for good",
}
_ASKED: Final = {
    Action.ARCHIVE: "Archive {}?",
    Action.REDACT: "Cut the name out of {} and all other texts, for good?",
    Action.DESTROY: "Destroy {} for good?",
}


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """Counts of what names a person, and of what was done with it: nothing where nobody agreed."""

    action: Action
    found: int  # notes that mention the person or contain a name
    notes: Sequence[Mapping[str, str]]  # the newest of them, by id and text
    holding: Mapping[str, int] | None  # how much held a name before, by label; None: not counted
    done: int = 0  # notes
    others: int = 0  # texts that are not notes, of which a name was cut out
    left: int = 0  # what changed all the time or could not be changed, and may still hold a name
    at: str | None = None  # for `graphmem clear --undo`
    remaining: Mapping[str, int] | None = None  # how much holds a name now
    not_looked_at: Sequence[str] = NOT_LOOKED_AT
    agreed: bool = False

    @property
    def is_nothing(self) -> bool:
        """True if nothing names the person."""
        return self.found == 0 and self.holding == {}


def forget_person(
    name: Annotated[str, typer.Argument(help="A person, firm or thing.", show_default=False)],
    also: Annotated[
        list[str] | None,
        typer.Option("--also", metavar="NAME", help="Another name of the same; repeatable."),
    ] = None,
    redact: Annotated[
        bool, typer.Option("--redact", help="Keep the notes, and cut the name out for good.")
    ] = False,
    permanent: Annotated[
        bool, typer.Option("--permanent", help="Destroy the notes for good, archived ones, too.")
    ] = False,
    user: Annotated[
        str | None,
        typer.Option(help="Whose memory. [default: GRAPHMEM_DEFAULT_USER, else me]"),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do it without asking.")] = False,
    data: Data = None,
    neo4j: Neo4jUri = None,
    as_json: AsJson = False,
) -> None:
    """List what names a person, then archive, redact or destroy it.

    Lists the notes of yours that mention the person or contain the name as words of its own, asks
    at a terminal, and archives them; elsewhere they are only listed without --yes. `graphmem clear
    --undo` restores what was archived. Prints how much of what you own held the name
    before, and holds it now."""
    if redact and permanent:
        raise typer.BadParameter("give --redact or --permanent, not both")
    action = Action.REDACT if redact else Action.DESTROY if permanent else Action.ARCHIVE
    settings = settings_of(data=data, neo4j_uri=neo4j)
    names = list(dict.fromkeys([name, *(also or ())]))
    ask = not (yes or as_json) and at_a_terminal()
    owner = user or settings.default_user
    outcome = asyncio.run(_forget_person(settings, owner, names, action, yes=yes, ask=ask))
    lines = _lines(outcome, listed=ask and not outcome.is_nothing)
    answer(asdict(outcome), "\n".join(lines), as_json=as_json)


async def _forget_person(
    settings: Settings, user: str, names: Sequence[str], action: Action, *, yes: bool, ask: bool
) -> Outcome:
    from graphmem.services.forgetting.many import (
        count_remaining,
        find_named,
        forget_found,
        load_found,
    )
    from graphmem.services.forgetting.redacting import check_names, redact_names

    names = check_names(names)
    permanent = action is not Action.ARCHIVE
    async with open_memory(settings, user, None) as (context, reopen):
        access = await reopen()
        found = await find_named(context, access, names, permanent=permanent)
        newest = await load_found(context, access, found[:SHOWN])
        outcome = Outcome(
            action=action,
            found=len(found),
            notes=[{"id": note.id, "text": _begin(note.title or note.content)} for note in newest],
            holding=await count_remaining(context, access, names),
        )
        if outcome.is_nothing:
            return outcome
        if ask:
            typer.echo("\n".join(_list(outcome)))
            yes = await confirm(_ASKED[action].format(count_text(outcome.found)))
        if not yes:
            return outcome
        if action is Action.REDACT:
            redacted = await redact_names(context, access, names)
            done, others, left = redacted.notes, redacted.others, redacted.left
            outcome = replace(outcome, done=done, others=others, left=left)
        else:
            done, at = await forget_found(context, access, found, permanent=permanent)
            undo = format_instant(at) if done and not permanent else None
            outcome = replace(outcome, done=done, at=undo)
        remaining = await count_remaining(context, access, names)
        return replace(outcome, agreed=True, remaining=remaining)


def _begin(text: str) -> str:
    """Return the begin of a text in one line."""
    line = " ".join(text.split())
    return line if len(line) <= SHOWN_OF_NOTE else f"{line[:SHOWN_OF_NOTE]} …"


def _list(outcome: Outcome) -> list[str]:
    more = outcome.found - len(outcome.notes)
    return [
        f"{count_text(outcome.found)} found",
        *(f"- {note['id']} {note['text']}" for note in outcome.notes),
        *([f"and {more} more"] if more > 0 else []),
        f"hold a name: {_labels_text(outcome.holding)}",
    ]


def _lines(outcome: Outcome, *, listed: bool) -> list[str]:
    """Return what is left to say; `listed`: the notes were shown before somebody was asked."""
    first = [] if listed else _list(outcome)
    if not outcome.agreed:
        offered = f"--yes does it: {_OFFERED[outcome.action]}"
        return first if listed or outcome.is_nothing else [*first, offered]
    undo = f"; `graphmem clear --undo {outcome.at}` takes it back" if outcome.at else ""
    others = f" and {outcome.others} other texts" if outcome.action is Action.REDACT else ""
    again = f"{outcome.left} could not be changed: run it again" if outcome.left else None
    return [
        *first,
        f"{count_text(outcome.done)}{others} {_DONE[outcome.action]}{undo}",
        *([again] if again else []),
        f"hold a name now: {_labels_text(outcome.remaining)}",
        f"not looked at: {', '.join(outcome.not_looked_at)}",
    ]


def _labels_text(counts: Mapping[str, int] | None) -> str:
    if counts is None:
        return "could not be counted in time"
    return ", ".join(f"{count} {label}" for label, count in counts.items()) or "nothing"
