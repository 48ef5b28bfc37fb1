"""Wiki links of a vault become links of its documents, as cheaply in a hostile text as in any."""

from pathlib import Path
from typing import Any

import pytest

from graphmem.domain.notes import NoteDraft
from graphmem.services.importing import vault
from graphmem.services.importing.markdown import Document, LinkDraft


class Counting:
    """A pattern that counts the lines that it is tried on."""

    def __init__(self, pattern: Any) -> None:
        self.pattern, self.tried = pattern, 0

    def match(self, line: str) -> Any:
        self.tried += 1
        return self.pattern.match(line)


def test_a_target_that_is_named_often_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    typed = Counting(vault._TYPED)
    monkeypatch.setattr(vault, "_TYPED", typed)
    draft = NoteDraft(content="- works at " + "[[Halden]] " * 500, external_id="Ada")
    document = Document(path=Path("Ada.md"), draft=draft, author=None, links=())
    made = vault.with_wiki_links(document, {"halden": "Halden"})
    assert made.links == (LinkDraft(to="Halden", kind="works at", reason=None, loose=True),)
    assert typed.tried == 1
