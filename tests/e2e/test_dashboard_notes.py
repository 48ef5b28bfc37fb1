"""The page Notes in a real browser: counts beside the filters, how a note fades, and its end."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from browsers import tab_on
from dashboards import AGENT, BUTTON, MADE, PATIENCE_S, REMEMBER, SHOWN, asking, go
from toy_service import serving

from graphmem.app import create_app
from graphmem.services.context import Context
from graphmem.settings import Settings

pytestmark = [pytest.mark.timeout(600), pytest.mark.long]
COUNT = "{ notes { totalCount } }"
CHIPS = "[...document.querySelectorAll('details .chip')].map((each) => each.innerText)"
PART = "[...document.querySelectorAll('#drawer section')].map((each) => each.innerText).join()"


async def test_notes_are_counted_by_each_filter_and_one_tells_how_it_fades(
    context: Context, settings: Settings, new_user: Callable[[], str], tmp_path: Path
) -> None:
    user = new_user()
    app = create_app(settings.model_copy(update={"default_user": user}), opened=context)
    async with serving(app) as service, asking(service, user) as ask:
        open_to = {"content": "The kiln is blue.", "visibility": "OPEN"}
        note = (await ask(REMEMBER, i=open_to))["remember"]["noteId"]
        kept = {"content": "The gate opens at seven.", "visibility": "PRIVATE", "pinned": True}
        pinned = (await ask(REMEMBER, i=kept))["remember"]["noteId"]
        url = f"http://{service}/#/notes"
        async with asyncio.timeout(PATIENCE_S), tab_on(tmp_path / "browser", url) as tab:
            await go(tab, "#/notes?text=kiln")
            await tab.run("[...document.querySelectorAll('details')].at(-1).open = true")
            await tab.until(f"{CHIPS}.length > 0")
            assert "open 1" in await tab.run(CHIPS)
            assert "private 1" not in await tab.run(CHIPS)  # the other filter holds
            await tab.run(
                "[...document.querySelectorAll('details .chip')]"
                ".find((each) => each.innerText === 'open 1').click()"
            )
            await tab.until("location.hash.includes('visibility=OPEN')")
            await go(tab, f"#/notes?text=kiln&note={note}")
            await tab.until("!!document.querySelector('#drawer svg.decay')")
            assert "100 % is left. Half of it goes in 7 days" in await tab.run(PART)
            await tab.run(f"location.hash = '#/notes?note={pinned}'")
            await tab.until(f"{PART}.includes('It never decays.')")
            assert await tab.run(MADE) == 0
            assert tab.complaints == []


@pytest.mark.feature("DAEM-34")
async def test_a_new_agent_is_offered_and_a_note_is_destroyed_once_confirmed(
    context: Context, settings: Settings, new_user: Callable[[], str], tmp_path: Path
) -> None:
    user = new_user()
    app = create_app(settings.model_copy(update={"default_user": user}), opened=context)
    async with serving(app) as service, asking(service, user) as ask:
        note = (await ask(REMEMBER, i={"content": "The kiln is blue."}))["remember"]["noteId"]
        await ask(AGENT, i={"id": "glazer"})
        url = f"http://{service}/#/notes"
        async with asyncio.timeout(PATIENCE_S), tab_on(tmp_path / "browser", url) as tab:
            await go(tab, f"#/notes?note={note}")
            await tab.run("document.getElementById('who').click()")
            await tab.until("document.getElementById('viewer')?.innerText.includes('glazer')")
            await tab.run(f"({BUTTON})('#viewer', 'Cancel')")
            for answer, left in (("Cancel", 1), ("Destroy", 0)):
                await tab.until("!!document.querySelector('#drawer .buttons')")
                await tab.run(f"({BUTTON})('#drawer', 'Destroy…')")
                await tab.until("!!document.querySelector('dialog[open]')")
                await tab.run(f"({BUTTON})('dialog[open]', '{answer}')")
                await tab.until("!document.querySelector('dialog[open]')")
                if not left:
                    await tab.until(f"{SHOWN}.includes('Destroyed.')")
                assert (await ask(COUNT))["notes"]["totalCount"] == left
            assert tab.complaints == []


async def test_all_notes_that_a_filter_finds_are_forgotten_and_brought_back(
    context: Context, settings: Settings, new_user: Callable[[], str], tmp_path: Path
) -> None:
    user = new_user()
    app = create_app(settings.model_copy(update={"default_user": user}), opened=context)
    async with serving(app) as service, asking(service, user) as ask:
        for text in ("The kiln is blue.", "The gate opens at seven."):
            await ask(REMEMBER, i={"content": text, "episode": "monday"})
        await ask(REMEMBER, i={"content": "Bread is baked on Friday."})
        url = f"http://{service}/dashboard#/notes"
        async with asyncio.timeout(PATIENCE_S), tab_on(tmp_path / "browser", url) as tab:
            await go(tab, "#/notes?episode=monday")
            await tab.until(f"{SHOWN}.includes('Forget all of them')")
            for answer, left in (("Cancel", 3), ("Forget", 1)):
                await tab.run(f"({BUTTON})('main', 'Forget all of them…')")
                await tab.until(
                    "document.querySelector('dialog[open]')?.innerText.includes('2 no')"
                )
                await tab.run(f"({BUTTON})('dialog[open]', '{answer}')")
                await tab.until("!document.querySelector('dialog[open]')")
                if left == 1:
                    await tab.until(f"{SHOWN}.includes('Forgotten: 2 notes')")
                assert (await ask(COUNT))["notes"]["totalCount"] == left
            await tab.run(f"({BUTTON})('#toasts', 'Undo')")
            await tab.until("document.querySelectorAll('ul.notes li').length === 2")
            assert (await ask(COUNT))["notes"]["totalCount"] == 3
            assert tab.complaints == []
