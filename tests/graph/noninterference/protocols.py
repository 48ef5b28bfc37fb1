"""The reads of a case by REST, by MCP and by the Python client: the same command, asked in the
protocol's own way."""

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, is_dataclass
from datetime import datetime
from functools import cache
from typing import Any
from urllib.parse import quote

import httpx
from in_process import memory_in_process

from graphmem.api.schema import create_schema
from graphmem.client import Memory, ServiceError
from graphmem.domain.fields import fields_of
from graphmem.mcp.failures import ERROR
from graphmem.mcp.offers import OFFERS
from graphmem.mcp.tool import Param, Tool
from graphmem.operations.commands.health import GetHealth
from graphmem.operations.commands.jobs import ListJobRuns, ListJobs
from graphmem.rest.endpoints import ENDPOINTS, Endpoint

from .documents import Call

UNSTEADY = ("tookMs", "took_ms")  # how long it took differs from one time to the next
OF_EVERYBODY = (GetHealth, ListJobs, ListJobRuns)  # of runs that other tests make meanwhile
MOST_TOKENS = 20_000  # so that no page is cut where ids happen to be longer
POSTED = {"accept": "application/json, text/event-stream"}


@cache
def commands() -> Mapping[str, Any]:
    """The command of each field of Query."""
    schema = create_schema()
    kind: Any = schema.get_type_by_name("Query")
    name = schema.config.name_converter.from_field
    return {name(each): each.base_resolver.wrapped_func.command for each in kind.fields}


def given_to(call: Call) -> dict[str, Any]:
    """The fields of its command."""
    inner = call.arguments.get("input")
    given = inner if isinstance(inner, Mapping) else call.arguments
    return {name: value for name, value in given.items() if value is not None}


Told = dict[str, Any]  # an answer with what was asked, and the code of an error


async def by_rest(http: httpx.AsyncClient, headers: Mapping[str, str], call: Call) -> list[Told]:
    """What REST answers; nothing where it does not offer this."""
    given = given_to(call)
    for endpoint in _endpoints(commands()[call.field]):
        if set(endpoint.in_path) <= given.keys() and not given.keys() & set(endpoint.without):
            answer = await http.request(**_request(endpoint, dict(given)), headers=dict(headers))
            code = None if answer.is_success else answer.json()["code"]
            return [{"asked": endpoint.name, "code": code, "told": _steady(answer.json())}]
    return []


def _endpoints(command: Any) -> Iterator[Endpoint]:
    if command not in OF_EVERYBODY:
        yield from (each for each in ENDPOINTS if each.command is command and not each.daemon)


def _request(endpoint: Endpoint, given: dict[str, Any]) -> dict[str, Any]:
    path = endpoint.path
    for name in endpoint.in_path:
        path = path.replace(f"{{{name}}}", quote(str(given.pop(name)), safe=""))
    if endpoint.has_body:
        return {"method": endpoint.method, "url": path, "json": given}
    inner = given.pop("filter", {})
    flat = {
        name: str(v).lower() if isinstance(v, bool) else v for name, v in (given | inner).items()
    }
    return {"method": endpoint.method, "url": path, "params": flat}


async def by_mcp(http: httpx.AsyncClient, headers: Mapping[str, str], call: Call) -> list[Told]:
    """What each tool of MCP with this command answers."""
    told: list[Told] = []
    for endpoint, tool in _tools(commands()[call.field]):
        arguments = dict(_arguments(tool, given_to(call)))
        if not {each.name for each in tool.params if _needed(tool, each)} <= arguments.keys():
            continue
        if "token_budget" in tool.frame:
            arguments["token_budget"] = MOST_TOKENS
        params = {"name": tool.name, "arguments": arguments}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        answer = await http.post(f"/mcp/{endpoint}", json=body, headers={**headers, **POSTED})
        result = answer.json().get("result", {})
        error = result.get("_meta", {}).get(ERROR)
        said = _steady(error or result["structuredContent"])
        told.append({"asked": tool.name, "code": error and error["code"], "told": said})
    return told


def _tools(command: Any) -> Iterator[tuple[str, Tool]]:
    for endpoint, tools in OFFERS.items():
        yield from ((endpoint, tool) for tool in tools if tool.command is command)


def _needed(tool: Tool, param: Param) -> bool:
    if param.required is not None:
        return param.required
    return any(each.wire == param.of and each.required for each in fields_of(tool.command))


def _arguments(tool: Tool, given: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for param in tool.params:
        first, _, rest = param.of.partition(".")
        value = given.get(first)
        value = value.get(rest) if rest and isinstance(value, Mapping) else value
        if value is not None:
            yield param.name, value


Asked = Callable[..., Any]
CLIENT: Mapping[str, Asked] = {  # what the client has a method for
    "agents": lambda memory: memory.agents(),
    "context": Memory.context,
    "note": lambda memory, **given: _note(memory, **given),
    "notes": lambda memory, first, filter=None, after=None: memory.note_page(
        first=first, after=after, **(filter or {})
    ),
    "recall": Memory.recall,
    "stats": lambda memory: memory.stats(),
}


def _note(memory: Memory, id: str = "", external_id: str = "") -> Any:
    return memory.note(id) if id else memory.find(external_id)


async def by_client(http: httpx.AsyncClient, headers: Mapping[str, str], call: Call) -> list[Told]:
    """What the Python client answers; nothing where it has no method for this."""
    given = {_snake(name): value for name, value in given_to(call).items()}
    ask = CLIENT.get(call.field)
    if ask is None or (call.field not in ("recall", "context") and "as_of" in given):
        return []
    memory = memory_in_process(http, headers)
    try:
        told, code = await asyncio.to_thread(ask, memory, **given), None
    except ServiceError as error:
        told, code = {"message": str(error)}, error.code
    if isinstance(told, tuple):
        told = {"all": list(told)}
    plain = asdict(told) if is_dataclass(told) and not isinstance(told, type) else told
    return [{"asked": f"client {call.field}", "code": code, "told": _steady(plain)}]


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])([A-Z])", lambda found: f"_{found[1].lower()}", name)


def _steady(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _steady(each) for name, each in value.items() if name not in UNSTEADY}
    if is_dataclass(value) and not isinstance(value, type):
        return _steady(asdict(value))
    if isinstance(value, datetime):
        return value.isoformat()
    return [_steady(each) for each in value] if isinstance(value, list | tuple) else value
