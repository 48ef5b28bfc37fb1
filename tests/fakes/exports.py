"""Small exports of other programs, in the shapes that they have."""

from typing import Any

MEM0 = {
    "results": [
        {
            "id": "m1",
            "memory": "Likes green tea",
            "user_id": "ada",
            "metadata": {"app": "x"},
            "categories": ["food", "drinks"],
            "created_at": "2025-03-01T10:00:00-07:00",
            "updated_at": None,
        },
        {"id": "m2", "memory": "  ", "created_at": "x"},
        {"id": "m3", "memory": "Works at Halden", "created_at": "not a time"},
        "nothing",
    ]
}
MCP_MEMORY = [
    {
        "type": "entity",
        "name": "Ada Kessler",
        "entityType": "person",
        "observations": ["Ada Kessler repairs kilns", "speaks Danish", 7, " "],
    },
    {"type": "entity", "name": "Halden", "entityType": "company", "observations": []},
    {"type": "relation", "from": "Ada Kessler", "to": "Halden", "relationType": "works_at"},
    {"type": "relation", "from": "Ada Kessler"},
]
GRAPHITI: dict[str, Any] = {
    "nodes": [
        {"uuid": "n1", "name": "Ada Kessler", "labels": ["Entity", "Person"], "summary": "Potter."},
        {"uuid": "n2", "name": "Halden", "labels": ["Entity"], "summary": ""},
    ],
    "edges": [
        {
            "uuid": "e1",
            "fact": "Ada Kessler worked at Halden.",
            "name": "WORKED_AT",
            "source_node_uuid": "n1",
            "target_node_uuid": "n2",
            "created_at": "2025-02-01T00:00:00Z",
            "valid_at": "2024-01-01T00:00:00Z",
            "invalid_at": "2025-01-01T00:00:00Z",
        },
        {"uuid": "e2", "fact": None},
    ],
    "episodes": [
        {"uuid": "p1", "name": "talk", "content": "Ada: I left Halden.", "valid_at": "2025-01-02"}
    ],
}


def _node(number: str, label: str, /, **properties: Any) -> Any:
    return {"type": "node", "id": number, "labels": [label], "properties": properties}


AGENT_MEMORY = [
    _node("1", "Conversation", id="c", session_id="s1"),
    _node("2", "Message", id="msg1", role="user", content="Hi.", timestamp="2025-03-01T10:00:00Z"),
    _node("3", "Preference", id="p1", category="food", preference="Prefers tea", confidence=0.8),
    _node("4", "Fact", id="f1", subject="Ada", predicate="WORKS_AT", object="Halden", confidence=9),
    _node(
        "5", "Entity", id="e1", name="Ada", type="PERSON", description="A potter.", aliases=["A."]
    ),
    _node("6", "ReasoningTrace", id="t1", task="Fire the kiln", outcome="It worked.", success=True),
    _node("7", "Episodic", uuid="p1", name="talk", content="Ada left.", created_at=1735776000),
    _node("8", "Other", content="x"),
    {
        "type": "relationship",
        "id": "1",
        "label": "HAS_MESSAGE",
        "start": {"id": "1"},
        "end": {"id": "2"},
    },
    {
        "type": "relationship",
        "id": "2",
        "label": "RELATES_TO",
        "properties": {"uuid": "e9", "fact": "Ada left Halden.", "name": "LEFT"},
        "start": {"id": "5"},
        "end": {"id": "8"},
    },
]


def _said(role: str, text: Any, parent: str | None, **more: Any) -> Any:
    content = {"content_type": "text", "parts": [text]}
    message = {"author": {"role": role}, "content": content, "create_time": 1735776000.5, **more}
    return {"parent": parent, "children": [], "message": message}


CHATGPT = [
    {
        "conversation_id": "c1",
        "title": "Kilns",
        "create_time": 1735776000.0,
        "current_node": "d",
        "mapping": {
            "root": {"parent": None, "message": None},
            "s": _said("system", "You are helpful.", "root"),
            "a": _said("user", "How hot is a kiln?", "s"),
            "b": _said("assistant", "An answer that was thrown away.", "a"),
            "c": _said("assistant", "1200 degrees.", "a"),
            "d": _said("user", {"asset_pointer": "x"}, "c"),
        },
    },
    {"conversation_id": "c2", "current_node": "x", "mapping": {"x": _said("user", "Alone", "x")}},
    {
        "id": "c3",
        "mapping": {"y": _said("user", "No branch", None), "z": None, "w": {"message": 1}},
    },
]
CLAUDE = [
    {
        "uuid": "k1",
        "name": "Glazes",
        "created_at": "2025-03-01T10:00:00.000000Z",
        "chat_messages": [
            {"uuid": "u1", "sender": "human", "text": "Which glaze?", "created_at": "2025-03-01"},
            {"uuid": "u2", "sender": "assistant", "content": [{"type": "text", "text": "Blue."}]},
            {"uuid": "u3", "sender": "human", "text": ""},
            "nothing",
        ],
    }
]
LETTA: dict[str, Any] = {
    "agents": [
        {
            "id": "agent-0",
            "name": "Potter",
            "block_ids": ["block-0", 7],
            "messages": [
                {"id": "message-0", "role": "system", "content": "You are a potter."},
                {
                    "id": "message-1",
                    "role": "user",
                    "content": [
                        {"type": "text", "text": '{"type": "user_message", "message": "How hot?"}'}
                    ],
                    "created_at": "2025-03-01T10:00:00Z",
                },
                {"id": "message-2", "role": "user", "content": '{"type": "heartbeat"}'},
                {
                    "id": "message-3",
                    "role": "assistant",
                    "content": "I should tell them.",
                    "tool_calls": [
                        {
                            "function": {
                                "name": "send_message",
                                "arguments": '{"message": "1200 degrees."}',
                            }
                        },
                        {"function": {"name": "search", "arguments": "{"}},
                    ],
                },
                {"role": "assistant", "content": [{"type": "text", "text": "Fire it slowly."}]},
                {"role": "tool", "content": "found"},
            ],
        }
    ],
    "blocks": [
        {"id": "block-0", "label": "human", "value": "Ada makes plates."},
        {"id": "block-1", "label": "shared", "value": "The kiln is in Ulm."},
        {"id": "block-2", "label": "empty", "value": ""},
    ],
}
LANGGRAPH: list[Any] = [
    {
        "namespace": ["users", "ada"],
        "key": "1",
        "value": {"kind": "Memory", "content": {"content": "Likes green tea"}},
        "created_at": "2025-03-01T10:00:00+00:00",
        "updated_at": "2025-03-01T10:00:00+00:00",
    },
    {"namespace": ["users"], "key": "2", "value": {"text": "Works at Halden"}},
    {"namespace": ["users"], "key": "3", "value": {"steps": 3, "done": True}},
    {"namespace": ["users"], "key": "4", "value": "no object"},
]
HINDSIGHT: dict[str, Any] = {
    "items": [
        {
            "id": "f1",
            "text": "Ada works at Halden.",
            "fact_type": "world",
            "context": "talk",
            "date": "2025-03-01T10:00:00Z",
            "entities": "Ada (PERSON), Halden (ORGANIZATION)",
        },
        {"id": "f2", "text": "I told Ada.", "fact_type": "experience", "entities": ["Ada"]},
        {"id": "f3", "fact_type": "world"},
    ],
    "total": 3,
}
EXPORTS: dict[str, tuple[Any, list[str]]] = {
    "mem0": (MEM0, ["Likes green tea", "Works at Halden"]),
    "mcp-memory": (
        MCP_MEMORY,
        [
            "Ada Kessler repairs kilns",
            "Ada Kessler works at Halden.",
            "Ada Kessler: speaks Danish",
            "Halden is a company.",
        ],
    ),
    "graphiti": (GRAPHITI, ["Ada Kessler worked at Halden.", "Ada: I left Halden.", "Potter."]),
    "agent-memory": (
        AGENT_MEMORY,
        [
            "A potter.",
            "Ada left Halden.",
            "Ada left.",
            "Ada works at Halden.",
            "Fire the kiln\nIt worked.",
            "Hi.",
            "Prefers tea",
        ],
    ),
    "chatgpt": (CHATGPT, ["1200 degrees.", "Alone", "How hot is a kiln?", "No branch"]),
    "claude": (CLAUDE, ["Blue.", "Which glaze?"]),
    "letta": (
        LETTA,
        [
            "1200 degrees.",
            "Ada makes plates.",
            "Fire it slowly.",
            "How hot?",
            "The kiln is in Ulm.",
        ],
    ),
    "langgraph": (
        LANGGRAPH,
        ["Likes green tea", "Works at Halden", '{"done": true, "steps": 3}'],
    ),
    "hindsight": (HINDSIGHT, ["Ada works at Halden.", "I told Ada."]),
}
