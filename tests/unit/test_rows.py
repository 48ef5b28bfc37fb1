"""What is read of a note that is destroyed meanwhile."""

import pytest

from graphmem.errors import Stale
from graphmem.store.rows import to_note


class Gone(dict[str, object]):
    """A row of which only some values could be read."""

    def __missing__(self, name: str) -> None:
        return None


@pytest.mark.parametrize("read", [{}, {"keywords": [], "tags": [], "kind": "EPISODIC"}])
def test_a_note_that_is_destroyed_while_it_is_read_is_stale(read: dict[str, object]) -> None:
    with pytest.raises(Stale):
        to_note(Gone(read))
