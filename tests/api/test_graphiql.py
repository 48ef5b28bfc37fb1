"""The page with GraphiQL, where its files are in the cache, and without."""

import zipfile
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Route

from graphmem.api.graphiql import OWN, GraphiqlPage
from graphmem.server.artifacts import locked
from graphmem.server.graphiql import FILES, cached_graphiql


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


@pytest.mark.parametrize("name", ["index.html", "__init__.py", "..%2Fgraphiql.py", "x.js", "js"])
async def test_nothing_else_is_served(cache: Path, name: str) -> None:
    async with client_of(GraphiqlPage("open", "1", lambda: cached_graphiql(cache))) as client:
        assert (await client.get(f"/graphiql/{name}")).status_code == 404


async def test_what_others_can_write_is_not_served(cache: Path) -> None:
    assert cached_graphiql(cache)
    (cache / locked("graphiql").folder_name).chmod(0o777)
    assert cached_graphiql(cache) == {}


async def test_without_its_files_the_page_is_the_one_with_the_form(tmp_path: Path) -> None:
    page = GraphiqlPage("open", "1.2.3", lambda: cached_graphiql(tmp_path))
    async with client_of(page) as client:
        assert 'id="request"' in (await client.get("/graphql")).text
        assert (await client.get("/graphiql/graphiql.min.js")).status_code == 404


async def test_files_that_come_later_are_found(tmp_path: Path, cache: Path) -> None:
    found: list[dict[str, bytes]] = [{}, cached_graphiql(cache)]
    page = GraphiqlPage("open", "1", lambda: found.pop(0))
    async with client_of(page) as client:
        assert 'id="request"' in (await client.get("/graphql")).text
        assert 'id="graphiql"' in (await client.get("/graphql")).text
