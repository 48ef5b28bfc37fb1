"""Imports an export of graphmem: creates what is missing, and changes nothing that exists.

So importing again creates nothing. A file of the same user keeps its ids; in another user's file,
each id becomes one of the importer's own, the same at each import, and only the notes are taken,
unless more is asked for. No note of anybody else is read or changed.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from graphmem.domain.actors import INIT
from graphmem.domain.notes import NEVER
from graphmem.domain.portable import Record
from graphmem.domain.portable_values import ImportOwnership, Row, check_line
from graphmem.domain.taking import OF_RECORD, Part, choose_parts
from graphmem.domain.visibility import Visibility
from graphmem.domain.writing import Secrets
from graphmem.errors import Conflict, Forbidden, Invalid, Stale
from graphmem.services.actors import MAX_AGENTS, list_agents, open_access
from graphmem.services.context import Access, Context, check_audience, events_step
from graphmem.services.importing.importing import Skipped
from graphmem.services.importing.portable.notes import OF_REQUEST, Given, given_note
from graphmem.services.importing.portable.others import as_own, parts_of
from graphmem.services.importing.portable.reading import Header, Line, read_header, read_lines
from graphmem.services.importing.portable.rows import row_of
from graphmem.services.importing.portable.settings import given_settings
from graphmem.services.writing.change_set import note_event
from graphmem.services.writing.passages import passage_steps
from graphmem.services.writing.quarantine import quarantined_if_instructing
from graphmem.services.writing.secrets import redact
from graphmem.services.writing.words import word_properties
from graphmem.store import restoring as store
from graphmem.store.actors import put_agent_step
from graphmem.store.changes import Mentions, create_step
from graphmem.store.graph import Step
from graphmem.store.rows import CreateRow, RevisionRow

BATCH: Final = 100  # records
TRIES: Final = 3  # attempts while rules or profiles change
MAX_SKIPPED: Final = 1_000  # records that are named; the others are counted
_NO_TEXTS: Final = frozenset(
    {"id", "embedding", "externalId", "externalKey", "idempotencyKey", "curatedKey"}
)
# records that are only for people to read
ONLY_TOLD: Final = (Record.SHARE, Record.REFLECTION, Record.PROPOSAL)


@dataclass
class Restored:
    """The counts of an import by kind of record: created, found there, and left in the file."""

    created: Counter[str] = field(default_factory=Counter)
    # found there already, or about something missing
    there: Counter[str] = field(default_factory=Counter)
    left: Counter[str] = field(default_factory=Counter)
    not_taken: Counter[Part] = field(default_factory=Counter)  # not asked for, in another's file
    refused: int = 0  # records that are not valid, or whose ids belong to somebody else
    skipped: list[Skipped] = field(default_factory=list)
    complete: bool = False  # True once the end of the file was read

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
    """Create what an export has and a user does not have yet; `dry`: only report it.

    It is for the user in person: agents, rules and opt-outs may come with it. Of the export of
    another user only notes are created, as what this user wrote, for no more readers than this
    user's rules give and than they had there, and those `parts` that are asked for.

    A record that is not valid is left out and named. `progress` gets the number of lines of each
    batch. Raises Invalid for a file that is not an export, of another version, or with a line that
    is too long; Unavailable.
    """
    header = read_header(path)
    if header.team is not None:
        raise Invalid("the file holds the commons of a team, no memory of a user")
    run = _Run(context, user, header, parts, dry=dry)
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
    """One import: whose it is, and the results so far."""

    def __init__(
        self, context: Context, user: str, header: Header, parts: Iterable[Part], *, dry: bool
    ) -> None:
        self._context = context
        self._foreign = header.user != user
        self._parts = choose_parts(header.user, user, parts)
        self._taking = ImportOwnership(source=header.user, user=user)
        self._dry = dry
        same = header.embedder is not None and header.embedder == context.embedder.model_id
        self._embedder = context.embedder if same else None
        self._recalls = 0
        self.result = Restored()

    async def open(self) -> None:
        """Register the user, if anything is to be written."""
        await self._open_user(register=not self._dry)
        self._recalls = (await store.read_known(self._context.graph, self._taking.user)).recalls

    async def _open_user(self, *, register: bool = False) -> Access:
        access = await open_access(
            self._context, self._taking.user, None, register=register, admit=self._dry
        )
        return replace(access, viewer=replace(access.viewer, acting_as=INIT))

    async def take(self, lines: Sequence[Line]) -> None:
        """Create what is missing of lines of one kind."""
        record = lines[0].record
        assert record is not None
        rows: list[tuple[Line, Row]] = []

        def check(line: Line) -> Row | Invalid:
            try:
                return check_line(self._without_secrets(record, line.given), self._taking)
            except Invalid as error:
                return error

        checked = await self._context.bulk_texts.each(check, lines, _size)
        for line, row in zip(lines, checked, strict=True):
            if isinstance(row, Invalid):
                self.result.skip(line, row.message)
            else:
                rows.append((line, row))
        if record in ONLY_TOLD:
            self.result.left[record] += len(rows)
        elif record is Record.USER:
            await self._add_settings(rows)
        elif record is Record.NOTE:
            await self._add_notes(rows)
        else:
            await self._add_records(record, rows)

    def _without_secrets(self, record: Record, given: Row) -> Row:
        """Return a record without secrets, or a note with some for the user alone.

        Ids and vectors are no texts."""
        kept = {name: given[name] for name in _NO_TEXTS & given.keys()}
        texts = {name: value for name, value in given.items() if name not in kept}
        policy = self._context.writing.secrets
        clean, found = redact(texts, policy)
        if not found:
            return given
        if policy is Secrets.USER_ONLY and record is Record.NOTE:
            return {**given, "visibility": Visibility.USER_ONLY.value}
        kept.pop("embedding", None)  # of the text with the secret
        return {**clean, **kept}

    async def _add_settings(self, rows: Sequence[tuple[Line, Row]]) -> None:
        for line, row in rows:
            try:
                given = given_settings(row)
            except Invalid as error:
                self.result.skip(line, error.message)
                continue
            self.result.not_taken.update(given.parts - self._parts)
            taken, count = given.only(self._parts), self.result.left
            if taken.parts and not self._dry:
                step = store.settings_step(self._taking.user, taken, self._context.clock())
                is_set = (await self._context.graph.write(step))[0]
                count = self.result.created if is_set else self.result.there
            if taken.parts - {Part.OPT_OUTS}:
                count[Record.USER] += 1

    async def _add_records(self, record: Record, rows: Sequence[tuple[Line, Row]]) -> None:
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
            if OF_RECORD[record] in self._parts:
                made.append((line, given))
            else:
                self.result.not_taken[OF_RECORD[record]] += 1
        if record is Record.AGENT:
            made = await self._limit_agents(made)
        if self._dry:
            self.result.left[record] += len(made)
        else:
            await self._create_records(record, made)

    async def _limit_agents(self, rows: Sequence[tuple[Line, Row]]) -> list[tuple[Line, Row]]:
        """Return those of the agents that the user has room for."""
        access = await self._open_user()
        there = {agent.id for agent in await list_agents(self._context, access)}
        room, kept = MAX_AGENTS - len(there), list[tuple[Line, Row]]()
        for line, row in rows:
            room -= row["id"] not in there
            if room < 0:
                self.result.skip(line, f"a user has at most {MAX_AGENTS} agents")
            else:
                kept.append((line, row))
        return kept

    async def _create_records(self, record: Record, rows: Sequence[tuple[Line, Row]]) -> None:
        """Write rows; one that conflicts with records of somebody else is left out."""
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
            await self._create_records(record, rows[:half])
            await self._create_records(record, rows[half:])
            return
        self.result.created.update({record: made} if made else {})
        self.result.there.update({record: len(rows) - made} if made < len(rows) else {})

    async def _add_notes(self, rows: Sequence[tuple[Line, Row]]) -> None:
        now, found = self._context.clock(), list[tuple[Line, Given]]()
        person = await self._open_user()
        rules = person.rules
        for line, row in rows:
            try:
                given = given_note(row, self._taking, now, self._embedder)
            except Invalid as error:
                self.result.skip(line, error.message)
                continue
            if self._foreign:
                self.result.not_taken.update(parts_of(given) - self._parts)
                given = as_own(given, self._parts, rules)
                note = quarantined_if_instructing(person.viewer, given.note)
                given = replace(given, note=note)
            ended = (given.note.expires_at or NEVER) <= now
            if ended or given.note.visibility is Visibility.LOCAL:  # local: its session was open
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
                missing.append((line, _drop_used_keys(given, known)))
        if self._dry:
            self.result.created[Record.NOTE] += len(missing)
        else:
            await self._create_notes(missing)

    async def _create_notes(self, notes: Sequence[tuple[Line, Given]]) -> None:
        if not notes:
            return
        vectors = await self._load_vectors([given for _, given in notes])
        for tries in range(TRIES):
            try:
                await self._write_notes([given for _, given in notes], vectors)
            except Stale:
                if tries + 1 == TRIES:
                    raise
                continue
            except (Conflict, Forbidden) as error:
                if len(notes) == 1:
                    self.result.skip(notes[0][0], error.message)
                    return
                half = len(notes) // 2
                await self._create_notes(notes[:half])
                await self._create_notes(notes[half:])
                return
            self.result.created[Record.NOTE] += len(notes)
            return

    async def _load_vectors(self, notes: Sequence[Given]) -> dict[str, Sequence[float]]:
        without_vector = [given for given in notes if given.vector is None]
        made = await self._context.embedder.embed_documents(
            [given.note.reading_text for given in without_vector]
        )
        vectors: dict[str, Sequence[float]] = {
            given.note.id: vector for given, vector in zip(without_vector, made, strict=True)
        }
        return vectors | {g.note.id: g.vector for g in notes if g.vector is not None}

    def _first_revisions(self, given: Given) -> Sequence[RevisionRow]:
        """Return the present text as the only revision, where the file's history is not taken."""
        if Part.HISTORY in self._parts:
            return ()
        note = given.note
        return [RevisionRow(version=note.version, content=note.content, changes={})]

    async def _write_notes(
        self, notes: Sequence[Given], vectors: dict[str, Sequence[float]]
    ) -> None:
        access, now = await self._open_user(), self._context.clock()
        for given in notes:
            check_audience(access, given.note.audience)
        words = await self._context.bulk_texts.each(
            word_properties, [given.note for given in notes], lambda note: len(note.content)
        )
        rows = [
            CreateRow(
                note=given.note,
                properties={**_node_properties(given), **words[i]},
                embedding=vectors[given.note.id],
                revisions=self._first_revisions(given),
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
        events = [note_event("CREATE", "note imported", given.note, actor, now) for given in notes]
        steps.append(events_step(access, events, [given.note.audience for given in notes]))
        await self._context.graph.write(*steps)
        self._context.signal(user)


def _size(line: Line) -> int:
    return sum(len(value) for value in line.given.values() if isinstance(value, str))


def _node_properties(given: Given) -> dict[str, object]:
    without = () if given.request_key else OF_REQUEST
    return {
        "visibilityByUser": False,
        **{name: value for name, value in given.beside.items() if name not in without},
        "curatedKey": given.curated_key,
        "externalKey": given.external_key,
        "idempotencyKey": given.request_key,
    }


def _drop_used_keys(given: Given, known: store.Known) -> Given:
    """Remove keys that another note has by now."""
    note = given.note
    taken = given.external_key in known.external_keys
    return replace(
        given,
        note=replace(note, external_id=None) if taken else note,
        external_key=None if taken else given.external_key,
        request_key=None if given.request_key in known.request_keys else given.request_key,
        curated_key=None if given.curated_key in known.curated_keys else given.curated_key,
    )
