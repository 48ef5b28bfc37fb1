"""The page for a browser: at `/` and `/graphql`, with nothing from another site."""

import re

import httpx
import pytest
from starlette.applications import Starlette

from graphmem.api.welcome import FILES, welcome_routes

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}


@pytest.mark.parametrize("path", ["/", "/graphql"])
async def test_a_browser_gets_a_page(http: httpx.AsyncClient, path: str):
    response = await http.get(path, headers=BROWSER)
    assert response.status_code == 200
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert 'data-auth="open"' in response.text
    assert "{" not in re.sub(r"<[^>]*>", "", response.text)  # all places are filled in


async def test_the_page_loads_only_what_this_service_has(http: httpx.AsyncClient):
    page = (await http.get("/", headers=BROWSER)).text
    for found in re.findall(r'(?:src|href)="([^"]*)"', page):
        got = await http.get(found, headers=BROWSER)
        assert got.status_code in (200, 503), found
    for name in FILES:
        text = (await http.get(f"/{name}")).text
        assert "//" not in text.replace("://", "")
        assert "http" not in text.lower()
    assert "http" not in page.lower().replace("any http client", "")
    assert not re.search(r"<script>|<style>|\son\w+=|\sstyle=", page)  # the policy refuses those


async def test_the_policy_is_the_one_of_every_answer(http: httpx.AsyncClient):
    policy = (await http.get("/", headers=BROWSER)).headers["content-security-policy"]
    assert policy == "default-src 'self'; frame-ancestors 'none'"


@pytest.mark.parametrize(
    "headers",
    [{}, {"Accept": "*/*"}, {"Accept": "application/json"}, {"Accept": "text/html;q=0, */*"}],
)
async def test_a_program_gets_json_from_graphql(http: httpx.AsyncClient, headers: dict[str, str]):
    response = await http.get("/graphql", headers=headers)
    assert response.status_code == 400
    assert response.headers["content-type"].startswith("application/json")


async def test_a_query_in_the_address_is_answered_in_json(http: httpx.AsyncClient):
    response = await http.get("/graphql?query={__typename}", headers=BROWSER)
    assert response.json() == {"data": {"__typename": "Query"}}


async def test_other_sites_get_no_page(http: httpx.AsyncClient):
    for site in ("cross-site", "same-site"):
        response = await http.get("/", headers={**BROWSER, "Sec-Fetch-Site": site})
        assert response.status_code == 403


async def test_with_keys_the_page_asks_for_one():
    app = Starlette(routes=[*welcome_routes("keys", "1.2.3")])
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        page = (await client.get("/")).text
    assert 'data-auth="keys"' in page
    assert "1.2.3" in page
