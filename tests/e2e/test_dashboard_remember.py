"""The page Remember in a real browser: nothing is stored before it was looked at."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from browsers import tab_on
from dashboards import BUTTON, HOSTILE, MADE, PATIENCE_S, SHOWN, asking, go
from toy_service import serving

from graphmem.app import create_app
from graphmem.services.context import Context
from graphmem.settings import Settings

pytestmark = [pytest.mark.timeout(600), pytest.mark.long]
TEXT = f"Dara Osei leads the Harbour project. {HOSTILE}"
NOTES = "{ notes { totalCount nodes { content domain } } }"
GONE = "{ notes(filter: {statuses: [ARCHIVED]}) { totalCount } }"
VERDICT = "document.querySelector('.verdict')?.innerText"
TYPE = """(text) => {
    const box = document.querySelector('[name=content]');
    box.value = text;
    box.dispatchEvent(new Event('input', { bubbles: true }));
}"""


@pytest.mark.feature("DAEM-32")
async def test_a_text_is_looked_at_and_then_stored(
    context: Context, settings: Settings, new_user: Callable[[], str], tmp_path: Path
) -> None:
    user = new_user()
    app = create_app(settings.model_copy(update={"default_user": user}), opened=context)
    async with serving(app) as service, asking(service, user) as ask:
        url = f"http://{service}/#/remember"
        async with asyncio.timeout(PATIENCE_S), tab_on(tmp_path / "browser", url) as tab:
            await go(tab, "#/remember?domain=work")
            await tab.run(f"({TYPE})({json.dumps(TEXT)})")
            await tab.run(f"({BUTTON})('main', 'Look at it first')")
            await tab.until(f"{VERDICT}?.includes('It would be a new note.')")
            told = await tab.run("document.querySelector('.columns').innerText")
            for words in ("Dara Osei", "leads", "it is the user's own", "work"):
                assert words in told
            assert await tab.run(MADE) == 0
            assert (await ask(NOTES))["notes"]["totalCount"] == 0

            await tab.run(f"({TYPE})({json.dumps(TEXT + ' More.')})")
            assert await tab.run("document.querySelector('.verdict')") is None
            await tab.run(f"({BUTTON})('main', 'Look at it first')")
            await tab.until(f"{VERDICT}?.includes('It would be a new note.')")
            await tab.run(f"({BUTTON})('.verdict', 'Store it')")
            await tab.until(f"{VERDICT}?.includes('Open the note')")
            stored = (await ask(NOTES))["notes"]
            assert stored["totalCount"] == 1
            assert stored["nodes"][0] == {"content": f"{TEXT} More.", "domain": "work"}

            await go(tab, "#/overview")
            assert TEXT in await tab.run(SHOWN)
            await go(tab, "#/ask?q=Who%20leads%20Harbour%3F")
            assert TEXT in await tab.run(SHOWN)
            alike = await tab.run("document.querySelector('.alike').innerText")
            assert 0 <= int(alike.removesuffix("%")) <= 100
            await go(tab, "#/remember?domain=work")
            await tab.run(f"({TYPE})({json.dumps(TEXT + ' More.')})")

            await tab.run(f"({BUTTON})('main', 'Look at it first')")
            await tab.until(f"{VERDICT}?.includes('No new note')")
            await tab.run(f"({BUTTON})('.toast', 'Undo')")
            await tab.until("document.body.innerText.includes('Gone.')")
            assert (await ask(GONE))["notes"]["totalCount"] == 1
            assert await tab.run(MADE) == 0
            assert tab.complaints == []
