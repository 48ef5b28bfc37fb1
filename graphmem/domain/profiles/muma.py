"""ACTIVATION (MUMA 5.4) and ACT_R (MUMA 4.3)."""

from datetime import datetime
from hashlib import blake2b
from statistics import NormalDist

from graphmem.domain.actors import AgentRole, Viewer
from graphmem.domain.notes import Note
from graphmem.domain.profiles.parameters import ActR
from graphmem.domain.profiles.why import Why
from graphmem.domain.strength import activation_of, retention_of
from graphmem.domain.visibility import in_domains

_BITS = 52  # bits of a share that is neither 0 nor 1 as a float


def activation_weighted(
    note: Note, similarity: float, now: datetime, *, domain_boost: float, d: float
) -> Why:
    """Return activation · similarity + recency + domain boost (MUMA 5.4).

    Recency is the retention. If the activation is below 0 the product would put the most similar
    note last, so then it is activation · (1 - similarity) (DIFF-8)."""
    level, recency = activation_of(note, now, d), retention_of(note, now)
    weighted = level * similarity if level >= 0 else level * (1 - similarity)
    return Why(
        similarity=similarity,
        activation=level,
        recency=recency,
        domain_boost=domain_boost,
        formula=(
            ("activation", weighted),
            ("recency", recency),
            ("domainBoost", domain_boost),
        ),
    )


def domain_boost(note: Note, viewer: Viewer, boost: float) -> float:
    """Return the boost of a note in a domain of the asking agent, or below one (MUMA 5.4).

    The user in person has no domains."""
    return boost if viewer.agent and in_domains(note.domain, viewer.agent.domains) else 0.0


def act_r(note: Note, similarity: float, now: datetime, given: ActR, seed: int) -> Why:
    """Return A = B + w · similarity + noise (MUMA 4.3)."""
    level = activation_of(note, now, given.d)
    drawn = noise(seed, note.id, given.sigma)
    return Why(
        similarity=similarity,
        activation=level,
        noise=drawn,
        formula=(("activation", level), ("similarity", given.w * similarity), ("noise", drawn)),
    )


def noise(seed: int, note_id: str, sigma: float) -> float:
    """Return a draw from N(0, sigma) that is fixed by the seed and the note.

    It does not depend on other notes: a hash as a share of 1, put through the inverse of the
    distribution."""
    drawn = int.from_bytes(blake2b(f"{seed}:{note_id}".encode(), digest_size=8).digest())
    share = ((drawn >> (64 - _BITS)) + 0.5) / 2**_BITS
    return sigma * NormalDist().inv_cdf(share)


def threshold(viewer: Viewer, given: ActR) -> float:
    """Return the value that A must exceed for the viewer.

    The user in person counts as an assistant."""
    role = viewer.agent.role if viewer.agent else AgentRole.ASSISTANT
    return given.threshold.get(role, 0.0)
