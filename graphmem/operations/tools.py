"""The settings of the tools of a model: the group of settings `mcp`."""

from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from graphmem.domain.drafts import MAX_TTL_SECONDS
from graphmem.operations.limits import ANSWER_TOKENS, MAX_ANSWER_TOKENS, MIN_ANSWER_TOKENS

LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, kw_only=True)
class Mcp:
    """The settings `mcp`. Raises ValueError for numbers out of range."""

    url: str = "http://127.0.0.1:8321"
    """`graphmem mcp`: the service of this machine that it works with"""
    autostart: bool = True
    """`graphmem mcp`: start that service if it does not answer, and end it with this process;
    `false`: only a Neo4j for itself. Neither is started where `GRAPHMEM_NEO4J_URI` names one"""
    start_seconds: int = 30
    """`graphmem mcp`: how long a started service may take to answer, without downloads"""
    agent_id: str = "openclaw"
    """`graphmem mcp`: the agent that asks where neither `--agent` nor a call names one"""
    max_results: int = 6
    """`memory_search`: how many notes at most; up to 100"""
    min_score: float = 0.5
    """`memory_search`: no note that is less similar, from -1 to 1"""
    default_ttl: int = 2_592_000
    """`memory.remember`: seconds until a memory is gone where a call gives none; 30 days"""
    output_schemas: bool = False
    """list the schemas of answers, too: twice as many tokens, which most programs give to the
    model at each start"""
    answer_tokens: int = ANSWER_TOKENS
    """tokens of an answer, estimated; a call may ask for another number"""

    def __post_init__(self) -> None:
        _ = self.place
        for what, value, low, high in (
            ("start_seconds", self.start_seconds, 1, 3_600),
            ("max_results", self.max_results, 1, 100),
            ("default_ttl", self.default_ttl, 1, MAX_TTL_SECONDS),
            ("min_score", self.min_score, -1, 1),
            ("answer_tokens", self.answer_tokens, MIN_ANSWER_TOKENS, MAX_ANSWER_TOKENS),
        ):
            if not low <= value <= high:
                raise ValueError(f"{what} must be from {low} to {high}")

    @property
    def place(self) -> tuple[str, int]:
        """The host and port of the service. Raises ValueError."""
        parts = urlsplit(self.url)
        host, plain = parts.hostname or "", parts.path in ("", "/") and not parts.query
        if parts.scheme != "http" or host not in LOOPBACK or not plain:
            raise ValueError("url must be one of this machine, such as http://127.0.0.1:8321")
        return host, parts.port or 80
