"""A page of the dashboard that is left open misses nothing: not while it is read, not while its
connection is broken, and what it says of times stays true."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from browsers import Tab, tab_on
from dashboards import PATIENCE_S, READY, REMEMBER, SHOWN, Ask, asking, go
from toy_service import serving

from graphmem.app import create_app
from graphmem.services.context import Context
from graphmem.settings import Settings

pytestmark = pytest.mark.timeout(300)
# Keeps hold of the page's sockets, and of answers to the query that is named.
HOLDING = """
    window.sockets = [];
    window.WebSocket = class extends WebSocket {
        constructor(...given) { super(...given); window.sockets.push(this); }
    };
    const plain = window.fetch;
    window.held = 0;
    window.fetch = async (url, options) => {
        const answer = await plain(url, options);
        if (window.hold && options.body.includes(window.hold)) {
            window.held += 1;
            await window.released;
        }
        return answer;
    };
"""
HOLD = """window.hold = 'query Notes';
    window.released = new Promise((done) => { window.release = done; });"""
COUNT = """import('/dashboard/api.js').then(({ onEvent }) => {
    window.heard = 0;
    onEvent(() => { window.heard += 1; });
})"""
LONG_AGO = """import('/dashboard/parts.js').then(({ renewTimes }) => {
    const shown = document.querySelector('time.ago');
    shown.setAttribute('datetime', new Date(Date.now() - 3 * 3600 * 1000).toISOString());
    renewTimes();
    return shown.textContent;
})"""
STATE = "document.querySelector('.dot')?.dataset.state"


async def test_a_page_that_is_left_open_misses_nothing(
    context: Context, settings: Settings, new_user: Callable[[], str], tmp_path: Path
) -> None:
    user = new_user()
    app = create_app(settings.model_copy(update={"default_user": user}), opened=context)
    async with serving(app) as service, asking(service, user) as ask:
        await ask(REMEMBER, i={"content": "The gate opens at seven."})
        url = f"http://{service}/#/overview"
        async with asyncio.timeout(PATIENCE_S), tab_on(tmp_path / "browser", url) as tab:
            await tab.call("Page.addScriptToEvaluateOnNewDocument", source=HOLDING)
            await tab.call("Page.reload")
            await tab.until(f"!!window.sockets && {READY} && {STATE} === 'live'")
            await tab.run(COUNT)
            await a_change_during_the_reading_of_a_page_is_shown(tab, ask)
            await a_change_without_a_connection_is_shown(tab, ask)
            assert await tab.run(LONG_AGO) == "3 hours ago"
            assert tab.complaints == []


async def a_change_during_the_reading_of_a_page_is_shown(tab: Tab, ask: Ask) -> None:
    await tab.run(f"{HOLD}; location.hash = '#/notes'")
    await tab.until("window.held")
    await ask(REMEMBER, i={"content": "The kiln is blue."})
    await tab.until("window.heard")
    await tab.run("window.hold = ''; window.release()")
    await tab.until(f"{SHOWN}.includes('The kiln is blue.')")


async def a_change_without_a_connection_is_shown(tab: Tab, ask: Ask) -> None:
    await go(tab, "#/notes")
    await tab.run("window.sockets.at(-1).close()")
    await tab.until(f"{STATE} !== 'live'")
    await ask(REMEMBER, i={"content": "The shed has a new lock."})
    await tab.until(f"{SHOWN}.includes('The shed has a new lock.')")
    assert await tab.run("window.sockets.length") == 2
