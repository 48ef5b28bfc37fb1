"""Which notes belong to core memory by what they tell, and in which words they stand there."""

import re
from typing import Final

from graphmem.ai.extract_kinds import core_block_of, without_trigger
from graphmem.domain.construct import sentences
from graphmem.domain.core import CUT, Mark
from graphmem.domain.ids import name_key
from graphmem.domain.notes import Note, NoteType

MOST_JUDGED = 2_000  # characters of a note that are looked at
LONGEST = 300  # characters of a line
_THE_USER: Final = frozenset({"user", "me", "human", "i"})
_OF_ONESELF = re.compile(r"\b(?:i|i'(?:m|ve|d|ll)|me|my|mine|user(?:'s)?)\b", re.IGNORECASE)
_OWN_LIKING = re.compile(
    r"\b(?:i|user)(?:'d|'m)? (?:[\w']+ ){0,3}?(?:prefer|like|love|enjoy|adore|hate|dislike|avoid"
    r"|want|stand\b|fan\b|fond\b|rather\b)|\bmy (?:\w+ ){0,2}(?:favou?rite|preference|preferred)",
    re.IGNORECASE,
)
_BY_WORDS: Final = {
    "identity": Mark.IDENTITY,
    "context": Mark.WORKING,
    "critical": Mark.CRITICAL,
}
_BY_TYPE: Final = {
    NoteType.DECISION: Mark.DECISION,
    NoteType.TASK: Mark.TASK,
    NoteType.EVENT: Mark.EVENT,
}
_OF_THE_USER: Final = {
    NoteType.PREFERENCE: (_OWN_LIKING, Mark.PREFERENCE),
    NoteType.EMOTION: (_OF_ONESELF, Mark.EMOTION),
}


def mark_of(note: Note) -> Mark | None:
    """Why a note belongs to core memory, None when it does not. What somebody else said is not
    about the user, and only curated notes are read for their words."""
    kept = Mark.KEPT if note.pinned or note.load_bearing else None
    if note.speaker is not None and name_key(note.speaker) not in {*_THE_USER, name_key(note.user)}:
        return kept
    said = without_trigger(note.content[:MOST_JUDGED])
    sign = None if note.context is None else _BY_WORDS.get(core_block_of(said) or "")
    if sign is Mark.IDENTITY:
        return sign
    if sign is Mark.CRITICAL:
        return kept or sign
    if note.type in _OF_THE_USER:
        own, mark = _OF_THE_USER[note.type]
        if own.search(said):
            return kept if kept and mark is Mark.EMOTION else mark
    return kept or sign or _BY_TYPE.get(note.type)


def wording(note: Note, mark: Mark) -> str:
    """The note in one line: of its sentences those that give it the mark by their words, else all,
    as many as fit."""
    told = [without_trigger(each) for each in sentences(note.content[:MOST_JUDGED])]
    signs = [each for each in told if _BY_WORDS.get(core_block_of(each) or "") is mark]
    text = " ".join(" ".join(signs or told).split())
    text = text[:1].upper() + text[1:]
    if len(text) > LONGEST:
        text = text[:LONGEST].rsplit(" ", 1)[0] + CUT
    return text if signs or not note.title else f"{' '.join(note.title.split())}: {text}"
