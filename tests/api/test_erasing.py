"""A user is erased: nothing of theirs is left, nobody else loses anything, and it can be shown."""

import asyncio
import json
from typing import Any

import pytest
from aged_notes import JobHeartbeat
from clients import Client
from named_nodes import named
from rest import Rest
from typer.testing import CliRunner, Result
from whole_life import Life

from graphmem.cli.program import build
from graphmem.domain.erasing import ErasureProgress
from graphmem.domain.notes import NoteDraft, WriteMode
from graphmem.errors import GraphmemError, NotFound, Unavailable
from graphmem.server import ServerAddress
from graphmem.services.actors import open_access
from graphmem.services.context import Context
from graphmem.services.forgetting.erasing import erase_user, erase_users
from graphmem.services.sessions.remembering import remember
from graphmem.store import erasing as store

ERASE = """mutation E($id: ID!) { eraseUser(confirm: $id) {
  user complete destroyed unnamed remaining } }"""
MINE = '{ notes { totalCount nodes { content } } board { key } commons(topic: "kiln") { id } }'


@pytest.fixture
async def life(api: Any, new_user: Any, context: Context) -> Life:
    made = Life(api, api.as_user(new_user()), new_user())
    await made.lived(context)
    return made


async def test_nothing_names_a_user_who_was_erased(life: Life, context: Context) -> None:
    api, other = life.api, life.other
    mine = await other(MINE)
    assert await named(context, api.user)
    assert await named(context, life.needle)
    report = (await api(ERASE, id=api.user))["eraseUser"]
    assert report == {**report, "user": api.user, "complete": True, "remaining": {}}
    assert report["destroyed"]["Note"] >= 5
    assert report["unnamed"] > 0
    assert await named(context, api.user) == []
    assert await named(context, life.needle) == []
    assert dict(await store.count_named(context.graph, api.user)) == {}
    after = await other(MINE)
    assert after["notes"] == mine["notes"], "what others own stays"
    assert {each["key"] for each in after["board"]} == {"plan", "shift"}, "the team's board stays"
    assert after["commons"] == [], "what the team knew of the user's note goes with the note"
    assert len(mine["commons"]) == 1


@pytest.mark.parametrize("confirm", [None, "somebody"])
async def test_only_the_user_in_person_who_confirms_it_is_erased(api: Any, confirm: Any) -> None:
    await api.remember("The kiln is in Ulm.")
    wrong = {"id": api.user} if confirm is None else {"id": confirm}
    client = api if confirm else api.as_agent("worker")
    assert await client.code(ERASE, **wrong) == ("BAD_USER_INPUT" if confirm else "FORBIDDEN")
    assert (await api("{ notes { totalCount } }"))["notes"]["totalCount"] == 1
    admin = Rest(api.http, api.user)  # in the open mode the user in person is one
    assert (await admin("POST", "/v1/erase", {"confirm": "somebody"})).status_code == 400


async def test_who_is_being_erased_is_served_no_more_and_the_job_ends_it(
    api: Client, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    for i in range(3):
        await api.remember(f"The kiln {i} is in Ulm.")
    whole, pages = store.destroy_notes, [0]

    async def dies(graph: Any, owner: Any, limit: int) -> int:
        if pages[0] == 1:
            raise Unavailable
        pages[0] += 1
        return await whole(graph, owner, 1)

    monkeypatch.setattr(store, "destroy_notes", dies)
    with pytest.raises(Unavailable):
        await erase_user(context, api.user)
    assert (await store.count_named(context.graph, api.user))["Note"] == 2
    assert await api.code("{ notes { totalCount } }") == "FORBIDDEN"
    assert await api.as_agent("worker").code("{ notes { totalCount } }") == "FORBIDDEN"
    admin = api.as_user(f"{api.user}-admin")
    renamed = "mutation U($id: ID!) { registerUser(id: $id) { id } }"
    assert await admin.code(renamed, id=api.user) == "CONFLICT"
    monkeypatch.setattr(store, "destroy_notes", whole)
    others = store.users_to_erase

    async def own(*args: Any, **given: Any) -> list[str]:
        return [user for user in await others(*args, **given) if user == api.user]

    monkeypatch.setattr(store, "users_to_erase", own)
    counts = await erase_users(context, JobHeartbeat())  # type: ignore[arg-type]
    assert counts["users"] == 1
    assert await store.count_named(context.graph, api.user) == {}
    assert (await api("{ notes { totalCount } }"))["notes"]["totalCount"] == 0, "somebody new"


async def test_what_is_written_meanwhile_is_erased_or_refused(
    api: Client, context: Context
) -> None:
    await api.remember("The kiln is in Ulm.")
    access = await open_access(context, api.user, None)
    drafts = [NoteDraft(content=f"The kiln {i} is in Bonn.") for i in range(4)]
    writes = [remember(context, access, draft, WriteMode.VERBATIM) for draft in drafts]
    done, *written = await asyncio.gather(
        erase_user(context, api.user), *writes, return_exceptions=True
    )
    assert isinstance(done, ErasureProgress)
    assert done.complete
    refused = [each for each in written if isinstance(each, BaseException)]
    assert all(isinstance(each, GraphmemError) for each in refused), refused
    assert await named(context, api.user) == []


async def test_what_is_not_done_in_time_is_told(api: Client, context: Context) -> None:
    await api.remember("The kiln is in Ulm.")
    done = await erase_user(context, api.user, ends=asyncio.get_running_loop().time())
    assert not done.complete
    assert done.remaining["Note"] == 1
    done = await erase_user(context, api.user)
    assert (done.complete, done.remaining) == (True, {})


async def test_the_operator_counts_and_erases_by_a_command(
    api: Client, neo4j_address: ServerAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    await api.remember("The kiln is in Ulm.")
    monkeypatch.setenv("GRAPHMEM_NEO4J_USER", neo4j_address.user)
    monkeypatch.setenv("GRAPHMEM_NEO4J_PASSWORD", neo4j_address.password)
    monkeypatch.setenv("GRAPHMEM_EMBEDDER", "hash")

    async def invoke(user: str, *given: str) -> Result:
        words = ["erase-user", user, "--neo4j", neo4j_address.bolt_uri, "--json", *given]
        return await asyncio.to_thread(CliRunner().invoke, build(), words)

    async def run(*given: str) -> Any:
        done = await invoke(api.user, *given)
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)

    counted = await run()
    assert (counted["complete"], counted["remaining"]["Note"]) == (False, 1)
    assert (await api("{ notes { totalCount } }"))["notes"]["totalCount"] == 1
    done = await run("--yes")
    assert (done["complete"], done["destroyed"]["Note"]) == (True, 1)
    for user in (api.user, f"{api.user}-who-never-was"):
        for given in ((), ("--yes",)):  # a mistyped name must not look like a job done
            told = (await invoke(user, *given)).exception
            assert isinstance(told, NotFound)
            assert told.message.startswith(f"nothing names {user}: ")
