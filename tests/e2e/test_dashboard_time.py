"""The page Time in a real browser: what changed, a way back for one note, and one for all."""

import asyncio
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from browsers import Tab, tab_on
from dashboards import BUTTON, HOSTILE, MADE, PATIENCE_S, REMEMBER, Ask, asking, go
from toy_service import serving

from graphmem.app import create_app
from graphmem.services.context import Context
from graphmem.settings import Settings

pytestmark = [pytest.mark.timeout(600), pytest.mark.long]
REVISE = "mutation($id: ID!, $c: String!) { revise(id: $id, content: $c) { version } }"
NOTE = "query($id: ID!) { note(id: $id) { content status } }"
LIST = "[...document.querySelectorAll('.events')].map((each) => each.innerText).join()"
CHOOSE = """(name, value) => {
    const box = document.querySelector(`[name=${name}]`);
    box.value = value;
    box.dispatchEvent(new Event('change', { bubbles: true }));
}"""
LATER = """(at) => {
    const form = document.querySelector('[name=at]').form;
    form.elements.at.value = at;
    form.requestSubmit();
}"""


async def test_what_changed_is_told_and_taken_back(
    context: Context, settings: Settings, new_user: Callable[[], str], tmp_path: Path
) -> None:
    user = new_user()
    app = create_app(settings.model_copy(update={"default_user": user}), opened=context)
    async with serving(app) as service, asking(service, user) as ask:
        given = {"content": f"The kiln is blue. {HOSTILE}", "title": HOSTILE}
        note = (await ask(REMEMBER, i=given))["remember"]["noteId"]
        await ask(REVISE, id=note, c="The kiln is red.")
        url = f"http://{service}/#/time"
        async with asyncio.timeout(PATIENCE_S), tab_on(tmp_path / "browser", url) as tab:
            await go(tab, "#/time")
            told = await tab.run(LIST)
            assert told.index("note revised") < told.index("note remembered")  # newest first
            assert "manual" in told
            assert await tab.run(MADE) == 0
            await the_filters_are_in_the_address(tab)
            await one_change_is_taken_back(tab, ask, note)
            await all_goes_back_once_confirmed(tab, ask, note)
            assert tab.complaints == []


async def the_filters_are_in_the_address(tab: Tab) -> None:
    await tab.run(f"({CHOOSE})('type', 'CREATE')")
    await tab.until("location.hash.includes('type=CREATE')")
    await tab.until(f"!!document.querySelector('.page[data-ready]') && !!{LIST}")
    assert "note revised" not in await tab.run(LIST)
    await go(tab, "#/time?actor=bot%3Anobody")
    assert await tab.run("document.querySelector('.events')") is None
    await go(tab, "#/time?until=2001-01-01")
    assert "Nothing changed" in await tab.run("document.body.innerText")


async def one_change_is_taken_back(tab: Tab, ask: Ask, note: str) -> None:
    await go(tab, "#/time?type=EDIT")
    await tab.run(f"({BUTTON})('.events', 'Back to before')")
    await tab.until("!!document.querySelector('dialog[open]')")
    assert (await ask(NOTE, id=note))["note"]["content"] == "The kiln is red."
    await tab.run(f"({BUTTON})('dialog[open]', 'Back to before')")
    await tab.until("document.body.innerText.includes('a change of its own')")
    assert (await ask(NOTE, id=note))["note"]["content"].startswith("The kiln is blue.")


async def all_goes_back_once_confirmed(tab: Tab, ask: Ask, note: str) -> None:
    await tab.run("document.querySelector('details').open = true")
    at = datetime.now(UTC) - timedelta(days=1)
    await tab.run(f"({LATER})({json.dumps(at.strftime('%Y-%m-%dT%H:%M'))})")
    await tab.until("document.body.innerText.includes('1 note would change.')")
    assert (await ask(NOTE, id=note))["note"]["status"] == "ACTIVE"
    await tab.run(f"({BUTTON})('.verdict', 'Go back…')")
    await tab.until("!!document.querySelector('dialog[open]')")
    await tab.run(f"({BUTTON})('dialog[open]', 'Cancel')")
    assert (await ask(NOTE, id=note))["note"]["status"] == "ACTIVE"
    await tab.run(f"({BUTTON})('.verdict', 'Go back…')")
    await tab.until("!!document.querySelector('dialog[open]')")
    await tab.run(f"({BUTTON})('dialog[open]', 'Go back')")
    await tab.until("document.body.innerText.includes('1 note changed.')")
    assert (await ask(NOTE, id=note))["note"]["status"] == "ARCHIVED"
