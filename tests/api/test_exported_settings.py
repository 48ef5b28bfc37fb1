"""What a user has set is exported, and set again elsewhere where nothing is set."""

from collections import Counter
from pathlib import Path
from typing import Any

from test_exporting import DEFAULT, lines_of, set_up, written

from graphmem.domain.actors import Unlisted
from graphmem.domain.taking import EVERYTHING, Part
from graphmem.services.context import Context
from graphmem.services.importing.portable.importing import import_export

PROFILE = "query A { agents { id domains canSeePrivate } }"
ALL = Unlisted(domains=("*",))


async def test_settings_come_back_where_nothing_is_set(
    context: Context, new_user: Any, api: Any, tmp_path: Path
) -> None:
    """Agents without a profile of their own have none elsewhere, either."""
    await api(
        "mutation A($i: AgentInput!) { registerAgent(input: $i) { id } }",
        i={"id": "own", "domains": ["home"], "canSeePrivate": False},
    )
    await api.as_agent("bot").remember("A kiln.", domain="work")
    await set_up(context, api, Unlisted(domains=("work",), can_see_private=True))
    path = written(tmp_path, await lines_of(api))

    async def brought(user: str, *parts: Part) -> tuple[Any, list[Any]]:
        """The line of the user, and what each agent reads."""
        await import_export(context, user, path, parts=parts)
        told = (await lines_of(api.as_user(user)))[1]
        found = (await api.as_user(user)(PROFILE))["agents"]
        settings = (told.get("agentDomains"), told.get("agentsSeePrivate"))
        return (told["defaultVisibility"], *settings), [
            (each["id"], each["domains"], each["canSeePrivate"]) for each in found
        ]

    own, bot = ("own", ["home"], False), ("bot", ["work"], True)
    user = new_user()
    assert await brought(user, *Part) == (("PRIVATE", ["work"], True), [bot, own])
    await set_up(context, api.as_user(user), ALL)
    await api.as_user(user)(DEFAULT, v="OPEN")
    assert await brought(user, *Part) == (("OPEN", ["*"], False), [("bot", ["*"], False), own])
    assert await brought(new_user(), Part.RULES) == (("PRIVATE", None, None), [])
    assert await brought(new_user()) == (("SCOPED", None, None), [])
    user = new_user()
    await api.as_user(user)(DEFAULT, v="USER_ONLY")  # is narrower, and was chosen
    assert (await brought(user, *Part))[0] == ("USER_ONLY", ["work"], True)
    # Who is there already: no agent sees more by an import, and no new note has other readers.
    user = new_user()
    await api.as_user(user).as_agent("first").remember("A lathe.")
    assert await brought(user, *Part) == (
        ("SCOPED", ["work"], False),
        [("bot", ["work"], False), ("first", ["work"], False), own],
    )


async def test_settings_of_an_older_file_and_those_that_make_no_sense(
    context: Context, new_user: Any, api: Any, tmp_path: Path
) -> None:
    await api.remember("A kiln.")
    header, user, *rest = await lines_of(api)
    bot = {"record": "agent", "id": "bot", "name": "bot", "role": "WORKER", "writes": "DIRECT"}
    bot |= {"domains": ["work"], "canSeePrivate": False}
    other = api.as_user(new_user())
    done = await import_export(
        context, other.user, written(tmp_path, [header, user, bot, *rest]), parts=EVERYTHING
    )
    assert (done.created, done.refused) == (Counter({"agent": 1, "note": 1, "revision": 1}), 0)
    assert all(line["listed"] for line in await lines_of(other) if line["record"] == "agent")
    odd: list[dict[str, Any]] = [
        {"defaultVisibility": "LOCAL"},
        {"defaultVisibility": "ALL"},
        {"agentDomains": []},
        {"agentDomains": ["a//b"]},
        {"agentDomains": "work"},
        {"agentDomains": ["work"], "agentsSeePrivate": "yes"},
    ]
    path = written(tmp_path, [header, *({**user, **each} for each in odd), rest[-1]])
    third = api.as_user(new_user())
    done = await import_export(context, third.user, path, parts=EVERYTHING)
    assert (done.created, done.refused) == (Counter(), len(odd))
    assert (await lines_of(third))[1]["defaultVisibility"] == "SCOPED"
    path = written(tmp_path, [header, {**user, "agentDomains": ["work"]}, rest[-1]])
    dry = await import_export(context, third.user, path, dry=True, parts=EVERYTHING)
    assert (dry.created, dry.left) == (Counter(), Counter({"user": 1}))
    assert "agentDomains" not in (await lines_of(third))[1]
