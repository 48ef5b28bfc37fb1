"""Owners of notes, entities, procedures and the board: a user or a team."""

from dataclasses import dataclass
from typing import Self

_TEAM = "t:"
_USER = "u:"


@dataclass(frozen=True, slots=True)
class Owner:
    """A user or a team.

    Ids never contain a colon (`check_id`), so no two owners share a key or a name, however their
    ids are spelled."""

    id: str
    is_team: bool = False

    @property
    def key(self) -> str:
        """The prefix of every audience of the owner: `u:<user>` or `t:<team>`."""
        return f"{_TEAM}{self.id}" if self.is_team else f"{_USER}{self.id}"

    @property
    def name(self) -> str:
        """The value of `user` in the owner's nodes: the id of a user, the key of a team."""
        return self.key if self.is_team else self.id

    @classmethod
    def of_audience(cls, key: str) -> Self:
        """Return the owner of an audience, by its key (`Audience.key`)."""
        return cls.named(key.partition("/")[0].removeprefix(_USER))

    @classmethod
    def named(cls, name: str) -> Self:
        """Return the owner of nodes that hold this name as `user`."""
        if name.startswith(_TEAM):
            return cls(name.removeprefix(_TEAM), is_team=True)
        return cls(name)
