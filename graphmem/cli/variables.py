"""Variables GRAPHMEM_* that no setting reads: most likely misspelt."""

import dataclasses
import difflib
import os
from collections.abc import Iterator, Mapping
from typing import Final

from dotenv import dotenv_values

from graphmem.errors import Misconfigured
from graphmem.places import FILE_VARIABLE, env_file
from graphmem.settings import PREFIX, Settings, variable_of

OTHERS: Final = (FILE_VARIABLE, "GRAPHMEM_DEBUG", "GRAPHMEM_URL", "GRAPHMEM_KEY")
OF_DEVELOPERS: Final = tuple(f"{PREFIX}{each}_" for each in ("TEST", "FUZZ", "BENCH"))
ALIASES: Final = (
    "GRAPHMEM_DECAY__LAMBDA",  # a reserved word of Python
    "GRAPHMEM_AUDIT_RETENTION",
)
NEAR: Final = 0.6  # ratio of difflib; below it a name is a different word


def unknown_variables() -> dict[str, str | None]:
    """Return the variables of the environment and of the settings file that mean nothing, each with
    the nearest name that does, if there is a near one."""
    known = frozenset(known_variables())
    given = {name.upper() for name in (*os.environ, *_read_env_file())}
    return {
        name: _find_nearest(name, known) for name in sorted(given) if not _is_known(name, known)
    }


def known_variables() -> Iterator[str]:
    """Yield the name of each variable that is read; for a group, the name of each of its fields,
    too."""
    yield from (*OTHERS, *ALIASES)
    for name, field in Settings.model_fields.items():
        variable = variable_of(name)
        yield variable
        if dataclasses.is_dataclass(field.annotation):
            yield from (
                f"{variable}__{each.name.upper()}" for each in dataclasses.fields(field.annotation)
            )


def _read_env_file() -> Mapping[str, str | None]:
    try:
        file = env_file()
        return {} if file is None else dotenv_values(file)
    except (Misconfigured, OSError, UnicodeDecodeError):  # the settings report it
        return {}


def _is_known(name: str, known: frozenset[str]) -> bool:
    if not name.startswith(PREFIX) or name.startswith(OF_DEVELOPERS) or name in known:
        return True
    # One entry of a mapping of a group, such as GRAPHMEM_TIERED__SEARCH_WEIGHTS__T2.
    return name.count("__") > 1 and name.rpartition("__")[0] in known


def _find_nearest(name: str, known: frozenset[str]) -> str | None:
    names = sorted(each.removeprefix(PREFIX) for each in known if each.startswith(PREFIX))
    found = difflib.get_close_matches(name.removeprefix(PREFIX), names, 1, NEAR)
    return PREFIX + found[0] if found else None
