"""`graphmem import`: a folder of Markdown, or the export of a program, becomes notes."""

import asyncio
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphmem.cli.connect.earlier import (
    CURSOR,
    TRANSCRIPTS,
    count_database,
    keep_database,
    keep_earlier,
    transcripts_of,
)
from graphmem.cli.options import AsJson, Data, Neo4jUri, answer, settings_of
from graphmem.cli.progress import progress
from graphmem.cli.restoring import is_of_team, is_own_export, restore, restore_team
from graphmem.errors import Invalid
from graphmem.settings import Settings

if TYPE_CHECKING:
    from graphmem.services.importing.importing import Imported
    from graphmem.services.importing.markdown import Document

MAX_TOLD = 20  # skipped files that the summary names


class Exported(StrEnum):
    """The programs whose exports are known, those of `services.importing`."""

    MEM0 = "mem0"
    GRAPHITI = "graphiti"
    MCP_MEMORY = "mcp-memory"
    AGENT_MEMORY = "agent-memory"
    CHATGPT = "chatgpt"
    CLAUDE = "claude"
    LETTA = "letta"
    LANGGRAPH = "langgraph"
    HINDSIGHT = "hindsight"


def import_(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="PATH",
            help="A folder of Markdown files (.md), or the file that graphmem or another program "
            "exported; or claude-code, codex or cursor: the conversations that it keeps on this "
            "machine.",
        ),
    ],
    program: Annotated[
        Exported | None,
        typer.Option(
            "--from", help="The program; found out by the file if left out.", show_default=False
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Tell what would be done, and change nothing.")
    ] = False,
    user: Annotated[
        str | None,
        typer.Option(
            help="Whose notes they become. [default: GRAPHMEM_DEFAULT_USER, else me]",
            show_default=False,
        ),
    ] = None,
    agent: Annotated[
        str | None,
        typer.Option(help="Who writes those without an author; none: the user in person."),
    ] = None,
    more: Annotated[
        str,
        typer.Option(
            "--with",
            metavar="PARTS",
            help="What is taken of the export of another user apart from the notes, with commas: "
            "agents, rules, opt-outs, sops, core, skills, links, history; or all.",
            show_default=False,
        ),
    ] = "",
    team: Annotated[
        str | None,
        typer.Option(
            help="The team that gets what `graphmem export --team` wrote; none: the team whose "
            "file it is.",
            show_default=False,
        ),
    ] = None,
    data: Data = None,
    neo4j: Neo4jUri = None,
    as_json: AsJson = False,
) -> None:
    """Make a note of each Markdown file below a folder, or of each thing that an export holds.

    YAML front matter is optional (title, domain, visibility, author, kind, type, tags, episode,
    speaker, occurredAt, importance, entities, relations, links). A file is identified by its path,
    and what another program exported by that program's ids, so importing again only updates changed
    notes, and continues where an import was broken off. From a file of `graphmem export`,
    everything missing is created, and nothing that exists is changed; if another user wrote it,
    only the notes are taken, as your own. The file of a team is brought into it as by hand, with
    your rights in it: knowledge is proposed. What can't be imported is skipped and named; the exit
    code is then 1."""
    if not path.exists() and str(path) in TRANSCRIPTS:
        _import_transcripts(str(path), user, agent, data, neo4j, dry=dry_run, as_json=as_json)
        return
    if not path.exists():
        raise Invalid(f"there is no file or folder {path}")
    if program and path.is_dir():
        raise Invalid(f"{path} is a folder: --from {program.value} takes a file")
    settings = settings_of(data=data, neo4j_uri=neo4j)
    own = path.is_file() and program is None and is_own_export(path)
    if own and agent is not None:
        raise typer.BadParameter("an export is for the user in person", param_hint="--agent")
    if team is not None and not (own and is_of_team(path)):
        raise typer.BadParameter("goes with the file of a team only", param_hint="--team")
    if own and is_of_team(path):
        restore_team(settings, path, user=user, team=team, dry_run=dry_run, as_json=as_json)
        return
    if own:
        restore(
            settings, path, user=user, parts=_parse_parts(more), dry_run=dry_run, as_json=as_json
        )
        return
    given = {"user": user or settings.default_user, "agent": agent, "dry": dry_run}
    documents = None if path.is_dir() else _read_documents(path, program)
    done = asyncio.run(_import(settings, path, documents, given))
    answer(asdict(done), _summary(done, dry=dry_run), as_json=as_json)
    if done.skipped:
        raise typer.Exit(1)


def _import_transcripts(
    client: str,
    user: str | None,
    agent: str | None,
    data: Path | None,
    neo4j: str | None,
    *,
    dry: bool,
    as_json: bool,
) -> None:
    """Keep what the transcripts of an agent's program hold, as its hooks do, by the service."""
    from graphmem.cli.connect.commands import hook_of

    settings = settings_of(data=data, neo4j_uri=neo4j, default_user=user)
    found = transcripts_of(client)
    if dry:
        count = len(found) + (count_database() if client == CURSOR else 0)
        answer({"transcripts": count}, f"{count} transcripts", as_json=as_json)
        return
    hook = hook_of(settings, client, agent or client, settings.default_user)
    with progress("Importing", len(found)) as advance:
        done = keep_earlier(hook, found, advance)
        if client == CURSOR:
            keep_database(hook, done)
    lines = [f"{done.conversations} conversations, {done.turns} turns kept"]
    lines += [f"  {name}: {reason}" for name, reason in [*done.skipped.items()][:MAX_TOLD]]
    answer(asdict(done), "\n".join(lines), as_json=as_json)
    if done.skipped:
        raise typer.Exit(1)


def _parse_parts(text: str) -> list[str]:
    from graphmem.domain.taking import Part

    named = [part.strip() for part in text.split(",") if part.strip()]
    for part in named:
        if part != "all" and part not in set(Part):
            raise typer.BadParameter(f"no part is called {part}", param_hint="--with")
    return [*Part] if "all" in named else named


def _read_documents(path: Path, exported: Exported | None) -> "list[Document]":
    from graphmem.services.context import utc_now
    from graphmem.services.importing.sources.kinds import Program, read_export

    return read_export(path, utc_now(), Program(exported.value) if exported else None)


async def _import(
    settings: Settings, folder: Path, documents: "list[Document] | None", given: dict[str, Any]
) -> "Imported":
    from graphmem.app import open_context
    from graphmem.services.importing.importing import import_documents, import_folder
    from graphmem.services.importing.markdown import markdown_files

    user = given.pop("user")
    async with open_context(settings) as context:
        if documents is not None:
            with progress("Importing", len(documents)) as advance:
                return await import_documents(context, user, documents, progress=advance, **given)
        total = await asyncio.to_thread(lambda: sum(1 for _ in markdown_files(folder)))
        with progress("Importing", total) as advance:
            return await import_folder(context, user, folder, progress=advance, **given)


def _summary(done: "Imported", *, dry: bool) -> str:
    lines = [
        f"{'would be: ' if dry else ''}{done.created} new, {done.revised} revised, "
        f"{done.unchanged} unchanged, {done.linked} new links, {len(done.skipped)} skipped"
    ]
    lines += [f"  {skipped.path}: {skipped.reason}" for skipped in done.skipped[:MAX_TOLD]]
    if len(done.skipped) > MAX_TOLD:
        lines.append(f"  and {len(done.skipped) - MAX_TOLD} more")
    return "\n".join(lines)
