"""The adapters in the frameworks that they are for, on a real service."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from importlib import import_module
from typing import Any, TypeVar

import httpx2
import pytest
from toy_service import serving

from graphmem.adapters.names import label_of, part_of
from graphmem.adapters.paths import parts_of
from graphmem.adapters.transcript import Transcript, TranscriptMessage
from graphmem.app import create_app
from graphmem.client import Memory
from graphmem.services.context import Context
from graphmem.settings import Settings

T = TypeVar("T")
LONG = 'A long answer with "quotes", ü and 漢字. ' * 900


@pytest.fixture(scope="module")
async def address(settings: Settings, context: Context) -> AsyncIterator[str]:
    async with serving(create_app(settings, opened=context)) as host:
        yield f"http://{host}"


@pytest.fixture
def memory(address: str, new_user: Callable[[], str]) -> Iterator[Memory]:
    """The memory of a new user's agent; it waits, so it is for threads only."""
    with Memory(address, user=new_user(), agent="assistant") as opened:
        yield opened


async def aside(work: Callable[..., T], *given: Any) -> T:
    """What is not asynchronous goes into a thread: the service is in this one."""
    return await asyncio.to_thread(work, *given)


# ---------------------------------------------------------------- LangGraph

OPERATIONS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("put", (("users", "ada@x"), "food", {"text": "I like pizza", "n": 1}), {}),
    ("put", (("users", "ada@x"), "work", {"text": "I repair kilns", "n": 2}), {}),
    ("put", (("users", "bob: ü/--"), "food", {"text": "I like noodles", "n": 3}), {}),
    ("put", (("docs",), "a", {"nested": {"tags": ["x", "y"]}, "letters": "e\u0301\x00"}), {}),
    ("get", (("users", "ada@x"), "food"), {}),
    ("get", (("docs",), "a"), {}),
    ("put", (("users", "ada@x"), "food", {"text": "I like soup", "n": 4}), {}),
    ("get", (("users", "ada@x"), "food"), {}),
    ("search", (("users",),), {}),
    ("search", (("users", "ada@x"),), {"limit": 1}),
    ("search", (("users",),), {"filter": {"n": {"$gte": 2}}}),
    ("search", ((),), {}),
    ("search", (("users",),), {"filter": {"n": {"$ne": 4}, "text": "I repair kilns"}}),
    ("search", (("docs",),), {"filter": {"nested": {"tags": ["x", "y"]}}}),
    ("search", (("docs",),), {"filter": {"nested": {"tags": ["x"]}}}),
    ("list_namespaces", (), {}),
    ("list_namespaces", (), {"prefix": ("users", "*"), "limit": 1}),
    ("list_namespaces", (), {"suffix": ("docs",)}),
    ("list_namespaces", (), {"max_depth": 1}),
    ("delete", (("users", "bob: ü/--"), "food"), {}),
    ("delete", (("users", "bob: ü/--"), "food"), {}),
    ("get", (("users", "bob: ü/--"), "food"), {}),
    ("put", (("users", "bob: ü/--"), "food", {"text": "I like rice"}), {}),
    ("get", (("users", "bob: ü/--"), "food"), {}),
]


async def test_langgraph_s_own_store_answers_the_same(memory: Memory) -> None:
    from langgraph.store.base import InvalidNamespaceError
    from langgraph.store.memory import InMemoryStore

    from graphmem.adapters.langgraph import GraphmemStore

    own, ours = InMemoryStore(), GraphmemStore(memory)
    for name, given, named in OPERATIONS:
        expected = _plain(getattr(own, name)(*given, **named))
        told = _plain(await aside(lambda: getattr(ours, name)(*given, **named)))  # noqa: B023
        if name == "search" and "limit" in named:
            assert len(told) == len(expected)
        else:
            assert told == expected, (name, given, named)
    (first, *_) = await ours.asearch(("users",), query="repair kilns", limit=2)
    assert (first.key, first.value["text"]) == ("work", "I repair kilns")
    assert first.score is not None
    assert await ours.asearch(("users", "ada@x"), query="repair", filter={"n": 9}) == []
    with pytest.raises(InvalidNamespaceError):
        await ours.aput(("a.b",), "k", {})
    with pytest.raises(NotImplementedError):
        await ours.aput(("a",), "k", {"x": 1}, ttl=5)


def _plain(told: Any) -> Any:
    if isinstance(told, list):
        return sorted((_plain(each) for each in told), key=repr)
    return (told.namespace, told.key, told.value) if hasattr(told, "key") else told


async def test_a_graph_of_langgraph_remembers_across_its_threads(memory: Memory) -> None:
    from langgraph.graph import END, START, StateGraph
    from langgraph.runtime import Runtime
    from typing_extensions import TypedDict

    from graphmem.adapters.langgraph import GraphmemStore

    class State(TypedDict):
        said: str
        known: str

    async def answer(state: State, runtime: Runtime[None]) -> Any:
        assert runtime.store is not None
        if "like" in state["said"]:
            await runtime.store.aput(("likes",), "food", {"text": state["said"]})
        found = await runtime.store.asearch(("likes",), query=state["said"], limit=1)
        return {"known": found[0].value["text"]}

    builder = StateGraph(State)
    builder.add_node("answer", answer)
    builder.add_edge(START, "answer")
    builder.add_edge("answer", END)
    await builder.compile(store=GraphmemStore(memory)).ainvoke({"said": "I like pizza"})  # pyright: ignore[reportArgumentType]
    other = builder.compile(store=GraphmemStore(memory))
    done = await other.ainvoke({"said": "Which food?"})  # pyright: ignore[reportArgumentType]
    assert done["known"] == "I like pizza"


@pytest.mark.parametrize(
    "label", ["a", "a@b.c", "--", "ü/: ", "@41@", "e\u0301", "漢字", "\u1100\u1161"]
)
def test_a_label_is_one_part_of_a_domain(label: str) -> None:
    from graphmem.domain.ids import check_domain

    part = part_of(label)
    assert "/" not in part
    assert check_domain(part) == part
    assert label_of(part) == label
    assert label_of("@ffffff@") == "@ffffff@"  # a domain that somebody made


# ---------------------------------------------------------------- transcripts


async def test_a_transcript_keeps_every_message_whole(memory: Memory) -> None:
    def transcript() -> Transcript:
        return Transcript(memory, "talk", visibility="PRIVATE", domain="conversations")

    data: list[Any] = [{"i": i, "letters": "é\x00\ud800"} for i in range(4)]
    data += [{"text": LONG}, {"text": ""}, {"i": 6}]
    texts = ["one", "two \x00\ud800", " ", "four", LONG, "", "seven"]
    kept = [
        TranscriptMessage(text=t, speaker="user", data=d) for t, d in zip(texts, data, strict=True)
    ]
    await aside(transcript().add, kept)
    odd: Any = {"transcript": {"order": "x", "part": 0, "of": 1, "json": "{"}}
    other: Any = {"episode": "talk", "mode": "VERBATIM", "metadata": odd}
    await aside(lambda: memory.remember("No message.", **other))
    assert await aside(transcript().read) == data
    assert await aside(transcript().read, 3) == data[-3:]
    for more in (8, 10, 13):
        assert await aside(transcript().read, more) == data
    assert await aside(transcript().read, 0) == []
    assert await aside(transcript().pop) == {"i": 6}
    (first, *_) = await aside(lambda: list(memory.notes(episode="talk", text="a long answer")))
    await aside(lambda: memory.forget(first.id))
    assert await aside(transcript().read) == data[:-1]  # put away, not gone
    await aside(transcript().clear)
    assert await aside(transcript().read) == []
    assert await aside(transcript().pop) is None
    assert [note.content for note in await aside(lambda: list(memory.notes()))] == ["No message."]


# ---------------------------------------------------------------- LangChain


async def test_langchain_s_retriever_and_history(memory: Memory) -> None:
    from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
    from langchain_core.output_parsers import StrOutputParser
    from langchain_core.prompts import ChatPromptTemplate
    from langchain_core.runnables import RunnableLambda, RunnablePassthrough

    from graphmem.adapters.langchain import GraphmemChatMessageHistory, GraphmemRetriever

    made = await aside(lambda: memory.remember("Dara Osei leads Harbour.", tags=["harbour"]))
    retriever = GraphmemRetriever(memory=memory, k=1, options={"profile": "BALANCED"})
    (found,) = await retriever.ainvoke("Who leads Harbour?")
    assert (found.id, found.page_content) == (made.note_id, "Dara Osei leads Harbour.")
    assert found.metadata["tags"] == ["harbour"]
    prompt = ChatPromptTemplate.from_template("{known}\n{question}")
    chain = (
        {"known": retriever | _texts, "question": RunnablePassthrough()}
        | prompt
        | RunnableLambda(lambda made: AIMessage(made.to_messages()[0].content[:24]))
        | StrOutputParser()
    )
    assert await chain.ainvoke("Who?") == "Dara Osei leads Harbour."

    history = GraphmemChatMessageHistory(memory, "chat")
    call: Any = {"name": "look", "args": {"a": [1]}, "id": "c1", "type": "tool_call"}
    messages = [
        HumanMessage("Who leads Harbour?"),
        AIMessage("", tool_calls=[call]),
        ToolMessage("Dara Osei", tool_call_id="c1"),
        AIMessage([{"type": "text", "text": "Dara does."}]),
    ]
    await history.aadd_messages(messages)
    assert await GraphmemChatMessageHistory(memory, "chat").aget_messages() == messages
    assert await GraphmemChatMessageHistory(memory, "other").aget_messages() == []
    await history.aclear()
    assert await history.aget_messages() == []


def _texts(documents: Any) -> str:
    return "\n".join(each.page_content for each in documents)


# ---------------------------------------------------------------- LlamaIndex


async def test_llama_index_s_chat_engine_remembers(memory: Memory) -> None:
    from llama_index.core.chat_engine import SimpleChatEngine
    from llama_index.core.llms import ChatMessage, MockLLM

    from graphmem.adapters.llama_index import GraphmemMemory

    await aside(lambda: memory.remember("Dara Osei leads the Harbour project."))
    kept = GraphmemMemory(memory, "chat", last=4)
    engine = SimpleChatEngine.from_defaults(llm=MockLLM(), memory=kept)
    answer = await engine.achat("Who leads the Harbour project?")
    assert "Dara Osei leads" in str(answer)  # the mock says what it was sent
    again = GraphmemMemory.from_defaults(memory=memory, session_id="chat", token_budget=0)
    first, second = await again.aget_all()
    assert (first.role.value, first.content) == ("user", "Who leads the Harbour project?")
    assert second.role.value == "assistant"
    assert await again.aget("x") == [first, second]
    known, *_ = await kept.aget("Who leads the Harbour project?")
    assert known.role.value == "system"
    assert "</memory>" in str(known.content)
    new = [ChatMessage(role="user", content="Anew", additional_kwargs={"a": 1})]
    await again.aset(new)
    assert await kept.aget_all() == new
    await again.areset()
    assert await kept.aget_all() == []


# ---------------------------------------------------------------- OpenAI Agents SDK


async def test_an_agent_of_openai_s_sdk_knows_what_was_said(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_AGENTS_DISABLE_TRACING", "1")
    from agents import Agent, Model, ModelResponse, RunConfig, Runner, Session, Usage
    from agents.memory import SessionSettings
    from openai.types.responses import ResponseOutputMessage, ResponseOutputText

    from graphmem.adapters.openai_agents import GraphmemSession

    class Echo(Model):
        """Says how many items it was sent, and the first of them."""

        async def get_response(self, *given: Any, **named: Any) -> ModelResponse:
            sent = given[1] if len(given) > 1 else named["input"]
            said = f"{len(sent)}: {sent[0]['content']}"
            text = ResponseOutputText(annotations=[], text=said, type="output_text")
            message = ResponseOutputMessage(
                id="m", content=[text], role="assistant", status="completed", type="message"
            )
            return ModelResponse(output=[message], usage=Usage(), response_id=None)

        def stream_response(self, *given: Any, **named: Any) -> Any:
            raise NotImplementedError

    agent = Agent(name="assistant", model=Echo())
    quiet = RunConfig(tracing_disabled=True)
    one = GraphmemSession("talk", memory)
    assert isinstance(one, Session)
    done = await Runner.run(agent, "I am Ada.", session=one, run_config=quiet)
    assert done.final_output == "1: I am Ada."
    two = GraphmemSession("talk", memory)
    done = await Runner.run(agent, "Who am I?", session=two, run_config=quiet)
    assert done.final_output == "3: I am Ada."
    items = await two.get_items()
    assert [each["role"] for each in items] == ["user", "assistant"] * 2
    assert await two.get_items(2) == items[-2:]
    settled = GraphmemSession("talk", memory, session_settings=SessionSettings(limit=1))
    assert await settled.get_items() == items[-1:]
    assert await two.pop_item() == items[-1]
    call = {"type": "function_call", "name": "look", "arguments": "{}", "call_id": "c"}
    output = {"type": "function_call_output", "call_id": "c", "output": LONG}
    await two.add_items([call, output])
    assert (await one.get_items())[-2:] == [call, output]
    await one.clear_session()
    assert await two.get_items() == []
    assert await two.pop_item() is None


# ---------------------------------------------------------------- Anthropic

COMMANDS: list[tuple[dict[str, Any], str]] = [
    ({"command": "view", "path": "/memories"}, "0B\t/memories"),
    ({"command": "create", "path": "/memories/a.md", "file_text": "one\ntwo\n"}, "created"),
    ({"command": "create", "path": "/memories/a.md", "file_text": "x"}, "! already exists"),
    ({"command": "create", "path": "/memories/a.md/b", "file_text": "x"}, "! already exists"),
    ({"command": "create", "path": "/memories/d/e/f.md", "file_text": "deep"}, "created"),
    ({"command": "create", "path": "/memories/d", "file_text": "x"}, "! already exists"),
    ({"command": "create", "path": "/memories/e.md", "file_text": ""}, "! content is empty"),
    ({"command": "create", "path": "/memories/../x", "file_text": "x"}, "! Path must be"),
    ({"command": "create", "path": "/etc/x", "file_text": "x"}, "! Path must be"),
    ({"command": "view", "path": "/memories"}, "4B\t/memories/d/e/"),
    ({"command": "view", "path": "/memories/a.md"}, "     1\tone\n     2\ttwo\n     3\t"),
    ({"command": "view", "path": "/memories/a.md", "view_range": [2, -1]}, "     2\ttwo"),
    (
        {"command": "str_replace", "path": "/memories/a.md", "old_str": "two", "new_str": "2"},
        "     2\t2",
    ),
    (
        {"command": "str_replace", "path": "/memories/a.md", "old_str": "two", "new_str": "2"},
        "! did not appear",
    ),
    (
        {"command": "insert", "path": "/memories/a.md", "insert_line": 0, "insert_text": "zero\n"},
        "edited",
    ),
    (
        {"command": "insert", "path": "/memories/a.md", "insert_line": 9, "insert_text": "x"},
        "! from 0 to 3",
    ),
    ({"command": "view", "path": "/memories/a.md"}, "     1\tzero\n     2\tone\n     3\t2"),
    ({"command": "rename", "old_path": "/memories/d", "new_path": "/memories/d/x"}, "! lies in"),
    ({"command": "rename", "old_path": "/memories/d", "new_path": "/memories/g"}, "renamed"),
    ({"command": "view", "path": "/memories/d"}, "! does not exist"),
    ({"command": "view", "path": "/memories/g/e/f.md"}, "deep"),
    ({"command": "rename", "old_path": "/memories/g", "new_path": "/memories/a.md"}, "! already"),
    ({"command": "delete", "path": "/memories/g"}, "deleted"),
    ({"command": "delete", "path": "/memories/g"}, "! does not exist"),
    ({"command": "delete", "path": "/memories"}, "! folder itself"),
    ({"command": "view", "path": "/memories"}, "11B\t/memories/a.md"),
]


async def test_the_memory_tool_does_what_its_document_says(memory: Memory) -> None:
    from anthropic.lib.tools import ToolError

    from graphmem.adapters.anthropic import GraphmemAsyncMemoryTool, GraphmemMemoryTool

    tool, other = GraphmemAsyncMemoryTool(memory), GraphmemMemoryTool(memory)
    for i, (command, told) in enumerate(COMMANDS):
        try:
            said = await (tool.call(command) if i % 2 else aside(other.call, command))
        except ToolError as error:
            said = f"! {error}"
        assert said.startswith("!") == told.startswith("!"), (command, said)
        assert told.removeprefix("! ") in said, (command, said)
    assert await tool.clear_all_memory() == "All memory cleared"
    assert await aside(lambda: list(memory.notes())) == []


async def test_anthropic_s_client_runs_the_memory_tool(memory: Memory) -> None:
    from anthropic import AsyncAnthropic

    from graphmem.adapters.anthropic import GraphmemAsyncMemoryTool

    asked: list[Any] = []
    given = {"command": "create", "path": "/memories/ada.md", "file_text": "Ada likes tea."}
    use = {"type": "tool_use", "id": "t", "name": "memory", "input": given}
    answers = [("tool_use", use), ("end_turn", {"type": "text", "text": "Kept."})]

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(json.loads(request.content))
        reason, block = answers[len(asked) - 1]
        told = {"id": "m", "type": "message", "role": "assistant", "model": "m"}
        told |= {"content": [block], "stop_reason": reason, "stop_sequence": None}
        usage = {"input_tokens": 1, "output_tokens": 1}
        return httpx2.Response(200, json={**told, "usage": usage})

    transport = httpx2.MockTransport(answer)
    async with AsyncAnthropic(
        api_key="k", http_client=httpx2.AsyncClient(transport=transport)
    ) as client:
        runner = client.beta.messages.tool_runner(
            model="m",
            max_tokens=10,
            messages=[{"role": "user", "content": "Remember that I like tea."}],
            tools=[GraphmemAsyncMemoryTool(memory)],
        )
        done = await runner.until_done()
    assert done.content[0].text == "Kept."  # pyright: ignore[reportAttributeAccessIssue]
    assert "created successfully" in json.dumps(asked[1]["messages"][-1])
    (hit,) = (await aside(lambda: memory.recall("What does Ada like?"))).hits
    assert hit.note.content == "Ada likes tea."


@pytest.mark.parametrize(
    "path", ["", "memories", "/memoriesx", "/memories/./a", "/memories//a", "/m/" + "a" * 1000]
)
def test_a_path_stays_below_its_folder(path: str) -> None:
    with pytest.raises(ValueError, match="Path must be"):
        parts_of(path)


# ---------------------------------------------------------------- Pydantic AI


async def test_an_agent_of_pydantic_ai_uses_its_tools(memory: Memory) -> None:
    from pydantic_ai import Agent
    from pydantic_ai.messages import (
        ModelRequest,
        ModelResponse,
        TextPart,
        ToolCallPart,
        ToolReturnPart,
    )
    from pydantic_ai.models.function import FunctionModel

    from graphmem.adapters.pydantic_ai import memory_toolset

    calls = [
        ToolCallPart("remember", {"content": "Dara Osei leads Harbour."}),
        ToolCallPart("recall", {"query": "Who leads Harbour?", "k": 1}),
        ToolCallPart("recall", {"query": "Who?", "k": 1000}),
        ToolCallPart("context", {"task": "Call the lead of Harbour"}),
    ]
    told: list[Any] = []
    known: list[str] = []

    def model(messages: Any, info: Any) -> ModelResponse:
        last = messages[-1]
        assert isinstance(last, ModelRequest)
        told.extend(p for p in last.parts if isinstance(p, ToolReturnPart))
        known[:] = [tool.name for tool in info.function_tools]
        assert "You have a memory" in (info.instructions or "")
        done = len(told)
        return ModelResponse([calls[done] if done < len(calls) else TextPart("Dara Osei")])

    agent = Agent(FunctionModel(model), toolsets=[memory_toolset(memory)])
    assert (await agent.run("Who leads Harbour?")).output == "Dara Osei"
    assert known == ["recall", "context", "remember", "forget"]
    made, found, refused, context = told
    assert made.content.startswith("ADD")
    assert found.content[0]["content"] == "Dara Osei leads Harbour."
    assert found.content[0]["note_id"] in made.content
    assert "k must be from 1 to 100" in str(refused.content)
    assert "Dara Osei leads Harbour." in context.content
    calls[:] = [ToolCallPart("forget", {"note_id": found.content[0]["note_id"]})]
    told.clear()
    await agent.run("Forget it")
    assert told[0].content == "forgotten"
    assert len(memory_toolset(memory, forgets=False).tools) == 3


@pytest.mark.parametrize(
    "name", ["langgraph", "langchain", "llama_index", "openai_agents", "anthropic", "pydantic_ai"]
)
def test_an_adapter_is_short(name: str) -> None:
    file = import_module(f"graphmem.adapters.{name}").__file__
    assert file is not None
    with open(file, encoding="utf-8") as lines:
        assert sum(1 for _ in lines) < 200
