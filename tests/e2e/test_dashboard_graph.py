"""The page Graph in a real browser: what is drawn, what a click and a key do, what is saved."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from browsers import Tab, tab_on
from dashboards import AGENT, BUTTON, HOSTILE, MADE, PATIENCE_S, REMEMBER, SHOWN, asking, go, press
from toy_service import serving

from graphmem.app import create_app
from graphmem.services.context import Context
from graphmem.settings import Settings

pytestmark = [pytest.mark.timeout(600), pytest.mark.long]
LIST = "document.querySelector('.around').innerText"
MIDDLE = "document.querySelector('[data-middle] title').textContent"
CLICK = """(words) => [...document.querySelectorAll('.node')]
    .find((each) => each.querySelector('title').textContent.includes(words))
    .dispatchEvent(new MouseEvent('click', { bubbles: true }))"""
# What is saved is kept in `window.saved`, by its type.
CATCH = """(() => {
    const real = URL.createObjectURL;
    window.saved = {};
    URL.createObjectURL = (blob) => {
        blob.arrayBuffer().then((bytes) => {
            window.saved[blob.type] = [...new Uint8Array(bytes)];
        });
        return real.call(URL, blob);
    };
})()"""


async def test_a_graph_is_drawn_followed_and_saved(
    context: Context, settings: Settings, new_user: Callable[[], str], tmp_path: Path
) -> None:
    user = new_user()
    app = create_app(settings.model_copy(update={"default_user": user}), opened=context)
    async with serving(app) as service, asking(service, user) as ask:
        await ask(AGENT, i={"id": "clerk", "name": "The clerk", "domains": ["work"]})
        entities = [{"name": "Orla Quay", "type": "person"}, {"name": HOSTILE, "type": "thing"}]
        relation = {"subject": "Orla Quay", "predicate": "leads", "object": HOSTILE}
        note = {"title": "The <b>kiln</b>", "content": "It is blue.", "entities": entities}
        await ask(REMEMBER, "clerk", i={**note, "domain": "work", "relations": [relation]})
        secret = {"title": "Hidden", "content": "x", "entities": entities[:1]}
        await ask(REMEMBER, i={**secret, "visibility": "PRIVATE"})
        url = f"http://{service}/#/graph"
        async with asyncio.timeout(PATIENCE_S), tab_on(tmp_path / "browser", url) as tab:
            await go(tab, "#/graph")
            await tab.until(f"{SHOWN}.includes('Choose what to begin with')")
            await go(tab, "#/graph?kind=ENTITY&of=Orla+Quay&depth=2")
            told = await tab.run(LIST)
            for words in ("Orla Quay", HOSTILE, "The <b>kiln</b>", "The clerk", "Hidden", "leads"):
                assert words in told
            assert await tab.run(MADE) == 0
            assert await tab.run("document.querySelectorAll('.node').length") == 5
            await a_click_opens_a_note_or_goes_on(tab)
            await a_key_does_the_same(tab)
            await the_picture_is_saved(tab)
            await the_filters_are_in_the_address(tab)
            await go(tab, "#/graph?kind=ENTITY&of=Orla+Quay&depth=2&as=clerk")
            assert "Hidden" not in await tab.run(LIST)
            await tab.run("location.hash = '#/graph?kind=NOTE&of=nothing'")
            await tab.until(f"{SHOWN}.includes('There is nothing of this name')")
            assert tab.complaints == []


async def a_click_opens_a_note_or_goes_on(tab: Tab) -> None:
    await tab.run(f"({CLICK})('kiln')")
    await tab.until("document.querySelector('#drawer .content')?.textContent === 'It is blue.'")
    await press(tab, "Escape")
    await tab.until("document.getElementById('drawer').hidden")
    await tab.run(f"({CLICK})('onerror')")
    await tab.until(f"{MIDDLE} === {json.dumps(f'entity: {HOSTILE}')}")
    assert "of=" in await tab.run("location.hash")


async def a_key_does_the_same(tab: Tab) -> None:
    await go(tab, "#/graph?kind=ENTITY&of=Orla+Quay")
    await press(tab, "j")
    await press(tab, "j")
    assert await tab.run("document.activeElement.textContent") != "Orla Quay"
    await tab.run("document.activeElement.click()")
    await tab.until(f"!{MIDDLE}.includes('Orla Quay') || !document.getElementById('drawer').hidden")


async def the_picture_is_saved(tab: Tab) -> None:
    await go(tab, "#/graph?kind=ENTITY&of=Orla+Quay")
    await tab.run(CATCH)
    for words, kind in (("Save SVG", "image/svg+xml"), ("Save PNG", "image/png")):
        await tab.run(f"({BUTTON})('.drawn', '{words}')")
        saved = bytes(await tab.until(f"window.saved['{kind}']"))
        if kind == "image/png":
            assert saved.startswith(b"\x89PNG")
            assert len(saved) > 1_000
        else:
            text = saved.decode()
            assert text.startswith('<svg xmlns="http://www.w3.org/2000/svg"')
            assert "Orla Quay" in text
            assert "&lt;img src=x onerror=alert(1)&gt;" in text
            assert "<img" not in text
            assert 'fill="rgb' in text


async def the_filters_are_in_the_address(tab: Tab) -> None:
    """Choosing in the form goes to an address, and nobody is drawn whom it leaves out."""
    await tab.run("document.querySelector('[name=NOTE]').click()")
    await tab.until("location.hash.includes('kinds=ENTITY+AGENT+TOPIC')")
    await tab.until("!!document.querySelector('.page[data-ready]')")
    assert "kiln" not in await tab.run(LIST)
    await tab.run("location.hash = '#/graph?kind=ENTITY&of=Orla+Quay&until=2001-01-01'")
    await tab.until("document.querySelectorAll('.node').length === 2")
