"""The table of error codes, which every protocol answers by."""

import ast
import inspect
from pathlib import Path

import pytest

from graphmem import errors
from graphmem.operations import codes
from graphmem.operations.codes import CODES, Failure, exit_code_of, failure_of, status_of

ROOT = Path(__file__).parents[2]
ERRORS = [
    each
    for _, each in inspect.getmembers(errors, inspect.isclass)
    if issubclass(each, errors.GraphmemError)
]


@pytest.mark.parametrize("kind", ERRORS)
def test_every_error_has_a_row(kind: type[errors.GraphmemError]):
    assert kind.code in CODES
    assert exit_code_of(kind()) == CODES[kind.code].exit_code


def test_the_rows_are_those_of_errors_and_of_the_protocols():
    named = {codes.TOO_COMPLEX, codes.PARSE_FAILED, codes.VALIDATION_FAILED}
    assert set(CODES) == {each.code for each in ERRORS} | named


def emitted() -> set[str]:
    """Every text in the program that has the form of a code and goes where codes go."""
    found: set[str] = set()
    for file in (ROOT / "graphmem").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            match node:
                case (
                    ast.Assign(targets=[ast.Name(id="code")])
                    | ast.AnnAssign(target=ast.Name(id="code"))
                ):
                    texts = [node.value]
                case ast.Call():
                    texts = [each.value for each in node.keywords if each.arg == "code"]
                case ast.Dict():
                    pairs = zip(node.keys, node.values, strict=True)
                    texts = [
                        v for k, v in pairs if isinstance(k, ast.Constant) and k.value == "code"
                    ]
                case _:
                    continue
            found |= {
                each.value
                for each in texts
                if isinstance(each, ast.Constant) and isinstance(each.value, str)
            }
    return found | {v for v in vars(codes).values() if isinstance(v, str) and v in CODES}


@pytest.mark.parametrize("code", sorted(emitted() | set(CODES)))
def test_every_code_that_can_come_is_in_the_table_and_on_the_pages(code: str):
    assert code in CODES
    for page in ("graphql.md", "rest.md"):
        assert f"`{code}`" in (ROOT / "docs" / "reference" / page).read_text("utf-8"), page


def test_a_status_tells_who_is_at_fault():
    assert {code for code, row in CODES.items() if row.status >= 500} == {
        "INTERNAL_SERVER_ERROR",
        "UNAVAILABLE",
        "OPERATION_TIMEOUT",
    }
    assert status_of("one that no table has") == 400


def test_wrong_use_of_a_command_is_told_from_a_failure():
    assert exit_code_of(errors.Invalid()) == 2
    assert exit_code_of(errors.Misconfigured()) == 1
    assert exit_code_of(RuntimeError()) == 1


def test_an_error_of_ours_is_told_with_its_details():
    error = errors.Conflict("the note has another version", currentVersion=3)
    assert failure_of(error) == Failure(
        "CONFLICT", "the note has another version", details={"currentVersion": 3}
    )
    assert failure_of(errors.Unavailable("no database")).retryable
    assert failure_of(errors.Unavailable("no database")).retry_after == "1"
    assert failure_of(errors.RateLimited(retryAfter=7)).retry_after == "7"
    assert failure_of(error).retry_after is None
    assert failure_of(errors.Unavailable("no database")).status == 503


def test_an_unknown_error_is_masked():
    shown = failure_of(RuntimeError("the diary says"))
    assert (shown.code, shown.message, shown.status) == (
        "INTERNAL_SERVER_ERROR",
        "Internal error",
        500,
    )
    assert "diary" not in str(shown)
