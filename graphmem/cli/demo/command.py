"""The command `demo`."""

import asyncio
from importlib.resources import as_file
from typing import TYPE_CHECKING, Annotated, Final

import typer

from graphmem.cli.options import Data, settings_of
from graphmem.settings import Settings, load_settings

if TYPE_CHECKING:
    from graphmem.cli.serving import Running

CHOSEN: Final = (0, 1, 3)  # of the diary's questions: two of one user, one of the other


def demo(
    port: Annotated[
        int | None,
        typer.Option(min=0, max=65535, help="Port of the service. [default: 8321]"),
    ] = None,
    data: Data = None,
    once: Annotated[
        bool, typer.Option("--once", "--no-serve", help="End after the questions.")
    ] = False,
) -> None:
    """Show graphmem at work on real input.

    Loads the Python packages that are installed here and a six-week diary of two people and four
    agents, and asks three questions that no single note answers. Two agents answer a fourth one
    differently, and a fifth one only the other person's agent can answer, once that person agrees.
    Then it serves until Ctrl-C. Its graph has a folder of its own, and what is loaded already is
    not loaded again."""
    from graphmem.cli.serving import Running, run_server

    settings = _demo_settings(port=port, data=data)

    async def show(running: Running) -> bool:
        await _load_examples(running)
        await _ask_questions(running)
        _print_addresses(running, settings)
        return not once

    typer.echo("Starting Neo4j and the embedding model …")
    run_server(settings, show)


def _demo_settings(**given: object) -> Settings:
    """Return settings for a graph next to the usual one, on this machine, for everybody on it."""
    fixed = {**given, "auth": "open", "host": "127.0.0.1", "browser": True}
    settings = settings_of(**fixed)
    if given.get("data") is None:
        settings = load_settings({**fixed, "data": settings.data / "demo"})
    return settings


async def _load_examples(running: "Running") -> None:
    from graphmem.cli.demo.diary import load_diary
    from graphmem.cli.demo.packages import USER, installed_packages
    from graphmem.resources import folder
    from graphmem.services.importing.importing import import_documents

    context = running.context
    packages = await asyncio.to_thread(installed_packages, context.clock())
    typer.echo(f"Loading {len(packages)} Python packages and the diary …")
    done = {"Python packages": await import_documents(context, USER, packages)}
    with as_file(folder("examples") / "diary") as diary:
        done |= await load_diary(context, diary)
    for name, imported in done.items():
        loaded = imported.created + imported.revised + imported.unchanged
        typer.echo(f"  {name}: {loaded} notes, {imported.created} of them new")


async def _ask_questions(running: "Running") -> None:
    from graphmem.cli.demo.asking import show_question, show_two_agents
    from graphmem.cli.demo.diary import read_for_others, read_questions
    from graphmem.cli.demo.others import show_others
    from graphmem.resources import folder

    with as_file(folder("examples") / "diary") as diary:
        questions, two_agents = await asyncio.to_thread(read_questions, diary)
        others = await asyncio.to_thread(read_for_others, diary)
    for number in CHOSEN:
        await asyncio.to_thread(show_question, running.base, questions[number])
    await asyncio.to_thread(show_two_agents, running.base, two_agents)
    await asyncio.to_thread(show_others, running.base, others)


def _print_addresses(running: "Running", settings: Settings) -> None:
    typer.echo(f"\nGraphQL        {running.base}/graphql  (header X-Graphmem-User: mara)")
    typer.echo(f"Dashboard      {running.base}/#/overview?user=mara")
    typer.echo(f"Neo4j Browser  {running.address.browser_url or 'not served'}")
    if not settings.neo4j_uri:
        typer.echo(f"               user neo4j, password in {running.password_file}")
