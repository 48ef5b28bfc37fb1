"""The dashboard, on which a person looks at a memory: `/`, with its files below `/dashboard`. It is
a client like any other, so only files are served here, and the data that they show comes from
`/graphql`."""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from graphmem.api.negotiation import HTML

KINDS = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
PAGE = "index.html"
# In addition to the policy of every answer: no form leaves the page, and no text can become markup,
# not even by a mistake in a script of ours.
POLICY = (
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "object-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)


def dashboard_routes(auth: str, version: str) -> list[Route]:
    """Return the routes of the page, of its files, and of an address that it had before; `auth`
    is the service's mode of authentication, `open` or `keys`."""
    served = page_files()
    page = served.pop(PAGE).replace("{auth}", auth).replace("{version}", version)
    return [
        Route("/", _build_endpoint({"": (page, HTML)})),
        Route("/dashboard", _lead_to_page),
        Route("/dashboard/", _lead_to_page),
        Route("/dashboard/{name:path}", _build_endpoint(_add_kinds(served))),
    ]


def page_files() -> dict[str, str]:
    """Return the texts of the page and its files, by their path below it."""
    return dict(_read_files(files("graphmem.api") / "dashboard_page"))


def _read_files(folder: Traversable, above: str = "") -> Iterator[tuple[str, str]]:
    for each in folder.iterdir():
        name = f"{above}{each.name}"
        if each.is_dir():
            yield from _read_files(each, f"{name}/")
        elif name == PAGE or _suffix(name) in KINDS:
            yield name, each.read_text(encoding="utf-8")


def _add_kinds(served: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    return {name: (text, KINDS[_suffix(name)]) for name, text in served.items()}


def _build_endpoint(
    served: Mapping[str, tuple[str, str]],
) -> Callable[[Request], Awaitable[Response]]:
    """Return an endpoint that serves these files, and nothing else: no path reaches the disk."""

    async def answer(request: Request) -> Response:
        found = served.get(request.path_params.get("name", ""))
        if found is None:
            return PlainTextResponse("Not found", 404)
        text, kind = found
        return Response(text, media_type=kind, headers={"Content-Security-Policy": POLICY})

    return answer


async def _lead_to_page(request: Request) -> Response:
    """Answer who has an old address; browsers keep what stands behind its `#`."""
    return RedirectResponse("/", 308)


def _suffix(name: str) -> str:
    return name.rpartition(".")[2]
