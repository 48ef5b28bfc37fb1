"""`graphmem keys`: the keys to a service with GRAPHMEM_AUTH=keys."""

import asyncio
import re
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

import typer

from graphmem.cli.options import AsJson, Data, Neo4jUri, answer, settings_of
from graphmem.settings import Settings

if TYPE_CHECKING:
    from graphmem.store.graph import Graph
    from graphmem.store.keys import Key

T = TypeVar("T")
UNITS: Final = {  # a year has 365.25 days
    "s": timedelta(seconds=1),
    "m": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
    "y": timedelta(hours=8766),
}
_LIFE = re.compile(r"(\d{1,9})([smhdwy])", re.ASCII)
_HOW = "give a time such as 30s, 15m, 12h, 90d, 4w or 1y, or an instant such as 2030-01-31T09:00Z"


def build_keys() -> typer.Typer:
    """Return the group of commands."""
    group = typer.Typer(
        help="Make, list and revoke API keys, for a service with GRAPHMEM_AUTH=keys.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    group.command()(create)
    group.command("list")(list_)
    group.command()(revoke)
    return group


def parse_expiry(text: str | None) -> timedelta | datetime | None:
    """Parse how long a key is valid (15m, 90d), or the instant at which it ends (ISO 8601; UTC if
    no zone is given; a date alone stands for its beginning). Raises typer.BadParameter."""
    if text is None:
        return None
    text = text.strip()
    match = _LIFE.fullmatch(text.lower())
    try:
        return int(match[1]) * UNITS[match[2]] if match else _parse_instant(text)
    except (ValueError, OverflowError) as exc:
        raise typer.BadParameter(_HOW, param_hint="--expires") from exc


def _parse_instant(text: str) -> datetime:
    """Parse a full date with or without a time of day. Raises ValueError."""
    if not re.match(r"\d{4}-\d\d-\d\d", text, re.ASCII):
        raise ValueError("not a date")
    instant = datetime.fromisoformat(text)
    return instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant


def create(
    user: Annotated[
        str | None,
        typer.Option(
            help="Whose key it is. [default: GRAPHMEM_DEFAULT_USER, else me]", show_default=False
        ),
    ] = None,
    agent: Annotated[
        str | None, typer.Option(help="The user's agent that it is for; none: the user in person.")
    ] = None,
    admin: Annotated[bool, typer.Option("--admin", help="Let it do what only admins may.")] = False,
    expires: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="How long it is valid (30s, 15m, 12h, 90d, 4w, 1y), or until when "
            "(2030-01-31T09:00Z). [default: until revoked]",
        ),
    ] = None,
    name: Annotated[str | None, typer.Option(help="What it is for, to know it again.")] = None,
    data: Data = None,
    neo4j: Neo4jUri = None,
    as_json: AsJson = False,
) -> None:
    """Make a key and print it. It is shown only this once: graphmem keeps no copy.

    A client sends it as `Authorization: Bearer gm_...`."""
    from graphmem.operations.presenters.as_json import to_json
    from graphmem.services.context import utc_now
    from graphmem.services.keys import create_key

    until = parse_expiry(expires)
    settings = settings_of(data=data, neo4j_uri=neo4j)
    owner = user or settings.default_user
    key, secret = _with_graph(
        settings,
        lambda graph: create_key(
            graph, utc_now, user=owner, agent=agent, admin=admin, name=name, until=until
        ),
    )
    answer({**to_json(key), "key": secret}, f"{secret}", as_json=as_json)
    if not as_json:
        end = f"until {key.expires_at:%Y-%m-%d %H:%M:%S} UTC" if key.expires_at else "until revoked"
        typer.echo(
            f"Key {key.id} of {_owner_text(key)}, valid {end}. Keep it: it is not shown again.",
            err=True,
        )


def list_(data: Data = None, neo4j: Neo4jUri = None, as_json: AsJson = False) -> None:
    """List all keys, newest first, without their secrets."""
    from graphmem.operations.presenters.as_json import to_json
    from graphmem.services.keys import list_keys

    keys = _with_graph(settings_of(data=data, neo4j_uri=neo4j), list_keys)
    lines = [
        f"{k.id}  {_state_text(k):<28}  {_owner_text(k)}{f'  ({k.name})' if k.name else ''}"
        for k in keys
    ]
    answer(to_json(keys), "\n".join(lines) or "There are no keys.", as_json=as_json)


def revoke(
    key_id: Annotated[
        str, typer.Argument(metavar="ID", help="The 8 characters after gm_, as `list` shows them.")
    ],
    data: Data = None,
    neo4j: Neo4jUri = None,
    as_json: AsJson = False,
) -> None:
    """Refuse a key from now on, at every running service."""
    from graphmem.operations.presenters.as_json import to_json
    from graphmem.services.context import utc_now
    from graphmem.services.keys import revoke_key

    settings = settings_of(data=data, neo4j_uri=neo4j)
    key = _with_graph(settings, lambda graph: revoke_key(graph, utc_now, key_id))
    answer(to_json(key), f"Key {key.id} of {_owner_text(key)} is revoked.", as_json=as_json)


def _with_graph(settings: Settings, work: "Callable[[Graph], Coroutine[Any, Any, T]]") -> T:
    async def run() -> T:
        from graphmem.app import migrations, open_graph
        from graphmem.services.context import utc_now
        from graphmem.services.startup import migrate_graph

        async with open_graph(settings) as graph:
            await migrate_graph(graph, migrations(), utc_now, settings.backup_dir or settings.data)
            return await work(graph)

    return asyncio.run(run())


def _owner_text(key: "Key") -> str:
    who = f"agent {key.agent} of {key.user}" if key.agent else key.user
    return f"{who}, admin" if key.scope == "admin" else who


def _state_text(key: "Key") -> str:
    from graphmem.services.context import utc_now

    if key.revoked_at:
        return "revoked"
    if key.expires_at is None:
        return "valid"
    word = "expired" if key.expires_at <= utc_now() else "until"
    return f"{word} {key.expires_at:%Y-%m-%d %H:%M:%S}"
