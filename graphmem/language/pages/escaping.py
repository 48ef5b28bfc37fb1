"""Text of notes inside a page: it can't become a heading, a cell, a comment or a link of its own.

What a line shows can be read back: `unescape_text(escape_text(text)) == text` for a text that
`is_one_line`."""

from typing import Final
from unicodedata import category

CUT: Final = " […]"
_MARKED: Final = "\\<[`|"  # begin a comment, a link or code, or end a cell
_LEADS: Final = "#>-+*=~_"  # begin a heading, a quotation, a list or a line at the start
_TURNING: Final = frozenset(  # letters that make a terminal or an editor show text in another order
    {*map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A))}
)
_ESCAPES: Final = str.maketrans({letter: f"\\{letter}" for letter in _MARKED})


def one_line(text: str) -> str:
    """Return a text as one line: runs of white space as one space, without control characters."""
    line = " ".join(text.split())
    if line.isprintable():
        return line
    shown = (" " if category(each) == "Cc" or each in _TURNING else each for each in line)
    return " ".join("".join(shown).split())


def is_one_line(text: str, longest: int) -> bool:
    """Check whether a line shows the text as it is, within a number of characters."""
    return len(text) <= longest and one_line(text) == text


def shorten_text(text: str, longest: int) -> str:
    """Return a text as one line of about so many characters; a cut one ends in " […]"."""
    line = one_line(text)
    return line if len(line) <= longest else line[:longest].rstrip() + CUT


def escape_text(text: str) -> str:
    """Return a text of one line as Markdown that shows exactly it."""
    lead = "\\" if text and text[0] in _LEADS else ""
    return lead + text.translate(_ESCAPES)


def unescape_text(text: str) -> str:
    """Return the text that was escaped; a backslash before any other letter stays."""
    parts, place = [], 0
    while (found := text.find("\\", place)) >= 0:
        parts.append(text[place:found])
        follows = text[found + 1 : found + 2]
        is_mark = bool(follows) and follows in _MARKED + _LEADS
        parts.append(follows if is_mark else "\\" + follows)
        place = found + 2
    return "".join([*parts, text[place:]])


def inline_text(text: str, longest: int) -> str:
    """Return any text as one harmless line of about so many characters."""
    return escape_text(shorten_text(text, longest))


def quote_text(text: str) -> str:
    """Return any text as a Markdown quotation: each line begins with "> "."""
    lines = (one_line(line) for line in text.splitlines())
    return "\n".join(f"> {escape_text(line)}".rstrip() for line in lines)


def render_table(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Return a table; the cells are harmless lines already."""
    lines = [heads, tuple("---" for _ in heads), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
