"""Completion: what an argument of a prompt or an address may be."""

from typing import Final

from mcp_types import (
    CompleteRequestParams,
    CompleteResult,
    Completion,
    PromptReference,
)

from graphmem.mcp import resources
from graphmem.mcp.caller import Caller, Request
from graphmem.mcp.failures import refusal
from graphmem.operations.commands.actors import ListAgents
from graphmem.operations.commands.entities import ListEntities
from graphmem.operations.fields import parse
from graphmem.operations.operation import Operation

MOST: Final = 20


async def complete(
    caller: Caller, request: Request, params: CompleteRequestParams
) -> CompleteResult:
    """Names that begin with, or have, what was typed; none where nothing is to be completed."""
    try:
        async with caller.operation(request, traces=False) as operation:
            found = await _values(operation, params)
    except Exception as error:
        raise refusal(error) from error
    return CompleteResult(completion=Completion(values=found[:MOST], has_more=len(found) > MOST))


async def _values(operation: Operation, params: CompleteRequestParams) -> list[str]:
    typed, ref = params.argument.value, params.ref
    place = ref.name if isinstance(ref, PromptReference) else ref.uri
    match (place, params.argument.name):
        case ("hand_over", "to_agent"):
            agents = await ListAgents().run(operation)
            return [each.id for each in agents if each.id.startswith(typed)]
        case ("brief_me", "topic") | (resources.ENTITY, "name"):
            given = {"search": typed or None, "first": MOST + 1}
            return [each.name for each in await parse(ListEntities, given).run(operation)]
    return []
