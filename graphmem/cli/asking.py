"""`graphmem remember`, `recall` and `call`: requests to a running service, from a shell."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Final
from urllib.parse import quote

import typer

from graphmem.cli.options import AsJson, Url, answer, settings_of, url_given
from graphmem.cli.probe import service_url
from graphmem.errors import Invalid
from graphmem.operations.codes import CODES, FAILED, Code

if TYPE_CHECKING:
    from graphmem.client import Memory
    from graphmem.rest.endpoints import Endpoint

SHOWN: Final = 10  # hits, unless another number is asked for

Key = Annotated[
    str | None,
    typer.Option(
        envvar="GRAPHMEM_KEY", metavar="KEY", help="The key to ask with.", show_default=False
    ),
]
User = Annotated[
    str | None,
    typer.Option(
        metavar="ID",
        help="Whose memory it is, where no key is asked for. "
        "[env: GRAPHMEM_DEFAULT_USER; default: me]",
        show_default=False,
    ),
]
Agent = Annotated[
    str | None,
    typer.Option(
        metavar="ID", help="The agent that asks; none: the user in person.", show_default=False
    ),
]


def remember(
    text: Annotated[str, typer.Argument(help="The text of the note.")],
    title: Annotated[str | None, typer.Option(metavar="TEXT", show_default=False)] = None,
    tag: Annotated[list[str] | None, typer.Option(metavar="WORD", show_default=False)] = None,
    domain: Annotated[str | None, typer.Option(metavar="PATH", show_default=False)] = None,
    user: User = None,
    agent: Agent = None,
    key: Key = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Remember a note, in a running service."""
    given = {"content": text, "title": title, "tags": tag, "domain": domain}
    with _open_client(user, agent, key, url) as memory:
        body = {name: value for name, value in given.items() if value}
        response = memory.request("POST", "/v1/remember", body=body)
    answer(response, f"{response['operation']} {response['noteId']}", as_json=as_json)


def recall(
    question: Annotated[str, typer.Argument(help="In plain words.")],
    k: Annotated[int, typer.Option(metavar="NUMBER", help="How many notes at most.")] = SHOWN,
    user: User = None,
    agent: Agent = None,
    key: Key = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Recall the notes that answer a question, best first, from a running service."""
    with _open_client(user, agent, key, url) as memory:
        response = memory.request("POST", "/v1/recall", body={"query": question, "k": k})
    lines = [f"{hit['rank']}. {hit['note']['content']}" for hit in response["hits"]]
    answer(response, "\n".join(lines) or "Nothing is known.", as_json=as_json)


def call(
    operation: Annotated[
        str | None, typer.Argument(help="Such as listNotes; without it all are listed.")
    ] = None,
    given: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FIELD=VALUE]...", help="A list is a field given more than once."),
    ] = None,
    body: Annotated[
        str | None,
        typer.Option(metavar="JSON", help="More fields, as an object.", show_default=False),
    ] = None,
    user: User = None,
    agent: Agent = None,
    key: Key = None,
    url: Url = None,
) -> None:
    """Run any operation of REST by its name, and print its answer as JSON.

    An error is reported by its code on stderr."""
    from graphmem.rest.endpoints import ENDPOINTS

    known = {each.name: each for each in ENDPOINTS if not each.streams and not each.daemon}
    if operation is None:
        typer.echo(
            "\n".join(f"{name}  {_describe_fields(each)}".strip() for name, each in known.items())
        )
        return
    if operation not in known:
        raise typer.BadParameter(f"there is no {operation}; `graphmem call` lists what there is")
    endpoint = known[operation]
    asked = _read_fields(endpoint, given or [], body)
    path = endpoint.path
    for name in endpoint.in_path:
        if not (text := str(asked.pop(name, ""))):
            raise Invalid(f"{name} is missing")
        path = path.replace(f"{{{name}}}", quote(text, safe=""))
    with _open_client(user, agent, key, url) as memory:
        place = {"body": asked} if endpoint.has_body else {"query": asked}
        response = memory.request(endpoint.method, path, **place)
    typer.echo(json.dumps(response, indent=2, ensure_ascii=False))


def _describe_fields(endpoint: "Endpoint") -> str:
    from graphmem.domain.fields import fields_of

    fields = [each for each in fields_of(endpoint.command) if each.wire not in endpoint.without]
    return " ".join(each.wire if each.required else f"[{each.wire}]" for each in fields)


def _read_fields(endpoint: "Endpoint", given: list[str], body: str | None) -> dict[str, Any]:
    """Return the fields by name. Those of a query stay texts, which the service parses; those of a
    body are parsed here in the same way. Raises Invalid."""
    from graphmem.rest.reading import read_body, read_query

    pairs = []
    for each in given:
        name, equals, text = each.partition("=")
        if not equals:
            raise typer.BadParameter(f"{each} is not FIELD=VALUE")
        pairs.append((name, text))
    if endpoint.has_body:
        return read_query(endpoint, pairs) | (read_body(body.encode()) if body else {})
    if body:
        raise typer.BadParameter(f"{endpoint.name} takes no --body")
    texts: dict[str, list[str]] = {}
    for name, text in pairs:
        texts.setdefault(name, []).append(text)
    return {name: found if len(found) > 1 else found[0] for name, found in texts.items()}


@contextmanager
def _open_client(
    user: str | None, agent: str | None, key: str | None, url: str | None
) -> "Iterator[Memory]":
    """Open the client of the service; an error of the service ends the command with its exit
    code."""
    from graphmem.client import Memory, ServiceError

    settings = settings_of(default_user=user)
    address = url_given(url) or service_url(settings)
    try:
        with Memory(address, user=settings.default_user, agent=agent, key=key) as memory:
            yield memory
    except ServiceError as error:
        typer.echo(f"graphmem: {error.code}: {error.message}", err=True)
        raise typer.Exit(CODES.get(error.code, Code(0, FAILED)).exit_code) from error
