"""Rules of the structure: no import circle, and Strawberry's private names in one file."""

import ast
from graphlib import TopologicalSorter
from importlib.metadata import version
from pathlib import Path

from graphmem.api import strawberry_privates

ROOT = Path(__file__).parents[2]
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in (ROOT / "graphmem").rglob("*.py")
}
PRIVATES = Path(strawberry_privates.__file__)


def imported_by(path: Path) -> set[str]:
    """The modules of graphmem that a file imports: at the top, for types only, or in a function."""
    found = set[str]()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            parts = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {part if part in MODULES else node.module for part in parts}
    return found & MODULES.keys()


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Also not for types alone. An import of a package from within it is none."""
    graph = {name: imported_by(path) - {name} for name, path in MODULES.items()}
    assert sum(map(len, graph.values())) > len(graph) > 300
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


def private_names(path: Path) -> set[str]:
    """The private names that a file takes from others: of modules, and of objects whose file has
    no such name."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    taken, own = set[str](), set[str]()
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                own.add(name)
            case ast.Attribute(attr=name, ctx=ast.Store()) | ast.Name(id=name, ctx=ast.Store()):
                own.add(name)
            case ast.Attribute(attr=name):
                taken.add(name)
            case ast.ImportFrom():
                taken |= {alias.name for alias in node.names}
    return {name for name in taken - own if name.startswith("_") and not name.startswith("__")}


def test_strawberrys_private_names_are_used_in_one_file() -> None:
    used = {path.name: private_names(path) for path in (ROOT / "graphmem/api").rglob("*.py")}
    assert {name: names for name, names in used.items() if names} == {
        PRIVATES.name: {"_schema", "_get_stream_transport_from_headers"}
    }
    for path in MODULES.values():  # nor overridden elsewhere
        text = path.read_text(encoding="utf-8") if path != PRIVATES else ""
        assert not [name for _, name in strawberry_privates.PRIVATE_NAMES if name in text], path


def test_the_strawberry_that_is_installed_has_these_private_names() -> None:
    for owner, name in strawberry_privates.PRIVATE_NAMES:
        assert callable(getattr(owner, name)), f"{owner.__name__}.{name}"
    locked = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    assert f"strawberry-graphql=={version('strawberry-graphql')} " in locked
