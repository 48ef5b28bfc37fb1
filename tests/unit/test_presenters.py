"""Answers as JSON."""

from datetime import UTC, datetime

from graphmem.domain.jobs import JobRun, RunStatus
from graphmem.domain.notes import NoteFilter
from graphmem.operations.presenters.as_json import to_json
from graphmem.operations.presenters.jobs import run_of
from graphmem.operations.presenters.notes import NoteConnection, PageInfo


def test_names_are_those_of_graphql_and_instants_are_texts():
    at = datetime(2026, 3, 1, 10, tzinfo=UTC)
    run = JobRun(id="1", job="j", slot="s", started_at=at, status=RunStatus.DONE, counts={"a": 1})
    assert to_json([run_of(run)]) == [
        {
            "id": "1",
            "job": "j",
            "slot": "s",
            "startedAt": "2026-03-01T10:00:00Z",
            "finishedAt": None,
            "status": "DONE",
            "counts": {"a": 1},
            "error": None,
        }
    ]


def test_a_page_does_not_tell_its_filter():
    info = PageInfo(has_next_page=False, has_previous_page=False, start_cursor=None, end_cursor="e")
    page = NoteConnection(edges=(), page_info=info, given=NoteFilter(domain="a"))
    assert to_json(page) == {
        "edges": [],
        "pageInfo": {
            "hasNextPage": False,
            "hasPreviousPage": False,
            "startCursor": None,
            "endCursor": "e",
        },
    }
