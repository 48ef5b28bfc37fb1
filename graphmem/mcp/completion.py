"""Completion: possible values of an argument of a prompt or an address."""

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
from graphmem.mcp.prompts import prompts_of
from graphmem.mcp.resources import ADDRESSES
from graphmem.operations.commands.actors import GetStats, ListAgents
from graphmem.operations.commands.entities import ListEntities
from graphmem.operations.operation import Operation
from graphmem.operations.parsing import parse

MOST: Final = 20


async def complete(
    caller: Caller, endpoints: tuple[str, ...], request: Request, params: CompleteRequestParams
) -> CompleteResult:
    """Return names that begin with, or contain, what was typed; none if nothing can be
    completed."""
    try:
        async with caller.operation(request, traces=False) as operation:
            found = await _find_values(operation, endpoints, params)
    except Exception as error:
        raise refusal(error) from error
    return CompleteResult(completion=Completion(values=found[:MOST], has_more=len(found) > MOST))


async def _find_values(
    operation: Operation, endpoints: tuple[str, ...], params: CompleteRequestParams
) -> list[str]:
    typed, ref = params.argument.value, params.ref
    place = ref.name if isinstance(ref, PromptReference) else ref.uri
    known = {each.prompt.name for each in prompts_of(endpoints)}
    known |= {each.uri for each in ADDRESSES if each.endpoint in endpoints}
    match (place, params.argument.name):
        case _ if place not in known:
            return []
        case (resources.SOP, "domain"):
            domains = (await GetStats().run(operation)).by_domain
            return sorted(each for each in domains if each.startswith(typed))
        case ("hand_over", "to_agent"):
            agents = await ListAgents().run(operation)
            return [each.id for each in agents if each.id.startswith(typed)]
        case ("brief_me", "topic") | (resources.ENTITY, "name"):
            given = {"search": typed or None, "first": MOST + 1}
            return [each.name for each in await parse(ListEntities, given).run(operation)]
    return []
