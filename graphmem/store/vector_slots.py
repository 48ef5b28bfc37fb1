"""The two slots of vectors, so that another embedding model can be made ready while another is in
use.

Notes, passages, proposals and judged questions have their vector as the property `embedding` in
the first slot and as `embedding2` in the second, each with vector indexes and a `Meta` node of the
same name. Query files are written for the first slot. In a query, the words below are nothing but
these names, and a query for the second slot is made of its file by exchanging them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from graphmem.errors import Unavailable

_NAMES = re.compile(r"\b((?:note_|passage_)?embedding)(2?)\b")


class VectorSlot(StrEnum):
    """A slot, by the name of its property."""

    FIRST = "embedding"
    SECOND = "embedding2"

    @property
    def other(self) -> "VectorSlot":
        """The other slot."""
        return VectorSlot.SECOND if self is VectorSlot.FIRST else VectorSlot.FIRST


def exchange_slots(text: str) -> str:
    """Return the text of a query with the names of the two slots exchanged."""
    return _NAMES.sub(lambda name: name[1] if name[2] else f"{name[1]}2", text)


@dataclass(frozen=True, kw_only=True)
class Embedding:
    """A model with the length of its vectors."""

    model: str
    dimension: int

    def __str__(self) -> str:
        """Return the model and its dimension, in the form used in messages."""
        return f"{self.model} ({self.dimension} numbers)"


@dataclass(frozen=True, kw_only=True)
class Held:
    """The content of a slot; `filled`: once all notes had its vectors."""

    embedding: Embedding
    filled: bool


@dataclass(frozen=True, kw_only=True)
class VectorSlots:
    """The record that the graph keeps of its slots.

    `waiting` is filled and comes into use when a service starts with its model. `behind`: notes
    written during the switch to the slot now in use may still lack its vectors."""

    held: Mapping[VectorSlot, Held]
    in_use: VectorSlot
    waiting: VectorSlot | None
    behind: bool

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> "VectorSlots":
        """Return what a row of the query `meta/embedding` says."""
        return cls(
            held={
                VectorSlot(each["slot"]): Held(
                    embedding=Embedding(model=each["model"], dimension=each["dimension"]),
                    filled=each["filled"],
                )
                for each in row["held"]
            },
            in_use=VectorSlot(row["inUse"] or VectorSlot.FIRST),
            waiting=None if row["waiting"] is None else VectorSlot(row["waiting"]),
            behind=row["behind"],
        )

    @property
    def used(self) -> Held | None:
        """The content of the slot in use; None in a new graph."""
        return self.held.get(self.in_use)

    def slot_of(self, embedding: Embedding) -> VectorSlot | None:
        """Return the slot that holds this model, None if none does."""
        found = (slot for slot, each in self.held.items() if each.embedding == embedding)
        return next(found, None)

    def require_in_use(self, embedding: Embedding) -> None:
        """Raise Unavailable unless the slot in use holds this model."""
        if self.slot_of(embedding) is not self.in_use:
            raise Unavailable(
                f"this service runs with {embedding}, which is no longer the embedding model in "
                "use: start it with that one"
            )
