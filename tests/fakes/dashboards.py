"""The dashboard in a browser: how a page is shown and what a test asks of it."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
from browsers import Tab

PATIENCE_S = 240.0  # a busy machine
HOSTILE = "<img src=x onerror=alert(1)>"
REMEMBER = "mutation($i: RememberInput!) { remember(input: $i) { noteId proposal { id } } }"
AGENT = "mutation($i: AgentInput!) { registerAgent(input: $i) { id } }"
READY = "!!document.querySelector('.page[data-ready]') && !document.querySelector('.failure')"
SHOWN = "document.body.innerText"
# What no page makes, but for its own drawings.
MADE = (
    "document.querySelectorAll('img, iframe, object, script:not([src]), b, i, u,"
    " svg:not(.graph, .shape)').length"
)
BUTTON = """(within, words) => [...document.querySelector(within).querySelectorAll('button')]
    .find((each) => each.textContent === words).click()"""
# Press a key at what has the focus; tells if something was done.
PRESS = """(key, repeat = false) => !document.activeElement.dispatchEvent(
    new KeyboardEvent('keydown', { key, repeat, bubbles: true, cancelable: true }))"""

Ask = Callable[..., Awaitable[dict[str, Any]]]


@asynccontextmanager
async def asking(service: str, user: str) -> AsyncIterator[Ask]:
    """Sends requests as a user, or as an agent of theirs."""
    async with httpx.AsyncClient(base_url=f"http://{service}", timeout=PATIENCE_S) as client:

        async def ask(query: str, agent: str = "", **variables: Any) -> dict[str, Any]:
            headers = {"X-Graphmem-User": user, **({"X-Graphmem-Agent": agent} if agent else {})}
            body = {"query": query, "variables": variables}
            answer = (await client.post("/graphql", json=body, headers=headers)).json()
            assert "errors" not in answer, answer
            return answer["data"]

        yield ask


async def go(tab: Tab, address: str) -> None:
    """Show a page, and wait until it is drawn."""
    leave = "document.querySelector('.page')?.removeAttribute('data-ready')"
    to = json.dumps(address)
    await tab.run(f"if (location.hash !== {to}) {{ {leave}; location.hash = {to} }}")
    page = address.removeprefix("#/").partition("?")[0]
    await tab.until(f"{READY} && !!document.querySelector('[data-page={page}]')")


async def press(tab: Tab, key: str) -> None:
    """Press a key."""
    for kind in ("keyDown", "keyUp"):
        text = {"text": key} if kind == "keyDown" and len(key) == 1 else {}
        await tab.call("Input.dispatchKeyEvent", type=kind, key=key, **text)
