"""Settings of who reads what is written from now on; notes that exist keep their readers."""

from collections.abc import Mapping

from graphmem.domain.drafts import check_choice
from graphmem.domain.ids import check_domain
from graphmem.domain.visibility import Visibility
from graphmem.services.context import (
    Access,
    Context,
    missing,
    require_in_person,
    user_audience,
)
from graphmem.store.events import append_step, event_row
from graphmem.store.graph import Step
from graphmem.store.visibility import remove_rule_step, set_default_step


async def remove_rule(context: Context, access: Access, domain: str) -> None:
    """Remove the visibility rule of a domain: what is written there follows a shorter rule, or the
    text.

    For the user in person. Raises Invalid, NotFound where there is no such rule, and Stale when
    somebody else removed it meanwhile.
    """
    require_in_person(access, "a visibility rule")
    domain = check_domain(domain)
    if domain not in access.rules:
        raise missing("rule")
    step = remove_rule_step(access.viewer.user, domain, context.clock())
    await _write(context, access, step, "visibility rule removed", domain, {})


async def set_default_visibility(context: Context, access: Access, visibility: Visibility) -> None:
    """Set the visibility of notes for which neither a rule nor their text sets it.

    For the user in person. Raises Invalid for LOCAL.
    """
    require_in_person(access, "the default visibility")
    visibility = check_choice(visibility)
    step = set_default_step(access.viewer.user, visibility, context.clock())
    data = {"visibility": visibility}
    await _write(context, access, step, "default visibility set", None, data)


async def _write(
    context: Context,
    access: Access,
    step: Step,
    summary: str,
    domain: str | None,
    data: Mapping[str, object],
) -> None:
    user = access.viewer.user
    event = event_row(
        "VISIBILITY",
        summary,
        audience=user_audience(user),
        actor=access.viewer.actor,
        at=context.clock(),
        domain=domain,
        channel="state_change",
        data=data,
    )
    await context.graph.write(step, append_step(user, [event]))
    context.signal(user)
