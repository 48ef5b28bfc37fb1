"""The docstrings of classes and of their fields, for those who read a schema."""

import ast
import inspect
import textwrap
from collections.abc import Mapping
from functools import cache
from itertools import pairwise


def sentence_of(kind: object) -> str:
    """Return the docstring of a class or function on one line."""
    return " ".join((inspect.getdoc(kind) or "").split())


@cache
def docstrings(kind: type) -> Mapping[str, str]:
    """Return the string behind each field of a class, by the name of the field."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(kind)))
    except (OSError, TypeError):  # Python runs without sources
        return {}
    (body,) = (node.body for node in tree.body if isinstance(node, ast.ClassDef))
    found = {}
    for field, behind in pairwise(body):
        match field, behind:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=text)):
                found[name] = " ".join(str(text).split())
            case _:
                pass
    return found
