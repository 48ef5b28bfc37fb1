"""Finds what spelling alone shows: addresses, paths, symbols of code, and sums of money.

Everything is found in chunks between white space, so the work is linear in the text."""

import re
from dataclasses import dataclass
from typing import Final

from graphmem.domain.extraction import Amount
from graphmem.language.lexicon import (
    COMMON_WORDS,
    FIRST_NAMES,
    ORGANISATIONS,
    PLACES,
    PRODUCTS,
    TOOLS,
)

LONGEST = 300  # characters of a name that is not an address
_CHUNK = re.compile(r"\S+")
_QUOTED = re.compile(r"`([^`\n]{1,120})`")
_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}")
_URL = re.compile(r"(?:https?://|ftp://|www\.)[\w-][^\s<>\"`]+", re.IGNORECASE)
_CALL = re.compile(r"([A-Za-z_]\w*+(?:\.[A-Za-z_]\w*+)*+)\(\)")
_SNAKE = re.compile(r"_*+[A-Za-z][A-Za-z0-9]*+(?:_[A-Za-z0-9]++)++")
_CAMEL = re.compile(r"[a-z]{2}[a-z0-9]*+[A-Z][A-Za-z0-9]*+|[a-z][A-Z][a-z]++[A-Z]\w*+")
_SLIP = re.compile(r"(?:for|with|and|from|at|in|on|of|my|the|but|like|than)([A-Z][a-z]+)")
_DOTTED = re.compile(r"[A-Za-z_]\w*+(?:\.[A-Za-z_]\w*+)++")
_PATH = re.compile(r"(?:~|\.{1,2})?/?[\w@.-]++(?:/[\w@.-]++)*+/?")
_FILE = re.compile(
    r"[\w@-][\w@.-]*\.(?:py|js|ts|tsx|jsx|mjs|md|rst|txt|ya?ml|json|jsonl|toml|csv|tsv|sql|go|rs|java|"
    r"kt|rb|sh|c|h|cc|cpp|hpp|cs|php|swift|html?|css|scss|xml|ini|cfg|conf|lock|log|pdf|docx?|xlsx?|"
    r"pptx?|png|jpe?g|gif|svg|mp[34]|wav|zip|gz|tar|ipynb|cypher|graphql|env|tf|vue|parquet|db)"
)
_MODULES: Final = frozenset(
    "os sys re np pd plt json asyncio torch self this console math app db fs window document "
    "process module logging pathlib datetime typing functools itertools subprocess".split()
)
_OPENING = "([{<\"'“‘«„"  # noqa: RUF001
_CLOSING = ".,;:!?)]}>\"'”’»…"  # noqa: RUF001
_MONEY = re.compile(
    r"(?P<sign>[$€£¥₹]|(?<![A-Za-z])(?:USD|EUR|GBP|CHF|JPY|INR) ?) ?(?P<first>\d[\d.,]{0,20})"
    r"(?: ?(?P<scale>k|m|bn|thousand|million|billion)\b)?"
    r"|(?<![\w.,])(?P<second>\d[\d.,]{0,20})(?: ?(?P<factor>k|m|bn|thousand|million|billion))? ?"
    r"(?P<word>€|dollars?|euros?|pounds|francs|yen|rupees|bucks|USD|EUR|GBP|CHF|JPY|INR)(?!\w)",
    re.IGNORECASE,
)
_DIGITS_APART = re.compile(r"[.,]")
_CURRENCY = {
    "$": "USD", "dollar": "USD", "dollars": "USD", "bucks": "USD", "€": "EUR", "euro": "EUR",
    "euros": "EUR", "£": "GBP", "pounds": "GBP", "¥": "JPY", "yen": "JPY", "francs": "CHF",
    "₹": "INR", "rupees": "INR",
}  # fmt: skip
_SCALE = {"k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6, "bn": 1e9, "billion": 1e9}


@dataclass(frozen=True)
class NameSpan:
    """A name found at a place in a sentence."""

    start: int
    end: int
    name: str
    type: str | None
    aliases: tuple[str, ...] = ()


def literals(sentence: str) -> list[NameSpan]:
    """Return the addresses, paths and symbols of a sentence, in order, none inside another."""
    found = []
    if "`" in sentence:
        for quoted in _QUOTED.finditer(sentence):
            name = quoted.group(1).strip()
            if 0 < len(name.split()) <= 3 and any(letter.isalpha() for letter in name):
                found.append(
                    NameSpan(quoted.start(), quoted.end(), _strip_call(name), _quoted_type(name))
                )
    taken = [(span.start, span.end) for span in found]
    for chunk in _CHUNK.finditer(sentence):
        if not any(start < chunk.end() and chunk.start() < end for start, end in taken):
            span = _parse_literal(chunk.group(), chunk.start())
            if span is not None:
                found.append(span)
    return sorted(found, key=lambda span: span.start)


def amounts(text: str) -> tuple[Amount, ...]:
    """Return the sums of money in a text, at most 20."""
    found = []
    for match in _MONEY.finditer(text):
        digits = (match["first"] or match["second"]).rstrip(".,")
        word = (match["sign"] or match["word"]).strip()
        scale = (match["scale"] or match["factor"] or "").lower()
        value = _parse_number(digits)
        if value is not None:
            currency = _CURRENCY.get(word.lower(), word.upper())
            surface = match.group().rstrip(".,")
            found.append(
                Amount(surface=surface, value=value * _SCALE.get(scale, 1), currency=currency)
            )
        if len(found) == 20:
            break
    return tuple(found)


def _parse_number(digits: str) -> float | None:
    """Parse a number: 12,400 and 12.400 are thousands, 3.2 and 3,2 are not."""
    parts = _DIGITS_APART.split(digits)
    if len(parts) > 1 and all(len(part) == 3 for part in parts[1:]) and parts[0] != "0":
        return float("".join(parts))
    if len(parts) > 2 and len(parts[-1]) == 3:
        return None
    return float("".join(parts[:-1]) + "." + parts[-1]) if len(parts) > 1 else float(digits)


def _parse_literal(chunk: str, offset: int) -> NameSpan | None:
    start = len(chunk) - len(chunk.lstrip(_OPENING))
    chunk = chunk[start:]
    start += offset
    if len(chunk) > 2 and (":/" in chunk or chunk[:4].lower() == "www."):
        url = _URL.match(chunk)
        if url:
            name = url.group().rstrip(_CLOSING)
            return NameSpan(start, start + len(name), name, "url")
    if len(chunk) > LONGEST:
        return None
    call = _CALL.match(chunk) if "()" in chunk else None
    if call:
        return NameSpan(start, start + call.end(), call.group(1), "code")
    name = chunk.rstrip(_CLOSING)
    for ending in ("'s", "’s"):  # noqa: RUF001
        name = name.removesuffix(ending)
    kind = _literal_type(name)
    return None if kind is None else NameSpan(start, start + len(name), name, kind)


def _literal_type(name: str) -> str | None:
    """Return the type of a chunk that is a literal name, None for any other."""
    if not name or name in TOOLS or name in PRODUCTS or name in ORGANISATIONS:
        return None
    if "@" in name and _EMAIL.fullmatch(name):
        return "email"
    if "/" in name:
        return "file" if _is_path(name) else None
    if "." in name:
        if _FILE.fullmatch(name) and not name[0].isdigit():
            return "file"
        return "code" if _is_dotted(name) else None
    if "_" in name and _SNAKE.fullmatch(name):
        return "code"
    if _CAMEL.fullmatch(name) and not _is_slip(name):
        return "code"
    return None


def _is_slip(name: str) -> bool:
    """Check whether it is a small word and a name without the space between them: forAnna."""
    slip = _SLIP.fullmatch(name)
    return slip is not None and (slip[1] in FIRST_NAMES or slip[1] in PLACES)


def _is_path(name: str) -> bool:
    if not _PATH.fullmatch(name) or not any(letter.isalpha() for letter in name):
        return False
    parts = [part for part in name.split("/") if part]
    if _FILE.fullmatch(parts[-1]):
        return True
    return len(parts) > 1 and name.startswith(("/", "~/", "./", "../"))


def _is_dotted(name: str) -> bool:
    if not _DOTTED.fullmatch(name):
        return False
    parts = name.split(".")
    if any("_" in part for part in parts) or parts[0] in _MODULES:
        return len(parts[-1]) > 1
    plain = all(part.islower() and len(part) > 1 for part in parts)
    return plain and len(parts) > 2 and not all(part in COMMON_WORDS for part in parts)


def _strip_call(name: str) -> str:
    return name[:-2] if name.endswith("()") and len(name) > 2 else name


def _quoted_type(name: str) -> str:
    """Return the type of a name in backticks."""
    if name in TOOLS or name.lower() in TOOLS:
        return "tool"
    return _literal_type(name) or "code"
