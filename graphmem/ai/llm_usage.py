"""The usage of LLM calls, and its cost."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Usage:
    """Calls and tokens. If a service counts no tokens, they are a quarter of the characters."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            calls=self.calls + other.calls,
            tokens_in=self.tokens_in + other.tokens_in,
            tokens_out=self.tokens_out + other.tokens_out,
        )


@dataclass(frozen=True, kw_only=True)
class Prices:
    """The price of a million tokens, in the currency of the bill."""

    tokens_in: float = 0.0
    tokens_out: float = 0.0

    def cost(self, usage: Usage) -> float:
        """Return the cost of the tokens."""
        spent = usage.tokens_in * self.tokens_in + usage.tokens_out * self.tokens_out
        return spent / 1_000_000
