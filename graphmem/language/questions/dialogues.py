"""Questions that are a dialogue, such as an agent sends before its user asked for anything."""

import re
from typing import Final

SHORTEST: Final = 2  # turns

# A line that begins with a name of at most four words and a colon begins a turn.
_TURN = re.compile(r"^[^\W\d][\w.'-]{0,40}(?: [\w.'-]{1,40}){0,3}: (?=\S)", re.MULTILINE)


def turns_of(text: str) -> list[str]:
    """Return the turns of a dialogue, each with its speaker, in order.

    Empty if the text does not begin with a turn or has only one."""
    starts = [found.start() for found in _TURN.finditer(text)]
    if len(starts) < SHORTEST or text[: starts[0]].strip():
        return []
    return [text[a:b].strip() for a, b in zip(starts, [*starts[1:], len(text)], strict=True)]


def words_of_turn(turn: str) -> str:
    """Return the words of a turn, without the speaker and the quotation marks around it."""
    return _TURN.sub("", turn, count=1).strip().strip('"\u201c\u201d\u201e')
