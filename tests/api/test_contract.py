"""What clients were promised stays: every name, type and default of the contract is in the schema.

`contract_names.txt` was made once of the contract. A line may be added to it, and none is ever
changed or taken away."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLObjectType,
    GraphQLSchema,
    build_schema,
    is_specified_scalar_type,
    print_ast,
)

from graphmem.resources import folder

PROMISED = (Path(__file__).parent / "contract_names.txt").read_text("utf-8").splitlines()


def promises(schema: GraphQLSchema) -> Iterator[str]:
    """A line for each type, value of an enum, field and argument, with its type and default."""
    for name, kind in schema.type_map.items():
        if name.startswith("__") or is_specified_scalar_type(kind):
            continue
        match kind:
            case GraphQLEnumType():
                yield from (f"{name}.{value}" for value in kind.values)
            case GraphQLInputObjectType():
                yield from (typed(f"{name}.{each}", field) for each, field in kind.fields.items())
            case GraphQLObjectType():
                for each, field in kind.fields.items():
                    yield f"{name}.{each}: {field.type}"
                    yield from (typed(f"{name}.{each}({a})", x) for a, x in field.args.items())
            case _:
                yield name


def typed(name: str, given: Any) -> str:
    """With its default; to have null as one is to have none."""
    default = given.ast_node.default_value and print_ast(given.ast_node.default_value)
    return f"{name}: {given.type}" + (f" = {default}" if default not in (None, "null") else "")


def committed() -> str:
    return (folder("schema") / "schema.graphql").read_text(encoding="utf-8")


def test_the_contract_is_part_of_the_schema() -> None:
    assert len(PROMISED) > 600
    assert sorted(set(PROMISED) - set(promises(build_schema(committed())))) == []


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("  externalId: String", "  externalIdentity: String"),
        ("  content: String!", "  content: String"),
        ("  USER_ONLY", "  ONLY_USER"),
        ("links(first: Int = 20)", "links(first: Int = 21)"),
    ],
)
def test_a_name_a_type_or_a_default_that_changes_is_seen(text: str, other: str) -> None:
    changed = committed().replace(text, other)
    assert changed != committed()
    assert set(PROMISED) - set(promises(build_schema(changed)))
