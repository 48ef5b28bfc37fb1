"""The OpenAPI 3.1 document, made from the table of endpoints, the commands and their answers."""

from collections.abc import Iterator
from typing import Any, Final, get_args

from graphmem.domain.fields import Field, fields_of
from graphmem.domain.ids import MAX_ID_LENGTH
from graphmem.operations.docstrings import docstrings, sentence_of
from graphmem.operations.json_schema import ONE_NAME, Schema, Schemas
from graphmem.operations.problems import PROBLEM
from graphmem.rest.endpoints import ENDPOINTS, Endpoint
from graphmem.rest.reading import places_of
from graphmem.rest.streams import EVENTS, RECORDS

JSON: Final = "application/json"
VERSIONS: Final = r'^("[0-9]{1,9}"|\*)$'  # of If-Match
PROBLEM_SCHEMA: Final[Schema] = {
    "type": "object",
    "description": "What went wrong (RFC 9457); `code` is that of GraphQL.",
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "code": {"type": "string"},
        "retryable": {"type": "boolean"},
    },
    "required": ["type", "title", "status", "detail", "code", "retryable"],
}
DAEMON_ERROR: Final[Schema] = {
    "type": "object",
    "description": "What went wrong.",
    "properties": {"success": {"const": False}, "error": {"type": "string"}},
    "required": ["success", "error"],
}
HEADERS: Final = {
    "X-Graphmem-User": "the user that asks, where no key is asked for",
    "X-Graphmem-Agent": "the agent that asks; without it the user asks in person",
    "X-Graphmem-Client": "any name of the program that asks; what it recalls by GET counts as used",
}
ABOUT: Final = (
    "The memory of a team of people and their AI agents. A GET changes nothing and leaves no trace;"
    " with a key or X-Graphmem-Client, what it recalls counts as used."
)


def document(version: str) -> Schema:
    """Return the document of the service."""
    schemas = Schemas()
    paths: dict[str, Any] = {
        path: {"get": _health_operation(path)} for path in ("/health", "/v1/health")
    }
    for endpoint in ENDPOINTS:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint, schemas)
    found = {**schemas.found, "Problem": PROBLEM_SCHEMA, "DaemonError": DAEMON_ERROR}
    return {
        "openapi": "3.1.0",
        "info": {"title": "graphmem", "version": version, "description": ABOUT},
        "paths": paths,
        "components": {
            "schemas": dict(sorted(found.items())),
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"key": []}],
    }


def _health_operation(path: str) -> Schema:
    status = {"type": "object", "properties": {"status": {"const": "ok"}}, "required": ["status"]}
    return {
        "operationId": "health" if path == "/health" else "healthV1",
        "summary": "That the service answers, whatever its database does.",
        "tags": ["service"],
        "security": [{}],
        "responses": {"200": _build_response("It answers.", status)},
    }


def _operation(endpoint: Endpoint, schemas: Schemas) -> Schema:
    made: Schema = {
        "operationId": endpoint.name,
        "summary": sentence_of(endpoint.command),
        "tags": [endpoint.group],
        "parameters": [*_parameters(endpoint, schemas)],
        "responses": _build_responses(endpoint, schemas),
    }
    if endpoint.has_body:
        taken = schemas.parameters(endpoint.command, *endpoint.in_path, *endpoint.without)
        made["requestBody"] = {"required": True, "content": {JSON: {"schema": taken}}}
    return made


def _parameters(endpoint: Endpoint, schemas: Schemas) -> Iterator[Schema]:
    known = {field.wire: field for field in fields_of(endpoint.command)}
    for name in endpoint.in_path:
        schema = {"minLength": 1} | _without_null(schemas.field(known[name]))
        schema.pop("default", None)
        yield {"name": name, "in": "path", "required": True, "schema": schema}
    if not endpoint.has_body:
        yield from _query_parameters(endpoint, schemas)
    for name, words in HEADERS.items():
        yield _build_header(
            name, words, {"pattern": f"^({ONE_NAME})?$", "maxLength": MAX_ID_LENGTH}
        )
    if endpoint.keyed:
        yield _build_header("Idempotency-Key", "a write that is repeated with it is done once")
    if endpoint.matches_version:
        words = 'the version that is expected, such as "3", or *'
        yield _build_header("If-Match", words, {"pattern": VERSIONS})
    if endpoint.resumes:
        yield _build_header("Last-Event-ID", "the number after which to go on")


def _query_parameters(endpoint: Endpoint, schemas: Schemas) -> Iterator[Schema]:
    hidden = (*endpoint.in_path, *endpoint.without)
    for name, (field, inside) in places_of(endpoint.command).items():
        if name in hidden:
            continue
        owner = _owner_of(endpoint, inside)
        schema = _without_null(schemas.field(field))
        words = docstrings(owner).get(field.name)
        yield {
            "name": name,
            "in": "query",
            "required": field.required and inside is None,
            "schema": schema,
            **({"description": words} if words else {}),
        }


def _owner_of(endpoint: Endpoint, inside: str | None) -> type:
    fields: dict[str, Field] = {field.wire: field for field in fields_of(endpoint.command)}
    return endpoint.command if inside is None else fields[inside].type


def _without_null(schema: Schema) -> Schema:
    """Return the schema without null, which a query can't express."""
    made = dict(schema)
    if isinstance(made.get("type"), list):
        made["type"] = made["type"][0]
    if "enum" in made:
        made["enum"] = [each for each in made["enum"] if each is not None]
    return made


def _build_header(name: str, words: str, letters: Schema | None = None) -> Schema:
    schema = {"type": "string", **(letters or {})}
    return {"name": name, "in": "header", "schema": schema, "description": words}


def _build_responses(endpoint: Endpoint, schemas: Schemas) -> Schema:
    media, name = (JSON, "DaemonError") if endpoint.daemon else (PROBLEM, "Problem")
    failed = {"$ref": f"{schemas.place}{name}"}
    return {
        **_success_responses(endpoint, schemas),
        "default": _build_response("It failed.", failed, media),
    }


def _success_responses(endpoint: Endpoint, schemas: Schemas) -> Schema:
    if endpoint.lines:
        words = "JSON objects, one a line, as in the portable format; the last one counts them."
        return {"200": _build_response(words, {"type": "string"}, RECORDS)}
    if endpoint.streams:
        (each, *_) = get_args(endpoint.answer)
        name = schemas.answer(each)["$ref"].rpartition("/")[2]
        words = f"Server-sent events; the data of each is JSON, as in the schema {name}."
        return {"200": _build_response(words, {"type": "string"}, EVENTS)}
    schema = schemas.answer(endpoint.answer)
    if endpoint.under is not None:
        under = endpoint.under
        schema = {"type": "object", "properties": {under: schema}, "required": [under]}
    made = {"200": _build_response("Done.", schema)}
    if endpoint.name == "remember":
        made["201"] = _build_response("A note was made.", schema)
    return made


def _build_response(words: str, schema: Schema, media: str = JSON) -> Schema:
    return {"description": words, "content": {media: {"schema": schema}}}
