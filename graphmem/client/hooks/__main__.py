"""`python -P -m graphmem.client.hooks EVENT`: run by an agent's program, which gives JSON on stdin.

It prints what that program puts before the model, or nothing. It always succeeds, and says nothing
where the service is away: a conversation must not wait for its memory."""

import argparse
import contextlib
import json
import os
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from graphmem.client.hooks.events import ANSWER_S, EVENTS, Done, Hook, run
from graphmem.client.hooks.events import KEEP_S as KEEPING_S

MOST_STDIN: Final = 2_000_000  # characters
KEEP_S: Final = KEEPING_S + 3.0  # for what is kept, which no answer waits for
URL: Final = "http://127.0.0.1:8321"
# How the programs call the event before which a text is wanted.
NAMES: Final[Mapping[str, Mapping[str, str]]] = {
    "claude-code": {"start": "SessionStart", "prompt": "UserPromptSubmit"},
    "codex": {"start": "SessionStart", "prompt": "UserPromptSubmit"},
    "gemini-cli": {"start": "SessionStart", "prompt": "BeforeAgent"},
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one hook."""
    given = _parse(arguments)
    results = list[Done]()
    work = threading.Thread(target=lambda: results.append(_run(given)), daemon=True)
    work.start()
    work.join(KEEP_S if given.event == "keep" else given.seconds)
    text = results[0].text if results else ""
    with contextlib.suppress(OSError):
        if text:
            sys.stdout.write(json.dumps(_answer(given.client, given.event, text)) + "\n")
        sys.stdout.flush()
    os._exit(0)  # not waiting for a request that takes too long


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -P -m graphmem.client.hooks")
    parser.add_argument("event", choices=tuple(EVENTS))
    parser.add_argument("--client", required=True)
    parser.add_argument("--agent")
    parser.add_argument("--user")
    parser.add_argument("--url", default=URL)
    parser.add_argument("--state", type=Path, required=True)
    parser.add_argument("--key-file", type=Path)
    parser.add_argument("--seconds", type=float, default=ANSWER_S, help="for an answer")
    return parser.parse_args(arguments)


def _run(given: argparse.Namespace) -> Done:
    try:
        read: Any = json.loads(sys.stdin.read(MOST_STDIN) or "{}")
        key = given.key_file.read_text("utf-8").strip() if given.key_file else None
    except (OSError, ValueError, RecursionError):
        return Done(event=given.event)
    hook = Hook(
        client=given.client,
        url=given.url,
        state=given.state,
        agent=given.agent or given.client,
        user=given.user,
        key=key,
        answer_s=given.seconds,
    )
    return run(hook, given.event, read if isinstance(read, Mapping) else {})


def _answer(client: str, event: str, text: str) -> dict[str, Any]:
    """Return what a program reads."""
    name = NAMES.get(client, {}).get(event)
    if name is None:
        return {"additional_context": text}
    return {"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}}


if __name__ == "__main__":
    main()
