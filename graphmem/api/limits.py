"""Limits of one operation: size of the document, cost of the answer, and time.

The shape of a document (depth, aliases, directives) is checked once for its text and before the
rules of the specification, which would take long on a hostile one. Its cost depends on the
variables, so it is counted for each execution. Fragments are measured once each: a document of
2,000 tokens can spread them 2^200 times."""

from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    GraphQLSchema,
    NoSchemaIntrospectionCustomRule,
    OperationDefinitionNode,
    SelectionNode,
    SelectionSetNode,
    parse,
    specified_rules,
)
from strawberry.extensions import SchemaExtension
from strawberry.schema.schema import validate_document

from graphmem.api.context import Operation
from graphmem.api.cost import operation_cost
from graphmem.api.errors import present, too_complex, with_code
from graphmem.api.strawberry_privates import core_schema
from graphmem.operations.codes import VALIDATION_FAILED
from graphmem.operations.limits import OPERATION_S, time_limit
from graphmem.operations.metering import count_refused


@dataclass(frozen=True)
class Limits:
    """The limits of one operation; tokens, levels and counts, points, seconds."""

    tokens: int = 2000
    depth: int = 12
    aliases: int = 15
    directives: int = 8
    cost: int = 20_000
    seconds: float = OPERATION_S
    nesting: int = 60  # selection sets in each other, fragments included; bounds our recursion
    cached_text: int = 4096  # a longer text is not cached: it would fill memory


@dataclass(frozen=True)
class Checked:
    """A document that was parsed, with the reasons to refuse it (none: it may run)."""

    document: DocumentNode
    errors: tuple[GraphQLError, ...]


Check = Callable[[str], Checked]


def document_checker(schema: GraphQLSchema, limits: Limits, *, introspection: bool) -> Check:
    """Return a function from text to checked document; it caches the 128 latest short texts without
    string literals, which might quote a note.

    The function raises GraphQLError for a text that can't be parsed."""
    rules = (
        specified_rules if introspection else (*specified_rules, NoSchemaIntrospectionCustomRule)
    )

    def check(text: str) -> Checked:
        document = parse(text, max_tokens=limits.tokens)
        try:
            errors = shape_errors(document, limits) or [
                with_code(error, str((error.extensions or {}).get("code", VALIDATION_FAILED)))
                for error in validate_document(schema, document, tuple(rules))
            ]
        except RecursionError:
            errors = [too_complex("The document is nested too deeply")]
        return Checked(document, tuple(errors))

    cached = lru_cache(maxsize=128)(check)

    def checked(text: str) -> Checked:
        keep = len(text) <= limits.cached_text and '"' not in text
        return (cached if keep else check)(text)

    return checked


def shape_errors(document: DocumentNode, limits: Limits) -> list[GraphQLError]:
    """Return an error for each limit of shape that the document is over."""
    shape = _Shape(document)
    sizes = [(node, shape.of(node.selection_set)) for node in shape.definitions]
    # A fragment of the usual introspection query is deep, but only in its definition.
    levels = [size.depth for node, size in sizes if isinstance(node, OperationDefinitionNode)]
    found = {
        "levels": (max(levels, default=0), limits.depth),
        "nested selections": (max((s.nesting for _, s in sizes), default=0), limits.nesting),
        "aliases": (max((s.aliases for _, s in sizes), default=0), limits.aliases),
        "directives": (shape.directives, limits.directives),
    }
    return [
        too_complex(f"The document has more {name} than allowed ({limit})", limit=limit)
        for name, (count, limit) in found.items()
        if count > limit
    ]


@dataclass(frozen=True)
class _Size:
    depth: int = 0
    nesting: int = 0
    aliases: int = 0


class _Shape:
    """Measures selections; introspection has no depth (graphql-core has its own rule for it)."""

    def __init__(self, document: DocumentNode) -> None:
        self.definitions = [
            node
            for node in document.definitions
            if isinstance(node, OperationDefinitionNode | FragmentDefinitionNode)
        ]
        self.directives = sum(len(node.directives or ()) for node in self.definitions)
        self._fragments = {
            node.name.value: node.selection_set
            for node in self.definitions
            if isinstance(node, FragmentDefinitionNode)
        }
        self._measured: dict[int, _Size] = {}

    def of(self, selections: SelectionSetNode | None) -> _Size:
        """Measure a selection set, each only once; a fragment inside itself counts as nothing."""
        if selections is None:
            return _Size()
        if id(selections) not in self._measured:
            self._measured[id(selections)] = _Size()
            sizes = [self._measure_selection(node) for node in selections.selections]
            self._measured[id(selections)] = _Size(
                depth=max((size.depth for size in sizes), default=0),
                nesting=1 + max((size.nesting for size in sizes), default=0),
                aliases=sum(size.aliases for size in sizes),
            )
        return self._measured[id(selections)]

    def _measure_selection(self, node: SelectionNode) -> _Size:
        self.directives += len(node.directives or ())
        if isinstance(node, FragmentSpreadNode):
            return self.of(self._fragments.get(node.name.value))
        inner = self.of(getattr(node, "selection_set", None))
        if not isinstance(node, FieldNode):
            return inner
        depth = 0 if node.name.value.startswith("__") else inner.depth + 1
        return _Size(depth, inner.nesting, inner.aliases + (node.alias is not None))


class OperationLimits(SchemaExtension):
    """Strawberry extension that parses, validates, prices and times each operation."""

    def __init__(self, check: Check, limits: Limits) -> None:
        self._check = check
        self._limits = limits
        self._errors: tuple[GraphQLError, ...] = ()

    def on_operation(self) -> Iterator[None]:
        """Pass the token limit to Strawberry's own parser, which reports syntax errors."""
        self.execution_context.parse_options["max_tokens"] = self._limits.tokens
        yield

    def on_parse(self) -> Iterator[None]:
        """Parse and check the text, or leave a broken one to Strawberry.

        A hook that raises here would end a stream without an error for the client."""
        text = self.execution_context.query
        try:
            checked = self._check(text) if isinstance(text, str) else None
        except GraphQLError as error:
            checked = None
            self._count_refusal(present(error))
        if checked is not None:
            self.execution_context.graphql_document = checked.document
            self._errors = checked.errors
        yield

    def on_validate(self) -> Iterator[None]:
        """Report what the check found; validation does not run a second time."""
        self.execution_context.pre_execution_errors = list(self._errors)
        for error in self._errors[:1]:
            self._count_refusal(error)
        yield

    async def on_execute(self) -> AsyncIterator[None]:
        """Refuse an operation over its budget and stop one that takes too long.

        A subscription is timed only while it starts, not while it sends events. One hook does
        both: Strawberry does not leave the hooks it entered when a later one raises.
        """
        self._check_cost()
        async with time_limit(self._limits.seconds) as ends:
            context = self.execution_context.context
            if isinstance(context, Operation):
                context.ends = ends
            yield

    def _count_refusal(self, error: GraphQLError) -> None:
        context, code = self.execution_context.context, (error.extensions or {}).get("code")
        if isinstance(context, Operation):
            count_refused(context.service.meter, "graphql", code)

    def _check_cost(self) -> None:
        context = self.execution_context
        assert context.graphql_document is not None
        try:
            cost = operation_cost(
                core_schema(context.schema),
                context.graphql_document,
                context.operation_name,
                context.variables or {},
            )
        except RecursionError as exc:
            raise too_complex("The document is nested too deeply") from exc
        if cost > self._limits.cost:
            message = f"The operation costs {cost:.0f} points; {self._limits.cost} are allowed"
            error = too_complex(message, cost=round(cost), limit=self._limits.cost)
            self._count_refusal(error)
            raise error
