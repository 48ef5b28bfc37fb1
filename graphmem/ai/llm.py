"""An LLM that describes notes: at most three calls a note, within one time limit, or not at all.

It never fails with an exception: who has no description keeps what the rules made.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import stamina
import structlog

from graphmem.ai.llm_breaker import Breaker
from graphmem.ai.llm_client import ChatClient, Refused, Reply
from graphmem.ai.llm_schema import Message, WrongAnswer, question, read_answer, repair
from graphmem.ai.llm_usage import Prices, Usage
from graphmem.domain.refinement import Said

MAX_CALLS: Final = 3  # a note, retries and the repair included (MUMA-108)

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Described:
    """What the LLM said of a note, None if nothing usable; what it used; and what went wrong."""

    said: Said | None
    usage: Usage
    problem: str = ""


class _Tally:
    """What one note has used so far, and until when it may."""

    def __init__(self, timeout_s: float) -> None:
        self.usage = Usage()
        self.deadline = asyncio.get_running_loop().time() + timeout_s

    @property
    def left(self) -> int:
        return MAX_CALLS - self.usage.calls


class Llm:
    """Describes notes by a model behind a URL. `timeout_s` is for all that one note takes."""

    def __init__(
        self,
        model: str,
        *,
        url: str,
        key: str | None = None,
        timeout_s: float = 20.0,
        prices: Prices | None = None,
        breaker: Breaker | None = None,
        retry_wait_s: float = 0.5,
    ) -> None:
        self.model = model
        self.prices = prices or Prices()
        self.timeout_s = timeout_s
        self._breaker = breaker or Breaker()
        self._retry_wait_s = retry_wait_s
        self._client = ChatClient(model, url=url, key=key, timeout_s=timeout_s)

    @property
    def resting(self) -> bool:
        """Whether the model is left alone for now, after failures."""
        return self._breaker.resting

    async def describe(self, text: str) -> Described:
        """What the model says of a note's text."""
        if not self._breaker.allows():
            return Described(None, Usage(), "left alone after failures")
        tally = _Tally(self.timeout_s)
        said, problem = None, "cancelled"
        try:
            async with asyncio.timeout_at(tally.deadline):
                said, problem = await self._answer(text, tally), ""
        except TimeoutError:
            problem = "too slow"
        except WrongAnswer:
            problem = "not of the schema"
        except Refused as exc:
            problem = str(exc)
        finally:
            self._report(said is not None, problem)
        return Described(said, tally.usage, problem)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    def _report(self, good: bool, problem: str) -> None:
        if good:
            self._breaker.succeeded()
        elif self._breaker.failed():
            log.warning("the LLM is left alone for a while", problem=problem)

    async def _answer(self, text: str, tally: _Tally) -> Said:
        """What the model says, perhaps after one repair. Raises Refused, WrongAnswer."""
        asked = question(text)
        reply = await self._ask(asked, tally)
        try:
            return read_answer(reply.text)
        except WrongAnswer:
            if not tally.left:
                raise
        return read_answer((await self._ask(repair(asked, reply.text), tally)).text)

    async def _ask(self, messages: Sequence[Message], tally: _Tally) -> Reply:
        """Call until it succeeds, fails for good, or the note's calls are used up."""
        async for attempt in stamina.retry_context(
            on=_again(tally.deadline),
            attempts=tally.left,
            timeout=None,
            wait_initial=self._retry_wait_s,
            wait_jitter=self._retry_wait_s,
            wait_max=5.0,
        ):
            with attempt:
                tally.usage += Usage(calls=1)
                reply = await self._client.ask(messages)
                tally.usage += reply.usage
                return reply
        raise AssertionError("unreachable: the last attempt returns or raises")


def _again(deadline: float) -> Callable[[Exception], bool | float]:
    """Whether to call again after an error, or the seconds to wait that the service asks for."""

    def decide(error: Exception) -> bool | float:
        if not isinstance(error, Refused) or not error.passing:
            return False
        if error.retry_after is None:
            return True
        left = deadline - asyncio.get_running_loop().time()
        return error.retry_after if error.retry_after < left else False

    return decide
