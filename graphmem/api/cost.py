"""Counts what an operation may cost: one point for an object, a quarter for a plain field.

A list multiplies what is under it by its size: the argument `first`, `k` or `limit` (or that of an
input object), else the length of a list that the caller sent, else 10. A query in WORK has a price
of its own, since what it does depends little on the answer. A field that returns an object, as a
connection does, hands its size to the lists directly under it. `@skip` and `@include` are ignored:
the count is the worst case.
"""

from collections.abc import Mapping

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLArgument,
    GraphQLField,
    GraphQLNamedType,
    GraphQLSchema,
    InlineFragmentNode,
    OperationDefinitionNode,
    SelectionNode,
    SelectionSetNode,
    Undefined,
    VariableNode,
    get_named_type,
    get_nullable_type,
    get_operation_ast,
    is_list_type,
    value_from_ast_untyped,
)

DEFAULT_SIZE = 10
LARGEST_SIZE = 500  # resolvers refuse a larger page, with a message that names their limit
LEAF = 0.25
SIZE_NAMES = ("first", "last", "k", "limit")
WORK = {
    "previewRemember": 1500.0,
    "neighbourhood": 3000.0,
    "health": 1000.0,
}  # queries that do much for a small answer
INTROSPECTION = {"__schema": 4000.0, "__type": 500.0}


def operation_cost(
    schema: GraphQLSchema,
    document: DocumentNode,
    operation_name: str | None,
    variables: Mapping[str, object],
) -> float:
    """Return the points of the named operation (None: the only one) with these raw variables."""
    operation = get_operation_ast(document, operation_name)
    root = schema.get_root_type(operation.operation) if operation else None
    if operation is None or root is None:
        return 0.0
    return _Cost(schema, document, _add_defaults(operation, variables)).of(
        operation.selection_set, root, None
    )


def _add_defaults(
    operation: OperationDefinitionNode, variables: Mapping[str, object]
) -> dict[str, object]:
    defaults = {
        definition.variable.name.value: value_from_ast_untyped(definition.default_value)
        for definition in operation.variable_definitions or ()
        if definition.default_value
    }
    return {**defaults, **variables}


class _Cost:
    """Adds up selections under their types; a fragment is counted once for each type and size."""

    def __init__(
        self, schema: GraphQLSchema, document: DocumentNode, variables: dict[str, object]
    ) -> None:
        self._schema = schema
        self._variables = variables
        self._fragments = {
            node.name.value: node
            for node in document.definitions
            if isinstance(node, FragmentDefinitionNode)
        }
        self._costs: dict[tuple[str, int | None], float] = {}

    def of(
        self, selections: SelectionSetNode, parent: GraphQLNamedType | None, size: int | None
    ) -> float:
        """Add up a selection set; `size` is that of lists directly under a sized object."""
        return sum(self._selection_cost(node, parent, size) for node in selections.selections)

    def _selection_cost(
        self, node: SelectionNode, parent: GraphQLNamedType | None, size: int | None
    ) -> float:
        if isinstance(node, FieldNode):
            return self._field_cost(node, parent, size)
        if isinstance(node, FragmentSpreadNode):
            return self._fragment_cost(node.name.value, size)
        assert isinstance(node, InlineFragmentNode)
        condition = node.type_condition
        inner = self._schema.get_type(condition.name.value) if condition else parent
        return self.of(node.selection_set, inner, size)

    def _fragment_cost(self, name: str, size: int | None) -> float:
        if (name, size) not in self._costs:
            fragment = self._fragments[name]
            on = self._schema.get_type(fragment.type_condition.name.value)
            self._costs[name, size] = self.of(fragment.selection_set, on, size)
        return self._costs[name, size]

    def _field_cost(
        self, node: FieldNode, parent: GraphQLNamedType | None, size: int | None
    ) -> float:
        if node.name.value.startswith("__"):
            return INTROSPECTION.get(node.name.value, 0.0)
        field: GraphQLField | None = getattr(parent, "fields", {}).get(node.name.value)
        if field is None or node.selection_set is None:
            return LEAF
        inner = get_named_type(field.type)
        own = self._size(node, field)
        if not is_list_type(get_nullable_type(field.type)):
            work = WORK.get(node.name.value, 1) if parent is self._schema.query_type else 1
            return work + self.of(node.selection_set, inner, own)
        times = own or size or DEFAULT_SIZE
        return times * (1 + self.of(node.selection_set, inner, None))

    def _size(self, node: FieldNode, field: GraphQLField) -> int | None:
        """Return the number of rows that the arguments of a field ask for, or None if they don't
        say."""
        given = {name: _default(argument) for name, argument in field.args.items()}
        for argument in node.arguments or ():
            value = argument.value
            if isinstance(value, VariableNode):
                sent = self._variables.get(value.name.value)
            else:
                sent = value_from_ast_untyped(value, self._variables)
            if sent is not None and sent is not Undefined:
                given[argument.name.value] = sent
        inputs = [value for value in given.values() if isinstance(value, Mapping)]
        asked = [_count(of[name]) for of in (given, *inputs) for name in SIZE_NAMES if name in of]
        if numbers := [number for number in asked if number is not None]:
            return min(max(*numbers, 1), LARGEST_SIZE)
        lists = [len(v) for of in (given, *inputs) for v in of.values() if isinstance(v, list)]
        return max(lists) if lists and max(lists) > DEFAULT_SIZE else None


def _default(argument: GraphQLArgument) -> object:
    """Return an argument's default: Strawberry gives a value, a schema in text a literal."""
    if argument.default is not None and argument.default.literal is not None:
        return value_from_ast_untyped(argument.default.literal)
    return None if argument.default_value is Undefined else argument.default_value


def _count(value: object) -> int | None:
    """Return a row count as an int; JSON may carry it as 100.0, and nonsense is not counted."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(max(min(value, LARGEST_SIZE), 1)) if value == value else None
