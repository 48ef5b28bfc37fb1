"""What a browser gets at `/graphql`: GraphiQL where its files are in the cache, else a form."""

import re
import zipfile
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Route

from graphmem.api.graphiql import FORM, OWN, GraphiqlPage, form_of
from graphmem.server.artifacts import locked
from graphmem.server.graphiql import FILES, cached_graphiql

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A cache with jars that have the names of GraphiQL's files in them."""
    jar_set = locked("graphiql")
    folder = tmp_path / jar_set.folder_name
    folder.mkdir()
    for jar in jar_set.jars:
        with zipfile.ZipFile(folder / jar.filename, "w") as archive:
            for name, (package, path) in FILES.items():
                if package == jar.artifact:
                    inside = f"META-INF/resources/webjars/{package}/{jar.version}/{path}"
                    archive.writestr(inside, f"/* {name} */")
        (folder / jar.filename).chmod(0o644)
    folder.chmod(0o755)
    return tmp_path


def client_of(page: GraphiqlPage) -> httpx.AsyncClient:
    """A client of a service that has only this page."""

    async def show(request: object) -> object:
        return page.response()

    app = Starlette(routes=[Route("/graphql", show), page.route()])
    return httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://127.0.0.1")


async def test_the_page_and_all_that_it_loads_are_served(cache: Path) -> None:
    async with client_of(GraphiqlPage("keys", "1", lambda: cached_graphiql(cache))) as client:
        page = await client.get("/graphql")
        assert 'data-auth="keys"' in page.text
        assert page.headers["content-security-policy"].startswith("default-src 'self';")
        for name in (*FILES, *OWN):
            assert f'"/graphiql/{name}"' in page.text
            answer = await client.get(f"/graphiql/{name}")
            assert answer.status_code == 200
            assert answer.headers["content-type"].startswith("text/")
            assert name in FILES or "http" not in answer.text.replace("https:", "")
        assert (await client.get("/graphiql/react.production.min.js")).text.startswith("/* react")


@pytest.mark.parametrize(
    "name", ["index.html", "form.html", "__init__.py", "..%2Fgraphiql.py", "x.js", "js"]
)
async def test_nothing_else_is_served(cache: Path, name: str) -> None:
    async with client_of(GraphiqlPage("open", "1", lambda: cached_graphiql(cache))) as client:
        assert (await client.get(f"/graphiql/{name}")).status_code == 404


async def test_what_others_can_write_is_not_served(cache: Path) -> None:
    assert cached_graphiql(cache)
    (cache / locked("graphiql").folder_name).chmod(0o777)
    assert cached_graphiql(cache) == {}


async def test_without_its_files_the_page_is_the_one_with_the_form(tmp_path: Path) -> None:
    page = GraphiqlPage("keys", "1.2.3", lambda: cached_graphiql(tmp_path))
    async with client_of(page) as client:
        shown = (await client.get("/graphql")).text
        assert 'id="request"' in shown
        assert 'data-auth="keys"' in shown
        assert "1.2.3" in shown
        assert "{" not in re.sub(r"<[^>]*>", "", shown)  # all places are filled in
        assert not re.search(
            r"<script>|<style>|\son\w+=|\sstyle=", shown
        )  # the policy refuses those
        assert "http" not in shown.lower().replace("any http client", "")
        for name in FORM:
            assert f'"/graphiql/{name}"' in shown
            text = (await client.get(f"/graphiql/{name}")).text
            assert "//" not in text
        assert (await client.get("/graphiql/graphiql.min.js")).status_code == 404


async def test_the_form_leads_only_to_what_this_service_has(http: httpx.AsyncClient) -> None:
    for found in re.findall(r'(?:src|href)="([^"]*)"', form_of("open", "1")):
        got = await http.get(found, headers=BROWSER)
        assert got.status_code in (200, 503), found


async def test_a_browser_gets_a_page(http: httpx.AsyncClient) -> None:
    response = await http.get("/graphql", headers=BROWSER)
    assert response.status_code == 200
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert 'data-auth="open"' in response.text
    assert response.headers["content-security-policy"].startswith("default-src 'self'; ")


@pytest.mark.parametrize(
    "headers",
    [{}, {"Accept": "*/*"}, {"Accept": "application/json"}, {"Accept": "text/html;q=0, */*"}],
)
async def test_a_program_gets_json(http: httpx.AsyncClient, headers: dict[str, str]) -> None:
    response = await http.get("/graphql", headers=headers)
    assert response.status_code == 400
    assert response.headers["content-type"].startswith("application/json")


async def test_a_query_in_the_address_is_answered_in_json(http: httpx.AsyncClient) -> None:
    response = await http.get("/graphql?query={__typename}", headers=BROWSER)
    assert response.json() == {"data": {"__typename": "Query"}}


async def test_other_sites_get_no_page(http: httpx.AsyncClient) -> None:
    for site in ("cross-site", "same-site"):
        response = await http.get("/graphql", headers={**BROWSER, "Sec-Fetch-Site": site})
        assert response.status_code == 403


async def test_files_that_come_later_are_found(tmp_path: Path, cache: Path) -> None:
    found: list[dict[str, bytes]] = [{}, cached_graphiql(cache)]
    page = GraphiqlPage("open", "1", lambda: found.pop(0))
    async with client_of(page) as client:
        assert 'id="request"' in (await client.get("/graphql")).text
        assert 'id="graphiql"' in (await client.get("/graphql")).text
