"""The settings of a process as its operators see them."""

import dataclasses
import json
from collections.abc import Iterator, Mapping, Set
from enum import Enum
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from graphmem.domain.described import Setting, without_login
from graphmem.operations.docstrings import docstrings
from graphmem.settings import Settings, variable_of


def describe(settings: Settings) -> tuple[Setting, ...]:
    """Return each setting; those of a group one by one."""
    return tuple(_described(settings, docstrings(Settings), settings.model_fields_set))


def _described(settings: Settings, about: Mapping[str, str], given: Set[str]) -> Iterator[Setting]:
    for name, field in Settings.model_fields.items():
        value, variable = getattr(settings, name), variable_of(name)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            yield from _of_group(variable, value)
        else:
            secret = "SecretStr" in str(field.annotation)
            yield Setting(
                name=variable,
                value=None if secret else _shown(value),
                is_set=_has_secret(value) if secret else name in given,
                secret=secret,
                about=about[name],
            )


def _of_group(variable: str, group: Any) -> Iterator[Setting]:
    """Return the settings of a group, which are set where they differ from their defaults."""
    kind = type(group)
    about, default = docstrings(kind), kind()
    for field in dataclasses.fields(kind):
        value = getattr(group, field.name)
        yield Setting(
            name=f"{variable}__{field.name.upper()}",
            value=_shown(value),
            is_set=value != getattr(default, field.name),
            secret=False,
            about=about[field.name],
        )


def _has_secret(value: object) -> bool:
    return isinstance(value, SecretStr) and bool(value.get_secret_value())


def _shown(value: object) -> str | None:
    match value:
        case None | () | "":
            return None
        case Enum():
            return str(value.value)
        case Path() | str():
            return without_login(str(value))
        case bool() | int() | float():
            return json.dumps(value)
        case Mapping():
            return json.dumps({str(_plain(key)): _plain(each) for key, each in value.items()})
        case tuple() | list() | frozenset():
            return ", ".join(without_login(str(each)) for each in value)
    return without_login(str(value))


def _plain(key: object) -> object:
    return key.value if isinstance(key, Enum) else key
