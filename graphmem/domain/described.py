"""A setting as an operator sees it: what it is, what it means, and never the value of a secret."""

import re
from dataclasses import dataclass
from typing import Final

_LOGIN: Final = re.compile(r"//[^/@]*@")  # of an address
_QUERY: Final = re.compile(r"(://[^?#]*)[?#].*", re.DOTALL)  # may hold a key
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
    """Return a text without the user, the password and the query of an address in it."""
    return _QUERY.sub(rf"\1?{HIDDEN}", _LOGIN.sub(f"//{HIDDEN}@", text))
