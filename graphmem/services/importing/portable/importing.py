"""Importing what graphmem exported: all that is missing is made, and nothing that is there is
changed, so that importing again makes nothing.

A file of the same user keeps its ids; of another user's, each id becomes one of the importer's own,
the same at each import, and only the notes are taken, unless more is asked for. No note of anybody
else is read or changed."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from graphmem.domain.actors import INIT
from graphmem.domain.notes import NEVER
from graphmem.domain.portable import Record
from graphmem.domain.portable_values import Row, Taking, checked
from graphmem.domain.taking import OF_RECORD, Part, taken_of
from graphmem.domain.visibility import Visibility
from graphmem.errors import Conflict, Forbidden, Invalid, Stale
from graphmem.services.actors import MAX_AGENTS, list_agents, open_access
from graphmem.services.context import Access, Context, check_audience, events_step
from graphmem.services.importing.importing import Skipped
from graphmem.services.importing.portable.notes import OF_REQUEST, Given, given_note
from graphmem.services.importing.portable.others import as_own, parts_of
from graphmem.services.importing.portable.reading import Header, Line, read_header, read_lines
from graphmem.services.importing.portable.rows import row_of
from graphmem.services.writing.change_set import note_event
from graphmem.services.writing.passages import passage_steps
from graphmem.services.writing.words import word_properties
from graphmem.store import restoring as store
from graphmem.store.actors import put_agent_step
from graphmem.store.changes import Mentions, create_step
from graphmem.store.graph import Step
from graphmem.store.rows import CreateRow, RevisionRow

BATCH: Final = 100  # records
TRIES: Final = 3  # when rules or profiles change meanwhile
MAX_SKIPPED: Final = 1_000  # that are named; the others are counted
ONLY_TOLD: Final = (Record.SHARE, Record.REFLECTION, Record.PROPOSAL)  # for reading


@dataclass
class Restored:
    """What an import made, found there already, and left in the file, by kind of record."""

    created: Counter[str] = field(default_factory=Counter)
    there: Counter[str] = field(default_factory=Counter)  # or about what is not
    left: Counter[str] = field(default_factory=Counter)
    not_taken: Counter[Part] = field(default_factory=Counter)  # of somebody else, not asked for
    refused: int = 0  # records that are not valid, or whose ids are somebody else's
    skipped: list[Skipped] = field(default_factory=list)
    complete: bool = False  # the file had its end

    def skip(self, line: Line, reason: str) -> None:
        """Count a record that is refused, and why."""
        self.refused += 1
        if len(self.skipped) < MAX_SKIPPED:
            self.skipped.append(Skipped(f"line {line.number}", reason))


async def import_export(
    context: Context,
    user: str,
    path: Path,
    *,
    dry: bool = False,
    parts: Iterable[Part] = (),
    progress: Callable[[int], None] = lambda lines: None,
) -> Restored:
    """Make of an export what a user does not have yet; `dry`: tell only what would be made.

    It is for the user in person: agents, rules and opt-outs may come with it. Of the export of
    another user only notes are made, as what this user wrote, for no more readers than this user's
    rules give and than they had there, and of `parts` what is asked for.

    A record that is not valid is left out and named. `progress` is told the number of lines of
    each batch. Raises Invalid for a file that is no export, of another version, or with a line
    that is too long; Unavailable."""
    run = _Run(context, user, read_header(path), parts, dry=dry)
    await run.open()
    batch: list[Line] = []
    for line in read_lines(path):
        if batch and (line.record is not batch[0].record or len(batch) >= BATCH):
            await run.take(batch)
            progress(len(batch))
            batch = []
        if line.record is Record.END:
            run.result.complete = True
        elif line.record is None:
            run.result.skip(line, line.reason)
        else:
            batch.append(line)
    if batch:
        await run.take(batch)
        progress(len(batch))
    return run.result


class _Run:
    """One import: whose, and what is done so far."""

    def __init__(
        self, context: Context, user: str, header: Header, parts: Iterable[Part], *, dry: bool
    ) -> None:
        self._context = context
        self._foreign = header.user != user
        self._parts = taken_of(header.user, user, parts)
        self._taking = Taking(source=header.user, user=user)
        self._dry = dry
        same = header.embedder is not None and header.embedder == context.embedder.model_id
        self._embedder = context.embedder if same else None
        self._recalls = 0
        self.result = Restored()

    async def open(self) -> None:
        """Make the user known, if anything is to be written."""
        await self._access(register=not self._dry)
        self._recalls = (await store.read_known(self._context.graph, self._taking.user)).recalls

    async def _access(self, *, register: bool = False) -> Access:
        access = await open_access(
            self._context, self._taking.user, None, register=register, admit=self._dry
        )
        return replace(access, viewer=replace(access.viewer, acting_as=INIT))

    async def take(self, lines: Sequence[Line]) -> None:
        """Make what is missing of lines of one kind."""
        record = lines[0].record
        assert record is not None
        rows: list[tuple[Line, Row]] = []
        for line in lines:
            try:
                rows.append((line, checked(line.given, self._taking)))
            except Invalid as error:
                self.result.skip(line, error.message)
        if record in ONLY_TOLD:
            self.result.left[record] += len(rows)
        elif record is Record.USER:
            await self._settings([row for _, row in rows if self._takes(record, row)])
        elif record is Record.NOTE:
            await self._notes(rows)
        else:
            await self._others(record, rows)

    def _takes(self, record: Record, row: Row) -> bool:
        """Decide if a record is taken; where it is not, the result says by what part it would
        be."""
        part = OF_RECORD[record]
        if part in self._parts:
            return True
        if part is not Part.OPT_OUTS or row.get("promotionOptOuts"):
            self.result.not_taken[part] += 1
        return False

    async def _settings(self, rows: Sequence[Row]) -> None:
        domains = [domain for row in rows for domain in row.get("promotionOptOuts", ())]
        if domains and not self._dry:
            now = self._context.clock()
            await self._context.graph.write(store.opt_out_step(self._taking.user, domains, now))

    async def _others(self, record: Record, rows: Sequence[tuple[Line, Row]]) -> None:
        now, made = self._context.clock(), []
        for line, row in rows:
            if record is Record.SESSION and "closedAt" not in row:
                self.result.left[record] += 1
                continue
            try:
                given = row_of(record, row, self._taking, self._recalls, now)
            except Invalid as error:
                self.result.skip(line, error.message)
                continue
            if self._takes(record, row):
                made.append((line, given))
        if record is Record.AGENT:
            made = await self._agents(made)
        if self._dry:
            self.result.left[record] += len(made)
        else:
            await self._make(record, made)

    async def _agents(self, rows: Sequence[tuple[Line, Row]]) -> list[tuple[Line, Row]]:
        """Those of the agents for which the user has room."""
        access = await self._access()
        there = {agent.id for agent in await list_agents(self._context, access)}
        room, kept = MAX_AGENTS - len(there), list[tuple[Line, Row]]()
        for line, row in rows:
            room -= row["id"] not in there
            if room < 0:
                self.result.skip(line, f"a user has at most {MAX_AGENTS} agents")
            else:
                kept.append((line, row))
        return kept

    async def _make(self, record: Record, rows: Sequence[tuple[Line, Row]]) -> None:
        """Write rows; when one meets what somebody else has, without that one."""
        if not rows:
            return
        step = store.restore_step(
            record, [row for _, row in rows], self._taking.user, self._context.clock()
        )
        try:
            made = len((await self._context.graph.write(step))[0])
        except Conflict as error:
            if len(rows) == 1:
                self.result.skip(rows[0][0], error.message)
                return
            half = len(rows) // 2
            await self._make(record, rows[:half])
            await self._make(record, rows[half:])
            return
        self.result.created.update({record: made} if made else {})
        self.result.there.update({record: len(rows) - made} if made < len(rows) else {})

    async def _notes(self, rows: Sequence[tuple[Line, Row]]) -> None:
        now, found = self._context.clock(), list[tuple[Line, Given]]()
        rules = (await self._access()).rules
        for line, row in rows:
            try:
                given = given_note(row, self._taking, now, self._embedder)
            except Invalid as error:
                self.result.skip(line, error.message)
                continue
            if self._foreign:
                self.result.not_taken.update(parts_of(given) - self._parts)
                given = as_own(given, self._parts, rules)
            ended = (given.note.expires_at or NEVER) <= now
            if ended or given.note.visibility is Visibility.LOCAL:  # of a session that was open
                self.result.left[Record.NOTE] += 1
            else:
                found.append((line, given))
        known = await store.read_known(
            self._context.graph,
            self._taking.user,
            [given.note.id for _, given in found],
            external_keys=[g.external_key for _, g in found if g.external_key],
            request_keys=[g.request_key for _, g in found if g.request_key],
            curated_keys=[g.curated_key for _, g in found if g.curated_key],
        )
        missing = []
        for line, given in found:
            owner = known.notes.get(given.note.id)
            if owner == self._taking.user:
                self.result.there[Record.NOTE] += 1
            elif owner is not None:
                self.result.skip(line, "its id is not free")
            else:
                missing.append((line, _without_taken(given, known)))
        if self._dry:
            self.result.created[Record.NOTE] += len(missing)
        else:
            await self._create(missing)

    async def _create(self, notes: Sequence[tuple[Line, Given]]) -> None:
        if not notes:
            return
        vectors = await self._vectors([given for _, given in notes])
        for tries in range(TRIES):
            try:
                await self._write([given for _, given in notes], vectors)
            except Stale:
                if tries + 1 == TRIES:
                    raise
                continue
            except (Conflict, Forbidden) as error:
                if len(notes) == 1:
                    self.result.skip(notes[0][0], error.message)
                    return
                half = len(notes) // 2
                await self._create(notes[:half])
                await self._create(notes[half:])
                return
            self.result.created[Record.NOTE] += len(notes)
            return

    async def _vectors(self, notes: Sequence[Given]) -> dict[str, Sequence[float]]:
        told = [given for given in notes if given.vector is None]
        made = await self._context.embedder.embed_documents(
            [given.note.reading_text for given in told]
        )
        vectors: dict[str, Sequence[float]] = {
            given.note.id: vector for given, vector in zip(told, made, strict=True)
        }
        return vectors | {g.note.id: g.vector for g in notes if g.vector is not None}

    def _revisions(self, given: Given) -> Sequence[RevisionRow]:
        """The text as it is, where the file's history is not taken."""
        if Part.HISTORY in self._parts:
            return ()
        note = given.note
        return [RevisionRow(version=note.version, content=note.content, changes={})]

    async def _write(self, notes: Sequence[Given], vectors: dict[str, Sequence[float]]) -> None:
        access, now = await self._access(), self._context.clock()
        for given in notes:
            check_audience(access, given.note.audience)
        words = await self._context.bulk_texts.each(
            word_properties, [given.note for given in notes], lambda note: len(note.content)
        )
        rows = [
            CreateRow(
                note=given.note,
                properties={**_properties(given), **words[i]},
                embedding=vectors[given.note.id],
                revisions=self._revisions(given),
            )
            for i, given in enumerate(notes)
        ]
        said = Mentions(
            mentions=[each for given in notes for each in given.mentions],
            called=[each for given in notes for each in given.called],
            relations=[each for given in notes for each in given.relations],
        )
        actor, user = access.viewer.actor, self._taking.user
        authors = sorted({given.note.author for given in notes if given.note.author})
        steps: list[Step] = [put_agent_step(user, author, {}, now) for author in authors]
        steps.append(create_step(rows, said, user=user, actor=actor, now=now))
        steps += await passage_steps(
            self._context, (given.note for given in notes), self._context.bulk_texts
        )
        if skills := [given.note.id for given in notes if given.skill]:
            steps.append(store.skills_step(skills, user))
        told = [note_event("CREATE", "note imported", given.note, actor, now) for given in notes]
        steps.append(events_step(access, told, [given.note.audience for given in notes]))
        await self._context.graph.write(*steps)
        self._context.signal(user)


def _properties(given: Given) -> dict[str, object]:
    without = () if given.request_key else OF_REQUEST
    return {
        "visibilityByUser": False,
        **{name: value for name, value in given.beside.items() if name not in without},
        "curatedKey": given.curated_key,
        "externalKey": given.external_key,
        "idempotencyKey": given.request_key,
    }


def _without_taken(given: Given, known: store.Known) -> Given:
    """The note without keys that another note has by now."""
    note = given.note
    taken = given.external_key in known.external_keys
    return replace(
        given,
        note=replace(note, external_id=None) if taken else note,
        external_key=None if taken else given.external_key,
        request_key=None if given.request_key in known.request_keys else given.request_key,
        curated_key=None if given.curated_key in known.curated_keys else given.curated_key,
    )
