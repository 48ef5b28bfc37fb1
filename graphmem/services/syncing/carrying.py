"""Carries what was changed by hand into the graph, with the rights of the folder's viewer."""

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any, Final

from graphmem.domain.ids import key_of_author
from graphmem.domain.notes import Note, NoteDraft, Operation, Tier, WriteMode
from graphmem.domain.visibility import Visibility, narrower_visibility
from graphmem.errors import Conflict, GraphmemError, Unavailable
from graphmem.services.context import Access, Context, Reopen
from graphmem.services.forgetting.forgetting import forget_notes
from graphmem.services.syncing.clashing import Clash, open_clash
from graphmem.services.syncing.comparing import Change, New, Wishes
from graphmem.services.syncing.entries import Edit, is_same_text
from graphmem.services.syncing.homes import is_top_file
from graphmem.services.writing.changing import Edit as Revision
from graphmem.services.writing.changing import make_foundational, pin, restore, revise
from graphmem.services.writing.remember import remember_many
from graphmem.services.writing.visibility import set_note_visibility
from graphmem.store.notes import find_external

BATCH: Final = 100
REASON: Final = "its file was deleted"


@dataclass
class Carried:
    """The outcome of the wishes: notes by their files, and what could not be done."""

    made: dict[tuple[PurePosixPath, int], str] = field(default_factory=dict)
    created: list[PurePosixPath] = field(default_factory=list)
    revised: list[PurePosixPath] = field(default_factory=list)
    restored: list[PurePosixPath] = field(default_factory=list)
    archived: list[str] = field(default_factory=list)
    clashes: list[Clash] = field(default_factory=list)
    failed: dict[PurePosixPath, str] = field(default_factory=dict)
    told: list[tuple[PurePosixPath, str]] = field(default_factory=list)

    @property
    def is_anything(self) -> bool:
        """True if the graph was changed."""
        return bool(self.made or self.revised or self.restored or self.archived)


class Carrier:
    """Carries the wishes of one sync."""

    def __init__(
        self,
        context: Context,
        reopen: Reopen,
        notes: Mapping[str, Note],
        t0_files: Sequence[str],
        actors: Mapping[PurePosixPath, str],
    ) -> None:
        """`notes`: those that count, as they were when the files were compared; `actors`: who
        changed a file, if not the viewer."""
        self._context, self._open, self._notes = context, reopen, notes
        self._t0_files, self._actors = t0_files, actors
        self._acting: str | None = None
        self.done = Carried()

    async def run(self, wishes: Wishes) -> Carried:
        """Carry out all wishes. What is refused changes nothing. Raises Unavailable."""
        for change in wishes.changes:
            self._acting = self._actors.get(change.path)
            await self._try(change.path, self._change(change))
        self._acting = None
        placed = dict(wishes.placed)
        for start in range(0, len(wishes.new), BATCH):
            await self._create(wishes.new[start : start + BATCH], placed)
        for start in range(0, len(wishes.gone), BATCH):
            group = wishes.gone[start : start + BATCH]
            await self._try(None, self._forget(group))
        return self.done

    async def _reopen(self) -> Access:
        access = await self._open()
        if not access.viewer.in_person:
            return access  # an agent acts in no other name
        return replace(access, viewer=replace(access.viewer, acting_as=self._acting))

    async def _try(self, path: PurePosixPath | None, work: Awaitable[None]) -> None:
        try:
            await work
        except Unavailable:
            raise
        except GraphmemError as error:
            said = "it changed in the graph meanwhile; the next sync goes on"
            reason = said if isinstance(error, Conflict) else error.message
            self.done.failed[path or PurePosixPath("(deleted files)")] = reason

    async def _change(self, change: Change) -> None:
        access, note = await self._reopen(), change.note
        if change.edit.ignored:
            names = ", ".join(change.edit.ignored)
            self.done.told.append((change.path, f"a file does not change {names}"))
        if change.restore:
            await restore(self._context, access, note.id)
            self.done.restored.append(change.path)
            await self._apply(note.id, change.edit.fields, None, note)
        elif change.edit.fields:
            await self._apply(note.id, change.edit.fields, note.version, note)
            self.done.revised.append(change.path)
            if change.edit.clash:
                access = await self._reopen()
                self.done.clashes.append(await open_clash(self._context, access, change.path, note))

    async def _apply(
        self, note_id: str, fields: Mapping[str, Any], version: int | None, note: Note
    ) -> None:
        """Change the fields of a note. Readers that it loses never read the new text, and those
        that it gains never the old one."""
        wanted: Visibility | None = fields.get("visibility")
        narrowed = wanted is not None and narrower_visibility(wanted, note.visibility) is wanted
        if wanted is not None and narrowed:
            await self._set_readers(note_id, wanted, version)
            version = None
        rest = {name: fields[name] for name in fields if name not in ("visibility", "pinned")}
        if rest:
            access = await self._reopen()
            rest["content"] = _as_task(rest.get("content"), note)
            given = Revision(**{name: value for name, value in rest.items() if value is not None})
            await revise(self._context, access, note_id, given, expected_version=version)
            version = None
        if wanted is not None and not narrowed:
            await self._set_readers(note_id, wanted, version)
        if "pinned" in fields:
            await pin(self._context, await self._reopen(), note_id, fields["pinned"], None)

    async def _set_readers(self, note_id: str, wanted: Visibility, version: int | None) -> None:
        access = await self._reopen()
        await set_note_visibility(self._context, access, note_id, wanted, expected_version=version)

    async def _create(self, group: Sequence[New], placed: dict[str, PurePosixPath]) -> None:
        access = await self._reopen()
        drafts = [self._draft_of(each, access) for each in group]
        known = await self._find_named(access, drafts)
        by_text = {n.content.strip(): i for i, n in self._notes.items() if i not in placed}
        new: list[tuple[New, NoteDraft]] = []
        for each, draft in zip(group, drafts, strict=True):
            note_id = known.get(draft.external_id or "") or by_text.get(draft.content.strip())
            if note_id is None or note_id in placed:
                new.append((each, draft))
                continue
            placed[note_id] = each.path
            self.done.made[each.path, each.place] = note_id
            await self._adopt(each, draft, self._notes[note_id])
        if new:
            await self._remember(access, new)

    def _draft_of(self, new: New, access: Access) -> NoteDraft:
        agent = access.viewer.agent.id if access.viewer.agent else ""
        draft = replace(new.draft, external_owner=agent)
        if draft.external_id is None or len(draft.external_id) > 255:
            return replace(draft, external_id=None)
        if access.viewer.in_person and is_top_file(new.path, self._t0_files):
            founded = new.path.name in self._t0_files
            return replace(draft, load_bearing=founded, foundational=founded)
        return draft

    async def _find_named(self, access: Access, drafts: Sequence[NoteDraft]) -> dict[str, str]:
        """Find notes that count by the external ids that their files give them."""
        agent = access.viewer.agent.id if access.viewer.agent else None
        owned = {
            key_of_author(agent, d.external_id): d.external_id for d in drafts if d.external_id
        }
        rows = await find_external(
            self._context.graph,
            access.viewer.user,
            list(owned),
            access.by_name,
            self._context.clock(),
        )
        return {owned[key]: row.note for key, row in rows.items() if row.note in self._notes}

    async def _adopt(self, new: New, draft: NoteDraft, note: Note) -> None:
        """Take a note that is there for that of a file."""
        if draft.foundational and note.tier is not Tier.FOUNDATIONAL:
            await make_foundational(self._context, await self._reopen(), note.id)
        if not is_same_text(draft.content, note.content):
            clash = note.version > 1
            edit = Edit({"content": draft.content}, clash=clash)
            change = Change(path=new.path, note=note, edit=edit)
            await self._try(new.path, self._change(change))

    async def _remember(self, access: Access, new: Sequence[tuple[New, NoteDraft]]) -> None:
        drafts = [(draft, WriteMode.VERBATIM) for _, draft in new]
        try:
            results = await remember_many(self._context, access, drafts)
        except Unavailable:
            raise
        except GraphmemError as error:
            self.done.failed |= {each.path: error.message for each, _ in new}
            return
        for (each, _), result in zip(new, results, strict=True):
            if isinstance(result.error, Unavailable):
                raise result.error
            if result.note_id is None:
                said = result.error.message if result.error else "it waits for a decision"
                self.done.failed[each.path] = said
                continue
            self.done.made[each.path, each.place] = result.note_id
            if result.operation is not Operation.NOOP:
                self.done.created.append(each.path)

    async def _forget(self, group: Sequence[Note]) -> None:
        access = await self._reopen()
        await forget_notes(self._context, access, group, permanent=False, reason=REASON)
        self.done.archived += [note.id for note in group]


def _as_task(content: str | None, note: Note) -> str | None:
    """Return the text of an item without its empty box, if the note has none."""
    if content is None or note.content.startswith(("- [", "* [")):
        return content
    return content.removeprefix("- [ ] ")


def preview(wishes: Wishes) -> Carried:
    """Return what would be carried, as far as that is known before."""
    done = Carried()
    done.created = [new.path for new in wishes.new]
    done.revised = [each.path for each in wishes.changes if not each.restore]
    done.restored = [each.path for each in wishes.changes if each.restore]
    done.archived = [note.id for note in wishes.gone]
    clashing = [each for each in wishes.changes if each.edit.clash]
    done.clashes = [Clash(path=each.path, note=each.note) for each in clashing]
    return done
