"""A setting as an operator sees it: what it is, what it means, and never the value of a secret."""

import re
from dataclasses import dataclass
from typing import Final

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,30}")
_END_OF_PLACE: Final = re.compile(r"[/?#]")
HIDDEN: Final = "***"


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One setting: its variable, its value, whether somebody set it, and what it means."""

    name: str
    value: str | None
    """None if there is none, and for a secret"""
    is_set: bool
    """whether it was given, by the environment, the file or an option"""
    secret: bool
    about: str


def without_login(text: str) -> str:
    """Return a text; of an address only its scheme, its host and its port.

    Users and passwords stand before the host, and tokens in the path and the query. An address that
    can be read in two ways, since a password may hold any letter, is hidden.
    """
    if "://" not in text:
        return text
    scheme, _, rest = text.partition("://")
    place, *more = _END_OF_PLACE.split(rest, maxsplit=1)
    if not _SCHEME.fullmatch(scheme) or "@" in "".join(more):
        return HIDDEN
    login, _, host = place.rpartition("@")
    path = "/" if rest[len(place) :] == "/" else f"/{HIDDEN}" if more else ""
    return f"{scheme}://{f'{HIDDEN}@' if login else ''}{host}{path}"
