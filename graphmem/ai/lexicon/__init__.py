"""Lists of words that the rules of the extractor know, one a file."""

from importlib.resources import files
from typing import Final


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
ACRONYMS: Final = _read("acronyms")
CALENDAR: Final = _read("calendar")
