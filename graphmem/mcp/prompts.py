"""Prompts: tasks that a person may choose in a client for a model to do."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    Prompt,
    PromptArgument,
    PromptMessage,
    TextContent,
)

from graphmem.errors import Invalid
from graphmem.mcp.answers import as_data
from graphmem.mcp.caller import Caller, Request
from graphmem.mcp.failures import refusal
from graphmem.operations.commands.commons import ListSkills
from graphmem.operations.commands.core import GetCoreMemory
from graphmem.operations.commands.recall import MakeContext
from graphmem.operations.operation import Operation
from graphmem.operations.parsing import parse

PROCEDURES: Final = 5  # that a model is shown
Texts = Callable[[Operation, Mapping[str, str]], Awaitable[list[str]]]


@dataclass(frozen=True, kw_only=True)
class Offered:
    """A prompt, with the function that makes its messages."""

    prompt: Prompt
    texts: Texts
    endpoints: tuple[str, ...] = ("memory",)


async def _write_briefing(operation: Operation, given: Mapping[str, str]) -> list[str]:
    made = await parse(MakeContext, {"task": given["topic"]}).run(operation)
    return [
        f"Brief me on this: {given['topic']}\n\nSay in a few sentences what is known, what was "
        "decided and what is open, newest first. Name the dates. Use the memory below; call "
        "memory.query for what it leaves open. Say what is not known.",
        as_data(made.text),
    ]


async def _write_handover(operation: Operation, given: Mapping[str, str]) -> list[str]:
    made = await parse(MakeContext, {"task": given["task"]}).run(operation)
    to = given.get("to_agent") or "the next agent"
    return [
        f"Hand this task over to {to}: {given['task']}\n\nWrite what {to} needs to go on without "
        "this conversation: the aim, what is done, what is open, decisions with their reasons, "
        "and the ids of the notes that matter. Then keep what is not in memory yet by "
        "memory.write, one fact in each call.",
        as_data(made.text),
    ]


async def _write_reflection(operation: Operation, given: Mapping[str, str]) -> list[str]:
    core = await parse(GetCoreMemory, {}).run(operation)
    return [
        "Reflect on what is in memory. Call memory.reflect, then tell me in plain words what it "
        "proposes, item by item, and what you think of each. Change nothing: I decide.",
        as_data(core.text),
    ]


async def _write_procedure(operation: Operation, given: Mapping[str, str]) -> list[str]:
    found = await parse(ListSkills, {"search": given["task"], "first": PROCEDURES}).run(operation)
    known = "\n\n".join(f"{each.name} ({each.id})\n{each.procedure}" for each in found)
    return [
        f"Do this by a procedure that worked before: {given['task']}\n\nChoose the procedure below "
        "that fits, tell me its steps and follow them one by one. If none fits, say so before you "
        "begin. Afterwards say by commons.report_skill whether it worked.",
        as_data(known or "No procedure is known for this."),
    ]


def _build_argument(name: str, about: str, *, required: bool = True) -> PromptArgument:
    return PromptArgument(name=name, description=about, required=required)


PROMPTS: Final = (
    Offered(
        prompt=Prompt(
            name="brief_me",
            title="Brief me",
            description="What is known of a topic, what was decided, what is open.",
            arguments=[_build_argument("topic", "A topic, a person, a project or a task.")],
        ),
        texts=_write_briefing,
    ),
    Offered(
        prompt=Prompt(
            name="hand_over",
            title="Hand over",
            description="Write what another agent needs to go on with a task.",
            arguments=[
                _build_argument("task", "The task."),
                _build_argument("to_agent", "The id of the agent that goes on.", required=False),
            ],
        ),
        texts=_write_handover,
        endpoints=("memory", "orchestrator"),
    ),
    Offered(
        prompt=Prompt(
            name="reflect",
            title="Reflect",
            description="Go through the memory and talk about what follows from it.",
        ),
        texts=_write_reflection,
    ),
    Offered(
        prompt=Prompt(
            name="follow_procedure",
            title="Follow a procedure",
            description="Do a task by a procedure that worked before.",
            arguments=[_build_argument("task", "What is to be done.")],
        ),
        texts=_write_procedure,
        endpoints=("commons",),
    ),
)


def prompts_of(endpoints: tuple[str, ...]) -> tuple[Offered, ...]:
    """Return the prompts of some endpoints."""
    return tuple(each for each in PROMPTS if set(each.endpoints) & set(endpoints))


def list_prompts(endpoints: tuple[str, ...]) -> ListPromptsResult:
    """Return the prompts that a person may choose."""
    return ListPromptsResult(prompts=[each.prompt for each in prompts_of(endpoints)])


async def get_prompt(
    caller: Caller, endpoints: tuple[str, ...], request: Request, params: GetPromptRequestParams
) -> GetPromptResult:
    """Return the messages of a prompt."""
    found = [each for each in prompts_of(endpoints) if each.prompt.name == params.name]
    offered = found[0] if found else None
    if offered is None:
        raise MCPError(INVALID_PARAMS, "there is no such prompt")
    given = dict(params.arguments or {})
    try:
        _check_arguments(offered.prompt, given)
        async with caller.operation(request) as operation:
            texts = await offered.texts(operation, given)
    except Exception as error:
        raise refusal(error) from error
    return GetPromptResult(
        description=offered.prompt.description,
        messages=[
            PromptMessage(role="user", content=TextContent(type="text", text=text))
            for text in texts
        ],
    )


def _check_arguments(prompt: Prompt, given: Mapping[str, str]) -> None:
    for each in prompt.arguments or ():
        if each.required and not given.get(each.name):
            raise Invalid(f"{each.name} is missing")
