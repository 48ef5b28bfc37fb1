"""Context packages: the best of the memory for a task, within a number of tokens."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from graphmem.errors import Invalid
from graphmem.services.context import Access, Context
from graphmem.services.recall import Hit, Profile, Question, recall

MAX_BUDGET = 100_000
RECALLED = 100
SUGGESTED = 5


@dataclass(frozen=True, kw_only=True)
class Package:
    """A text for an agent's prompt and what it was made of."""

    text: str
    hits: tuple[Hit, ...]
    token_count: int
    suggested_domains: tuple[str, ...]


async def package(
    context: Context, access: Access, task: str, token_budget: int, profile: Profile
) -> Package:
    """Whole notes, best first, grouped by domain, as long as they fit the budget; tokens are
    counted by the embedding model's own tokenizer. Raises Invalid."""
    if not 1 <= token_budget <= MAX_BUDGET:
        raise Invalid(f"tokenBudget must be from 1 to {MAX_BUDGET}")
    answer = await recall(context, access, Question(query=task, k=RECALLED, profile=profile))
    count = context.embedder.count_tokens
    kept: list[Hit] = []
    spent = 0
    domains: set[str] = set()
    for hit in answer.hits:
        domain = hit.note.domain
        cost = count(_line(hit)) + (0 if domain in domains else count(_heading(domain)))
        if spent + cost <= token_budget:
            kept.append(hit)
            domains.add(domain)
            spent += cost
    text = _text(kept)
    while kept and count(text) > token_budget:  # tokens of joined lines may differ a little
        kept.pop()
        text = _text(kept)
    return Package(
        text=text,
        hits=tuple(kept),
        token_count=count(text) if text else 0,
        suggested_domains=_domains(answer.hits),
    )


def _heading(domain: str) -> str:
    return f"## {domain}\n"


def _line(hit: Hit) -> str:
    note = hit.note
    day = note.occurred_at or note.created_at
    who = note.speaker or note.author
    source = f"{day:%Y-%m-%d}, {who}" if who else f"{day:%Y-%m-%d}"
    title = f"{note.title}: " if note.title else ""
    return f"- {title}{note.content} ({source})\n"


def _text(hits: Sequence[Hit]) -> str:
    groups: dict[str, list[str]] = defaultdict(list)
    for hit in hits:
        groups[hit.note.domain].append(_line(hit))
    return "\n".join(_heading(domain) + "".join(lines) for domain, lines in groups.items()).strip()


def _domains(hits: Sequence[Hit]) -> tuple[str, ...]:
    """The domains of the best ten hits, by how much they scored."""
    weight: dict[str, float] = defaultdict(float)
    for hit in hits[:10]:
        weight[hit.note.domain] += max(hit.score, 0.0)
    ranked = sorted(weight, key=lambda domain: (-weight[domain], domain))
    return tuple(ranked[:SUGGESTED])
