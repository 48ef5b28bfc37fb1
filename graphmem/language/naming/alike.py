"""Finds names that mean one thing by their form alone, given how notes use them and their types."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Final

from graphmem.language.naming.forms import forms_of, without_legal_form
from graphmem.language.naming.resolution import group_of

Called = tuple[str, str]  # a name as notes write it, and the type that they give it
_FIRM: Final = "organisation"
_WITH_ARTICLE: Final = frozenset((_FIRM, "place", "event"))
_ARTICLE = re.compile(r"^the\s+", re.IGNORECASE)


def one_by_form(things: Mapping[str, Sequence[Called]]) -> set[frozenset[str]]:
    """Return the pairs of things, by their ids, that are one by the form of their names.

    They have a form in common, or one is the other without its legal form; and their types may
    be of one thing. A firm without its legal form is ambiguous if there are two, Acme Inc. and
    Acme GmbH. So `things` must be all that are looked up under one key."""
    forms = {i: _all_forms(name for name, _ in called) for i, called in things.items()}
    legal = {i: {without_legal_form(name)[1] for name, _ in c} - {""} for i, c in things.items()}
    one_firm = len(set().union(*legal.values())) == 1
    found = set()
    for one, other in combinations(sorted(things), 2):
        if not _types_fit(things[one], things[other]):
            continue
        if forms[one] & forms[other] or _differ_by_article(things[one], things[other]):
            found.add(frozenset((one, other)))
        elif one_firm and bool(legal[one]) != bool(legal[other]):
            firm, bare = (one, other) if legal[one] else (other, one)
            names = _all_forms(without_legal_form(name)[0] for name, _ in things[firm])
            if names & forms[bare] and _is_firm(things[bare]):
                found.add(frozenset((one, other)))
    return found


def _differ_by_article(one: Sequence[Called], other: Sequence[Called]) -> bool:
    """Check for names such as The Orchard and Orchard, if notes call both a firm or both a place.

    The Band is not just any band, and nobody knows what The Firm is."""
    groups = [{group_of(kind) for _, kind in called} for called in (one, other)]
    if groups[0] != groups[1] or len(groups[0]) != 1 or not groups[0] <= _WITH_ARTICLE:
        return False
    bare = [{_ARTICLE.sub("", name) for name, _ in called} for called in (one, other)]
    return bool(bare[0] & bare[1])  # case counts: The Who is not the WHO


def _all_forms(names: Iterable[str]) -> frozenset[str]:
    return frozenset(form for name in names for form in forms_of(name))


def _types_fit(one: Sequence[Called], other: Sequence[Called]) -> bool:
    ours, theirs = ({group_of(kind) for _, kind in called} - {None} for called in (one, other))
    return not (ours and theirs) or bool(ours & theirs)


def _is_firm(called: Sequence[Called]) -> bool:
    """Check whether a name without a legal form is that of a firm.

    Notes must say so, or it has two words. Apple and Ford are other things, too."""
    groups = {group_of(kind) for _, kind in called}
    words = max(len(name.split()) for name, _ in called)
    return groups == {_FIRM} or (words > 1 and groups <= {_FIRM, None})
