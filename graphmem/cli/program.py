"""The program `graphmem`: its commands, its exit codes, and how it reports errors."""

import sys
import traceback

import typer

from graphmem.cli.asking import call, recall, remember
from graphmem.cli.backups import backup, restore
from graphmem.cli.clear import clear
from graphmem.cli.connect.commands import connect, disconnect, doctor
from graphmem.cli.cypher import cypher
from graphmem.cli.database import migrate, neo4j, reindex, verify
from graphmem.cli.demo.command import demo
from graphmem.cli.erase import erase_user
from graphmem.cli.exporting import export
from graphmem.cli.forget_person import forget_person
from graphmem.cli.importing import import_
from graphmem.cli.inspect import debug, schema, status
from graphmem.cli.jobs import build_jobs
from graphmem.cli.keys import build_keys
from graphmem.cli.mcp import build_mcp
from graphmem.cli.purge import purge
from graphmem.cli.serve import serve
from graphmem.cli.syncing import sync
from graphmem.cli.training import aot_cache
from graphmem.errors import GraphmemError
from graphmem.operations.codes import FAILED, exit_code_of
from graphmem.settings import debug_wanted


def build() -> typer.Typer:
    """Return the program with all its commands."""
    program = typer.Typer(
        name="graphmem",
        help="The memory of a team of people and their AI agents, kept as a graph in Neo4j.",
        epilog="Settings: GRAPHMEM_* in the environment, or in the file GRAPHMEM_ENV_FILE. "
        "Exit codes: 0 done, 1 failed, 2 wrong use.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    upkeep = (
        neo4j,
        migrate,
        reindex,
        backup,
        restore,
        verify,
        clear,
        purge,
        status,
        debug,
        schema,
        cypher,
    )
    for command in (serve, demo, remember, recall, call, connect, disconnect, doctor, *upkeep):
        program.command()(command)
    program.command()(export)
    program.command("import")(import_)
    program.command()(sync)
    program.command("forget-person")(forget_person)
    program.command("erase-user")(erase_user)
    program.command("aot-cache")(aot_cache)
    program.add_typer(build_jobs(), name="jobs")
    program.add_typer(build_keys(), name="keys")
    program.add_typer(build_mcp(), name="mcp")
    return program


def run() -> int:
    """Run the command of this process's arguments and return its exit code.

    An error is one line on stderr; GRAPHMEM_DEBUG=1 adds the traceback."""
    try:
        build()(prog_name="graphmem")
    except GraphmemError as error:
        return _report_error(error, error.message)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else FAILED
    except Exception as error:
        kind = type(error).__name__
        return _report_error(error, f"unexpected {kind}; GRAPHMEM_DEBUG=1 shows where")
    return 0


def _report_error(error: Exception, message: str) -> int:
    if debug_wanted():
        traceback.print_exception(error)
    sys.stderr.write(f"graphmem: {message}\n")
    return exit_code_of(error)
