"""How Sphinx builds the documentation: `make docs`.

Its source folder is that of the project, so that links to README.md and the like are checked too.
The pages work on a code host as they are: they hold nothing that only Sphinx understands."""

import re
from pathlib import Path

from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx

ROOT = Path(__file__).parents[1]
LINK = re.compile(r"\]\(([^)#\s]+\.md)\)")

project = "graphmem"
extensions = ["myst_parser"]
root_doc = "docs/index"
include_patterns = [
    *("docs/**", "README.md", "SECURITY.md", "CHANGELOG.md", "CONTRIBUTING.md"),
    *("examples/*.md", "bench/README.md", "bench/*/RESULTS.md"),
]
exclude_patterns = ["docs/conf.py"]
myst_heading_anchors = 4
html_theme = "alabaster"
html_theme_options = {"page_width": "72rem", "fixed_sidebar": True, "show_powered_by": False}
html_show_copyright = False
html_copy_source = False


def add_contents(app: Sphinx, name: str, source: list[str]) -> None:
    """Give the index page a table of contents, made of its headings and links."""
    if name != root_doc:
        return
    parts = re.split(r"^## (.+)$", source[0], flags=re.MULTILINE)[1:]
    for heading, text in zip(parts[::2], parts[1::2], strict=True):
        pages = ["/" + _page(target) for target in LINK.findall(text)]
        lines = ["```{toctree}", ":hidden:", f":caption: {heading}", "", *pages, "```"]
        source[0] += "\n" + "\n".join(lines) + "\n"
    source[0] += "\n```{toctree}\n:hidden:\n\n/README\n```\n"


def _page(target: str) -> str:
    """The name of a linked page, as Sphinx has it."""
    return (ROOT / "docs" / target).resolve().relative_to(ROOT).with_suffix("").as_posix()


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.add_lexer("mermaid", TextLexer)  # shown as text: no program from elsewhere draws it
    app.connect("source-read", add_contents)
