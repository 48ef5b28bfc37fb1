"""The dashboard in a real browser: each page on a small memory, where no note becomes markup."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from browsers import Tab, tab_on
from toy_service import serving

from graphmem.app import create_app
from graphmem.services.context import Context
from graphmem.services.keys import create_key
from graphmem.settings import Settings

pytestmark = pytest.mark.timeout(600)
PATIENCE_S = 240.0  # a busy machine
HOSTILE = "<img src=x onerror=alert(1)>"
PAGES = ("overview", "ask", "notes", "inbox", "entities", "knows", "agents", "jobs")
REMEMBER = "mutation($i: RememberInput!) { remember(input: $i) { noteId proposal { id } } }"
AGENT = "mutation($i: AgentInput!) { registerAgent(input: $i) { id } }"
READY = "!!document.querySelector('.page[data-ready]') && !document.querySelector('.failure')"
SHOWN = "document.body.innerText"
MADE = "document.querySelectorAll('img, iframe, object, script:not([src]), svg, b, i, u').length"
KEPT = "JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])"

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


async def fill(ask: Ask) -> None:
    """A memory that tries in every place to become markup."""
    await ask(AGENT, i={"id": "clerk", "name": HOSTILE, "writes": "PROPOSE", "domains": ["work"]})
    note = {"title": HOSTILE, "content": f"{HOSTILE} Dara Osei leads the Harbour <b>project</b>."}
    entity = {
        "name": "<i>Quay</i>",
        "type": "<u>place</u>",
        "aliases": ["<script>alert(2)</script>"],
    }
    await ask(REMEMBER, i={**note, "domain": "work", "tags": [HOSTILE], "entities": [entity]})
    await ask(REMEMBER, i={"content": "The gate opens at seven.", "visibility": "PRIVATE"})
    await ask(REMEMBER, "clerk", i={"content": f"The kiln is blue. {HOSTILE}", "domain": "work"})


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


async def test_pages_show_what_is_there_and_no_note_becomes_markup(
    context: Context, settings: Settings, new_user: Callable[[], str], tmp_path: Path
) -> None:
    user = new_user()
    app = create_app(settings.model_copy(update={"default_user": user}), opened=context)
    async with serving(app) as service, asking(service, user) as ask:
        await fill(ask)
        url = f"http://{service}/dashboard#/overview"
        async with asyncio.timeout(PATIENCE_S), tab_on(tmp_path / "browser", url) as tab:
            await tab.run("window.alert = (text) => { window.told = text }")
            asked = {"ask": "?q=Dara", "knows": "?q=work", "entities": "?name=<i>Quay</i>"}
            for page in PAGES:
                await go(tab, f"#/{page}{asked.get(page, '')}")
                assert await tab.run(MADE) == 0, page
            for address in ("#/overview", "#/ask?q=Harbour", "#/notes", "#/inbox", "#/agents"):
                await go(tab, address)
                assert HOSTILE in await tab.run(SHOWN), address
                assert await tab.run(MADE) == 0, address
            await a_note_is_opened_changed_forgotten_and_restored(tab, ask)
            await a_proposal_is_accepted_by_a_key(tab, ask)
            await a_change_comes_in_by_itself(tab, ask)
            await an_agent_sees_what_it_may_read(tab)
            assert await tab.run("window.told ?? null") is None
            assert await tab.run(KEPT) == '[{},{},""]'
            assert tab.complaints == []


async def a_note_is_opened_changed_forgotten_and_restored(tab: Tab, ask: Ask) -> None:
    await go(tab, "#/notes?text=Harbour")
    await tab.run("document.querySelector('[data-note] .open').click()")
    drawer = "document.getElementById('drawer')"
    told = await tab.until(f"!!{drawer}.querySelector('.readers') && {drawer}.innerText")
    for words in (HOSTILE, "<i>Quay</i>", "it is the user's own", "Version 1"):
        assert words in told
    assert await tab.run(MADE) == 0
    status = (
        '{ notes(filter: {text: "Harbour", statuses: [ACTIVE, ARCHIVED]}) { nodes { status } } }'
    )

    async def status_is(wanted: str) -> None:
        while (await ask(status))["notes"]["nodes"] != [{"status": wanted}]:  # noqa: ASYNC110
            await asyncio.sleep(0.1)

    press_of = "(words) => [...document.querySelectorAll('#drawer button')]"
    press_of += ".find((each) => each.textContent === words).click()"
    await tab.run(f"({press_of})('Edit')")
    await tab.run(f"{drawer}.querySelector('textarea').value += ' It is late.'")
    await tab.run(f"({press_of})('Save')")
    await tab.until(f"{drawer}.querySelector('ins')?.textContent.includes('It is late.')")
    await tab.run("document.querySelectorAll('.toast').forEach((each) => each.remove())")
    await tab.run(f"({press_of})('Forget')")
    await tab.until("!!document.querySelector('.toast button')")
    await status_is("ARCHIVED")
    await tab.run("document.querySelector('.toast button').click()")
    await status_is("ACTIVE")
    await press(tab, "Escape")
    await tab.until(f"{drawer}.hidden")


async def a_proposal_is_accepted_by_a_key(tab: Tab, ask: Ask) -> None:
    await go(tab, "#/inbox")
    await press(tab, "j")
    assert "The kiln is blue." in await tab.run("document.activeElement.innerText")
    await press(tab, "y")
    await tab.until(f"{SHOWN}.includes('Nothing waits')")
    assert [each["status"] for each in (await ask("{ proposals { status } }"))["proposals"]] == [
        "COMMITTED"
    ]


async def a_change_comes_in_by_itself(tab: Tab, ask: Ask) -> None:
    await tab.until("document.querySelector('.dot').dataset.state === 'live'")
    await go(tab, "#/notes")
    await ask(REMEMBER, i={"content": "The shed has a new lock."})
    await tab.until(f"{SHOWN}.includes('The shed has a new lock.')")


async def an_agent_sees_what_it_may_read(tab: Tab) -> None:
    await go(tab, "#/ask?q=When+does+the+gate+open%3F&beside=agent:clerk")
    one, other = await tab.run(
        "[...document.querySelectorAll('.sides section')].map((each) => each.innerText)"
    )
    assert "The gate opens at seven." in one
    assert "only here" in one
    assert "The gate opens at seven." not in other
    await go(tab, "#/notes")
    assert "The gate opens at seven." in await tab.run(SHOWN)
    await go(tab, "#/notes?as=clerk")
    assert HOSTILE in await tab.run(SHOWN)
    assert "The gate opens at seven." not in await tab.run(SHOWN)
    await tab.until("document.getElementById('who').innerText.includes('onerror')")
    assert "as=clerk" in await tab.run("document.querySelector('#nav a').getAttribute('href')")


async def test_with_keys_a_person_signs_in_and_the_key_is_in_no_address(
    context: Context, settings: Settings, new_user: Callable[[], str], tmp_path: Path
) -> None:
    user = new_user()
    _, secret = await create_key(context.graph, context.clock, user=user)
    app = create_app(settings.model_copy(update={"auth": "keys"}), opened=context)
    async with serving(app) as service:
        url = f"http://{service}/dashboard#/notes"
        async with asyncio.timeout(PATIENCE_S), tab_on(tmp_path / "browser", url) as tab:
            await tab.until("!!document.querySelector('.signin')")
            enter = (
                "(key) => { const form = document.querySelector('.signin');"
                " form.elements.key.value = key; form.requestSubmit() }"
            )
            await tab.run(f"({enter})('gm_wrong')")
            await tab.until("!!document.querySelector('.signin .failure')")
            await tab.run(f"({enter})({json.dumps(secret)})")
            await tab.until(READY)
            await tab.until("document.querySelector('.dot').dataset.state === 'live'")
            assert "There is no note yet." in await tab.run(SHOWN)
            assert secret not in await tab.run("location.href")
            assert secret not in await tab.run(KEPT)
            await tab.run("document.getElementById('who').click()")
            await tab.until("!!document.querySelector('.signin')")
            unknown = [each for each in tab.complaints if "401" not in each]
            assert unknown == []  # the browser itself tells of the refused key
