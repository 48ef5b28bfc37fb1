"""One call of any service that speaks OpenAI's chat completions.

Error bodies are never read: they may quote the note or the key. An answer is read up to a fixed
size, and redirects are not followed, as they could lead the note elsewhere. A service that
refuses a schema is asked without one: the question states the schema, too."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import openai

from graphmem.ai.llm_schema import ChatMessage
from graphmem.ai.llm_usage import Usage

LARGEST_ANSWER: Final = 256 * 1024  # bytes
MOST_TOKENS: Final = 1_024  # in an answer
_MOST_COUNTED: Final = 10_000_000  # tokens; a higher count is wrong
_RETRIED: Final = frozenset({408, 409, 425, 429})  # and everything from 500
_MALFORMED: Final = frozenset({400, 422})  # answers to an unsupported schema


class Refused(Exception):
    """A failed call.

    Holds the HTTP status (0: no readable answer), whether the next call may succeed, and the
    seconds that the service asks to wait."""

    def __init__(
        self, status: int, *, passing: bool = False, retry_after: float | None = None
    ) -> None:
        super().__init__(f"HTTP {status}" if status else "no answer")
        self.passing = passing or status == 0 or status in _RETRIED or status >= 500
        self.retry_after = retry_after


@dataclass(frozen=True)
class Reply:
    """The result of a call."""

    text: str
    usage: Usage


class ChatClient:
    """Asks one model of one service."""

    def __init__(self, model: str, *, url: str, key: str | None, timeout_s: float) -> None:
        self._model = model
        self._by_schema = True
        self._client = openai.AsyncOpenAI(
            # A local server needs no key, but the client wants one (else it asks the environment).
            api_key=key or "none",
            base_url=url,
            timeout=timeout_s,
            max_retries=0,
            http_client=openai.DefaultAsyncHttpxClient(
                follow_redirects=False, event_hooks={"response": [_close_errors_unread]}
            ),
        )

    async def ask(
        self, messages: Sequence[ChatMessage], name: str, schema: Mapping[str, object]
    ) -> Reply:
        """Return the answer to a chat, in JSON of the named schema. Raises Refused."""
        status, retry_after = 0, None
        by_schema = self._by_schema
        try:
            wanted = {"name": name, "strict": True, "schema": schema}
            body = await self._read_body(messages, wanted if by_schema else None)
            return _parse_reply(json.loads(body), messages)
        except openai.APIStatusError as exc:
            status = exc.status_code
            retry_after = _parse_seconds(exc.response.headers.get("retry-after"))
        except (openai.OpenAIError, ValueError, TypeError, RecursionError, ArithmeticError):
            status = 0  # no answer, or an unreadable one
        # Outside the handlers, so that no traceback carries the service's words into a log.
        if malformed := status in _MALFORMED:
            self._by_schema = (
                not by_schema
            )  # both were refused: because of the note, not the schema
        raise Refused(status, passing=malformed and by_schema, retry_after=retry_after)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _read_body(self, messages: Sequence[ChatMessage], wanted: Any) -> bytes:
        response_format: Any = {"type": "json_schema", "json_schema": wanted}
        async with self._client.chat.completions.with_streaming_response.create(
            model=self._model,
            messages=list(messages),  # pyright: ignore[reportArgumentType]
            response_format=response_format if wanted else openai.omit,
            temperature=0,
            max_tokens=MOST_TOKENS,
        ) as response:
            body = bytearray()
            async for piece in response.iter_bytes():
                body += piece
                if len(body) > LARGEST_ANSWER:
                    raise ValueError("the answer is too large")
            return bytes(body)


async def _close_errors_unread(response: Any) -> None:
    """Close unsuccessful responses before the client reads them into its error."""
    if not response.is_success:
        await response.aclose()


def _parse_reply(data: Any, messages: Sequence[ChatMessage]) -> Reply:
    """Parse the text and the usage. Raises TypeError or ValueError for anything else."""
    if not isinstance(data, dict) or not isinstance(data.get("choices"), list):
        raise TypeError
    choice = data["choices"][0] if data["choices"] else None
    message = choice.get("message") if isinstance(choice, dict) else None
    text = message.get("content") if isinstance(message, dict) else None
    if not isinstance(text, str):
        raise TypeError
    counted = data.get("usage")
    counted = counted if isinstance(counted, dict) else {}
    characters = sum(len(message["content"]) for message in messages)
    usage = Usage(
        calls=0,  # counted when the call was made
        tokens_in=_checked_count(counted.get("prompt_tokens"), characters),
        tokens_out=_checked_count(counted.get("completion_tokens"), len(text)),
    )
    return Reply(text, usage)


def _checked_count(tokens: object, characters: int) -> int:
    if type(tokens) is int and 0 <= tokens <= _MOST_COUNTED:
        return tokens
    return -(-characters // 4)


def _parse_seconds(text: str | None) -> float | None:
    """Parse a Retry-After in seconds; None for a date."""
    return float(text) if text and text.isdecimal() and len(text) < 6 else None
