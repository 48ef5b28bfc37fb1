"""The made lives: notes, questions, pairs of notes, names and facts of transcripts.

`lives/<half>/<life>/` has files of lines with tabs: `notes` (id, date, title, text, or `@` and the
file of a long one), `questions` (id, category, language, ids of the notes that answer, question),
`pairs` (kind, older note, newer note, why), `names` (note, name, kind) and maybe `facts` of the
transcript (question, words of the transcript that answer it)."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

FOLDER = Path(__file__).parent / "lives"
HALVES = ("dev", "test")
NOTHING = "-"  # no note answers; a note has no names
FREE = "free"  # a name that counts neither way


@dataclass(frozen=True)
class Note:
    """A note as its writer gave it."""

    id: str
    at: datetime
    title: str | None
    text: str
    long: bool


@dataclass(frozen=True)
class Question:
    """A question with the notes that answer it; none of them: nothing does."""

    id: str
    category: str
    language: str
    gold: frozenset[str]
    text: str


@dataclass(frozen=True)
class Pair:
    """An older and a newer note. `update`: something of the older one is out of date; `alike`: it
    only looks so; `either`: what was planned is done, or much the same, and a person may see it
    either way."""

    kind: str
    older: str
    newer: str
    why: str


@dataclass(frozen=True)
class Label:
    """A name in a note, in each form that is right, and its kinds."""

    note: str
    forms: tuple[str, ...]
    kinds: frozenset[str]


@dataclass(frozen=True)
class Life:
    """What one person wrote in six months, and what is asked about it."""

    half: str
    name: str
    notes: tuple[Note, ...]  # oldest first
    questions: tuple[Question, ...]
    pairs: tuple[Pair, ...]
    labels: tuple[Label, ...]
    labelled: frozenset[str]  # notes that have a label for each name
    facts: tuple[tuple[str, str], ...]  # question, words of the transcript

    @property
    def user(self) -> str:
        """The user who writes the notes."""
        return f"day-{self.name}"

    @cached_property
    def by_id(self) -> dict[str, Note]:
        """The notes by their ids."""
        return {note.id: note for note in self.notes}

    @cached_property
    def transcript(self) -> str | None:
        """The note of the transcript."""
        return next((note.id for note in self.notes if note.long), None)

    @cached_property
    def outdated(self) -> dict[str, frozenset[str]]:
        """For each question about what has changed, the notes that are out of date."""
        updates = [pair for pair in self.pairs if pair.kind == "update"]
        found = {
            each.id: frozenset(pair.older for pair in updates if pair.newer in each.gold)
            for each in self.questions
            if each.category == "latest"
        }
        return {question: older for question, older in found.items() if older}


def read_lives(folder: Path = FOLDER) -> list[Life]:
    """All lives of a folder, dev first."""
    return [
        _life(path)
        for half in HALVES
        for path in sorted((folder / half).iterdir())
        if path.is_dir()
    ]


def _rows(file: Path) -> Iterator[list[str]]:
    if file.exists():
        for line in file.read_text(encoding="utf-8").splitlines():
            yield line.split("\t")


def _life(path: Path) -> Life:
    names = list(_rows(path / "names.tsv"))
    notes = [_note(path, *row) for row in _rows(path / "notes.tsv")]
    return Life(
        half=path.parent.name,
        name=path.name,
        notes=tuple(sorted(notes, key=lambda note: note.at)),
        questions=tuple(_question(*row) for row in _rows(path / "questions.tsv")),
        pairs=tuple(Pair(*row) for row in _rows(path / "pairs.tsv")),
        labels=tuple(
            Label(note, tuple(name.split("/")), frozenset(kind.split()))
            for note, name, kind in names
            if name != NOTHING
        ),
        labelled=frozenset(note for note, _, _ in names),
        facts=tuple((question, words) for question, words in _rows(path / "facts.tsv")),
    )


def _note(path: Path, id: str, date: str, title: str, text: str) -> Note:
    long = text.startswith("@")
    if long:
        text = (path / text[1:]).read_text(encoding="utf-8")
    at = datetime.fromisoformat(date).replace(hour=8, tzinfo=UTC)
    return Note(id, at, title or None, text, long)


def _question(id: str, category: str, language: str, gold: str, text: str) -> Question:
    answered = frozenset(() if gold == NOTHING else gold.split(","))
    return Question(id, category, language, answered, text)
