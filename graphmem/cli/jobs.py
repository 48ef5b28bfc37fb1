"""`graphmem jobs`: the periodic work on the whole memory, and running it by hand."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from graphmem.cli.options import AsJson, Data, Neo4jUri, answer, settings_of
from graphmem.settings import Settings

if TYPE_CHECKING:
    from graphmem.domain.jobs import Job, JobRun
    from graphmem.store.graph import Graph


def build_jobs() -> typer.Typer:
    """Return the group of commands."""
    group = typer.Typer(
        help="List the jobs and their runs, and run one by hand.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    group.command("list")(list_)
    group.command()(run)
    group.command()(runs)
    group.command()(show)
    return group


def list_(data: Data = None, neo4j: Neo4jUri = None, as_json: AsJson = False) -> None:
    """List the jobs, each with the state of its newest run."""
    found = asyncio.run(_load_jobs(settings_of(data=data, neo4j_uri=neo4j)))
    lines = [
        f"{job.name}  {job.cron}  {state_of(newest)}\n  {job.description}" for job, newest in found
    ]
    shown = [
        {
            "name": job.name,
            "cron": job.cron,
            "timeZone": job.time_zone,
            "description": job.description,
            "lastRun": None if newest is None else _to_json(newest),
        }
        for job, newest in found
    ]
    answer(shown, "\n".join(lines), as_json=as_json)


async def _load_jobs(settings: Settings) -> "list[tuple[Job, JobRun | None]]":
    from graphmem.services.jobs.jobs import list_jobs

    async with _open_migrated_graph(settings) as graph:
        return await list_jobs(graph, settings.schedule)


@asynccontextmanager
async def _open_migrated_graph(settings: Settings) -> "AsyncIterator[Graph]":
    """Open the graph with its migrations, but without a model."""
    from graphmem.app import migrations, open_graph
    from graphmem.services.context import utc_now
    from graphmem.services.startup import migrate_graph

    async with open_graph(settings) as graph:
        await migrate_graph(graph, migrations(), utc_now, settings.backup_dir or settings.data)
        yield graph


def runs(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Only of this job.")] = None,
    first: Annotated[int | None, typer.Option(help="How many; as many as the API gives.")] = None,
    data: Data = None,
    neo4j: Neo4jUri = None,
    as_json: AsJson = False,
) -> None:
    """List the newest runs, newest first."""
    from graphmem.operations.commands.jobs import ListJobRuns
    from graphmem.operations.parsing import parse

    _check_name(name)
    asked = parse(ListJobRuns, {"job": name, "first": first})
    found = asyncio.run(_load_runs(settings_of(data=data, neo4j_uri=neo4j), asked.job, asked.first))
    lines = [f"{each.job}  {each.slot}  {state_of(each)}" for each in found]
    answer([_to_json(each) for each in found], "\n".join(lines) or "no runs yet", as_json=as_json)


async def _load_runs(settings: Settings, name: str | None, first: int) -> "list[JobRun]":
    from graphmem.services.jobs.jobs import list_runs

    async with _open_migrated_graph(settings) as graph:
        return await list_runs(graph, name, first)


def _check_name(name: str | None) -> None:
    from graphmem.services.jobs.jobs import WORK

    if name is not None and name not in WORK:
        raise typer.BadParameter(f"one of {', '.join(sorted(WORK))}", param_hint="NAME")


def run(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A job, as `list` shows it.")],
    data: Data = None,
    neo4j: Neo4jUri = None,
    as_json: AsJson = False,
) -> None:
    """Run a job now and print what it counted; the exit code is 1 when it fails."""
    from graphmem.domain.jobs import RunStatus

    _check_name(name)
    done = asyncio.run(_run_job(settings_of(data=data, neo4j_uri=neo4j), name))
    answer(_to_json(done), f"{name}  {state_of(done)}", as_json=as_json)
    if done.status is not RunStatus.DONE:
        raise typer.Exit(1)


async def _run_job(settings: Settings, name: str) -> "JobRun":
    from graphmem.app import open_context
    from graphmem.services.jobs.jobs import run_job

    async with open_context(settings) as context:
        return await run_job(context, name)


def show(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A job, as `list` shows it.")],
    data: Data = None,
) -> None:
    """Print the file of a job with its parameters, for Neo4j Browser.

    Pasted there, it does for all notes at once what the job does page by page, if the job is
    Cypher; else it shows what the job finds. Nothing needs to run."""
    from graphmem.cli.cypher import browser_text, cypher, literal
    from graphmem.resources import folder
    from graphmem.services.context import utc_now
    from graphmem.services.jobs.statements import statement_parameters
    from graphmem.store.queries import Queries

    _check_name(name)
    text = Queries(folder("cypher"), folder("jobs")).text(f"job:{name}")
    times = statement_parameters(name, settings_of(data=data).ranking, utc_now())
    for given in times:
        values = {each: literal(value) for each, value in given.items()}
        typer.echo(browser_text(text, values))
    if not times:
        cypher(f"job:{name}")


def state_of(newest: "JobRun | None") -> str:
    """Return the state of a job's newest run in one line."""
    if newest is None:
        return "never run"
    counts = ", ".join(f"{name} {count}" for name, count in newest.counts.items())
    when = f"{newest.status} {newest.started_at:%Y-%m-%d %H:%M:%S} UTC"
    return f"{when}  {newest.error or counts}".rstrip()


def _to_json(newest: "JobRun") -> object:
    from graphmem.operations.presenters.as_json import to_json
    from graphmem.operations.presenters.jobs import run_of

    return to_json(run_of(newest))
