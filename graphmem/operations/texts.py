"""The texts of commands, other than those of notes, which the write path looks through.

They hold no secret, and none of an agent's instructs other agents."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final, TypeVar

from graphmem.domain.fields import Input, Special, fields_of
from graphmem.domain.notes import MAX_CONTENT
from graphmem.domain.writing import Secrets
from graphmem.errors import Forbidden, Invalid
from graphmem.operations.command import Change
from graphmem.operations.operation import Operation
from graphmem.services.writing.quarantine import is_followed, why_refused
from graphmem.services.writing.rights import strings_in
from graphmem.services.writing.secrets import redact

Given = TypeVar("Given", bound=Input)
# What is found by is not stored, or is stored as a name.
KEPT: Final = frozenset({"query", "scope", "external_id", "idempotency_key"})
AT_ONCE: Final = 2_000  # up to this many characters are checked without a worker thread
MOST_TEXT: Final = 4 * MAX_CONTENT


async def checked(command: Given, operation: Operation) -> Given:
    """Return a command whose texts may be written.

    Raises Invalid for a text that is too long for any command, and where secrets are refused, and
    Forbidden for an agent's text that seems to instruct whoever reads it."""
    if not isinstance(command, Change) or (command.checks_secrets and command.quarantines):
        return command
    size, policy = _size(command), operation.service.writing.secrets
    own = command.quarantines or is_followed(operation.access.viewer)

    def look() -> Given:
        if not own and (reason := why_refused(_texts_of(command))):
            raise Forbidden(reason)
        return clean_command(command, policy)

    if size <= AT_ONCE:
        return look()
    return await operation.service.texts.run(lambda _: look())


def _size(command: Change[Any]) -> int:
    """Return how many characters the texts of a command have. Raises Invalid for too many."""
    sizes = [len(text) for text in _texts_of(command)]
    if max(sizes, default=0) > MAX_CONTENT:
        raise Invalid(f"a text is longer than {MAX_CONTENT} characters")
    if sum(sizes) > MOST_TEXT:
        raise Invalid(f"the texts are longer than {MOST_TEXT} characters together")
    return sum(sizes)


def clean_command(command: Given, policy: Secrets) -> Given:
    """Return a command whose texts hold no secret. Raises Invalid where secrets are refused."""
    if policy is Secrets.OFF or not isinstance(command, Change) or command.checks_secrets:
        return command
    return _clean(command, policy)


def _texts_of(given: Any) -> Iterator[str]:
    for name, value in _values_of(given):
        if isinstance(value, Input):
            yield from _texts_of(value)
        elif name not in KEPT:
            yield from strings_in(list(value) if isinstance(value, tuple) else value)


def _values_of(given: Any) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a command that may hold texts, by their names."""
    for field in fields_of(type(given)):
        value = getattr(given, field.name)
        is_text = field.type in (str, object) or isinstance(value, Input)
        if value is not None and is_text and not {Special.ID, Special.DOMAIN} & set(field.marks):
            yield field.name, value


def _clean(given: Any, policy: Secrets) -> Any:
    changed: dict[str, Any] = {}
    for name, value in _values_of(given):
        if name in KEPT:
            continue
        if isinstance(value, Input):
            clean = _clean(value, policy)
            found = clean is not value
        else:
            clean, found = redact(value, policy)
        if found:
            changed[name] = clean
    return replace(given, **changed) if changed else given
