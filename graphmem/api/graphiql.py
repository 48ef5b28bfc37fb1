"""What a person gets who opens `/graphql` in a browser: GraphiQL, in which one queries the API with
completion and documentation, or a page with a form while GraphiQL is missing. Everything that they
load comes from this service."""

from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from graphmem.api.negotiation import HTML, names

Files = Callable[[], Mapping[str, bytes]]
# GraphiQL's style sheet contains its fonts.
POLICY = "default-src 'self'; font-src 'self' data:; frame-ancestors 'none'"
OWN = ("page.css", "page.js")
FORM = ("form.css", "form.js")
KINDS = {"css": "text/css", "js": "text/javascript"}


def is_for_page(request: Request) -> bool:
    """Return True if a person opens the address in a browser, without a query."""
    wanted = request.method == "GET" and "query" not in request.query_params
    return wanted and names(HTML, request.headers.get("accept"))


class GraphiqlPage:
    """The page with its files, which may become available later than the service."""

    def __init__(self, auth: str, version: str, files_of: Files) -> None:
        """Build the page. `auth` is `open` or `keys`; `files_of` returns GraphiQL's files, none
        while they are missing."""
        self._page = _read_file("index.html").replace("{auth}", auth)
        self._form = form_of(auth, version)
        self._files_of = files_of
        self._files: Mapping[str, bytes] = {}

    def files(self) -> Mapping[str, bytes]:
        """Return GraphiQL's own files by their names."""
        if not self._files:
            self._files = self._files_of()
        return self._files

    def response(self) -> Response:
        """Return the page, or the form if GraphiQL is not available."""
        if not self.files():
            return Response(self._form, media_type=HTML)
        return Response(self._page, media_type=HTML, headers={"Content-Security-Policy": POLICY})

    def route(self) -> Route:
        """Return the route of the files that the page loads."""
        return Route("/graphiql/{name}", self._serve_file)

    async def _serve_file(self, request: Request) -> Response:
        name = request.path_params["name"]
        own = name in (*OWN, *FORM)
        content = _read_file(name).encode() if own else self.files().get(name)
        if content is None:
            return PlainTextResponse("Not found", 404)
        return Response(content, media_type=KINDS[name.rpartition(".")[2]])


def form_of(auth: str, version: str) -> str:
    """Return the page with a form and links to the rest; `auth` is `open` or `keys`."""
    return _read_file("form.html").replace("{auth}", auth).replace("{version}", version)


@cache
def _read_file(name: str) -> str:
    return (files("graphmem.api") / "graphiql_page" / name).read_text(encoding="utf-8")
