"""Makes GraphQL fields, arguments and inputs from commands, with their types, defaults and
descriptions."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from inspect import Parameter, Signature
from typing import Annotated, Any, Final, TypeVar

import strawberry
from strawberry import UNSET

from graphmem.api import (
    enums as enums,
)  # imported first, so that they get their names before they are used
from graphmem.api.context import Info, Operation
from graphmem.api.scalars import JSON, Long
from graphmem.domain.fields import Field, Special, fields_of
from graphmem.operations.command import Command
from graphmem.operations.docstrings import docstrings, sentence_of
from graphmem.operations.metering import run_counted
from graphmem.operations.streams import stream_of

T = TypeVar("T")
GRAPHQL: Final = "graphql"
SPECIAL: Final[Mapping[object, Any]] = {Special.ID: strawberry.ID, Special.LONG: Long}


def query_of(command: type[Command[Any]], answer: Any, **inputs: type) -> Any:
    """Return a query that runs a command. Each of its fields is an argument, with the type in
    `inputs` if it is an object; or all are in one argument, `input`."""
    return _build_field(command, answer, inputs, _run_command)


def mutation_of(command: type[Command[Any]], answer: Any, **inputs: type) -> Any:
    """Return a mutation that runs a command; what is selected from its answer is read again."""
    return _build_field(command, answer, inputs, _run_and_refresh)


def subscription_of(command: type[Command[AsyncGenerator[Any]]], event: Any) -> Any:
    """Return a subscription to what a command generates."""

    async def resolve(info: Info, **given: object) -> AsyncGenerator[Any]:
        asked = _build(command, given)
        stream = await stream_of(asked, info.context, GRAPHQL)
        async with aclosing(stream):
            async for each in stream:
                yield each

    _set_signature(resolve, command, AsyncGenerator[event, None], {})
    return strawberry.subscription(resolver=resolve, description=sentence_of(command))


def input_of(kind: type, **inputs: type) -> Callable[[type[T]], type[T]]:
    """Return a decorator that makes a class the GraphQL input of a command, or of an object within
    one."""

    def decorate(cls: type[T]) -> type[T]:
        words = docstrings(kind)
        for field in fields_of(kind):
            cls.__annotations__[field.name] = _graphql_type(field, inputs)
            given: dict[str, Any] = {"description": words.get(field.name)}
            if not field.required:
                default = _default_of(field)
                given["default"] = UNSET if default in (None, ()) else default
            setattr(cls, field.name, strawberry.field(**given))
        return strawberry.input(cls, description=sentence_of(cls))

    return decorate


async def _run_command(operation: Operation, command: Command[T]) -> T:
    return await run_counted(GRAPHQL, command, operation)


async def _run_and_refresh(operation: Operation, command: Command[T]) -> T:
    before = operation.access
    answer = await run_counted(GRAPHQL, command, operation)
    if operation.access is before:  # else the command has already refreshed it
        await operation.refresh()
    return answer


def _build_field(
    command: type[Command[Any]],
    answer: Any,
    inputs: Mapping[str, type],
    run: Callable[[Operation, Command[Any]], Awaitable[Any]],
) -> Any:
    async def resolve(info: Info, **given: Any) -> Any:
        values = vars(given["input"]) if "input" in inputs else given
        return await run(info.context, _build(command, values))

    _set_signature(resolve, command, answer, inputs)
    return strawberry.field(resolver=resolve, description=sentence_of(command))


def _set_signature(
    resolve: Callable[..., Any], command: type, answer: Any, inputs: Mapping[str, type]
) -> None:
    """Give a resolver the arguments and the docstring of its command."""
    arguments = [Parameter("info", Parameter.KEYWORD_ONLY, annotation=Info)]
    if "input" in inputs:
        given = Parameter("input", Parameter.KEYWORD_ONLY, annotation=inputs["input"])
        arguments.append(given)
    else:
        words = docstrings(command)
        arguments += [_build_argument(field, inputs, words) for field in fields_of(command)]
    resolve.__signature__ = Signature(arguments, return_annotation=answer)  # type: ignore[attr-defined]
    resolve.__doc__ = command.__doc__
    resolve.command = command  # type: ignore[attr-defined]


def _build_argument(
    field: Field, inputs: Mapping[str, type], words: Mapping[str, str]
) -> Parameter:
    named = strawberry.argument(name=field.wire, description=words.get(field.name))
    return Parameter(
        field.name,
        Parameter.KEYWORD_ONLY,
        annotation=Annotated[_graphql_type(field, inputs), named],
        default=Parameter.empty if field.required else _default_of(field),
    )


def _default_of(field: Field) -> Any:
    """Return the default that the schema says: none for an object, all of whose fields
    have one, and for what is said in words."""
    return None if field.is_object or Special.IMPLIED in field.marks else field.default


def _graphql_type(field: Field, inputs: Mapping[str, type]) -> Any:
    """Return the GraphQL type of a field: one with a default may be null."""
    special = next((SPECIAL[mark] for mark in field.marks if mark in SPECIAL), None)
    kind: Any = special or (JSON if field.type is object else inputs.get(field.name, field.type))
    if field.many:
        kind = list[kind]
    return kind if field.required else kind | None


def _build(kind: type[T], given: Mapping[str, Any]) -> T:
    """Build a command or input from typed arguments. What has a default may be left out or null.
    Raises Invalid."""
    values = {}
    for field in fields_of(kind):
        value = given.get(field.name, UNSET)
        if value is not UNSET and value is not None:
            values[field.name] = _build_value(field, value)
    return kind(**values)


def _build_value(field: Field, value: Any) -> Any:
    if not field.is_object:
        return tuple(value) if field.many else value
    if field.many:
        return tuple(_build(field.type, vars(each)) for each in value)
    return _build(field.type, vars(value))
