"""Random histories of a folder and a graph: nothing is lost, and both sides are equal at rest."""

import json
import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path, PurePosixPath

import pytest
from test_syncing import files_in, is_made, look_again, note, notes_of, person

from graphmem.domain.notes import Kind, Note
from graphmem.services.context import Context
from graphmem.services.forgetting.forgetting import forget
from graphmem.services.syncing import writing
from graphmem.services.syncing.entries import is_same_text
from graphmem.services.syncing.reading import KnownNotes, parse_entries
from graphmem.services.syncing.syncing import sync_folder
from graphmem.services.writing.changing import Edit, revise, revisions_of

ROUNDS, STEPS = 6, 5


class World:
    """A folder, a graph, and all texts that were ever said, by a word that each has alone."""

    def __init__(self, context: Context, user: str, root: Path, seed: int) -> None:
        self.context, self.user, self.root = context, user, root
        self.choice = random.Random(seed)
        self.number = 0
        self.deleted: set[str] = set()
        self.said: dict[str, str] = {}

    def word(self) -> str:
        self.number += 1
        word = f"word{self.number:04d}x"
        self.said[word] = word
        return word

    def files(self) -> list[Path]:
        names = [name for name in files_in(self.root) if not is_made(name)]
        return [self.root / name for name in names if ".conflict-" not in name]

    async def step(self) -> None:
        steps = [
            *(self.write_file, self.edit_file, self.edit_file, self.move_file, self.delete_file),
            *(self.add_line, self.remember, self.revise, self.revise, self.forget),
        ]
        await self.choice.choice(steps)()

    async def write_file(self) -> None:
        path = self.root / f"own-{self.number}.md"
        path.write_text(f"First {self.word()}.\n\nMiddle.\n\nLast.\n")

    async def edit_file(self) -> None:
        if not (files := self.files()):
            return
        path = self.choice.choice(files)
        text, word = path.read_text(), self.word()
        for old in sorted(each for each in self.said if each in text)[:1]:
            path.write_text(text.replace(old, f"{old} {word}", 1))
            return
        self.said.pop(word)

    async def move_file(self) -> None:
        own = [path for path in self.files() if path.suffix == ".md" and "own" in path.name]
        if own:
            path = self.choice.choice(own)
            path.rename(self.root / f"own-moved-{self.number}-{self.choice.random():.6f}.md")

    async def delete_file(self) -> None:
        if (files := self.files()) and self.choice.random() < 0.5:
            path = self.choice.choice(files)
            text = path.read_text()
            self.deleted |= {word for word in self.said if word in text}
            path.unlink()

    async def add_line(self) -> None:
        path = self.root / "memory/daily/2026-03-02.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_text() if path.exists() else "# 2026-03-02\n"
        path.write_text(f"{text}- Line {self.word()}\n")

    async def remember(self) -> None:
        kind = self.choice.choice(list(Kind))
        lines = self.choice.choice(["", "\n\nSecond.\n\nThird."])
        await note(self.context, self.user, f"Said {self.word()}.{lines}", kind=kind)

    async def revise(self) -> None:
        if found := await notes_of(self.context, self.user):
            one = self.choice.choice(found)
            access = await person(self.context, self.user)
            edit = Edit(content=f"{one.content} {self.word()}")
            await revise(self.context, access, one.id, edit)

    async def forget(self) -> None:
        if (found := await notes_of(self.context, self.user)) and self.choice.random() < 0.5:
            one = self.choice.choice(found)
            self.deleted |= {word for word in self.said if word in one.content}
            access = await person(self.context, self.user)
            await forget(
                self.context,
                access,
                note_id=one.id,
                query=None,
                confirm=True,
                permanent=False,
                reason=None,
            )

    async def check(self) -> None:
        """Both sides are equal, a sync does nothing that reads all, and no text is lost that nobody
        deleted."""
        look_again(self.root)
        again = await sync_folder(self.context, self.user, self.root, yes=True)
        assert again.is_quiet, again.summary()
        notes = {each.id: each for each in await notes_of(self.context, self.user)}
        index = json.loads((self.root / ".graphmem" / "index.json").read_text())
        held = {i: name for name, file in index["files"].items() for i in file["notes"]}
        assert held.keys() == notes.keys()
        for name in index["files"]:
            if is_made(name):
                continue
            self.check_file(name, {i: notes[i] for i in held if held[i] == name})
        history = await self.history(list(notes.values()))
        everything = history + str(files_in(self.root))
        lost = [w for w in self.said if w not in everything and w not in self.deleted]
        assert not lost

    def check_file(self, name: str, notes: dict[str, Note]) -> None:
        path = Path(name)
        text = (self.root / path).read_text()
        now = self.context.clock()
        entries = parse_entries(PurePosixPath(name), text, now)
        assert len(entries) == len(notes)
        for entry in entries:
            there = notes[entry.id] if entry.id else next(iter(notes.values()))
            assert is_same_text(entry.draft.content, there.content), name

    async def history(self, notes: list[Note]) -> str:
        access = await person(self.context, self.user)
        ids = [each.id for each in notes]
        revisions = await revisions_of(self.context, access, ids, 100)
        return str([each.content for group in revisions.values() for each in group])


@pytest.mark.parametrize("seed", range(4))
async def test_nothing_is_lost_in_a_random_history(
    context: Context,
    new_user: Callable[[], str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
):
    world = World(context, new_user(), tmp_path, seed)
    known = KnownNotes() if seed % 2 else None
    for _ in range(ROUNDS):
        for _ in range(world.choice.randint(1, STEPS)):
            await world.step()
        if world.choice.random() < 0.4:
            await break_off(world, monkeypatch)
        await sync_folder(context, world.user, tmp_path, yes=True, known=known)
        await world.check()


async def break_off(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin a sync that dies at one of its writes."""
    left = world.choice.randint(1, 8)

    def dying(real: Callable[..., object]) -> Callable[..., object]:
        def step(*args: object, **given: object) -> object:
            nonlocal left
            left -= 1
            if not left:
                raise KeyboardInterrupt
            return real(*args, **given)

        return step

    with monkeypatch.context() as patch:
        for name in ("write_file", "remove_file", "save_base", "save_plan", "save_state"):
            patch.setattr(writing, name, dying(getattr(writing, name)))
        with suppress(KeyboardInterrupt):
            await sync_folder(world.context, world.user, world.root, yes=True)
