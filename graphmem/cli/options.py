"""Options that several commands have, and the settings that result from them."""

import json
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import structlog
import typer

from graphmem.cli.logs import configure_logs
from graphmem.cli.variables import unknown_variables
from graphmem.errors import Invalid
from graphmem.settings import Settings, debug_wanted, load_settings

log = structlog.get_logger(__name__)

Data = Annotated[
    Path | None,
    typer.Option(
        "--data",
        metavar="DIR",
        help="Folder of the embedded Neo4j. [env: GRAPHMEM_DATA]",
        show_default=False,
    ),
]
Neo4jUri = Annotated[
    str | None,
    typer.Option(
        "--neo4j",
        metavar="URI",
        help="A running Neo4j, such as neo4j://host:7687; none: one is started. "
        "[env: GRAPHMEM_NEO4J_URI, with _USER and _PASSWORD]",
        show_default=False,
    ),
]
Url = Annotated[
    str | None,
    typer.Option(
        "--url",
        envvar="GRAPHMEM_URL",
        metavar="URL",
        help="The service. [default: that of the data folder, else the one at the configured port]",
        show_default=False,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a script.")]


def settings_of(*, quiet: bool = True, **given: object) -> Settings:
    """Return the settings with the options of the command line, and set up logging for them.

    `quiet` is for commands whose output is their answer: they log warnings only, unless
    GRAPHMEM_DEBUG is set. Raises Misconfigured."""
    settings = load_settings(given)
    configure_logs("warning" if quiet and not debug_wanted() else settings.log_level)
    for name, nearest in unknown_variables().items():
        log.warning("unknown setting, which changes nothing", name=name, nearest=nearest)
    return settings


def url_given(url: str | None) -> str | None:
    """Return the address of a service from `--url`, checked. Raises Invalid."""
    if url is None:
        return None
    try:
        parts = urlsplit(url)
        fine = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        fine = False
    if not fine:
        raise Invalid(f"{url!r} is not the address of a service, such as http://host:8321")
    return url


def answer(data: object, text: str, *, as_json: bool) -> None:
    """Print the answer of a command: `data` as JSON for a script, else the text."""
    typer.echo(json.dumps(data, indent=2, ensure_ascii=False, default=str) if as_json else text)
