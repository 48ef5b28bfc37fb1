"""Users and agents: who asks, and who is set up."""

from collections.abc import Sequence
from dataclasses import replace

from graphmem.domain.actors import (
    ANYTHING,
    Agent,
    AgentRole,
    Unlisted,
    User,
    Viewer,
    WritePermission,
)
from graphmem.domain.drafts import check_text
from graphmem.domain.ids import check_domain, check_id
from graphmem.domain.visibility import Visibility
from graphmem.errors import BeingErased, Forbidden, Invalid, Unauthenticated
from graphmem.services.context import Access, Context, require_in_person, user_audience
from graphmem.store import actors as store
from graphmem.store.actors import NotesWritten
from graphmem.store.events import append_step, event_row
from graphmem.store.visibility import read_viewer, to_agent, to_user

MAX_DOMAINS = 200
MAX_AGENTS = 500  # most agents of a user, if agents create more
MAX_NAME = 300
MAX_STATUS = 100  # characters
MAX_TASK = 1_000


async def open_access(
    context: Context,
    user: str,
    agent: str | None,
    *,
    admin: bool = False,
    register: bool = False,
    admit: bool = False,
) -> Access:
    """Return the access of the viewer, with the present audiences.

    Reads the graph each time, so that a tightened profile holds from the next request on. With
    `register` an unknown user or agent is created on first use; with `admit` it may ask as if it
    had been; else it is Unauthenticated. Raises Invalid for ids with odd characters, BeingErased
    while the user is being erased.
    """
    user = check_id(user, "user id")
    agent = None if agent is None else check_id(agent, "agent id")
    found = await read_viewer(context.graph, user, agent)
    if found.erasing:
        raise BeingErased("this user is being erased")
    known, profile = found.user, found.agent
    if known is None or (agent is not None and profile is None):
        if register:
            profile = await _register(context, user, agent)
        elif not admit:
            raise Unauthenticated("the key belongs to nobody")
        elif agent is not None:
            profile = Agent(
                id=agent,
                user=user,
                name=agent,
                domains=found.unlisted.domains,
                can_see_private=found.unlisted.can_see_private,
            )
    return Access(
        viewer=Viewer(user=user, agent=profile, admin=admin, teams=found.teams),
        audiences=found.audiences,
        of_teams=found.of_teams,
        rules=found.rules,
        default=Visibility(known.default_visibility) if known else Visibility.SCOPED,
        version=found.version,
        writes_for=found.writes_for,
        lent=found.lent,
        judges=found.judges,
        unlisted=found.unlisted,
    )


async def _register(context: Context, user: str, agent: str | None) -> Agent | None:
    now = context.clock()
    steps = [store.put_user_step(user, None, now)]
    if agent is not None:
        steps.append(store.put_agent_step(user, agent, {}, now))
    rows = await context.graph.write(*steps)
    return None if agent is None else to_agent(user, rows[1][0]["agent"])


async def reopen_access(context: Context, access: Access) -> Access:
    """Return the same viewer's access as it is now.

    Raises Unauthenticated when the viewer no longer exists.
    """
    viewer = access.viewer
    agent = viewer.agent.id if viewer.agent else None
    fresh = await open_access(context, viewer.user, agent, admin=viewer.admin)
    acting = replace(fresh.viewer, acting_as=viewer.acting_as)
    if viewer.agent and acting.agent and viewer.agent.writes is acting.agent.writes:
        acting = replace(acting, approved=viewer.approved)
    return replace(fresh, viewer=acting)


async def register_user(context: Context, access: Access, user: str, name: str | None) -> User:
    """Register a user or rename one. A user may do so for themselves, an admin for anybody."""
    require_in_person(access, "registering a user")
    user = check_id(user, "user id")
    if user != access.viewer.user and not access.viewer.admin:
        require_admin(access)
    name = None if name is None else check_text(name, "name", MAX_NAME)
    rows = await context.graph.write(store.put_user_step(user, name, context.clock()))
    return to_user(rows[0][0]["user"])


def require_admin(access: Access) -> None:
    """Raise Forbidden unless an admin asks."""
    if not access.viewer.admin:
        raise Forbidden("only an admin may do this")


async def register_agent(
    context: Context,
    access: Access,
    agent: str,
    *,
    name: str | None = None,
    role: AgentRole | None = None,
    domains: Sequence[str] | None = None,
    can_see_private: bool | None = None,
    writes: WritePermission | None = None,
) -> Agent:
    """Set up an agent of the user: only what is given changes; the next request obeys.

    Raises Forbidden when an agent asks: no agent raises its own clearance.
    """
    require_in_person(access, "setting up an agent")
    agent = check_id(agent, "agent id")
    given: dict[str, object] = {}
    if name is not None:
        given["name"] = check_text(name, "name", MAX_NAME)
    if role is not None:
        given["role"] = role
    if domains is not None:
        given["domains"] = check_domains(domains)
    if can_see_private is not None:
        given["canSeePrivate"] = can_see_private
    if writes is not None:
        given["writes"] = writes
    user, now = access.viewer.user, context.clock()
    row = event_row(
        "EDIT",
        f"agent {agent} set up",
        audience=user_audience(user),
        actor=access.viewer.actor,
        at=now,
        subject_id=agent,
        channel="state_change",
    )
    step = store.put_agent_step(user, agent, given, now)
    rows = await context.graph.write(step, append_step(user, [row]))
    context.signal(user)
    return to_agent(user, rows[0][0]["agent"])


def get_unlisted(access: Access) -> Unlisted:
    """Return what agents may read that have no profile of their own.

    Raises Forbidden when an agent asks.
    """
    require_in_person(access, "the profile of other agents")
    return access.unlisted


async def set_unlisted(context: Context, access: Access, unlisted: Unlisted) -> None:
    """Set what agents may read that have no profile of their own, from the next request on.

    Raises Invalid, and Forbidden when an agent asks.
    """
    require_in_person(access, "the profile of other agents")
    domains = check_domains(unlisted.domains)
    user, now = access.viewer.user, context.clock()
    row = event_row(
        "EDIT",
        "agent profile of others set",
        audience=user_audience(user),
        actor=access.viewer.actor,
        at=now,
        channel="state_change",
    )
    step = store.set_unlisted_step(user, replace(unlisted, domains=tuple(domains)), now)
    await context.graph.write(step, append_step(user, [row]))
    context.signal(user)


def check_domains(domains: Sequence[str]) -> list[str]:
    """Return the distinct domains in their order, `*` for all. Raises Invalid."""
    if not domains:
        raise Invalid("domains is empty; * stands for all")
    if len(domains) > MAX_DOMAINS:
        raise Invalid(f"domains: at most {MAX_DOMAINS}")
    return list(dict.fromkeys(d if d == ANYTHING else check_domain(d) for d in domains))


async def list_agents(context: Context, access: Access) -> list[Agent]:
    """List the agents of the viewer's user, by id."""
    return await store.list_agents(context.graph, access.viewer.user)


async def report_status(context: Context, access: Access, status: str, task: str | None) -> Agent:
    """Set what an agent reports about itself: its status and what it works on.

    All agents of the user read both. Raises Invalid, and Forbidden for the user in person.
    """
    agent, user, now = access.viewer.agent, access.viewer.user, context.clock()
    if agent is None:
        raise Forbidden("a status is reported by an agent, of itself")
    status = check_text(status, "status", MAX_STATUS)
    task = None if task is None else check_text(task, "currentTask", MAX_TASK)
    steps = [store.report_status_step(user, agent.id, status, task, now)]
    if (status, task) != (agent.status, agent.current_task):
        event = event_row(
            "EDIT",
            f"agent {agent.id} reported its status",
            audience=user_audience(user),
            actor=access.viewer.actor,
            at=now,
            subject_id=agent.id,
            channel="state_change",
        )
        steps.append(append_step(user, [event]))
    rows = await context.graph.write(*steps)
    context.signal(user)
    return to_agent(user, rows[0][0]["agent"])


async def count_written(
    context: Context, access: Access, agents: Sequence[str]
) -> dict[str, NotesWritten]:
    """Count what each of the user's agents wrote, as far as the viewer may read it."""
    return await store.count_written(
        context.graph, access.viewer.user, agents, access.by_name, context.clock()
    )


async def load_users(context: Context, access: Access, ids: Sequence[str]) -> dict[str, User]:
    """Load the viewer's own user, if it is among the ids; nobody learns of others."""
    return await store.get_users(context.graph, [i for i in ids if i == access.viewer.user])
