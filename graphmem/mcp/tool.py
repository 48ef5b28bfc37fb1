"""A tool: its name, its parameters, and the command that it runs.

Names and choices have the form that models know (`agent_id`, `user-only`). Types, defaults and
bounds are those of the command's fields."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Annotated, Any, Final

from graphmem.domain.fields import REQUIRED, AtMost, Between, Field, Id, Input, Named, fields_of
from graphmem.domain.visibility import Visibility
from graphmem.errors import Forbidden, Invalid
from graphmem.mcp.answers import adapter_of, word, words
from graphmem.operations.command import Command
from graphmem.operations.limits import MAX_ANSWER_TOKENS, MIN_ANSWER_TOKENS
from graphmem.operations.metering import run_counted
from graphmem.operations.operation import Operation
from graphmem.operations.parsing import parse
from graphmem.operations.scalars import format_instant
from graphmem.operations.tools import Mcp

NOT_CHOSEN: Final = word(Visibility.QUARANTINED)  # only rules give it
SIMPLE: Final = {str: "string", int: "integer", float: "number", bool: "boolean"}


@dataclass(frozen=True, kw_only=True)
class Frame(Input):
    """The parameters of tools in addition to those of their command."""

    agent_id: Annotated[Id | None, Named("agent_id")] = None
    source_agent_id: Annotated[Id | None, Named("source_agent_id")] = None
    from_agent_id: Annotated[Id | None, Named("from_agent_id")] = None
    user_id: Annotated[Id | None, Named("user_id")] = None
    cursor: str | None = None
    token_budget: Annotated[
        int | None, Between(MIN_ANSWER_TOKENS, MAX_ANSWER_TOKENS), Named("token_budget")
    ] = None

    @property
    def asking(self) -> str | None:
        """The agent that a call names as its own, by whichever of the names."""
        return self.agent_id or self.source_agent_id or self.from_agent_id


USER: Final = "user_id"
FRAME: Final = ("agent_id", "source_agent_id", "from_agent_id", USER, "cursor", "token_budget")


@dataclass(frozen=True, kw_only=True)
class Param:
    """A parameter of a tool that is a field of its command."""

    name: str
    of: str
    """the field, by its name in requests; `filter.domain` is a field within one"""
    about: str = ""
    """empty if its name says everything"""
    required: bool | None = None
    """set if it differs from the field"""
    own_default: bool = False
    """leaving it out does not mean the default of the field"""


@dataclass(frozen=True, kw_only=True)
class Call:
    """One call of a tool."""

    operation: Operation
    body: dict[str, Any]
    """the input of its command"""
    cursor: str | None
    tokens: int
    tools: Mcp


Run = Callable[["Tool", Call], Awaitable[Any]]


@dataclass(frozen=True, kw_only=True)
class Tool:
    """An action that a model can call."""

    name: str
    title: str
    about: str
    command: type[Command[Any]]
    answer: type
    run: Run
    params: tuple[Param, ...] = ()
    frame: tuple[str, ...] = ("agent_id",)
    fixed: Mapping[str, object] = field(default_factory=dict)
    """fields that are always given"""
    destructive: bool = False
    idempotent: bool = False

    @property
    def input_schema(self) -> dict[str, Any]:
        """The JSON Schema of its parameters. It is short, as a model reads it before anything is
        asked: parameters of most tools are described once, in the instructions, and `user_id`,
        which changes nothing, is left out."""
        known = {each.name: (each, _find_field(self.command, each.of)) for each in self.params}
        own = {each.wire: each for each in fields_of(Frame)}
        properties = {
            name: _description_of(param) | _schema_of_param(param, found)
            for name, (param, found) in known.items()
        } | {name: {"type": schema_of(own[name])["type"]} for name in self.frame if name != USER}
        required = [
            name
            for name, (param, found) in known.items()
            if (found.required if param.required is None else param.required)
        ]
        schema = {"type": "object", "properties": properties}
        return schema | ({"required": required} if required else {})

    @property
    def output_schema(self) -> dict[str, Any]:
        """The JSON Schema of its answer."""
        return adapter_of(self.answer).json_schema()

    def body(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the input of its command. Raises Invalid, which names the parameter."""
        names = {each.name for each in self.params}
        if unknown := given.keys() - names - set(self.frame):
            raise Invalid(f"there is no {', '.join(sorted(map(str, unknown)))}")
        body: dict[str, Any] = {}
        for param in self.params:
            value = given.get(param.name)
            if value is None:
                if param.required:
                    raise Invalid(f"{param.name} is missing")
                continue
            _set_path(body, param.of, _parse_choice(_find_field(self.command, param.of), value))
        for name, value in self.fixed.items():
            _set_path(body, name, value)
        return body

    def frame_of(self, given: Mapping[str, Any]) -> Frame:
        """Return the parameters that do not belong to the command. Raises Invalid."""
        return parse(Frame, {name: given[name] for name in self.frame if name in given})


async def carry_out(tool: Tool, call: Call) -> Any:
    """Return the answer of the tool's command."""
    try:
        command = parse(tool.command, call.body)
    except Invalid as error:
        raise Invalid(_name_parameter(tool, error.message)) from error
    return await run_counted("mcp", command, call.operation)


def check_user(operation: Operation, user: str | None) -> None:
    """Raise Forbidden for the memory of another user."""
    if user is not None and user != operation.access.viewer.user:
        raise Forbidden("this is the memory of another user")


def _name_parameter(tool: Tool, message: str) -> str:
    """Return a message that begins with the name of a field, with the parameter's name instead."""
    named = {each.of.rpartition(".")[2]: each.name for each in tool.params}
    first, space, rest = message.partition(" ")
    return named.get(first, first) + space + rest


def _find_field(command: Any, path: str) -> Field:
    first, _, rest = path.partition(".")
    found = next(each for each in fields_of(command) if each.wire == first)
    return _find_field(found.type, rest) if rest else found


def _set_path(body: dict[str, Any], path: str, value: object) -> None:
    first, _, rest = path.partition(".")
    if rest:
        _set_path(body.setdefault(first, {}), rest, value)
    else:
        body[first] = value


def _parse_choice(of: Field, value: Any) -> Any:
    """Return the value in the form of the command, if it is a choice."""
    if not (isinstance(of.type, type) and issubclass(of.type, Enum)):
        return value
    values = value if of.many and isinstance(value, list) else [value]
    named: dict[object, object] = {word(each): each.value for each in of.type}
    found = [named.get(str(each).lower().replace("_", "-"), each) for each in values]
    return found if of.many else found[0]


def _description_of(param: Param) -> dict[str, Any]:
    return {"description": param.about} if param.about else {}


def _schema_of_param(param: Param, of: Field) -> dict[str, Any]:
    schema = schema_of(of)
    left_out = ("default",) if param.own_default else ()
    return {name: each for name, each in schema.items() if name not in left_out}


def schema_of(of: Field) -> dict[str, Any]:
    """Return the JSON Schema of a field, with its default and bounds."""
    one = _schema_of_one(of)
    schema: dict[str, Any] = {"type": "array", "items": one} if of.many else one
    for mark in of.marks:
        if isinstance(mark, AtMost):
            schema["maxItems"] = mark.entries
    default = _default_value(of.default)
    return schema if default is None else schema | {"default": default}


def _schema_of_one(of: Field) -> dict[str, Any]:
    if of.bounds is not None:
        return {"type": "integer", "minimum": of.bounds.low, "maximum": of.bounds.high}
    if of.type in SIMPLE:
        return {"type": SIMPLE[of.type]}
    if of.type is datetime:
        return {"type": "string", "format": "date-time"}
    if isinstance(of.type, type) and issubclass(of.type, Enum):
        return {"type": "string", "enum": [each for each in words(of.type) if each != NOT_CHOSEN]}
    return {}


def _default_value(value: Any) -> Any:
    if value is REQUIRED or value is None or value == ():
        return None
    if isinstance(value, Enum):
        return word(value)
    return format_instant(value) if isinstance(value, datetime) else value
