"""Converts names of other programs to names of graphmem."""

import hashlib
import json
import re
import sys
import unicodedata
from typing import Final

_NUMBER: Final = re.compile(r"@([0-9a-f]{1,6})@")


def external_id(kind: str, *parts: object) -> str:
    """Return an external id for what another program identifies by several names."""
    digest = hashlib.sha256(json.dumps(parts).encode()).hexdigest()
    return f"{kind}:{digest}"


def part_of(label: str) -> str:
    """Return a label as part of a domain: a letter that is not allowed there becomes its number."""
    plain = unicodedata.is_normalized("NFC", label)
    letters = [
        c if c in "._-" or (c.isalnum() and (plain or c.isascii())) else f"@{ord(c):x}@"
        for c in label
    ]
    if not any(c.isalnum() for c in label):
        letters[0] = f"@{ord(label[0]):x}@"
    return "".join(letters)


def label_of(part: str) -> str:
    """Return the label that a part of a domain stands for."""
    return _NUMBER.sub(lambda found: _decode_letter(int(found[1], 16)) or found[0], part)


def _decode_letter(number: int) -> str:
    return chr(number) if number <= sys.maxunicode else ""
