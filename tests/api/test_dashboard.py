"""The files of the dashboard: which are served, with which headers, and what is in them."""

import re
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette

import graphmem.api.dashboard
from graphmem.api.dashboard import KINDS, POLICY, dashboard_routes

FOLDER = Path(graphmem.api.dashboard.__file__).with_name("dashboard_page")
FILES = sorted(str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.*"))
SCRIPTS = [name for name in FILES if name.endswith(".js")]
BROWSER = {"Accept": "text/html", "Sec-Fetch-Site": "same-origin", "User-Agent": "Mozilla/5.0"}


async def test_a_browser_gets_the_page_with_careful_headers(http: httpx.AsyncClient) -> None:
    response = await http.get("/", headers=BROWSER)
    assert response.status_code == 200
    assert 'data-auth="open"' in response.text
    assert "{" not in response.text  # all places are filled in
    headers = response.headers
    assert headers["content-type"] == "text/html; charset=utf-8"
    assert headers["content-security-policy"] == POLICY
    assert POLICY.startswith("default-src 'self';")
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-opener-policy"] == "same-origin"


@pytest.mark.parametrize("name", [name for name in FILES if name != "index.html"])
async def test_each_file_is_served(http: httpx.AsyncClient, name: str) -> None:
    response = await http.get(f"/dashboard/{name}", headers=BROWSER)
    assert response.status_code == 200
    assert response.text == (FOLDER / name).read_text(encoding="utf-8")
    assert response.headers["content-type"].startswith(KINDS[name.rpartition(".")[2]])
    assert response.headers["content-security-policy"] == POLICY


@pytest.mark.parametrize(
    "name",
    [
        *("index.html", "pages", "pages/", "x.js", "__init__.py", "../dashboard.py"),
        *("..%2Fdashboard.py", "pages%2F..%2F..%2Fdashboard.py", "/etc/passwd", ".%2Fmain.js"),
    ],
)
async def test_nothing_else_is_served(http: httpx.AsyncClient, name: str) -> None:
    response = await http.get(f"/dashboard/{name}", headers=BROWSER)
    assert response.status_code == 404


async def test_other_sites_get_no_page(http: httpx.AsyncClient) -> None:
    for site in ("cross-site", "same-site"):
        response = await http.get("/", headers={**BROWSER, "Sec-Fetch-Site": site})
        assert response.status_code == 403


async def test_with_keys_the_page_knows_it() -> None:
    app = Starlette(routes=dashboard_routes("keys", "1.2.3"))
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        page = (await client.get("/")).text
    assert 'data-auth="keys" data-version="1.2.3"' in page


@pytest.mark.parametrize("path", ["/dashboard", "/dashboard/"])
async def test_an_old_address_leads_to_it(http: httpx.AsyncClient, path: str) -> None:
    response = await http.get(path, headers=BROWSER)
    assert response.status_code == 308
    assert response.headers["location"] == "/"  # a browser adds what stands behind the #


@pytest.mark.parametrize("accept", ["*/*", "application/json", "text/html;q=0, */*"])
async def test_whoever_asks_gets_the_page(http: httpx.AsyncClient, accept: str) -> None:
    """Also a program that looks if somebody is there; what is for programs stands in the page."""
    response = await http.get("/", headers={"Accept": accept})
    assert response.status_code == 200
    assert 'href="/schema.graphql"' in response.text
    assert (await http.head("/")).status_code == 200
    assert (await http.post("/", json={})).status_code == 405


async def test_where_it_leads_something_is(http: httpx.AsyncClient) -> None:
    page, script = ((FOLDER / name).read_text("utf-8") for name in ("index.html", "main.js"))
    found = set(re.findall(r'href="(/[^"]*)"', page) + re.findall(r'", "(/[^"]*)"\]', script))
    assert found >= {"/graphql", "/docs", "/schema.graphql"}
    for address in found:
        assert (await http.get(address, headers=BROWSER)).status_code == 200, address


def test_the_page_has_no_code_or_style_of_its_own_and_loads_only_files_that_are_there() -> None:
    page = (FOLDER / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"<script>|<style|\son\w+=|\sstyle=", page)
    for found in re.findall(r'<(?:link|script)[^>]* (?:src|href)="([^"]*)"', page):
        assert found.removeprefix("/dashboard/") in FILES


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_imports_only_its_neighbours_and_makes_no_markup(name: str) -> None:
    text = (FOLDER / name).read_text(encoding="utf-8")
    for found in re.findall(r"""(?:from|import)\s+["']([^"']+)["']""", text):
        path = (FOLDER / name).parent / found
        assert str(path.resolve().relative_to(FOLDER.resolve())) in FILES
    ways = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\(|new Function"
    assert not re.search(ways, text)
    assert "http:" not in text.replace("http://www.w3.org/2000/svg", "")  # a name, not an address
    assert not re.search(r"https://|localStorage\.setItem\([^)]*key\b", text)


@pytest.mark.parametrize("name", FILES)
def test_a_file_stays_short(name: str) -> None:
    lines = (FOLDER / name).read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 400
    assert max(map(len, lines)) <= 100 or not name.endswith(".js")
