"""The scripts that letters belong to, by their blocks in Unicode."""

import re
from collections import Counter
from enum import StrEnum
from types import MappingProxyType
from typing import Final

KANA: Final = r"\u3040-\u30ff\u31f0-\u31ff"
HAN: Final = r"\u3005\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"


class Script(StrEnum):
    """A script other than the Latin one."""

    KANA = "kana"
    HAN = "han"
    HANGUL = "hangul"
    THAI = "thai"
    LAO = "lao"
    KHMER = "khmer"
    BURMESE = "burmese"
    CYRILLIC = "cyrillic"
    GREEK = "greek"
    ARABIC = "arabic"
    HEBREW = "hebrew"
    DEVANAGARI = "devanagari"
    BENGALI = "bengali"
    GURMUKHI = "gurmukhi"
    GUJARATI = "gujarati"
    TAMIL = "tamil"
    TELUGU = "telugu"
    KANNADA = "kannada"
    MALAYALAM = "malayalam"
    ARMENIAN = "armenian"
    GEORGIAN = "georgian"


BLOCKS: Final = MappingProxyType(
    {
        Script.KANA: KANA,
        Script.HAN: HAN,
        Script.HANGUL: r"\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3",
        Script.THAI: r"\u0e01-\u0e4e",
        Script.LAO: r"\u0e81-\u0ece",
        Script.KHMER: r"\u1780-\u17d3",
        Script.BURMESE: r"\u1000-\u103f\u104c-\u109f",
        Script.CYRILLIC: r"\u0400-\u052f",
        Script.GREEK: r"\u0370-\u03ff\u1f00-\u1fff",
        Script.ARABIC: r"\u0620-\u065f\u066e-\u06d3\u06d5-\u06dc\u06fa-\u06ff\u0750-\u077f\u200c"
        r"\ufb50-\ufdff\ufe70-\ufefc",
        Script.HEBREW: r"\u0591-\u05ea",
        Script.DEVANAGARI: r"\u0900-\u0963\u0971-\u097f\u200d",
        Script.BENGALI: r"\u0980-\u09e3",
        Script.GURMUKHI: r"\u0a01-\u0a5e\u0a70-\u0a76",
        Script.GUJARATI: r"\u0a81-\u0ae3",
        Script.TAMIL: r"\u0b82-\u0bd7",
        Script.TELUGU: r"\u0c00-\u0c63",
        Script.KANNADA: r"\u0c80-\u0ce3",
        Script.MALAYALAM: r"\u0d00-\u0d63",
        Script.ARMENIAN: r"\u0531-\u0587",
        Script.GEORGIAN: r"\u10a0-\u10ff\u1c90-\u1cbf",
    }
)
"""The letters and signs of each, as the content of a character class in a pattern."""

UNSPACED: Final = frozenset({Script.THAI, Script.LAO, Script.KHMER, Script.BURMESE})
"""The alphabets that are written without blanks between words."""

RUNS: Final = re.compile("|".join(f"(?P<{name}>[{block}]+)" for name, block in BLOCKS.items()))
_ASIAN: Final = UNSPACED | {Script.KANA, Script.HAN, Script.HANGUL}
_CUT: Final = re.compile(f"[{''.join(BLOCKS[each] for each in sorted(_ASIAN))}]")
_NOT_LATIN: Final = re.compile(r"[^\W\d_\u0000-\u024f\u1e00-\u1eff]")
_LETTER: Final = re.compile(r"[^\W\d_]")


def is_one_word(term: str) -> bool:
    """Check whether a tokenizer without a dictionary treats letters and digits as one word."""
    return term.isalnum() and (term.isascii() or _CUT.search(term) is None)


def has_other_script(text: str) -> bool:
    """Check whether a text has letters of a script other than the Latin one."""
    return not text.isascii() and _NOT_LATIN.search(text) is not None


def is_mostly_latin(text: str) -> bool:
    """Check whether at least half of the letters of a text are Latin ones."""
    if text.isascii():
        return True
    return 2 * len(_NOT_LATIN.findall(text)) <= len(_LETTER.findall(text))


def scripts_of(text: str) -> Counter[Script]:
    """Count the characters of each script in a text."""
    found = Counter[Script]()
    for run in RUNS.finditer(text):
        found[Script(run.lastgroup or "")] += len(run[0])
    return found
