"""Ids and names: UUIDv7, the letters that ids and domains may hold, normalised names."""

import hashlib
import re
import secrets
import unicodedata
from datetime import datetime
from uuid import UUID

from graphmem.errors import Invalid

MAX_ID_LENGTH = 200
MAX_DOMAIN_LENGTH = 500
_ID = re.compile(r"[^\W_][\w._@-]*|[\w._@-]*[^\W_][\w._@-]*")
_NAME_BREAKS = re.compile(r"[\W_]+")


def uuid7(now: datetime) -> str:
    """A UUIDv7 (RFC 9562) of the instant `now`: sorts by time, 74 random bits."""
    milliseconds = int(now.timestamp() * 1000)
    value = (milliseconds & 0xFFFFFFFFFFFF) << 80 | secrets.randbits(80)
    value = value & ~(0xF << 76) | 0x7 << 76
    value = value & ~(0x3 << 62) | 0x2 << 62
    return str(UUID(int=value))


def check_id(text: str, what: str) -> str:
    """`text` as an id of `what`: letters and digits of any script and ._@-, at least one letter or
    digit, at most 200 characters. Raises Invalid."""
    text = unicodedata.normalize("NFC", text)
    if len(text) > MAX_ID_LENGTH or not _ID.fullmatch(text):
        raise Invalid(
            f"{what} must be 1 to {MAX_ID_LENGTH} letters, digits or any of ._@- "
            "and hold a letter or digit"
        )
    return text


def check_domain(text: str) -> str:
    """`text` as a domain: ids joined by "/", no empty parts. Raises Invalid."""
    text = unicodedata.normalize("NFC", text)
    parts = text.split("/")
    if len(text) > MAX_DOMAIN_LENGTH or not all(_ID.fullmatch(part) for part in parts):
        raise Invalid(
            "domain must be a path such as business/sales: non-empty parts of letters, digits "
            f"and ._@-, each with a letter or digit, at most {MAX_DOMAIN_LENGTH} characters"
        )
    return text


def is_within(domain: str, ancestor: str) -> bool:
    """Whether `domain` is `ancestor` or lies below it, by whole path parts."""
    return domain == ancestor or domain.startswith(ancestor + "/")


def name_key(name: str) -> str:
    """The form under which a name is compared: NFKC, case folded, words joined by one space."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return " ".join(_NAME_BREAKS.sub(" ", folded).split())


def digest(text: str, length: int = 32) -> str:
    """The first `length` hex digits of the SHA-256 of `text`; a lone surrogate is kept apart."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:length]
