"""The file of a team's commons: the kinds of its lines, and what each holds.

Its form is that of the portable format, with the team in the header."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from graphmem.domain.ids import digest
from graphmem.errors import Invalid

MOST_TAGS: Final = 100


class Kind(StrEnum):
    """The kind of a line, in the order of the lines."""

    HEADER = "header"
    SOP = "sop"
    SKILL = "skill"
    KNOWLEDGE = "knowledge"
    POST = "post"  # on the board
    END = "end"


@dataclass(frozen=True, kw_only=True)
class GivenSop:
    """The standard procedure of a domain."""

    domain: str
    content: str


@dataclass(frozen=True, kw_only=True)
class GivenSkill:
    """A skill."""

    name: str
    procedure: str
    trigger: str | None
    tags: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class GivenKnowledge:
    """A statement that the team knows."""

    content: str
    domain: str

    @property
    def mark(self) -> str:
        """A hash that identifies the statement within a team."""
        return digest(f"{self.domain}\n{self.content}")


@dataclass(frozen=True, kw_only=True)
class GivenPost:
    """A value on the board."""

    scope: str
    key: str
    value: object


Given = GivenSop | GivenSkill | GivenKnowledge | GivenPost


def parse_line(line: Mapping[str, Any]) -> Given:
    """Return what a line holds; who takes it checks its texts.

    Raises Invalid for a line of no known kind, and one with a field of another type."""
    match line.get("record"):
        case Kind.SOP:
            return GivenSop(domain=_text(line, "domain"), content=_text(line, "content"))
        case Kind.SKILL:
            return GivenSkill(
                name=_text(line, "name"),
                procedure=_text(line, "procedure"),
                trigger=_text(line, "trigger") if line.get("trigger") is not None else None,
                tags=_tags(line.get("tags", [])),
            )
        case Kind.KNOWLEDGE:
            return GivenKnowledge(content=_text(line, "content"), domain=_text(line, "domain"))
        case Kind.POST:
            if "value" not in line:
                raise Invalid("value is missing")
            return GivenPost(
                scope=_text(line, "scope"), key=_text(line, "key"), value=line["value"]
            )
        case _:
            raise Invalid("of no known kind")


def _text(line: Mapping[str, Any], name: str) -> str:
    value = line.get(name)
    if not isinstance(value, str):
        raise Invalid(f"{name} must be a text")
    return value


def _tags(given: object) -> tuple[str, ...]:
    if not isinstance(given, list) or len(given) > MOST_TAGS:
        raise Invalid(f"tags must be a list of at most {MOST_TAGS}")
    if not all(isinstance(each, str) for each in given):
        raise Invalid("a tag must be a text")
    return tuple(given)
