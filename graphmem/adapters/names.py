"""Names of other programs as names of graphmem."""

import hashlib
import json
import re
import sys
import unicodedata
from typing import Final

_NUMBER: Final = re.compile(r"@([0-9a-f]{1,6})@")


def external_id(kind: str, *parts: object) -> str:
    """An external id for what a program knows by several names."""
    digest = hashlib.sha256(json.dumps(parts).encode()).hexdigest()
    return f"{kind}:{digest}"


def part_of(label: str) -> str:
    """A label as a part of a domain: a letter that can't stand there is written by its number."""
    plain = unicodedata.is_normalized("NFC", label)
    letters = [
        c if c in "._-" or (c.isalnum() and (plain or c.isascii())) else f"@{ord(c):x}@"
        for c in label
    ]
    if not any(c.isalnum() for c in label):
        letters[0] = f"@{ord(label[0]):x}@"
    return "".join(letters)


def label_of(part: str) -> str:
    """The label of a part of a domain."""
    return _NUMBER.sub(lambda found: _letter(int(found[1], 16)) or found[0], part)


def _letter(number: int) -> str:
    return chr(number) if number <= sys.maxunicode else ""
