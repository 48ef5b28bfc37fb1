"""The pages Health and Settings in a real browser: for an admin, and for an agent that may not."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from browsers import Tab, tab_on
from dashboards import AGENT, MADE, PATIENCE_S, REMEMBER, SHOWN, asking, go
from toy_service import serving

from graphmem.app import create_app
from graphmem.services.context import Context
from graphmem.settings import Settings

pytestmark = [pytest.mark.timeout(600), pytest.mark.long]
CHOOSE = """(name, value) => {
    const box = document.querySelector(`main [name=${name}]`);
    if (box.type === 'checkbox') box.checked = value; else box.value = value;
    box.dispatchEvent(new Event('change', { bubbles: true }));
}"""
ROWS = "document.querySelectorAll('main tbody tr').length"
WIDE = """[document.documentElement, ...document.querySelectorAll('.scroll')]
    .filter((each) => each.scrollWidth > each.clientWidth).length"""


@pytest.mark.feature("MOLT-93", "DAEM-33")
async def test_how_the_service_is_and_how_it_is_set_up(
    context: Context, settings: Settings, new_user: Callable[[], str], tmp_path: Path
) -> None:
    user = new_user()
    app = create_app(settings.model_copy(update={"default_user": user}), opened=context)
    async with serving(app) as service, asking(service, user) as ask:
        await ask(REMEMBER, i={"content": "The kiln is blue."})
        await ask(AGENT, i={"id": "sales", "domains": ["work"]})
        url = f"http://{service}/#/health"
        async with asyncio.timeout(PATIENCE_S), tab_on(tmp_path / "browser", url) as tab:
            await the_service_is_told_of(tab)
            await settings_are_told_of(tab)
            await an_agent_sees_neither(tab)
            await nothing_is_cut_off_on_a_phone(tab)
            assert await tab.run(MADE) == 0
            assert tab.complaints == []


async def the_service_is_told_of(tab: Tab) -> None:
    await go(tab, "#/health")
    told = await tab.run(SHOWN)
    for words in (
        "The service answers in",
        "Nothing waits for a decision.",
        "Neo4j",
        "Licence",
        "GPL-3.0",
        "Time of operations",
        "remember",
    ):
        assert words in told
    assert await tab.run("document.querySelector('.bars a').href.includes('status=ACTIVE')")


async def settings_are_told_of(tab: Tab) -> None:
    await go(tab, "#/settings")
    told = await tab.run(SHOWN)
    assert "GRAPHMEM_PORT" in told
    assert "GRAPHMEM_NEO4J_PASSWORD" in told
    assert "set, not shown" in told or "not set" in told
    everything = await tab.run(ROWS)
    assert everything > 50
    await tab.run(f"({CHOOSE})('q', 'retention')")
    await tab.until(f"location.hash.includes('q=retention') && {ROWS} < {everything} && {ROWS}")
    await go(tab, "#/settings?set=1")
    assert 0 < await tab.run(ROWS) < everything
    await go(tab, "#/settings?q=%3Cb%3Enothing")
    assert "No such setting." in await tab.run(SHOWN)


async def an_agent_sees_neither(tab: Tab) -> None:
    await go(tab, "#/health?as=sales")
    told = await tab.run(SHOWN)
    assert "is for admins to see" in told
    assert "Notes by status" in told.replace("\n", " ")
    assert "GPL" not in told
    await go(tab, "#/settings?as=sales")
    told = await tab.run(SHOWN)
    assert "are for admins to see" in told
    assert "GRAPHMEM_" not in told


async def nothing_is_cut_off_on_a_phone(tab: Tab) -> None:
    size = {"height": 844, "deviceScaleFactor": 1, "mobile": True}
    await tab.call("Emulation.setDeviceMetricsOverride", width=390, **size)
    for page in ("#/health", "#/settings"):
        await go(tab, f"{page}?as=")
        assert await tab.run(WIDE) == 0
