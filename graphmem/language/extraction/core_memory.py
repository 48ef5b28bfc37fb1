"""Decides which notes belong to core memory, and creates their lines there."""

import re
from typing import Final

from graphmem.domain.core import CUT, Mark
from graphmem.domain.ids import name_key
from graphmem.domain.notes import Note, NoteType
from graphmem.language.extraction.classification import core_block_of, without_trigger
from graphmem.language.sentences import sentences

MOST_JUDGED = 2_000  # characters of a note that are considered
LONGEST = 300  # characters of a line
_THE_USER: Final = frozenset({"user", "me", "human", "i"})
_OF_ONESELF = re.compile(r"\b(?:i|i'(?:m|ve|d|ll)|me|my|mine|user(?:'s)?)\b", re.IGNORECASE)
_INTRODUCED = re.compile(  # in addition to what `core_block_of` knows
    r"\A\W*(?:(?:hi|hello|hey)\b\W*)?(?:"
    r"i(?:'m| am) (?-i:[A-Z][\w'-]+(?: [A-Z][\w'-]+){0,2})(?:[.!]?\s*\Z|,|;| and\b)"
    r"|i(?:'m| am) (?:now )?(?:an?|the) (?!bit |little |lot |big fan)(?:[\w-]+ ){0,2}"
    r"(?!later|earlier|better|other|either|over)\w{2,}(?:er|or|ist|ian|ant)\b"
    r"|i(?:'m| am) in the [\w/ +:-]{2,30} time ?zone"
    r"|(?:the )?user(?:'s name)? is (?:named|called|an?|from|based|(?-i:[A-Z]))"
    r"|(?:the )?user (?:works|speaks|was born)\b|(?:the )?user's (?:time ?zone|pronouns|job|role):"
    r"|(?:my |user )?(?:name|time ?zone|role|job|pronouns|communication style): ?\S)",
    re.IGNORECASE,
)
_OWN_LIKING = re.compile(
    r"\b(?:i|user)(?:'d|'m)? (?:[\w']+ ){0,3}?(?:prefer|like|love|enjoy|adore|hate|dislike|avoid"
    r"|want|stand\b|fan\b|fond\b|rather\b)|\bmy (?:\w+ ){0,2}(?:favou?rite|preference|preferred)",
    re.IGNORECASE,
)
_MANNER = (
    r"(?:in (?:\w+ ){0,3}(?:sentences?|words?|lines?|paragraphs?|points?|bullets?|language|tone"
    r"|style|detail|english|german|french|spanish|italian|dutch|danish)"
    r"|briefly|short(?:er|ly)?|concise(?:ly)?|(?:in)?formal(?:ly)?|politely|friendly|directly"
    r"|honestly|patiently|plainly|with(?:out)? (?:\w+ ){0,2}(?:jokes?|emojis?|small talk|examples?"
    r"|jargon|bullets?|bullet points?|sources?|greetings?|flattery))\b"
)
_CONDUCT = re.compile(  # "Please never reply in German", "Be concise", "your answers are too long"
    r"\A\W*+(?:(?:please|always|never|only|just|do not|don't)\s++){0,3}+"
    r"(?:(?:answer|reply|respond|speak|talk|write|explain)\b[^.\n]{0,80}?\b" + _MANNER + r"|keep "
    r"(?:your |the )?(?:answers?|replies|messages) |be (?:brief|short|concise|polite|formal"
    r"|friendly|honest|direct|patient|kind)\b)"
    r"|\byour (?:answers?|replies|messages|tone|style)\b"
    r"|\b(?:you|the assistant|the agent) (?:should|must|ought to|are to|is to) "
    r"(?:always |never |not |only )?(?:answer|reply|respond|speak|talk|address me|explain)\b",
    re.IGNORECASE,
)
_BULLETS: Final = ("- ", "* ", "+ ", "> ", "\u2022 ")
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
    """Return why a note belongs to core memory; None if it does not.

    Statements of somebody else are not about the user, and only the words of curated notes
    count."""
    kept = Mark.KEPT if note.pinned or note.load_bearing else None
    if note.speaker is not None and name_key(note.speaker) not in {*_THE_USER, name_key(note.user)}:
        return kept
    text = without_trigger(note.content[:MOST_JUDGED])
    sign = None if note.context is None else _find_cue(text)
    if sign is Mark.IDENTITY:
        return sign
    if sign is Mark.CRITICAL:
        return kept or sign
    if note.type in _OF_THE_USER:
        own, mark = _OF_THE_USER[note.type]
        if own.search(text):
            return kept if kept and mark is Mark.EMOTION else mark
    return kept or sign or _BY_TYPE.get(note.type)


def _find_cue(text: str) -> Mark | None:
    """Return the mark of a text by its words."""
    block = core_block_of(text)
    if block is None and _INTRODUCED.match(text) and not text.rstrip().endswith("?"):
        return Mark.IDENTITY
    return _BY_WORDS.get(block or "")


def core_line(note: Note, mark: Mark) -> str:
    """Return the note in one line.

    It has those sentences whose words give it the mark, else all, as many as fit."""
    parts = [without_trigger(each) for each in sentences(note.content[:MOST_JUDGED])]
    cued = [each for each in parts if _find_cue(each) is mark]
    text = " ".join(" ".join(cued or parts).split())
    text = text[:1].upper() + text[1:]
    if len(text) > LONGEST:
        text = text[:LONGEST].rsplit(" ", 1)[0] + CUT
    return text if cued or not note.title else f"{' '.join(note.title.split())}: {text}"


def is_of_conduct(text: str) -> bool:
    """Check whether a text says how an agent should behave towards the user.

    Such texts, for example "Answer briefly", are lines of the persona."""
    return bool(_CONDUCT.search(text[:MOST_JUDGED]))


def core_lines(note: Note, *, whole: bool) -> list[str]:
    """Return a file of T0 as lines: its own, without Markdown; a long line is split by sentences.

    The last line is left out unless the text is `whole`, as it may be cut."""
    lines: list[str] = []
    for line in note.content.splitlines():
        text = " ".join(line.split())
        heading = text.startswith("#")
        text = text.strip("# :") if heading else text
        for bullet in _BULLETS:
            text = text.removeprefix(bullet)
        if text.strip("-*_=`|:>+ "):
            lines += [f"{text}:"] if heading else _join_sentences(sentences(text))
    if not whole and len(lines) > 1:
        del lines[-1]
    if note.title and lines and not lines[0].endswith(":"):
        lines[0] = f"{' '.join(note.title.split())}: {lines[0]}"
    return lines


def _join_sentences(parts: list[str]) -> list[str]:
    """Join sentences, each with the one before it if both fit a line."""
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + len(part) < LONGEST:
            lines[-1] += f" {part}"
        else:
            lines.append(part)
    return lines
