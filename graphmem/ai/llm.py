"""An LLM that describes and compares notes, with at most three calls per note.

Each question has one time limit for all its calls, or is not asked at all. It never raises:
without an answer the caller keeps what the rules made."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

import stamina
import structlog

from graphmem.ai.llm_breaker import Breaker
from graphmem.ai.llm_client import ChatClient, Refused, Reply
from graphmem.ai.llm_schema import ChatMessage, Prompt, WrongAnswer, note_question, repair
from graphmem.ai.llm_summary import summary_question
from graphmem.ai.llm_usage import Prices, Usage
from graphmem.ai.llm_verdict import compare_question
from graphmem.language.comparison import Opinion
from graphmem.language.refinement import Suggestion

MAX_CALLS: Final = 3  # per note, retries and the repair included (MUMA-108)

log = structlog.get_logger(__name__)


T = TypeVar("T")


@dataclass(frozen=True)
class Answer(Generic[T]):
    """The LLM's answer, None if nothing usable came; its usage; and what went wrong."""

    said: T | None
    usage: Usage
    problem: str = ""


Described = Answer[Suggestion]


class _Tally:
    """The usage of one question so far, its limit of calls and its deadline."""

    def __init__(self, timeout_s: float, most: int) -> None:
        self.usage = Usage()
        self._most = most
        self.deadline = asyncio.get_running_loop().time() + timeout_s

    @property
    def left(self) -> int:
        return self._most - self.usage.calls


class Llm:
    """Describes notes by a model behind a URL. `timeout_s` is for all calls of one note."""

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
        """True if the model is not called for now, after failures."""
        return self._breaker.resting

    @staticmethod
    def calls_left(usage: Usage) -> int:
        """Return how many more calls a note may take after this usage."""
        return MAX_CALLS - usage.calls

    async def describe(self, text: str) -> Described:
        """Ask the model to describe a note's text."""
        return await self._ask_within_limits(note_question(text), MAX_CALLS)

    async def compare(self, first: str, second: str, most: int) -> Answer[Opinion]:
        """Ask the model to compare the texts of two notes, in at most `most` calls."""
        return await self._ask_within_limits(compare_question(first, second), most)

    async def summarise(self, texts: Sequence[str]) -> Answer[str]:
        """Ask the model to summarise notes."""
        return await self._ask_within_limits(summary_question(texts), MAX_CALLS)

    async def _ask_within_limits(self, asked: Prompt[T], most: int) -> Answer[T]:
        if not self._breaker.allows():
            return Answer(None, Usage(), "left alone after failures")
        tally = _Tally(self.timeout_s, most)
        said, problem = None, "cancelled"
        try:
            async with asyncio.timeout_at(tally.deadline):
                said, problem = await self._ask_with_repair(asked, tally), ""
        except TimeoutError:
            problem = "too slow"
        except WrongAnswer:
            problem = "not of the schema"
        except Refused as exc:
            problem = str(exc)
        finally:
            self._report(said is not None, problem)
        return Answer(said, tally.usage, problem)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    def _report(self, good: bool, problem: str) -> None:
        if good:
            self._breaker.succeeded()
        elif self._breaker.failed():
            log.warning("the LLM is left alone for a while", problem=problem)

    async def _ask_with_repair(self, asked: Prompt[T], tally: _Tally) -> T:
        """Return the model's answer, perhaps after one repair. Raises Refused, WrongAnswer."""
        reply = await self._ask(asked.messages, asked, tally)
        try:
            return asked.read(reply.text)
        except WrongAnswer:
            if not tally.left:
                raise
        again = repair(asked.messages, reply.text)
        return asked.read((await self._ask(again, asked, tally)).text)

    async def _ask(self, messages: Sequence[ChatMessage], asked: Prompt[T], tally: _Tally) -> Reply:
        """Call until it succeeds, fails for good, or the note's calls are used up."""
        async for attempt in stamina.retry_context(
            on=_decide_retry(tally.deadline),
            attempts=tally.left,
            timeout=None,
            wait_initial=self._retry_wait_s,
            wait_jitter=self._retry_wait_s,
            wait_max=5.0,
        ):
            with attempt:
                tally.usage += Usage(calls=1)
                reply = await self._client.ask(messages, asked.name, asked.schema)
                tally.usage += reply.usage
                return reply
        raise AssertionError("unreachable: the last attempt returns or raises")


def _decide_retry(deadline: float) -> Callable[[Exception], bool | float]:
    """Return a function that decides whether, or after how many seconds, to retry.

    The seconds are those that the service asks for."""

    def decide(error: Exception) -> bool | float:
        if not isinstance(error, Refused) or not error.passing:
            return False
        if error.retry_after is None:
            return True
        left = deadline - asyncio.get_running_loop().time()
        return error.retry_after if error.retry_after < left else False

    return decide
