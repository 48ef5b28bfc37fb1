"""The dashboard in a real browser: each page on a small memory, where no note becomes markup."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from browsers import Tab, tab_on
from dashboards import (
    AGENT,
    BUTTON,
    HOSTILE,
    MADE,
    PATIENCE_S,
    PRESS,
    READY,
    REMEMBER,
    SHOWN,
    Ask,
    asking,
    go,
    press,
)
from toy_service import serving

from graphmem.app import create_app
from graphmem.services.context import Context
from graphmem.services.keys import create_key, revoke_key
from graphmem.settings import Settings

pytestmark = pytest.mark.timeout(600)
PAGES = (
    "overview",
    "ask",
    "notes",
    "inbox",
    "entities",
    "knows",
    "agents",
    "jobs",
    "graph",
    "remember",
    "health",
    "settings",
)
DRAWER = "document.getElementById('drawer')"
ALL = "document.documentElement.textContent"
# Notes that are asked for as a user come when `window.release()` is called, and `window.came` then.
HOLD = """(user) => {
    const real = window.fetch;
    const freed = new Promise((release) => Object.assign(window, { release }));
    window.held = 0;
    window.fetch = async (address, options) => {
        const answer = await real(address, options);
        if (options.headers['X-Graphmem-User'] !== user) return answer;
        if (!options.body.includes('query Note(')) return answer;
        const data = await answer.json();
        window.held += 1;
        await freed;
        setTimeout(() => (window.came = true));
        return { json: async () => data };
    };
}"""
# The bodies of requests are kept in `window.sent`.
LISTEN = """(() => {
    const real = window.fetch;
    window.sent = [];
    window.fetch = (address, options) => (window.sent.push(options.body), real(address, options));
})()"""
ENTER = (
    "(key) => { const form = document.querySelector('.signin');"
    " form.elements.key.value = key; form.requestSubmit() }"
)
KEPT = "JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])"


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


async def test_pages_show_what_is_there_and_no_note_becomes_markup(
    context: Context, settings: Settings, new_user: Callable[[], str], tmp_path: Path
) -> None:
    user = new_user()
    app = create_app(settings.model_copy(update={"default_user": user}), opened=context)
    async with serving(app) as service, asking(service, user) as ask:
        await fill(ask)
        url = f"http://{service}/#/overview"
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
    await tab.until(f"({PRESS})('y')")  # keys decide nothing right after a page is drawn
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
        url = f"http://{service}/#/notes"
        async with asyncio.timeout(PATIENCE_S), tab_on(tmp_path / "browser", url) as tab:
            await tab.until("!!document.querySelector('.signin')")
            await tab.run(f"({ENTER})('gm_wrong')")
            await tab.until("!!document.querySelector('.signin .failure')")
            await tab.run(f"({ENTER})({json.dumps(secret)})")
            await tab.until(READY)
            await tab.until("document.querySelector('.dot').dataset.state === 'live'")
            assert "There is no note yet." in await tab.run(SHOWN)
            assert secret not in await tab.run("location.href")
            assert secret not in await tab.run(KEPT)
            await tab.run("document.getElementById('who').click()")
            await tab.until("!!document.querySelector('.signin')")
            unknown = [each for each in tab.complaints if "401" not in each]
            assert unknown == []  # the browser itself tells of the refused key


async def test_no_note_is_shown_to_who_looks_next(
    context: Context, settings: Settings, new_user: Callable[[], str], tmp_path: Path
) -> None:
    one, other = new_user(), new_user()
    secret = "The safe is behind the oak panel."
    async with serving(create_app(settings, opened=context)) as service:
        async with asking(service, one) as ask, asking(service, other) as ask_other:
            note = (await ask(REMEMBER, i={"content": secret}))["remember"]["noteId"]
            await ask_other(REMEMBER, i={"content": "The tide turns at noon."})
        address = f"#/notes?note={note}&user="
        url = f"http://{service}/{address}{one}"
        async with asyncio.timeout(PATIENCE_S), tab_on(tmp_path / "browser", url) as tab:
            await tab.until(f"{DRAWER}.querySelector('.content')?.textContent === '{secret}'")
            await tab.run("document.getElementById('toasts').append('Forgotten: the safe')")
            await tab.run(f"location.hash = '{address}{other}'")
            await tab.until(f"!!{DRAWER}.querySelector('.failure')")
            await tab.until(f"{SHOWN}.includes('The tide turns at noon.')")
            assert secret not in await tab.run(ALL)
            assert await tab.run("document.getElementById('toasts').childNodes.length") == 0
            brand = await tab.run("document.querySelector('.brand').getAttribute('href')")
            assert brand == f"#/overview?user={other}"

            await tab.run(f"({HOLD})('{one}')")
            await tab.run(f"location.hash = '{address}{one}'")
            await tab.until("window.held === 1")
            await tab.run(f"location.hash = '{address}{other}'")
            await tab.until(f"!!{DRAWER}.querySelector('.failure')")
            await tab.until(f"{SHOWN}.includes('The tide turns at noon.')")
            await tab.run("window.release()")
            await tab.until("window.came")
            assert secret not in await tab.run(ALL)


async def test_a_revoked_key_leaves_no_note_behind(
    context: Context, settings: Settings, new_user: Callable[[], str], tmp_path: Path
) -> None:
    key, secret = await create_key(context.graph, context.clock, user=new_user())
    app = create_app(settings.model_copy(update={"auth": "keys"}), opened=context)
    content = "The safe is behind the oak panel."
    async with serving(app) as service:
        async with httpx.AsyncClient(base_url=f"http://{service}", timeout=PATIENCE_S) as client:
            body = {"query": REMEMBER, "variables": {"i": {"content": content}}}
            headers = {"Authorization": f"Bearer {secret}"}
            answer = (await client.post("/graphql", json=body, headers=headers)).json()
        note = answer["data"]["remember"]["noteId"]
        url = f"http://{service}/#/notes?note={note}"
        async with asyncio.timeout(PATIENCE_S), tab_on(tmp_path / "browser", url) as tab:
            await tab.until("!!document.querySelector('.signin')")
            await tab.run(f"({ENTER})({json.dumps(secret)})")
            await tab.until(f"{DRAWER}.querySelector('.content')?.textContent === '{content}'")
            await revoke_key(context.graph, context.clock, key.id)
            again = f"location.hash = '#/notes?note={note}&text=' + Math.random()"
            await tab.until(f"!!document.querySelector('.signin') || ({again}, false)")
            await tab.until(f"{DRAWER}.hidden")
            assert content not in await tab.run(ALL)
            assert await tab.run(f"{DRAWER}.childNodes.length") == 0
            assert await tab.run("location.hash") == "#/overview"


async def test_readers_change_by_a_button_once_confirmed_and_back(
    context: Context, settings: Settings, new_user: Callable[[], str], tmp_path: Path
) -> None:
    user = new_user()
    app = create_app(settings.model_copy(update={"default_user": user}), opened=context)
    async with serving(app) as service, asking(service, user) as ask:
        given = {"content": "The gate opens at seven.", "visibility": "PRIVATE"}
        note = (await ask(REMEMBER, i=given))["remember"]["noteId"]

        async def visibility() -> str:
            query = "query($id: ID!) { note(id: $id) { visibility } }"
            return (await ask(query, id=note))["note"]["visibility"]

        url = f"http://{service}/#/notes?note={note}"
        async with asyncio.timeout(PATIENCE_S), tab_on(tmp_path / "browser", url) as tab:
            await tab.until(f"!!{DRAWER}.querySelector('select')")
            await tab.run(LISTEN)
            choose = f"const box = {DRAWER}.querySelector('select'); box.value = 'OPEN';"
            await tab.run(f"{{ {choose} box.dispatchEvent(new Event('change')) }}")
            await tab.run(f"({BUTTON})('#drawer', 'Change')")
            await tab.until("!!document.querySelector('dialog[open]')")
            await tab.run(f"({BUTTON})('dialog[open]', 'Cancel')")
            await tab.until("!document.querySelector('dialog[open]')")
            assert "setVisibility" not in await tab.run("window.sent.join()")
            assert await visibility() == "PRIVATE"
            await tab.run(f"({BUTTON})('#drawer', 'Change')")
            await tab.run(f"({BUTTON})('dialog[open]', 'Change')")
            marks = f"{DRAWER}.querySelector('.marks')?.textContent"
            await tab.until(f"{marks}?.includes('open')")
            await tab.until("!!document.querySelector('.toast button')")
            assert await visibility() == "OPEN"
            await tab.run(f"({BUTTON})('.toast', 'Undo')")
            await tab.until(f"{marks}?.includes('private')")
            assert await visibility() == "PRIVATE"


async def test_a_held_or_doubled_key_decides_one_thing(
    context: Context, settings: Settings, new_user: Callable[[], str], tmp_path: Path
) -> None:
    user = new_user()
    app = create_app(settings.model_copy(update={"default_user": user}), opened=context)
    async with serving(app) as service, asking(service, user) as ask:
        await ask(AGENT, i={"id": "clerk", "name": "C", "writes": "PROPOSE", "domains": ["work"]})
        for content in ("The kiln is blue.", "Dara Osei leads the Harbour project."):
            await ask(REMEMBER, "clerk", i={"content": content, "domain": "work"})
        url = f"http://{service}/#/inbox"
        async with asyncio.timeout(PATIENCE_S), tab_on(tmp_path / "browser", url) as tab:
            await tab.until("document.querySelectorAll('[data-item]').length === 2")
            await tab.until(f"!!document.activeElement.closest('[data-item]') || ({PRESS})('j')")
            # Held: nothing. Once: decided. Again, and held, while that is done: nothing.
            told = "[press('y', true), press('y'), press('y'), press('y', true)]"
            all_at_once = f"(() => {{ const press = {PRESS}; return {told} }})()"
            while not any(pressed := await tab.run(all_at_once)):  # noqa: ASYNC110
                await asyncio.sleep(0.05)
            assert pressed == [False, True, False, False]
            await tab.until("document.querySelectorAll('[data-item]').length === 1")
            found = (await ask("{ proposals { status } }"))["proposals"]
            assert sorted(each["status"] for each in found) == ["COMMITTED", "PENDING"]
