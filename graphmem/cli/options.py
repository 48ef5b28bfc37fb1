"""Options that several commands have, and the settings that come of them."""

import json
from pathlib import Path
from typing import Annotated

import typer

from graphmem.cli.logs import configure_logs
from graphmem.settings import Settings, debug_wanted, load_settings

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
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a script.")]


def settings_of(*, quiet: bool = True, **given: object) -> Settings:
    """The settings with what was given on the command line, logging set up for them.

    `quiet` is for commands whose output is their answer: they log warnings only, unless
    GRAPHMEM_DEBUG is set. Raises Misconfigured."""
    settings = load_settings(given)
    configure_logs("warning" if quiet and not debug_wanted() else settings.log_level)
    return settings


def answer(data: object, text: str, *, as_json: bool) -> None:
    """Print the answer of a command: `data` as JSON for a script, else the text."""
    typer.echo(json.dumps(data, indent=2, ensure_ascii=False, default=str) if as_json else text)
