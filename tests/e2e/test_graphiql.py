"""GraphiQL in a real browser: it loads under the policy, asks, subscribes, and keeps nothing."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from browsers import tab_on
from toy_service import serving

from graphmem.app import create_app
from graphmem.domain.notes import NoteDraft
from graphmem.server.graphiql import fetch_graphiql
from graphmem.services.actors import open_access
from graphmem.services.context import Context
from graphmem.services.writing.remember import remember
from graphmem.settings import Settings

pytestmark = pytest.mark.timeout(300)
PATIENCE_S = 120.0  # a busy machine
TEXT = "The blue gate opens at seven."
SEND = "document.querySelector('.graphiql-execute-button').click()"
EDITOR = "document.querySelector('.graphiql-query-editor .CodeMirror').CodeMirror"
ANSWER = "(document.querySelector('.result-window .CodeMirror')?.CodeMirror.getValue() ?? '')"


def write(query: str) -> str:
    """A script that puts a request into the editor."""
    return f"{EDITOR}.setValue({json.dumps(query)})"


async def test_a_person_asks_in_a_browser(
    context: Context, settings: Settings, new_user: Callable[[], str], tmp_path: Path
) -> None:
    await asyncio.to_thread(fetch_graphiql, settings.cache)
    user = new_user()
    access = await open_access(context, user, None, register=True)
    await remember(context, access, NoteDraft(content=TEXT))
    app = create_app(settings.model_copy(update={"default_user": user}), opened=context)
    async with serving(app) as service:
        url = f"http://{service}/graphql"
        async with asyncio.timeout(PATIENCE_S), tab_on(tmp_path / "browser", url) as tab:
            await tab.until("!!document.querySelector('.graphiql-execute-button')")
            headers = "document.querySelectorAll('.graphiql-editor-tool .CodeMirror')[1].CodeMirror"
            await tab.run(f"{headers}.setValue({json.dumps(json.dumps({}))})")
            await tab.run(write("{ notes { nodes { content } } }"))
            await tab.run(SEND)
            assert TEXT in await tab.until(f"{ANSWER}.includes('content') && {ANSWER}")
            await tab.run(write("subscription { events(after: 0) { type channel } }"))
            await tab.until(f"{EDITOR}.operations?.[0]?.operation === 'subscription'")  # parsed
            await tab.run(SEND)
            assert "CREATE" in await tab.until(f"{ANSWER}.includes('channel') && {ANSWER}")
            kept = "JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])"
            assert await tab.run(kept) == '[{},{},""]'
            assert [each for each in tab.complaints if "favicon.ico" not in each] == []
