"""The protocol as independent clients see it: graphql-http, graphql-ws and graphql-sse, and gql."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from gql import Client, gql
from gql.transport.exceptions import TransportQueryError
from gql.transport.websockets import WebsocketsTransport
from node import installed, needs_node, run_program
from toy_service import SECRET, World, serving, toy_app

SCRIPTS = Path(__file__).parent / "conformance"
MASKED = {"message": "Internal error", "code": "INTERNAL_SERVER_ERROR"}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def host() -> AsyncIterator[str]:
    async with serving(toy_app(World(revoked={"revoked"}))) as address:
        yield address


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def clients(request: pytest.FixtureRequest, tmp_path_factory) -> Path:
    """The folder with the JavaScript clients; installed once for each version of the lock file."""
    return await installed(request.config, SCRIPTS, tmp_path_factory.mktemp("clients"))


@needs_node
async def test_all_audits_of_graphql_over_http_pass(host, clients):
    results = json.loads(await run_program(clients, "node", "audit.mjs", f"http://{host}/graphql"))
    assert [result for result in results if result["status"] != "ok"] == []
    assert len(results) == 61


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def found(host, clients):
    """What the JavaScript clients saw."""
    async with serving(toy_app(World(), init_timeout_s=0.3)) as impatient:
        out = await run_program(clients, "node", "clients.mjs", host, impatient)
    assert SECRET not in out
    assert "my diary" not in out
    return json.loads(out)


def failure(outcome: dict) -> dict:
    """The error that an operation ended with, in whichever way the transport tells it."""
    error = outcome["error"][0] if "error" in outcome else outcome["results"][-1]["errors"][0]
    return {"message": error["message"], "code": error["extensions"]["code"]}


@needs_node
@pytest.mark.parametrize("transport", ["ws", "sse"])
def test_operations_run_over_streams(found, transport):
    seen = found[transport]
    assert seen["query"] == {"results": [{"data": {"echo": "hi"}}]}
    assert seen["mutation"] == {"results": [{"data": {"setValue": 5}}]}
    assert [r["data"]["count"]["n"] for r in seen["subscription"]["results"]] == [0, 1, 2]


@needs_node
@pytest.mark.parametrize("transport", ["ws", "sse"])
def test_errors_over_streams_have_codes_and_are_masked(found, transport):
    seen = found[transport]
    assert failure(seen["crash"]) == MASKED
    assert seen["crashMidway"]["results"][0] == {"data": {"crashMidway": 1}}
    assert failure(seen["crashMidway"]) == MASKED
    assert failure(seen["conflict"]) == {"message": "Somebody changed it", "code": "CONFLICT"}
    codes = {name: failure(outcome)["code"] for name, outcome in seen.items() if fails(outcome)}
    assert codes == {
        "crash": "INTERNAL_SERVER_ERROR",
        "crashMidway": "INTERNAL_SERVER_ERROR",
        "refused": "FORBIDDEN",
        "conflict": "CONFLICT",
        "validation": "GRAPHQL_VALIDATION_FAILED",
        "syntax": "GRAPHQL_PARSE_FAILED",
        "coercion": "BAD_USER_INPUT",
        "complex": "QUERY_TOO_COMPLEX",
    }


def fails(outcome: dict) -> bool:
    return "error" in outcome or "errors" in outcome["results"][-1]


@needs_node
def test_a_syntax_error_leaves_the_socket_and_its_other_operations_alone(found):
    assert found["reopened"] == 0


@needs_node
@pytest.mark.parametrize(
    ("case", "code"),
    [
        ("noProtocol", 4406),
        ("noInit", 4408),
        ("early", 4401),
        ("twice", 4429),
        ("sameId", 4409),
        ("unknownKey", 4401),
        ("banned", 4403),
        ("down", 1013),
        ("bug", 1011),
        ("notJson", 4400),
        ("array", 4400),
        ("binary", 4400),
        ("deep", 4400),
        ("badPayload", 4400),
        ("badId", 4400),
        ("badComplete", 4400),
    ],
)
def test_a_socket_is_closed_with_a_code_that_tells_why(found, case, code):
    assert found["endings"][case]["code"] == code


@needs_node
def test_a_socket_of_another_site_or_of_the_old_protocol_does_not_open(found):
    assert found["endings"]["foreignOrigin"] == {"status": 403}
    assert found["endings"]["foreignHost"] == {"status": 403}
    assert found["endings"]["legacy"]["received"] == []  # the client itself ends it: code 1006


@needs_node
def test_operation_101_on_a_socket_is_refused(found):
    assert found["tooMany"]["id"] == "100"
    assert found["tooMany"]["payload"][0]["extensions"]["code"] == "RATE_LIMITED"


async def test_gql_runs_operations_over_one_socket(host):
    transport = WebsocketsTransport(
        url=f"ws://{host}/graphql", subprotocols=["graphql-transport-ws"]
    )
    async with Client(transport=transport, fetch_schema_from_transport=True) as session:
        assert await session.execute(gql('{ echo(text: "ü") }')) == {"echo": "ü"}
        ticks = [
            result["count"]["n"]
            async for result in session.subscribe(gql("subscription { count(to: 3) { n } }"))
        ]
        with pytest.raises(TransportQueryError, match="Internal error"):
            await session.execute(gql("{ crash }"))
    assert ticks == [0, 1, 2]
