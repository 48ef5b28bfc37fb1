"""Print the numbers by which the shape of the code is judged, for this tree or another one.

`python scripts/show_shape.py [FOLDER]` counts files and lines, classes that say the same, where one
field stands, and rooms that import each other. It only prints: what must hold is in the tests and
in the contracts of import-linter."""

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Final

FIELD: Final = ("load_bearing", "loadBearing")
PROTOCOLS: Final = ("api", "rest", "mcp", "operations")
LEAST_FIELDS: Final = 4  # of a class that is compared with others
EQUAL: Final = 0.8  # share of the fields of the larger class that both have
SHORT: Final = 40  # lines


class Tree:
    """The Python files of a checkout, parsed once."""

    def __init__(self, root: Path) -> None:
        """Read them."""
        self.root = root
        package = root / "graphmem"
        self.texts = {
            path.relative_to(package): path.read_text(encoding="utf-8")
            for path in sorted(package.rglob("*.py"))
        }
        self.parsed = {path: ast.parse(text) for path, text in self.texts.items()}

    def classes(self) -> Iterator[tuple[Path, ast.ClassDef]]:
        """Yield the public classes."""
        for path, tree in self.parsed.items():
            for node in tree.body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    yield path, node


def sizes(tree: Tree) -> dict[str, object]:
    """Return the numbers of files and lines."""
    lines = {path: len(text.splitlines()) for path, text in tree.texts.items()}
    imports = sum(
        (node.end_lineno or node.lineno) - node.lineno + 1
        for each in tree.parsed.values()
        for node in ast.walk(each)
        if isinstance(node, ast.Import | ast.ImportFrom)
    )
    commands = sum(
        any(isinstance(base, ast.Subscript) and _name(base.value) in ("Command", "Change")
            for base in node.bases)
        for path, node in tree.classes() if path.parts[0] == "operations"
    )  # fmt: skip
    protocol = sum(n for path, n in lines.items() if path.parts[0] in PROTOCOLS)
    return {
        "files": len(lines),
        f"files under {SHORT} lines": sum(n < SHORT for n in lines.values()),
        "lines": sum(lines.values()),
        "lines of imports": imports,
        "lines of protocol for each command": round(protocol / max(commands, 1)),
    }


def same_names(tree: Tree) -> dict[str, object]:
    """Return the names of classes that stand in several layers."""
    found = defaultdict(set)
    for path, node in tree.classes():
        if path.parts[0] != "client":  # which imports no other part
            found[node.name].add(path.parts[0])
    several = sorted(name for name, layers in found.items() if len(layers) > 1)
    return {"names of classes in several layers": f"{len(several)}: {', '.join(several)}"}


def twins(tree: Tree) -> dict[str, object]:
    """Return the number of groups of classes that have nearly the same fields, without
    the client's."""
    fields = {}
    for path, node in tree.classes():
        if path.parts[0] == "client":
            continue
        marked = [each.target for each in node.body if isinstance(each, ast.AnnAssign)]
        names = {each.id for each in marked if isinstance(each, ast.Name)}
        if len(names) >= LEAST_FIELDS:
            fields[f"{path}:{node.name}"] = names
    leader = {each: each for each in fields}

    def first(each: str) -> str:
        while leader[each] != each:
            each = leader[each]
        return each

    for one, other in combinations(fields, 2):
        both = len(fields[one] & fields[other])
        if both / max(len(fields[one]), len(fields[other])) >= EQUAL:
            leader[first(one)] = first(other)
    groups = defaultdict(list)
    for each in fields:
        groups[first(each)].append(each)
    alike = [group for group in groups.values() if len(group) > 1]
    return {"groups of classes with the same fields": len(alike)}


def places(tree: Tree) -> dict[str, object]:
    """Return where one field stands, and how often the gate is written by hand."""
    python = sum(any(name in text for name in FIELD) for text in tree.texts.values())
    queries = [path.read_text(encoding="utf-8") for folder in ("cypher", "jobs")
               for path in (tree.root / folder).rglob("*.cypher")]  # fmt: skip
    return {
        f"Python files with the field {FIELD[1]}": python,
        f"Cypher files with the field {FIELD[1]}": sum(FIELD[1] in text for text in queries),
        "`IN $audiences` by hand": sum(text.count("IN $audiences") for text in queries),
    }


def rooms(tree: Tree) -> dict[str, object]:
    """Return the rooms of services that import each other."""
    edges = set()
    for path, parsed in tree.parsed.items():
        if path.parts[0] != "services" or len(path.parts) < 2:
            continue
        here = path.parts[1].removesuffix(".py")
        for node in ast.walk(parsed):
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [f"{node.module}.{each.name}" for each in node.names]
                for name in names:
                    parts = name.split(".")
                    if parts[:2] == ["graphmem", "services"] and parts[2] != here:
                        edges.add((here, parts[2]))
    both = sorted({tuple(sorted(each)) for each in edges if each[::-1] in edges})
    return {"rooms of services that import each other": f"{len(both)} pairs"}


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def main() -> None:
    """Print all numbers of the folder that is given, or of this checkout."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent.parent
    tree = Tree(root)
    for part in (sizes, same_names, twins, places, rooms):
        for name, value in part(tree).items():
            print(f"{name:45} {value}")


if __name__ == "__main__":
    main()
