"""Secrets in what is written: cut out, kept from agents, or refused, as the setting says.

They are looked for before a text is read, compared or stored, so that none gets into keywords,
vectors, revisions, events or errors. Ids are left as they are: they are not read, but found by."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from graphmem.client.secrets import CUT, cut, find_secrets
from graphmem.domain.drafts import check_draft
from graphmem.domain.notes import EntityDraft, NoteDraft, RelationDraft
from graphmem.domain.visibility import Visibility
from graphmem.domain.writing import Secrets
from graphmem.errors import Invalid

DEEPEST: Final = 100  # levels of metadata that are looked through
_LARGEST: Final = 10**40  # beyond any number of a card or an account
_DONE: Final[Mapping[Secrets, str]] = {
    Secrets.REDACT: "REDACTED",
    Secrets.USER_ONLY: "KEPT_FROM_AGENTS",
}
__all__ = ["CUT", "FoundSecret", "redact", "without_secrets"]


@dataclass(frozen=True, order=True)
class FoundSecret:
    """A kind of secrets in what was written, and what was done; never the secret itself."""

    kind: str
    """such as `card number`"""
    action: str
    """`REDACTED`: cut out; `KEPT_FROM_AGENTS`: kept in a note for the user alone"""


def without_secrets(
    draft: NoteDraft, policy: Secrets, *, local: bool = False
) -> tuple[NoteDraft, tuple[FoundSecret, ...]]:
    """Return a draft as it may be written, and what was found in it.

    `local`: it is for the agent's own local memory, where a secret is cut out, as nothing there is
    for the user alone. Raises Invalid, which names the kinds, where secrets are refused.
    """
    if policy is Secrets.OFF:
        return draft, ()
    kinds: set[str] = set()
    clean = _clean_draft(draft, lambda text: _clean(text, kinds))
    if not kinds:
        return draft, ()
    if policy is Secrets.USER_ONLY and not local:
        clean = replace(draft, visibility=Visibility.USER_ONLY)
    elif policy is Secrets.BLOCK:
        raise _refusal(kinds)
    else:
        policy = Secrets.REDACT
    return clean, tuple(FoundSecret(kind, _DONE[policy]) for kind in sorted(kinds))


def checked_without_secrets(
    draft: NoteDraft, policy: Secrets, now: datetime, *, local: bool = False
) -> tuple[NoteDraft, tuple[FoundSecret, ...]]:
    """Return a draft in normal form as `without_secrets` does; its lengths are checked before.

    Raises Invalid."""
    given = check_draft(draft, now)
    clean, found = without_secrets(draft, policy, local=local)
    return (check_draft(clean, now) if found else given), found


def redact(value: Any, policy: Secrets, *, sure: bool = False) -> tuple[Any, frozenset[str]]:
    """Return texts, in lists and mappings too, without secrets, and the kinds that were found.

    `sure`: only secrets that can be nothing else. What can't be kept for the user alone is cut out.
    Raises Invalid where secrets are refused.
    """
    if policy is Secrets.OFF:
        return value, frozenset()
    kinds: set[str] = set()
    clean = clean_value(value, lambda text: _clean(text, kinds, sure=sure))
    if kinds and policy is Secrets.BLOCK:
        raise _refusal(kinds)
    return clean if kinds else value, frozenset(kinds)


def without_secrets_in(text: str, policy: Secrets) -> str:
    """Return a text that is kept next to the memory, such as a question, without secrets."""
    return text if policy is Secrets.OFF else cut(text, find_secrets(text))


def _refusal(kinds: set[str]) -> Invalid:
    return Invalid(f"the text holds a secret ({', '.join(sorted(kinds))}): leave it out")


def _clean(text: str, kinds: set[str], *, sure: bool = False) -> str:
    found = find_secrets(text, sure=sure)
    kinds.update(each.kind for each in found)
    return cut(text, found) if found else text


def _clean_draft(draft: NoteDraft, clean: Callable[[str], str]) -> NoteDraft:
    def optional(text: str | None) -> str | None:
        return None if text is None else clean(text)

    return replace(
        draft,
        content=clean(draft.content),
        title=optional(draft.title),
        tags=tuple(map(clean, draft.tags)),
        keywords=tuple(map(clean, draft.keywords)),
        entities=tuple(
            EntityDraft(
                name=clean(each.name),
                type=optional(each.type),
                aliases=tuple(map(clean, each.aliases)),
                of_text=each.of_text,
            )
            for each in draft.entities
        ),
        relations=tuple(_clean_relation(each, clean) for each in draft.relations),
        speaker=optional(draft.speaker),
        metadata=clean_value(draft.metadata, clean),
    )


def _clean_relation(relation: RelationDraft, clean: Callable[[str], str]) -> RelationDraft:
    return replace(
        relation,
        subject=clean(relation.subject),
        predicate=clean(relation.predicate),
        object=clean(relation.object),
    )


def clean_value(value: Any, clean: Callable[[str], str], depth: int = 0) -> Any:
    """Return a value of JSON with clean texts, its keys as well; a key says what a value is.

    Raises Invalid for one with more than 100 levels."""
    if isinstance(value, str):
        return clean(value)
    if (number := _digits(value)) is not None:
        return CUT if clean(number) == CUT else value
    if depth > DEEPEST:
        raise Invalid(f"metadata has more than {DEEPEST} levels")
    if isinstance(value, Mapping):
        return {
            clean(name) if isinstance(name, str) else name: _clean_named(name, each, clean, depth)
            for name, each in value.items()
        }
    if isinstance(value, list | tuple):
        return type(value)(clean_value(each, clean, depth + 1) for each in value)
    return value


def _digits(value: object) -> str | None:
    """Return the digits of a whole number, such as that of a card; None for what is none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < _LARGEST:
        return None
    return str(int(value)) if value == int(value) else None


def _clean_named(name: object, value: Any, clean: Callable[[str], str], depth: int) -> Any:
    text = value if isinstance(value, str) else _digits(value)
    if isinstance(name, str) and text is not None:
        said = clean(f'"{name}": "{text}"')
        if said == f'"{name}": "{CUT}"':
            return CUT
    return clean_value(value, clean, depth + 1)
