"""The docstrings of classes and of their fields, for those who read a schema."""

import ast
import inspect
import textwrap
from collections.abc import Mapping
from dataclasses import is_dataclass
from functools import cache
from itertools import pairwise

from graphmem.domain.fields import shown_property


def sentence_of(kind: object) -> str:
    """Return the docstring of a class or function on one line."""
    return " ".join((inspect.getdoc(kind) or "").split())


@cache
def docstrings(kind: type) -> Mapping[str, str]:
    """Return the string behind each field of a class and of those it extends, and those of its
    shown properties, by name."""
    found = {}
    for base in reversed(kind.__mro__):
        if base is kind or is_dataclass(base):
            found |= _own_docstrings(base)
    return found


@cache
def _own_docstrings(kind: type) -> Mapping[str, str]:
    found = {
        name: sentence_of(each) for name, each in vars(kind).items() if type(each) is shown_property
    }
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(kind)))
    except (OSError, TypeError):  # Python runs without sources
        return found
    (body,) = (node.body for node in tree.body if isinstance(node, ast.ClassDef))
    for field, behind in pairwise(body):
        match field, behind:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=text)):
                found[name] = " ".join(str(text).split())
            case _:
                pass
    return found
