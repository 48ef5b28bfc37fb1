"""The docstrings behind the fields of a class, by the names of the fields."""

import ast
import inspect
import textwrap


def docstrings(of: type) -> dict[str, str]:
    """Return what the string behind each field of a class says, on one line."""
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(of))).body
    assert isinstance(tree, ast.ClassDef)
    found = {}
    for field, text in zip(tree.body, tree.body[1:], strict=False):
        match field, text:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=told)):
                found[name] = " ".join(str(told).split())
    return found
