"""Limits on what a model gets from the memory (L3, design principle 4)."""

import json
from dataclasses import dataclass
from math import isfinite
from typing import Any

from graphmem.domain.visibility import in_domains


@dataclass(frozen=True, kw_only=True)
class ModelProfile:
    """The part of the memory that a model may get; None: no limit."""

    max_injected: int | None = None
    similarity_threshold: float | None = None
    disabled_domains: tuple[str, ...] = ()

    def allows(self, domain: str, similarity: float) -> bool:
        """Check whether a note of this domain with this similarity to the question may be given."""
        near = self.similarity_threshold is None or similarity >= self.similarity_threshold
        return near and not in_domains(domain, self.disabled_domains)


def read_model_profile(text: str) -> ModelProfile:
    """Parse the `memory` section of a model profile in JSON. Raises ValueError.

    `disabled_domains` may also stand next to it."""
    profile: Any = json.loads(text)
    memory: Any = profile.get("memory", {}) if isinstance(profile, dict) else None
    if not isinstance(memory, dict):
        raise ValueError("a model profile is an object with an object memory")
    most, least = memory.get("max_injected"), memory.get("similarity_threshold")
    if most is not None and not (type(most) is int and most >= 1):
        raise ValueError("memory.max_injected must be a whole number from 1")
    if least is not None and not (type(least) in (int, float) and isfinite(least)):
        raise ValueError("memory.similarity_threshold must be a number")
    domains = memory.get("disabled_domains", profile.get("disabled_domains", []))
    if not (isinstance(domains, list) and all(isinstance(each, str) for each in domains)):
        raise ValueError("disabled_domains must be a list of domains")
    return ModelProfile(
        max_injected=most, similarity_threshold=least, disabled_domains=tuple(domains)
    )
