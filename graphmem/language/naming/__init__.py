"""Compares names: known names in a text, whether two names mean one entity, and lookup keys."""

from graphmem.language.naming.alike import one_by_form
from graphmem.language.naming.forms import loose_key
from graphmem.language.naming.lookup import LEAST_FIT, fit, lookup_keys
from graphmem.language.naming.matching import (
    NameCandidate,
    NameMatch,
    find_names,
    is_cased,
    name_candidates,
)
from graphmem.language.naming.name_parts import blocking_keys
from graphmem.language.naming.resolution import (
    EntityRecord,
    MatchDecision,
    MatchScore,
    compare_entities,
)

__all__ = (
    "LEAST_FIT",
    "EntityRecord",
    "MatchDecision",
    "MatchScore",
    "NameCandidate",
    "NameMatch",
    "blocking_keys",
    "compare_entities",
    "find_names",
    "fit",
    "is_cased",
    "lookup_keys",
    "loose_key",
    "name_candidates",
    "one_by_form",
)
