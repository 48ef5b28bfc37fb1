"""Imports a folder of Markdown, each file a note, and the exports of other programs.

Files are found again by their paths, and notes of exports by their ids.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from graphmem.domain.actors import INIT
from graphmem.domain.alerts import file_of
from graphmem.domain.ids import key_of_author
from graphmem.domain.notes import Note, Operation, Status, Tier, WriteMode
from graphmem.domain.owners import Owner
from graphmem.domain.visibility import narrower_visibility
from graphmem.errors import GraphmemError, Invalid, Unavailable
from graphmem.services.actors import open_access
from graphmem.services.context import Access, Context
from graphmem.services.importing.markdown import Document, LinkDraft, markdown_files, read_documents
from graphmem.services.importing.vault import index_names, with_wiki_links
from graphmem.services.reading.notes import load_many
from graphmem.services.writing.changing import Edit, make_foundational, revise
from graphmem.services.writing.links import MAX_LINKS, link, links_of
from graphmem.services.writing.remember import remember_many
from graphmem.services.writing.secrets import without_secrets
from graphmem.services.writing.visibility import set_note_visibility
from graphmem.store.notes import find_external

BATCH: Final = 200  # files


@dataclass(frozen=True)
class Skipped:
    """A file that was not imported, or only in part, and why."""

    path: str
    reason: str


@dataclass
class Imported:
    """The counts of an import, in notes; `linked` counts new links."""

    created: int = 0
    revised: int = 0
    unchanged: int = 0
    linked: int = 0
    skipped: list[Skipped] = field(default_factory=list)


async def import_folder(
    context: Context,
    user: str,
    folder: Path,
    *,
    agent: str | None = None,
    dry: bool = False,
    progress: Callable[[int], None] = lambda files: None,
) -> Imported:
    """Create or update a note for each Markdown file below a folder, or for each section of a
    curated one.

    A file without an author is written by `agent`, None: by the user in person. The external ids,
    which are the paths, belong to who imports, whoever the author of a file is: a note that an
    agent made under such an id by itself is another one. Importing again changes nothing that has
    not changed. A file that can't be imported is skipped and reported. A `dry` run changes nothing:
    it reports what would be done, except for the links. `progress` gets the number of files of each
    batch.

    Raises Invalid when there is no such folder, Unavailable when the graph does not answer.
    """
    if not await asyncio.to_thread(folder.is_dir):
        raise Invalid(f"{folder} is not a folder")
    paths = await asyncio.to_thread(lambda: list(markdown_files(folder)))
    names = index_names(folder, paths)
    run = _Run(context, user, agent, dry=dry)
    await run.open()
    for start in range(0, len(paths), BATCH):
        part = paths[start : start + BATCH]
        read = await asyncio.to_thread(_read_files, folder, part, context, run.result.skipped)
        documents = [with_wiki_links(each, names) for each in read]
        for first in range(0, len(documents), BATCH):  # a file may have many sections
            await run.write(documents[first : first + BATCH])
        progress(len(part))
    await run.link()
    return run.result


async def import_documents(
    context: Context,
    user: str,
    documents: Sequence[Document],
    *,
    agent: str | None = None,
    dry: bool = False,
    progress: Callable[[int], None] = lambda documents: None,
) -> Imported:
    """Import documents that did not come from files of their own. Raises Unavailable."""
    run = _Run(context, user, agent, dry=dry)
    await run.open()
    for start in range(0, len(documents), BATCH):
        part = documents[start : start + BATCH]
        await run.write(part)
        progress(len(part))
    await run.link()
    return run.result


def _read_files(
    folder: Path, paths: Sequence[Path], context: Context, skipped: list[Skipped]
) -> list[Document]:
    documents, tiered = [], context.ranking.tiered
    for path in paths:
        try:
            read = read_documents(folder, path, context.clock())
            if tiered.t0_permanent and str(path.relative_to(folder)) in tiered.t0_files:
                for each in read:
                    draft = replace(each.draft, load_bearing=True, foundational=True)
                    documents.append(replace(each, draft=draft))
            else:
                documents += read
        except Invalid as error:
            skipped.append(Skipped(str(path.relative_to(folder)), error.message))
        except Exception as error:  # one odd file ends the import for no other
            reason = f"can't be read as a note ({type(error).__name__})"
            skipped.append(Skipped(str(path.relative_to(folder)), reason))
    return documents


class _Run:
    """One import: the results so far, and the links that wait for the last note."""

    def __init__(self, context: Context, user: str, agent: str | None, *, dry: bool) -> None:
        self._context = context
        self._dry = dry
        self._user = user
        self._agent = agent
        self._ids: dict[str, str] = {}  # ids of notes by external id
        self._links: list[tuple[Document, LinkDraft]] = []
        self._seen: set[str] = set()  # ids of notes that files of an export name
        self.result = Imported()

    async def open(self) -> None:
        """Register the user, if anything is to be written."""
        await self._open_user(register=not self._dry)

    async def _open_user(self, *, register: bool = False) -> Access:
        return await self._open(None, register=register, admit=self._dry)

    async def _open(self, author: str | None, **given: bool) -> Access:
        """Return the access of an author, whose writes are recorded as those of the import."""
        access = await open_access(self._context, self._user, author, **given)
        return replace(access, viewer=replace(access.viewer, acting_as=INIT))

    async def write(self, documents: Sequence[Document]) -> None:
        """Bring the notes of the documents up to date, and make those that are missing."""
        documents = await self._context.bulk_texts.each(
            self._without_secrets, documents, lambda each: len(each.draft.content)
        )
        person = await self._open_user()
        known = await self._find(person, [_external_id(document) for document in documents])
        exported = await self._find_exported(person, documents)
        new: dict[str | None, list[Document]] = defaultdict(list)
        for document in documents:
            note = exported.get(document.note_id or "") or known.get(_external_id(document))
            if note is None:
                new[document.author or self._agent].append(document)
            elif reason := self._refusal(note, document):
                self._skip(document, Invalid(reason))
                continue
            else:
                await self._revise(person, note, document)
            if note is None or document.note_id != note.id:  # else its links are as they are
                self._links += [(document, draft) for draft in document.links]
        for author, group in new.items():
            if self._dry:
                self.result.created += len(group)
            else:
                await self._create(author, group)

    def _without_secrets(self, document: Document) -> Document:
        """Return a document as it is written, so that one without changes is found unchanged."""
        try:
            draft, _ = without_secrets(document.draft, self._context.writing.secrets)
        except Invalid:
            return document  # writing it says so
        return replace(document, draft=draft)

    async def _find(self, person: Access, keys: Sequence[str]) -> dict[str, Note]:
        """Find the notes that an import made under external ids."""
        owned = {key_of_author(self._agent, key): key for key in keys}
        rows = await find_external(
            self._context.graph, self._user, list(owned), person.by_name, self._context.clock()
        )
        ids = {owned[key]: row.note for key, row in rows.items() if row.live}
        self._ids |= ids
        notes = await load_many(self._context, person, list(ids.values()))
        return {key: notes[note] for key, note in ids.items() if note in notes}

    async def _find_exported(
        self, person: Access, documents: Sequence[Document]
    ) -> dict[str, Note]:
        """Find the user's own notes, not those of teams, that an export wrote into the files."""
        named = {each.note_id for each in documents if each.note_id}
        notes = await load_many(self._context, person, sorted(named))
        owner = Owner(self._user).name
        found = {i: note for i, note in notes.items() if note.user == owner and not note.section}
        self._ids |= {_external_id(e): e.note_id for e in documents if e.note_id in found}
        return found

    def _refusal(self, note: Note, document: Document) -> str | None:
        """Say why a file that an export wrote does not change its note; None if it may.

        Such a file names any note, so it is no way past those who own files, or who narrowed a
        note, and an old one does not undo what has happened since."""
        if document.note_id != note.id:
            return None  # found by its path
        if note.id in self._seen:
            return "another file has the same id"
        self._seen.add(note.id)
        if note.status in (Status.ARCHIVED, Status.SUPERSEDED):
            return "its note was put away since; restore it first"
        wanted = document.draft.visibility or note.visibility
        if _changed_fields(note, document) is None and wanted is note.visibility:
            return None
        if file_of(note) is not None and note.external_id != _external_id(document):
            return "a file that agents live by is changed under its own name only"
        if document.version != note.version:
            return "its note has changed since the file was written; export it again"
        if narrower_visibility(wanted, note.visibility) is not wanted:
            return "such a file gives a note no more readers"
        return None

    async def _create(self, author: str | None, documents: Sequence[Document]) -> None:
        try:
            access = await self._open(author, register=True)
            owned = [replace(each.draft, external_owner=self._agent or "") for each in documents]
            drafts = [(draft, WriteMode.VERBATIM) for draft in owned]
            results = await remember_many(self._context, access, drafts)
        except Unavailable:
            raise
        except GraphmemError as error:  # for example, the author may not write
            self.result.skipped += [Skipped(str(d.path), error.message) for d in documents]
            return
        for document, result in zip(documents, results, strict=True):
            if isinstance(result.error, Unavailable):
                raise result.error
            if result.note_id is None:
                self._skip(document, result.error or GraphmemError())
                continue
            self._ids[_external_id(document)] = result.note_id
            if result.operation is Operation.NOOP:
                self.result.unchanged += 1
            else:
                self.result.created += 1

    async def _revise(self, person: Access, note: Note, document: Document) -> None:
        change, wanted = (
            _changed_fields(note, document),
            document.draft.visibility or note.visibility,
        )
        moved = wanted is not note.visibility
        founded = document.draft.foundational and note.tier is not Tier.FOUNDATIONAL
        changed = change is not None or moved or founded
        if self._dry:
            self._count_known(changed=changed)
            return
        # A file that an export wrote changes the version that it was written from, and no other.
        version = document.version if document.note_id == note.id else None
        try:
            # Readers that lose the note never read the new text, new readers never the old one.
            narrowed = moved and narrower_visibility(wanted, note.visibility) is wanted
            if narrowed:
                await set_note_visibility(
                    self._context, person, note.id, wanted, expected_version=version
                )
                person, version = await self._open(None), None
            if change is not None:
                await revise(self._context, person, note.id, change, expected_version=version)
            if moved and not narrowed:
                await set_note_visibility(self._context, person, note.id, wanted)
            if founded:
                await make_foundational(self._context, person, note.id)
        except Unavailable:
            raise
        except GraphmemError as error:
            self._skip(document, error)
            return
        self._count_known(changed=changed)

    def _count_known(self, *, changed: bool) -> None:
        if changed:
            self.result.revised += 1
        else:
            self.result.unchanged += 1

    async def link(self) -> None:
        """Make the links that do not exist yet, now that every note does."""
        if self._dry:
            return
        person = await self._open(None)
        missing = {draft.to for _, draft in self._links} - self._ids.keys()
        keys = sorted(missing)
        for start in range(0, len(keys), BATCH):
            await self._find(person, keys[start : start + BATCH])
        for start in range(0, len(self._links), BATCH):
            await self._link_some(person, self._links[start : start + BATCH])

    async def _link_some(self, person: Access, links: Sequence[tuple[Document, LinkDraft]]) -> None:
        sources = sorted(
            {self._ids[_external_id(d)] for d, _ in links if _external_id(d) in self._ids}
        )
        there = await links_of(self._context, person, sources, MAX_LINKS)
        made = {(one.source, one.target, one.kind) for group in there.values() for one in group}
        for document, draft in links:
            source, target = self._ids.get(_external_id(document)), self._ids.get(draft.to)
            if source is None or (source, target, draft.kind) in made:
                continue  # the file was skipped, or the link exists
            if target is None and draft.loose:
                continue
            if target is None:
                self._skip(document, Invalid(f"its link to {draft.to!r} leads to no note"))
                continue
            try:
                await link(self._context, person, source, target, draft.kind, draft.reason)
            except Unavailable:
                raise
            except GraphmemError as error:
                self._skip(document, error)
            else:
                made.add((source, target, draft.kind))
                self.result.linked += 1

    def _skip(self, document: Document, error: GraphmemError) -> None:
        self.result.skipped.append(Skipped(str(document.path), error.message))


def _external_id(document: Document) -> str:
    return document.draft.external_id or ""


def _changed_fields(note: Note, document: Document) -> Edit | None:
    """Return the fields in which the file differs from the note; others don't change."""
    draft = document.draft
    given = {
        "content": draft.content,
        "title": draft.title,
        "tags": draft.tags or None,
        "domain": draft.domain,
        "importance": draft.importance,
    }
    changed = {
        name: value
        for name, value in given.items()
        if value is not None and value != getattr(note, name)
    }
    return Edit(**changed) if changed else None  # pyright: ignore[reportArgumentType]
