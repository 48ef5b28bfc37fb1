"""Keeps the history of a folder by git: one commit for each action, actor and trigger."""

import asyncio
import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from graphmem.domain.actors import COMMIT_FROM, MANUAL, SKILL
from graphmem.errors import Invalid, Misconfigured
from graphmem.services.syncing.folder import make_folder, stamp_of, write_file
from graphmem.services.syncing.homes import is_top_file

TIMEOUT_S: Final = 60.0
SYNC: Final = "system:sync"
BY_HAND: Final = "edited by hand"
BY_GRAPH: Final = "changed in the memory"
_EXCLUDED: Final = ("/.graphmem/", "/memory/snapshots/")  # what was, and whole copies of the memory
BY_PAGES: Final = "pages made of the memory"
_OF_CALLER: Final = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX")
# A hook or a monitor of the folder is no part of a sync.
_SAFE: Final = (
    *("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"),
    *("-c", "commit.gpgSign=false", "-c", "core.quotePath=false", "-c", "gc.auto=0"),
)
# Settings of a repository by which git runs a program, or works elsewhere.
_UNSAFE: Final = ("filter.", "gpg.", "include.", "includeif.", "core.worktree", "log.showsignature")
_SELF: Final = ("-c", "user.name=graphmem", "-c", "user.email=graphmem@localhost")
_WORDS: Final[Mapping[str, str]] = {
    "CREATE": "added",
    "EDIT": "changed",
    "APPEND": "grew",
    "DELETE": "deleted",
    "RENAME": "moved",
}


@dataclass(frozen=True, kw_only=True)
class Step:
    """A change of a file."""

    path: PurePosixPath
    action: str
    actor: str
    trigger: str


async def open_repository(root: Path) -> None:
    """Make the folder a repository if it is none. Raises Invalid where git fails or is missing."""
    if not await asyncio.to_thread((root / ".git").exists):
        await _git(root, "init", "--quiet")
    await _require_safe(root)
    await asyncio.to_thread(_exclude_state, root)


async def _require_safe(root: Path) -> None:
    """Raise Invalid if the repository's own settings would make git run a program of its own: the
    folder may come from somebody else."""
    for place in ("--local", "--worktree"):
        with suppress(Invalid):  # there is no such file
            listed = await _git(root, "config", place, "--no-includes", "--name-only", "--list")
            for name in listed.lower().split("\n"):
                if name.startswith(_UNSAFE):
                    raise Misconfigured(f"the folder's .git/config sets {name[:60]}: not used")


def _exclude_state(root: Path) -> None:
    if not (root / ".git").is_dir():
        return  # a work tree of another repository, whose own file excludes it
    path = PurePosixPath(".git/info/exclude")
    make_folder(root, path.parent)
    there = root / path
    text = there.read_text("utf-8", errors="replace") if there.is_file() else ""
    missing = [each for each in _EXCLUDED if each not in text.splitlines()]
    if missing:
        new = "\n".join([text.rstrip(), *missing, ""]).lstrip()
        write_file(root, path, new, over=stamp_of(there))


async def find_untracked(root: Path, paths: Sequence[PurePosixPath]) -> list[Step]:
    """Return the files of a folder that git does not have yet, such as those that were synced
    before, as steps. Raises Invalid where git fails."""
    tracked = frozenset((await _git(root, "ls-files", "-z")).split("\0"))
    return [
        Step(path=path, action="CREATE", actor=SYNC, trigger=BY_GRAPH)
        for path in paths
        if str(path) not in tracked
    ]


async def commit_steps(root: Path, steps: Sequence[Step], t0_files: Sequence[str]) -> int:
    """Commit what happened to files, and return the number of commits.

    Nothing is committed where nothing changed. Raises Invalid where git fails."""
    groups: dict[tuple[str, str, str], list[PurePosixPath]] = defaultdict(list)
    for step in steps:
        groups[step.actor, step.trigger, step.action].append(step.path)
    tracked = frozenset((await _git(root, "ls-files", "-z")).split("\0")) if groups else frozenset()
    done = 0
    for (actor, trigger, action), paths in sorted(groups.items()):
        those = [p for p in dict.fromkeys(paths) if str(p) in tracked or _is_file(root, p)]
        if those and await _commit(
            root, those, message_of(action, those, actor, trigger, t0_files)
        ):
            done += 1
    return done


def _is_file(root: Path, path: PurePosixPath) -> bool:
    return stamp_of(root / path) is not None


async def _commit(root: Path, paths: Sequence[PurePosixPath], message: str) -> bool:
    named = "\0".join(map(str, paths))
    listed = ("--pathspec-from-file=-", "--pathspec-file-nul")
    await _git(root, "add", "--all", "--force", *listed, given=named)
    changed = await _git(root, "status", "--porcelain", "-z", "--untracked-files=no")
    staged = {line[3:] for line in changed.split("\0") if line[:1] in ("A", "M", "D", "R", "T")}
    if staged.isdisjoint(map(str, paths)):
        return False
    await _git(root, "commit", "--quiet", "--only", "-m", message, *listed, given=named)
    return True


def message_of(
    action: str, paths: Sequence[PurePosixPath], actor: str, trigger: str, t0_files: Sequence[str]
) -> str:
    """Return the message of a commit."""
    many = f"{len(paths)} files " if len(paths) > 1 else ""
    lines = [
        f"[{action}] {pattern_of(paths)} — {many}{_WORDS.get(action, action.lower())}, {trigger}",
        "",
        f"Actor: {actor}",
        f"Approval: {_approval_of(actor)}",
        f"Trigger: {trigger}",
    ]
    if any(is_top_file(path, t0_files) for path in paths):
        lines.append("⚠️ CRITICAL FILE CHANGED")
    return "\n".join(lines)


def pattern_of(paths: Sequence[PurePosixPath]) -> str:
    """Return one path, or the pattern of several."""
    if len(paths) == 1:
        return str(paths[0])
    common = os.path.commonpath([str(path.parent) for path in paths])
    return f"{common}/*" if common else "*"


def _approval_of(actor: str) -> str:
    if actor == MANUAL:
        return "—"
    approved = actor.startswith(("reflection:", COMMIT_FROM))
    return "approved" if approved and not actor.startswith(SKILL) else "auto"


async def actors_of(root: Path, paths: Sequence[PurePosixPath]) -> dict[PurePosixPath, str]:
    """Return who changed files, by the newest commit of each that names an actor.

    Of a file that differs from that commit, nobody but the person at the folder did."""
    found: dict[PurePosixPath, str] = {}
    for path in paths:
        with suppress(Invalid):  # a repository without a commit
            if await _git(root, "status", "--porcelain", "--", str(path)):
                continue
            message = await _git(root, "log", "-1", "--format=%B", "--", str(path))
            for line in message.splitlines():
                if line.startswith("Actor: ") and line != f"Actor: {MANUAL}":
                    found[path] = line.removeprefix("Actor: ").strip()[:200]
    return found


async def _git(root: Path, *args: str, given: str = "") -> str:
    """Run git and return what it prints. Raises Invalid."""
    environment = {name: value for name, value in os.environ.items() if name not in _OF_CALLER}
    environment |= {"GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    who = () if await _has_name(root, environment) else _SELF
    code, printed = await _run(
        root, (*_SAFE, *who, "--literal-pathspecs", *args), environment, given
    )
    if code:
        raise Invalid(f"git {args[0]} failed in the folder (exit code {code})")
    return printed


async def _has_name(root: Path, environment: Mapping[str, str]) -> bool:
    """Check if git knows who commits."""
    code, _ = await _run(root, ("config", "user.email"), environment, "")
    return code == 0


async def _run(
    root: Path, args: Sequence[str], environment: Mapping[str, str], given: str
) -> tuple[int, str]:
    pipe = asyncio.subprocess.PIPE
    try:
        process = await asyncio.create_subprocess_exec(
            *("git", "-C", str(root), *args),
            stdin=pipe,
            stdout=pipe,
            stderr=asyncio.subprocess.DEVNULL,
            env=dict(environment),
        )
    except OSError as exc:
        raise Invalid("the program git is needed for --git") from exc
    try:
        async with asyncio.timeout(TIMEOUT_S):
            printed, _ = await process.communicate(given.encode())
    except TimeoutError as exc:
        raise Invalid("git took too long") from exc
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return process.returncode or 0, printed.decode(errors="replace")
