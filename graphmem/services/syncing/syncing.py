"""Brings a folder of files and the graph together, in both directions.

What a person changed by hand since the last sync goes into the graph, with the rights of the
folder's viewer; then the files that the graph differs from are written. Each text has three states:
that of the last sync, the file and the graph. Nothing of two sides is lost: a text that both
changed is merged, and where that clashes the graph's text is put next to the file."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Final

from graphmem.domain.actors import actor_of
from graphmem.domain.notes import Note
from graphmem.domain.strength import relevance_of
from graphmem.errors import Conflict, GraphmemError, Invalid, Unavailable
from graphmem.services.actors import open_access
from graphmem.services.context import Access, Context
from graphmem.services.reading.notes import MAX_IDS
from graphmem.services.syncing import git as git_history
from graphmem.services.syncing import pages as made_pages
from graphmem.services.syncing.carrying import Carried, Carrier, preview
from graphmem.services.syncing.clashing import settle_clashes
from graphmem.services.syncing.comparing import Comparison, Wishes, first_lines
from graphmem.services.syncing.folder import stamp_of
from graphmem.services.syncing.git import Step
from graphmem.services.syncing.history import step_of, steps_by_hand
from graphmem.services.syncing.homes import is_top_file
from graphmem.services.syncing.ignoring import is_ignored, read_patterns
from graphmem.services.syncing.laying import Layout, Write
from graphmem.services.syncing.outcome import Synced
from graphmem.services.syncing.pages import Page
from graphmem.services.syncing.reading import (
    Files,
    KnownNotes,
    is_unchanged,
    load_away,
    read_files,
)
from graphmem.services.syncing.resting import is_rest, lines_of, newest_event
from graphmem.services.syncing.snapshots import keep_snapshots
from graphmem.services.syncing.state import (
    PLACE,
    Seen,
    State,
    base_of,
    check_owner,
    load_state,
    locked,
    save_state,
)
from graphmem.services.syncing.writing import Writer, pages_to_write
from graphmem.services.writing.changing import revisions_of

MOST_GONE: Final = 50  # notes whose files may be deleted without a question
SHARE_GONE: Final = 0.25  # of all notes of the folder, if they are not few
FEW: Final = 4
REST_S: Final = 3_600.0  # after that the graph is read though it has no events


async def sync_folder(
    context: Context,
    user: str,
    root: Path,
    *,
    agent: str | None = None,
    dry: bool = False,
    yes: bool = False,
    git: bool = False,
    known: KnownNotes | None = None,
) -> Synced:
    """Bring a folder and the notes that a viewer may read together, and return what was done.

    `dry`: change nothing, and return what would be done. `yes`: also if many notes would go. `git`:
    commit what changed in the folder. `known`: the notes that an earlier sync of the same
    folder read.
    Raises Invalid for a folder of somebody else, or one that can't be used, Conflict while another
    sync of it runs, or if so many notes would go that a person should say so, Unauthenticated for
    an unknown agent, Unavailable when the graph does not answer."""
    root = await asyncio.to_thread(_open_folder, root, dry)
    with ExitStack() as stack:
        if not dry or await asyncio.to_thread((root / PLACE).is_dir):
            await asyncio.to_thread(lambda: stack.enter_context(locked(root)))
            await asyncio.to_thread(check_owner, root, user, agent)
        run = _Run(context, user, agent, root, dry=dry, yes=yes, git=git)
        return await run.run(known or KnownNotes())


def _open_folder(root: Path, dry: bool) -> Path:
    try:
        if not dry:
            root.mkdir(mode=0o700, parents=True, exist_ok=True)
        return root.resolve(strict=not dry)
    except OSError as exc:
        raise Invalid(f"{root} is not a folder that can be used ({exc.strerror})") from exc


def _concerns_pages(state: State, files: Files) -> bool:
    """Check if files can't be told from pages, or edits of pages be judged, without the pages."""
    named = any(made_pages.may_be_page(path) for path in files.sheets)
    return not state.files or bool(files.edited) or named


class _Run:
    """One sync."""

    def __init__(
        self,
        context: Context,
        user: str,
        agent: str | None,
        root: Path,
        *,
        dry: bool,
        yes: bool,
        git: bool,
    ) -> None:
        self._context, self._root = context, root
        self._user, self._agent = user, agent
        self._reopen = partial(open_access, context, user, agent, admit=True)
        self._dry, self._yes, self._git = dry, yes, git and not dry
        self._t0_files = context.ranking.tiered.t0_files
        self._refused: set[PurePosixPath] = set()  # edited pages that mean nothing
        self._closed: set[PurePosixPath] = set()  # texts next to files that were decided upon
        self._done = Synced(dry=dry)

    async def run(self, known: KnownNotes) -> Synced:
        """Sync once."""
        now = self._context.clock()
        if not self._dry:
            await open_access(self._context, self._user, None, register=True)
        access = await self._reopen()
        event = await newest_event(self._context.graph, self._user)
        state = await asyncio.to_thread(load_state, self._root)
        files = await asyncio.to_thread(read_files, self._root, state, (), now, self._yes)
        rests = is_rest(state, event, access.version, now)
        if rests and is_unchanged(self._root, state, files):
            self._done.skipped += lines_of(files.found)
            if files.touched and not self._dry:  # so that the next one need not read them
                await asyncio.to_thread(save_state, self._root, state)
            return self._done
        notes, pages = await known.read(self._context, access), None
        if _concerns_pages(state, files):  # else they are read once, when all is carried
            pages = await made_pages.read_pages(self._context, access, notes.values())
            paths = [page.path for page in pages]
            files = await asyncio.to_thread(read_files, self._root, state, paths, now, self._yes)
        wishes = await self._compare(access, state, files, notes, now)
        self._check_deletions(wishes, state, notes)
        edited = [page for page in pages or () if page.path in files.edited]
        carried = preview(wishes)
        if not self._dry:
            by = await self._find_actors(files)
            carrier = Carrier(self._context, self._reopen, notes, self._t0_files, by)
            carried = await carrier.run(wishes)
            told = await self._apply_pages(edited, files)
            told |= await self._settle(state)
            if carried.is_anything or told:
                # Before all is read that is written.
                event = await newest_event(self._context.graph, self._user)
                access, pages = await self._reopen(), None
                notes = await known.read(self._context, access)
        if pages is None:
            pages = await made_pages.read_pages(self._context, access, notes.values())
        writes = await self._lay_out(state, files, notes, wishes, carried, pages, now)
        self._tell(wishes, carried, files, notes)
        if self._dry:
            self._tell_writes(writes, state)
            return self._done
        before = dict(state.files)
        state.seen = None if carried.clashes else self._seen(event, access, notes, now)
        readable = {*notes, *await load_away(self._context, access, state.beside.values(), notes)}
        writer = Writer(self._root, state, self._done, now)
        await asyncio.to_thread(writer.run, writes, carried.clashes, readable, self._closed)
        await keep_snapshots(self._context, await self._reopen(), self._root, self._done)
        if self._git:
            by_hand = steps_by_hand(wishes, carried, files, before, self._actor)
            await self._commit(by_hand, writes, list(state.files))
        return self._done

    def _seen(self, event: int, access: Access, notes: Mapping[str, Note], now: datetime) -> Seen:
        ends = [each.expires_at.timestamp() for each in notes.values() if each.expires_at]
        at = now.timestamp()
        return Seen(event, access.version, at, min([at + REST_S, *ends]))

    @property
    def _actor(self) -> str:
        return actor_of(self._agent)

    async def _find_actors(self, files: Files) -> dict[PurePosixPath, str]:
        """Return who committed changes of the files that agents read first, if not the person."""
        if not self._git:
            return {}
        await git_history.open_repository(self._root)
        tops = [path for path in files.sheets if is_top_file(path, self._t0_files)]
        return await git_history.actors_of(self._root, tops)

    async def _commit(
        self, by_hand: Sequence[Step], writes: Sequence[Write], known: Sequence[PurePosixPath]
    ) -> None:
        taken = {step.path for step in by_hand}
        rest = [write for write in writes if write.path not in taken and not write.same]
        newest = await self._newest_actors(rest)
        steps = [*by_hand, *(step_of(write, newest) for write in rest)]
        taken |= {step.path for step in steps}
        patterns = await asyncio.to_thread(read_patterns, self._root)
        try:
            earlier = await git_history.find_untracked(self._root, known)
            steps += [step for step in earlier if step.path not in taken]
            steps = [step for step in steps if not is_ignored(step.path, patterns)]
            self._done.commits = await git_history.commit_steps(self._root, steps, self._t0_files)
        except Invalid as error:
            self._done.skipped.append(error.message)

    async def _newest_actors(self, writes: Sequence[Write]) -> dict[str, str]:
        """Return who changed each note last."""
        ids = sorted({note for write in writes for note in write.notes})
        access, found = await self._reopen(), dict[str, str]()
        for start in range(0, len(ids), MAX_IDS):
            part = ids[start : start + MAX_IDS]
            revisions = await revisions_of(self._context, access, part, 1)
            found |= {note: each[0].actor for note, each in revisions.items() if each}
        return found

    async def _compare(
        self,
        access: Access,
        state: State,
        files: Files,
        notes: Mapping[str, Note],
        now: datetime,
    ) -> Wishes:
        ids = {entry.id for sheet in files.sheets.values() for entry in sheet.entries if entry.id}
        away = await load_away(self._context, access, ids, notes)
        comparison = Comparison(self._root, state, files, notes, away, now)
        return await asyncio.to_thread(comparison.run)

    def _check_deletions(self, wishes: Wishes, state: State, notes: Mapping[str, Note]) -> None:
        """Stop where so many notes would go that it may be a mistake."""
        known = state.place_of()
        lost = sum(note not in notes for note in known)
        for gone, what in ((len(wishes.gone), "files"), (lost, "notes")):
            many = gone > MOST_GONE or (gone > FEW and gone > SHARE_GONE * len(known))
            if many and not self._yes and (what == "files" or lost == len(known)):
                raise Conflict(
                    f"{gone} of {len(known)} notes would be deleted, as their {what} are gone; "
                    "--yes does it",
                    gone=gone,
                )

    async def _apply_pages(self, edited: Sequence[Page], files: Files) -> bool:
        told: list[str] = []
        for page in edited:
            base = await asyncio.to_thread(base_of, self._root, page.path)
            if not page.editable and base is None:  # a person's, from before the first sync
                self._refused.add(page.path)
                self._done.skipped.append(f"{page.path}: another file has the place of a page")
                continue
            if not page.editable:
                self._done.skipped.append(f"{page.path}: made of the graph, so edits are dropped")
                continue
            access = await self._reopen()
            text = files.edited[page.path]
            try:
                did = await made_pages.apply_edit(self._context, access, page, base or "", text)
            except Unavailable:
                raise
            except GraphmemError as error:  # the file stays as it was edited
                self._refused.add(page.path)
                self._done.skipped.append(f"{page.path}: {error.message}")
                continue
            told += did
            self._done.revised += [f"{page.path}: {each}" for each in did]
        return bool(told)

    async def _settle(self, state: State) -> bool:
        """Close conflicts whose text was deleted, and find those that are closed."""
        beside = {path: (state.beside[path], i) for path, i in state.clashes.items()}
        if not beside:
            return False
        access = await self._reopen()
        told, self._closed = await settle_clashes(self._context, access, self._root, beside)
        self._done.revised += told
        return bool(told)

    async def _lay_out(
        self,
        state: State,
        files: Files,
        notes: Mapping[str, Note],
        wishes: Wishes,
        carried: Carried,
        pages: Sequence[Page],
        now: datetime,
    ) -> list[Write]:
        reserved = [page.path for page in pages]
        layout = Layout(
            self._root,
            state,
            files,
            notes,
            placed=wishes.placed,
            made=carried.made,
            failed=carried.failed,
            reserved=reserved,
            t0_files=self._t0_files,
            now=now,
            score=partial(relevance_of, now=now, decay=self._context.ranking.decay),
        )
        if self._dry:  # what is only in files would be archived, and is not written again
            layout.leave_out({note.id for note in wishes.gone})
        writes = await asyncio.to_thread(layout.run)
        self._done.skipped += [f"{path}: {reason}" for path, reason in layout.skipped]
        named = made_pages.name_files(pages, layout.paths)
        for path in files.edited.keys() - {page.path for page in pages}:
            self._refused.add(path)  # what a person wrote there meanwhile is not thrown away
            self._done.skipped.append(f"{path}: its page is gone; move the file away")
        for path in await asyncio.to_thread(self._find_strangers, pages, state):
            self._refused.add(path)
            self._done.skipped.append(f"{path}: another file has the place of a page")
        read = files.found.files
        made = await asyncio.to_thread(
            pages_to_write, self._root, state, named, self._refused, read
        )
        return [*writes, *made]

    def _find_strangers(self, pages: Sequence[Page], state: State) -> list[PurePosixPath]:
        """Find files of somebody else where new pages are to be written."""
        new = (page.path for page in pages if page.path not in state.files)
        there = (path for path in new if stamp_of(self._root / path) is not None)
        return [path for path in there if path not in self._refused]

    def _tell(
        self, wishes: Wishes, carried: Carried, files: Files, notes: Mapping[str, Note]
    ) -> None:
        done = self._done
        done.renamed += [f"{old} -> {new}" for old, new in wishes.renamed]
        done.created += sorted(map(str, carried.created))
        done.revised += sorted(map(str, carried.revised))
        done.restored += sorted(map(str, carried.restored))
        gone = {note.id: note for note in wishes.gone}
        done.archived += first_lines([gone[i] for i in carried.archived], len(gone))
        done.conflicts += sorted(str(clash.path) for clash in carried.clashes)
        done.skipped += lines_of(files.found)
        skipped = [*wishes.skipped, *carried.told]
        done.skipped += [f"{path}: {reason}" for path, reason in skipped]
        done.skipped += [f"{path}: {reason}" for path, reason in carried.failed.items()]

    def _tell_writes(self, writes: Sequence[Write], state: State) -> None:
        for write in writes:
            if write.same:
                continue
            if write.made:
                into = self._done.pages
            elif write.text is None:
                into = self._done.removed if write.over is not None else []
            else:
                into = self._done.changed if write.over is not None else self._done.added
            into.append(str(write.path))
