"""axe finds nothing on any page of the dashboard, in light and dark, on a desk and on a phone."""

import asyncio
import json
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest
from browsers import Tab, tab_on
from dashboards import AGENT, PATIENCE_S, REMEMBER, Ask, asking, go
from toy_service import serving

from graphmem.app import create_app
from graphmem.services.context import Context
from graphmem.settings import Settings

pytestmark = [pytest.mark.timeout(900), pytest.mark.long]
PACKAGE = find_spec("axe_playwright_python")
LOOKS = ((1440, "light"), (1440, "dark"), (390, "light"))
TEXTS = (
    "Dara Osei leads the Harbour project since 3 March 2026.",
    "The kiln relay of the Harbour project is broken.",
    "Dara Osei prefers tea.",
    "The kiln is blue.",
)
FIND = """async () => {
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const { violations } = await axe.run(document, { runOnly: { type: 'tag', values: tags } });
    return violations.map(({ id, nodes }) => [
        id,
        nodes.slice(0, 5).map((each) => `${each.target} ${each.any[0]?.message ?? each.html}`),
    ]);
}"""

# Adds words that are hard to read, which axe must find.
FAINT = """() => {
    const faint = document.querySelector('h1').appendChild(document.createElement('span'));
    faint.className = 'faint';
    faint.textContent = 'faint';
    faint.style.color = '#eee';
}"""


def axe() -> str:
    """The script of axe; skips where its package is not installed."""
    if PACKAGE is None or PACKAGE.origin is None:
        pytest.skip("no axe: install axe-playwright-python, of which only the script is used")
    return Path(PACKAGE.origin).with_name("axe.min.js").read_text(encoding="utf-8")


async def addresses(ask: Ask) -> list[str]:
    """The pages, with something on each."""
    await ask(AGENT, i={"id": "sales", "domains": ["work"], "writes": "PROPOSE"})
    ids = []
    for text in TEXTS:
        given = {"content": text, "domain": "work", "tags": ["kiln"]}
        ids.append((await ask(REMEMBER, i=given))["remember"]["noteId"])
    await ask(REMEMBER, agent="sales", i={"content": "The lease of the workshop ends in May."})
    return [
        "#/overview",
        "#/ask?q=Who+leads+the+Harbour+project%3F",
        "#/remember",
        f"#/notes?note={ids[0]}",
        f"#/graph?kind=NOTE&of={ids[0]}",
        "#/entities",
        "#/knows?q=kiln",
        "#/inbox",
        "#/time",
        "#/agents?id=sales",
        "#/jobs",
        "#/health",
        "#/settings",
    ]


async def found_on(tab: Tab, address: str, theme: str) -> list[str]:
    """What axe complains of on a page."""
    await go(tab, address)
    await tab.run(f"document.documentElement.dataset.theme = '{theme}'")
    if "note=" in address:
        await tab.until("!!document.querySelector('#drawer .content')")
    found = await tab.run(f"({FIND})()")
    assert found is not None, "axe did not run"
    return [f"{address} {theme}: {rule} {json.dumps(nodes)}" for rule, nodes in found]


async def test_axe_finds_nothing_on_any_page(
    context: Context, settings: Settings, new_user: Callable[[], str], tmp_path: Path
) -> None:
    script, user = axe(), new_user()
    app = create_app(settings.model_copy(update={"default_user": user}), opened=context)
    complaints = []
    async with serving(app) as service, asking(service, user) as ask:
        pages = await addresses(ask)
        url = f"http://{service}/#/overview"
        async with asyncio.timeout(3 * PATIENCE_S), tab_on(tmp_path / "browser", url) as tab:
            await go(tab, "#/overview")
            await tab.run(script)
            await tab.run(f"({FAINT})()")
            assert "color-contrast" in str(await found_on(tab, "#/overview", "light"))
            await tab.run("document.querySelector('.faint')?.remove()")
            for width, theme in LOOKS:
                size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
                await tab.call("Emulation.setDeviceMetricsOverride", **size)
                for address in pages:
                    complaints += await found_on(tab, address, theme)
    assert complaints == []
