"""The tokenizer of the English rules: what counts as a word is defined here, and nowhere else.

It depends on the purpose: the full-text index joins what a name separates, and code is a word of
a statement, but not of a question. So there are several kinds of tokens. The words of a name's
key are the one kind that is defined below this layer, in `domain/ids`."""

import re
from collections.abc import Iterator
from enum import StrEnum
from types import MappingProxyType
from typing import Final

APOSTROPHES: Final = "'’"  # noqa: RUF001
_LETTER: Final = r"[^\W\d_]"
_ALPHANUMERIC: Final = r"[^\W_]"

# For the index: runs of word characters; letters are joined by . ' : and digits by . , ; '
# (Unicode annex 29).
_JOINED: Final = (
    rf"(?:(?:(?<={_LETTER})[{APOSTROPHES}.:](?={_LETTER})|(?<=\d)[.,;'](?=\d)){{run}})*+"
)
# Ideographs and hiragana are words of one character each.
_SINGLE: Final = r"\u3040-\u309f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
# Accents and vowel signs belong to their letter, though Python's \w doesn't have them.
_SIGNS: Final = r"\u0300-\u036f\u0591-\u05c7\u064b-\u0670\u0900-\u0963\u0966-\u0dff\u0e31-\u0e4e"
_RUN: Final = rf"(?:[^\W{_SINGLE}]|[{_SIGNS}])++"
_ASCII_INDEX: Final = re.compile(r"\w++" + _JOINED.format(run=r"\w++"), re.ASCII)


class Tokens(StrEnum):
    """The kinds of tokens, by purpose."""

    INDEX = "index"
    """as the standard tokenizer of the full-text index cuts a text"""
    RUN = "run"
    """a run of letters and digits"""
    PLAIN = "plain"
    """runs of letters and digits joined by apostrophes"""
    TOPIC = "topic"
    """the same, joined by hyphens and underscores, too"""
    QUESTION = "question"
    """a word of a question: it begins with a letter; that of 3rd is rd"""
    KEYWORD = "keyword"
    """a word that may be a keyword: three characters or more, the first one a letter"""
    SPELLED = "spelled"
    """a run of word characters, also of underscores"""
    NAME = "name"
    """a word or sign of a sentence that is searched for names"""
    NAME_PART = "name_part"
    """a part of a name by itself, with the full stop of an initial"""
    PHRASE = "phrase"
    """a word or comma of what a sentence says about names"""
    IDENTIFIER = "identifier"
    """a word that may identify something: signs inside are part of it"""
    STATEMENT = "statement"
    """a word of a statement that is compared: code, options, numbers, dates and signs, too"""


_PATTERNS: Final = MappingProxyType(
    {
        Tokens.INDEX: re.compile(rf"[{_SINGLE}]|" + _RUN + _JOINED.format(run=_RUN)),
        Tokens.RUN: re.compile(rf"{_ALPHANUMERIC}+"),
        Tokens.PLAIN: re.compile(rf"{_ALPHANUMERIC}+(?:[{APOSTROPHES}]{_ALPHANUMERIC}+)*"),
        Tokens.TOPIC: re.compile(rf"{_ALPHANUMERIC}(?:[\w{APOSTROPHES}-]*\w)?"),
        Tokens.QUESTION: re.compile(rf"{_LETTER}{_ALPHANUMERIC}*(?:'{_ALPHANUMERIC}+)?"),
        Tokens.KEYWORD: re.compile(rf"{_LETTER}[\w-]{{2,}}"),
        Tokens.SPELLED: re.compile(r"\w+"),
        Tokens.NAME: re.compile(
            # A full stop joins the parts of a word (Node.js) unless a sentence begins behind it.
            rf"{_ALPHANUMERIC}+(?:(?:[{APOSTROPHES}&\-_]|\.(?!(?:I|He|She|It|We|You|They|The|This|That|"
            r"There|And|But|So|My|Our|Her|His|What|How|Thanks|Then|Also|If|When)(?![^\W_])))[^\W_]+)*"
            r"[+#]{0,2}|[^\w\s]|_"
        ),
        Tokens.NAME_PART: re.compile(
            rf"#(?=\d)|&|(?<!\S)-(?=\d)|{_ALPHANUMERIC}+(?:[{APOSTROPHES}.]{_ALPHANUMERIC}+)*"
            rf"(?:\+\+|[+#](?!{_ALPHANUMERIC}))?\.?"
        ),
        Tokens.PHRASE: re.compile(r"[\w'-]+|,"),
        Tokens.IDENTIFIER: re.compile(
            rf"(?:(?<![\w)\]])[-−](?=\d))?{_ALPHANUMERIC}+(?:[-./_,:{APOSTROPHES}]{_ALPHANUMERIC}+)*"  # noqa: RUF001
            r"(?:\+\+|[+#])?"
        ),
        Tokens.STATEMENT: re.compile(
            r"`[^`]*`|\w[\w.]{0,100}+\([^()]*\)|(?<![\w-])--?[A-Za-z][\w-]*|>=|<=|==|!=|->|[<>=+%€$£&@#]"
            r"|\d{4}-\d\d-\d\d|\d{1,2}:\d\d(?::\d\d)?|v?\d+(?:[.,]\d+)*(?:st|nd|rd|th)?(?![^\W\d_])"
            rf"|\d+(?:[.,]\d+)*(?={_LETTER}{{1,3}}\b)|{_ALPHANUMERIC}\w*(?:[-./_{APOSTROPHES}]\w+)*|_\w+"
            r"|[,;:()]|[^\w\s.,;:!?\"'()\[\]{}…“”‘’«»*-]"  # noqa: RUF001  emoji and the like are words, too
        ),
    }
)


def tokens_in(text: str, kind: Tokens) -> list[str]:
    """Return the tokens of a text in order, unchanged."""
    if kind is Tokens.INDEX and text.isascii():
        return _ASCII_INDEX.findall(text)  # the same, and quicker
    return _PATTERNS[kind].findall(text)


def token_matches(text: str, kind: Tokens) -> Iterator[re.Match[str]]:
    """Yield the same, as matches with their places."""
    return _PATTERNS[kind].finditer(text)
