"""Lists of words that the rules of the extractor know, one a file."""

import re
from collections.abc import Iterable, Mapping
from importlib.resources import files
from types import MappingProxyType
from typing import Final

_DEFINITION = re.compile(r"([A-Z]+) = (.+)")


def _read(name: str, divider: str | None = None) -> frozenset[str]:
    """The entries of a list; `divider` None: any white space."""
    lines = (files(__name__) / f"{name}.txt").read_text("utf-8").splitlines()
    text = " ".join(line for line in lines if not line.startswith("#"))
    return frozenset(entry.strip() for entry in text.split(divider) if entry.strip())


COMMON_WORDS: Final = _read("common_words")
FIRST_NAMES: Final = _read("first_names")
PLACES: Final = _read("places", ",")
TOOLS: Final = _read("tools", ",")
PRODUCTS: Final = _read("products", ",")
ORGANISATIONS: Final = _read("organisations", ",")
NATIONALITIES: Final = _read("nationalities")
FUNCTION_WORDS: Final = _read("function_words")
INTERJECTIONS: Final = _read("interjections")
ACRONYMS: Final = _read("acronyms")
CALENDAR: Final = _read("calendar")


def _read_cue_phrases() -> Mapping[str, re.Pattern[str]]:
    """The signs below each heading as one pattern, to be searched in a sentence."""
    short: dict[str, str] = {}
    signs: dict[str, list[str]] = {}
    for line in (files(__name__) / "cue_phrases.txt").read_text("utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        for name, text in short.items():
            line = line.replace(f"<{name}>", text)
        if definition := _DEFINITION.fullmatch(line):
            short[definition[1]] = definition[2]
        elif line.startswith("["):
            signs[line.strip("[]")] = []
        else:
            signs[[*signs][-1]].append(line)
    return MappingProxyType({name: _pattern(lines) for name, lines in signs.items()})


def _pattern(lines: Iterable[str]) -> re.Pattern[str]:
    opening = "|".join(line[1:] for line in lines if line.startswith("^"))
    inside = "|".join(line for line in lines if not line.startswith("^"))
    parts = [rf"\A\W*(?:{opening})"] if opening else []
    if inside:
        parts.append(rf"(?<!\w)(?:{inside})(?!\w)")
    return re.compile("|".join(parts), re.IGNORECASE)


CUE_PHRASES: Final = _read_cue_phrases()
