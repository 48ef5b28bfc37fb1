"""LangGraph: a store whose items are notes. Needs the extra `graphmem[langgraph]`.

A namespace is a domain, so a search below one costs nothing extra; an item is a note whose text
is its value as JSON. An item stays until it is deleted, which destroys the note."""

import asyncio
import json
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Final

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    validate_op_namespace,
)

from graphmem.adapters.names import external_id, label_of, part_of
from graphmem.adapters.transcript import ALL, PAGE
from graphmem.client import Conflicting, Memory, Note, NotThere

MOST: Final = 100  # hits of a search by meaning
ATTEMPTS: Final = 5  # when others write the same item
COMPARED: Final = {
    "$eq": lambda one, other: one == other,
    "$ne": lambda one, other: one != other,
    "$gt": lambda one, other: one is not None and float(one) > float(other),
    "$gte": lambda one, other: one is not None and float(one) >= float(other),
    "$lt": lambda one, other: one is not None and float(one) < float(other),
    "$lte": lambda one, other: one is not None and float(one) <= float(other),
}


class GraphmemStore(BaseStore):
    """A store in graphmem.

    Items are searched by their whole value, whatever `index` says. Every method raises
    `graphmem.client.ServiceError`."""

    __slots__ = ("_given", "_memory", "_root")

    def __init__(
        self, memory: Memory, *, domain: str = "store", visibility: str = "PRIVATE"
    ) -> None:
        """Keep items below `domain`: PRIVATE for their writer, OPEN for all the user's agents."""
        self._memory, self._root = memory, domain
        self._given = {"visibility": visibility, "mode": "VERBATIM", "kind": "SEMANTIC"}

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations: reads see the state before the puts."""
        results: list[Result] = []
        puts: dict[tuple[tuple[str, ...], str], PutOp] = {}
        for op in ops:
            validate_op_namespace(op)
            result: Result = None
            match op:
                case GetOp(namespace, key):
                    note = self._find(namespace, key)
                    result = None if note is None else _item(note, Item)
                case SearchOp():
                    result = self._search(op)
                case ListNamespacesOp():
                    result = self._list_namespaces(op)
                case PutOp(namespace, key):
                    puts[namespace, key] = op
            results.append(result)
        for op in puts.values():
            self._put(op)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Do the same as `batch`."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _find(self, namespace: tuple[str, ...], key: str) -> Note | None:
        try:
            return self._memory.find(external_id("langgraph", self._root, namespace, key))
        except NotThere:
            return None

    def _put(self, op: PutOp) -> None:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._put_once(op)
            except (Conflicting, NotThere):
                if attempt == ATTEMPTS:
                    raise
        return None

    def _put_once(self, op: PutOp) -> None:
        note = self._find(op.namespace, op.key)
        if op.value is None:
            if note is not None:
                self._memory.forget(note.id, permanent=True)
            return
        text = _text(op.value)
        if note is None:
            self._memory.remember(
                text,
                external_id=external_id("langgraph", self._root, op.namespace, op.key),
                domain=self._domain(op.namespace),
                metadata={"namespace": list(op.namespace), "key": op.key},
                **self._given,
            )
            return
        if note.status == "ARCHIVED":
            self._memory.restore(note.id)
        if note.content != text:
            self._memory.revise(note.id, content=text)

    def _search(self, op: SearchOp) -> list[SearchItem]:
        end = op.offset + op.limit
        items = self._search_by_meaning(op, end) if op.query else self._list_items(op)
        fitting = (each for each in items if _fits(each.value, op.filter or {}))
        return list(islice(fitting, op.offset, end))

    def _search_by_meaning(self, op: SearchOp, end: int) -> Iterator[SearchItem]:
        k = MOST if op.filter else max(1, min(end, MOST))
        where = {"domain": self._domain(op.namespace_prefix)}
        for hit in self._memory.recall(op.query or "", k, profile="SIMILARITY", filter=where).hits:
            if (item := _item(hit.note, SearchItem)) is not None:
                item.score = hit.score
                yield item

    def _list_items(self, op: SearchOp) -> Iterator[SearchItem]:
        domain = self._domain(op.namespace_prefix)
        for note in self._memory.notes(domain=domain, statuses=ALL, page_size=PAGE):
            if (item := _item(note, SearchItem)) is not None:
                yield item

    def _list_namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        below = self._root + "/"
        domains = [each for each in self._memory.stats().by_domain if each.startswith(below)]
        found = [tuple(map(label_of, each.removeprefix(below).split("/"))) for each in domains]
        kept = {
            each[: op.max_depth]
            for each in found
            if all(_matches(condition, each) for condition in op.match_conditions or ())
        }
        return sorted(kept)[op.offset : op.offset + op.limit]

    def _domain(self, namespace: tuple[str, ...]) -> str:
        return "/".join((self._root, *map(part_of, namespace)))


def _text(value: Mapping[str, Any]) -> str:
    """Return the value as JSON; escaped if the service would normalise some of its letters."""
    text = json.dumps(value, ensure_ascii=False)
    unchanged = (
        unicodedata.is_normalized("NFC", text) and text.encode(errors="ignore").decode() == text
    )
    return text if unchanged else json.dumps(value)


def _item(note: Note, kind: type[Any]) -> Any:
    """Return the item of a note; None if the note is not an item."""
    metadata = note.metadata if isinstance(note.metadata, dict) else {}
    if not {"namespace", "key"} <= metadata.keys():
        return None
    try:
        value = json.loads(note.content)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        value = {"content": note.content}  # somebody has revised the note
    times = {"created_at": note.created_at, "updated_at": note.updated_at}
    return kind(namespace=tuple(metadata["namespace"]), key=metadata["key"], value=value, **times)


def _matches(condition: MatchCondition, namespace: tuple[str, ...]) -> bool:
    path = condition.path
    if len(namespace) < len(path):
        return False
    prefix = condition.match_type == "prefix"
    part = namespace[: len(path)] if prefix else namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", label) for wanted, label in zip(path, part, strict=True))


def _fits(value: Any, wanted: Any) -> bool:
    """Check whether a value fits a filter of LangGraph."""
    if isinstance(wanted, dict):
        if any(name.startswith("$") for name in wanted):
            if unknown := wanted.keys() - COMPARED.keys():
                raise ValueError(f"there is no operator {', '.join(sorted(unknown))}")
            return all(COMPARED[name](value, other) for name, other in wanted.items())
        return isinstance(value, dict) and all(_fits(value.get(k), v) for k, v in wanted.items())
    if isinstance(wanted, list | tuple):
        many = isinstance(value, list | tuple) and len(value) == len(wanted)
        return many and all(map(_fits, value, wanted))
    return value == wanted
