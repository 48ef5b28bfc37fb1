"""Leaks that are planted in what writes read: each with the few steps by which the machine must
find it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from graphmem.errors import Forbidden, NotFound
from graphmem.services.reading import notes as reading
from graphmem.services.writing import changing as notes
from graphmem.store import recall

from .documents import Call
from .hubs import hub_drafts, links_of_hub
from .plants import Plant, mutation, writes
from .script import Case, NoteRef, Step, place_of

SEEN, UNSEEN = place_of("person", "SCOPED", "work"), place_of("person", "USER_ONLY", "vault")
SECRET = {"content": "Zebulon moved the copper roof with Ada Kessler for Halden."}
DRAFT = {
    "content": "I live in Berlin.",
    "domain": "work",
    "idempotencyKey": "key",
    "mode": "VERBATIM",
}
EXTERNAL = "MATCH (n:Note {user: $user, externalKey: key})"


def hide(*drafts: dict[str, Any], name: str = "h") -> Step:
    """Notes of the user that the agent may not read, in the first world alone."""
    calls = writes(UNSEEN, *drafts)
    return Step(actor="person", calls=calls, name=name, left_out=True, touches=(UNSEEN,))


def show(*drafts: dict[str, Any], name: str = "s") -> Step:
    """Notes of the user that the agent may read."""
    return Step(actor="person", calls=writes(SEEN, *drafts), name=name)


def look(field_name: str, **arguments: Any) -> Step:
    """What the agent does."""
    calls = mutation(field_name, **arguments)
    return Step(actor="narrow", calls=calls, name=field_name, watched=True)


def ask(field_name: str, **arguments: Any) -> Step:
    """What the agent reads."""
    return Step(actor="narrow", calls=(Call(field_name, arguments),), watched=True)


@dataclass(frozen=True, kw_only=True)
class Written(Plant):
    """A leak that a short story shows."""

    steps: Sequence[Step]
    calls: tuple[Call, ...] = ()

    def case(self) -> Case:
        """The story."""
        return Case(steps=tuple(self.steps))


class OtherWords(Written):
    """An error tells that there is something which may not be read."""

    def put(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Plant it for the length of a test."""
        original = reading.require_note

        async def require_note(context: Any, access: Any, note_id: str) -> Any:
            try:
                return await original(context, access, note_id)
            except NotFound:
                every = [audience.key for audience in access.audiences]
                now = context.clock()
                if await reading.notes.load_notes(context.graph, [note_id], every, now):
                    raise Forbidden("this note is not for you") from None
                raise

        monkeypatch.setattr(notes, "require_note", require_note)


class FewRead(Written):
    """Of an entity's notes no more are read than are wanted, in the order of the store."""

    def put(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Plant it for the length of a test."""
        monkeypatch.setattr(recall, "UNSORTED", 0)


def hub(thing: str = "Halden", *, links: bool = False) -> tuple[Step, ...]:
    """Many notes about one thing, hidden and readable ones in turn; perhaps with links of one."""
    names = tuple(f"{thing} {batch}" for batch in ("h1", "s1", "h2", "s2"))
    steps: list[Step] = []
    for batch, name in enumerate(names):
        place = SEEN if batch % 2 else UNSEEN
        step = show if batch % 2 else hide
        steps.append(step(*hub_drafts(thing, place, batch), name=name))
    for batch, calls in links_of_hub(names) if links else ():
        given = {} if batch % 2 else {"left_out": True, "touches": (UNSEEN,)}
        steps.append(Step(actor="person", calls=calls, **given))
    return tuple(steps)


HUB_QUESTION = {"query": "Entry 3.29 of Halden", "track": False, "explain": True, "hops": 1}
# With one of them, notes may come in the same order with hidden notes as without, by chance.
HUBS = ("Halden", "Kestrel", "Orion")
TAKEN_AWAY = (
    look("remember", input=DRAFT),
    Step(
        actor="person",
        calls=mutation("setVisibility", id=NoteRef("remember"), visibility="USER_ONLY"),
    ),
    Step(
        actor="person",
        calls=mutation("revise", id=NoteRef("remember"), **SECRET),
        left_out=True,
        touches=(UNSEEN,),
    ),
    look("remember", input=DRAFT),
)
WRITTEN = (
    Written(
        name="a replay from an audience that is hidden by now",
        queries=("notes/load",),
        steps=TAKEN_AWAY,
    ),
    Written(
        name="an external id of somebody else",
        changes={
            "notes/find_external": lambda text: text.replace(
                EXTERNAL,
                "MATCH (n:Note {user: $user}) WHERE n.externalId IS NOT NULL "
                "AND right(key, size(n.externalId)) = n.externalId",
            )
        },
        steps=(
            hide(SECRET | {"externalId": "diary/1"}),
            look("remember", input={"content": "I moved to Rome.", "externalId": "diary/1"}),
        ),
    ),
    OtherWords(
        name="an error in other words",
        steps=(hide(SECRET), look("revise", id=NoteRef("h.0"), title="Halden")),
    ),
    Written(
        name="hidden notes decide what becomes of a note",
        changes={
            "deciding/nearest": lambda text: text.replace(
                "n.audience = row.audience", "n.audience STARTS WITH split(row.audience, '/')[0]"
            )
        },
        steps=(
            hide({"content": "The deadline of the Halden project is March 15."}),
            look(
                "remember",
                input={
                    "content": "The deadline of the Halden project is March 15.",
                    "visibility": "SCOPED",
                    "domain": "work",
                },
            ),
            ask("notes", first=5),
        ),
    ),
    FewRead(
        name="hidden notes decide which notes of a much-named entity are followed",
        steps=(
            *(step for thing in HUBS for step in hub(thing)),
            *(ask("recall", input=HUB_QUESTION | {"query": f"Entry 3.29 of {h}"}) for h in HUBS),
        ),
    ),
    Written(
        name="hidden notes decide which links of a note are followed",
        changes={
            "recall/neighbourhood": lambda text: text.replace(
                "ORDER BY kind <> 'updates', weight DESC, x.id, kind LIMIT $linkFan",
                "LIMIT $linkFan",
            )
        },
        steps=(*hub(links=True), ask("recall", input=HUB_QUESTION)),
    ),
    Written(
        name="reflections over hidden notes",
        queries=("reflection/list_summaries", "notes/load"),
        steps=(
            show({"content": "The deadline of the Halden project is March 15."}),
            hide(*({"content": f"Ada Kessler sold roof {i}.", "tags": ["roof"]} for i in range(5))),
            look("reflect"),
        ),
    ),
)
