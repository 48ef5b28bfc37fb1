"""The route `/metrics`: for admins, and for who brings the key of its setting."""

from collections.abc import Callable
from hmac import compare_digest

from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from pydantic import SecretStr
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from graphmem.metrics.exporting import Exported, registry_of
from graphmem.operations.authentication import AUTHORIZATION, Authenticator, Credentials
from graphmem.operations.codes import failure_of, headers_of
from graphmem.operations.operation import open_operation
from graphmem.operations.problems import PROBLEM, problem_of
from graphmem.services.actors import require_admin
from graphmem.services.context import Context
from graphmem.services.health import GraphLook


def metrics_routes(
    get_service: Callable[[], Context],
    *,
    authenticator: Authenticator,
    key: SecretStr | None,
    version: str,
) -> list[Route]:
    """Return `/metrics`. They are of everybody, so an agent, or a user who is no admin, gets none;
    `key` opens this route alone."""
    graph = GraphLook()

    async def check(request: Request, service: Context) -> None:
        if key is not None and _brings(request, key):
            return
        given = Credentials.of(request.headers)
        require_admin((await open_operation(service, authenticator, given, traces=False)).access)

    async def metrics(request: Request) -> Response:
        try:
            service = get_service()
            await check(request, service)
        except Exception as error:
            failure = failure_of(error)
            body, headers = problem_of(failure), headers_of(failure)
            return JSONResponse(body, failure.status, headers, media_type=PROBLEM)
        exported = Exported(
            context=service,
            graph=await graph.look(service),
            streams=authenticator.streams.taken,
            version=version,
        )
        return Response(
            generate_latest(registry_of(exported)), headers={"Content-Type": CONTENT_TYPE_LATEST}
        )

    return [Route("/metrics", metrics)]


def _brings(request: Request, key: SecretStr) -> bool:
    """Return True if a request brings this key; it takes as long for any other key."""
    kind, _, given = request.headers.get(AUTHORIZATION, "").partition(" ")
    return kind.lower() == "bearer" and compare_digest(
        given.strip().encode(), key.get_secret_value().encode()
    )
