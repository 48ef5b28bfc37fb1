"""The queries of `cypher/` and `jobs/`, loaded by name: cypher/notes/create.cypher is
"notes/create", jobs/maintain_memory.cypher is "job:maintain_memory".

Text that many queries share, such as who may read a note, is written once in `cypher/fragments/`:
`@readable(x)` in a query stands for the text of readable.cypher, with x in place of its
parameter."""

import re
from collections.abc import Iterator, Mapping
from copy import copy
from functools import lru_cache
from importlib.resources.abc import Traversable
from typing import Any, LiteralString, NamedTuple, cast

from neo4j import Query

from graphmem.store.vector_slots import VectorSlot, exchange_slots

LANGUAGE = "CYPHER 25\n"  # a server may have another default
REPLANNED = "CYPHER 25 replan=force\n"  # Neo4j makes a new plan and keeps it for the same query
_COMMENT = re.compile(r"//[^\n]*")
_PARAMETER = re.compile(r"\$([A-Za-z]\w*)")
_UNWIND = re.compile(r"(?i:unwind) (?:\$|(\w+)\.)(\w+) AS (\w+)")
_FIELD = re.compile(r"\b(\w+)\.(\w+)")
_WHOLE = re.compile(r"= (\w+)\b(?!\.)")
_APART = re.compile(r"\bSHORTEST \$([A-Za-z]\w*)")  # SHORTEST takes a parameter, not a field of one
_TOGETHER = re.compile(r"(?<!\bSHORTEST )\$(?=[A-Za-z])")
_GIVEN = "given"  # the one parameter that holds the others
_TEXTS = 1_024  # more than there are queries
_FRAGMENTS = "fragments/"
_DECLARED = re.compile(r"// (\w+)\(([\w, ]+)\): [^\n]+\n(.+)", re.DOTALL)
_VARIABLE = re.compile(r"(?<![\w$.':])\w+(?![\w(])")  # of a fragment
_SETS_VECTOR = "setNodeVectorProperty("
_USED = re.compile(r"(?m)(^ *)?@(\w+)\(([\w, ]+)\)")


class Bound(NamedTuple):
    """A query that is ready to run, and its parameters in the form that it takes."""

    query: Query
    parameters: dict[str, Any]


class Queries:
    """Every query file below a folder, and those of the jobs, with the names of their
    parameters."""

    def __init__(self, folder: Traversable, jobs: Traversable | None = None) -> None:
        """Read all files; raises FileNotFoundError when a folder has none."""
        self._texts: dict[str, str] = {}
        for place, prefix in ((folder, ""), (jobs, "job:")):
            texts = {} if place is None else dict(_read_files(place, prefix))
            if place is not None and not texts:
                raise FileNotFoundError(f"no .cypher file below {place}")
            self._texts |= texts
        fragments = dict(_parse_fragments(self._texts))
        self._texts = {
            name: LANGUAGE + _expand_fragments(text, fragments)
            for name, text in self._texts.items()
            if not name.startswith(_FRAGMENTS)
        }
        plain = {name: _COMMENT.sub("", text) for name, text in self._texts.items()}
        self._parameters = {n: frozenset(_PARAMETER.findall(text)) for n, text in plain.items()}
        self._rows = {name: _keys_of_rows(text) for name, text in plain.items()}
        self._slot = VectorSlot.FIRST

    @property
    def slot(self) -> VectorSlot:
        """The slot of vectors that these queries are for."""
        return self._slot

    def in_slot(self, slot: VectorSlot) -> "Queries":
        """Return the queries for a slot of vectors."""
        if slot is self._slot:
            return self
        queries = copy(self)
        queries._slot = slot
        queries._texts = {name: exchange_slots(text) for name, text in self._texts.items()}
        return queries

    def sets_vectors(self, name: str) -> bool:
        """Return True if a query writes vectors."""
        return _SETS_VECTOR in self._texts[name]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all queries, sorted."""
        return tuple(sorted(self._texts))

    def text(self, name: str) -> LiteralString:
        """Return the text of a query. The files are ours, so their text counts as literal."""
        return cast("LiteralString", self._texts[name])

    def parameters(self, name: str) -> tuple[str, ...]:
        """Return the names of the parameters that a query takes, sorted."""
        return tuple(sorted(self._parameters[name]))

    def bind(
        self,
        name: str,
        parameters: Mapping[str, object],
        timeout_s: float | None = None,
        *,
        replan: bool = False,
    ) -> Bound:
        """Return the query, ready to run, with its name in the transaction's metadata. With
        `replan`, Neo4j plans it for the present contents of the graph, and keeps this plan for all
        who run the query.

        All parameters go in one map: Neo4j plans a query again when a parameter is of another type
        than before, such as null instead of a list, which takes longer than running it; the type of
        the map is always the same.

        Raises TypeError when the parameters given, or the keys of the rows in them, are not exactly
        those of the file: Neo4j itself ignores extra ones, and reads a missing key as null."""
        wanted = self._parameters[name]
        if wanted != parameters.keys():
            raise TypeError(f"query {name} takes {sorted(wanted)}, was given {sorted(parameters)}")
        for path, keys in self._rows[name].items():
            for row in _rows_at(parameters, path):
                if row.keys() != keys:
                    place = ".".join(path)
                    raise TypeError(f"{name}: {place} take {sorted(keys)}, not {sorted(row)}")
        text = REPLANNED + self.text(name).removeprefix(LANGUAGE) if replan else self.text(name)
        apart = {each: parameters[each] for each in _APART.findall(text)}
        query = Query(pack(text), metadata={"query": name}, timeout=timeout_s)
        return Bound(query, {_GIVEN: dict(parameters)} | apart)


@lru_cache(maxsize=_TEXTS)
def pack(text: str) -> LiteralString:
    """Return the text of a query with its parameters taken from one map."""
    return cast("LiteralString", _TOGETHER.sub(f"${_GIVEN}.", text))


def _read_files(folder: Traversable, prefix: str) -> Iterator[tuple[str, str]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _read_files(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(".cypher"):
            text = entry.read_text(encoding="utf-8")
            yield prefix + entry.name.removesuffix(".cypher"), text


class _Fragment(NamedTuple):
    parameters: list[str]
    text: str


def _parse_fragments(texts: Mapping[str, str]) -> Iterator[tuple[str, _Fragment]]:
    for place, text in texts.items():
        if place.startswith(_FRAGMENTS):
            declared = _DECLARED.fullmatch(text)
            if declared is None or declared[1] != place.removeprefix(_FRAGMENTS):
                raise ValueError(f"{place}.cypher does not begin with its name and parameters")
            yield declared[1], _Fragment(declared[2].split(", "), declared[3].strip())


def _expand_fragments(text: str, fragments: Mapping[str, _Fragment]) -> str:
    """Replace the fragments that a query names, and those that they name, by their texts. Raises
    KeyError for an unknown one, and ValueError for one with too few or too many names."""

    def text_of(used: re.Match[str]) -> str:
        fragment, indent = fragments[used[2]], used[1] or ""
        names = dict(zip(fragment.parameters, used[3].split(", "), strict=True))
        named = _VARIABLE.sub(lambda found: names.get(found[0], found[0]), fragment.text)
        return indent + _expand_fragments(named, fragments).replace("\n", "\n" + indent)

    return _USED.sub(text_of, text)


_Path = tuple[str, ...]


def _keys_of_rows(text: str) -> dict[_Path, frozenset[str]]:
    """Return the keys that a query reads of the rows in its parameters, by the path to them; rows
    that it takes as a whole are left out."""
    found: dict[_Path, frozenset[str]] = {}
    paths: dict[str, _Path] = {}
    unwound = list(_UNWIND.finditer(text))
    for i, match in enumerate(unwound):
        outer, name, row = match.groups()
        paths[row] = (*paths[outer], name) if outer in paths else (name,) if outer is None else ()
        again = (later.start() for later in unwound[i + 1 :] if later[3] == row)
        scope = text[match.end() : next(again, len(text))]
        keys = frozenset(key for name, key in _FIELD.findall(scope) if name == row)
        if paths[row] and keys and row not in _WHOLE.findall(scope):
            found[paths[row]] = found.get(paths[row], frozenset()) | keys
    return found


def _rows_at(value: object, path: _Path) -> Iterator[Mapping[str, object]]:
    """Yield the rows at a path of parameters, all those that are mappings."""
    if isinstance(value, Mapping):
        if not path:
            yield value
        elif path[0] in value:
            yield from _rows_at(value[path[0]], path[1:])
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _rows_at(each, path)
