"""The settings of a user in an export; rules and agents have records of their own."""

from graphmem.domain.actors import Unlisted, User
from graphmem.domain.drafts import check_choice
from graphmem.domain.portable_values import Row
from graphmem.domain.taking import UserSettings
from graphmem.domain.visibility import Visibility
from graphmem.errors import Invalid
from graphmem.services.actors import check_domains


def given_settings(row: Row) -> UserSettings:
    """Return the settings of a checked line. Raises Invalid."""
    default = row.get("defaultVisibility", User.default_visibility)
    if default not in set(Visibility):
        raise Invalid("defaultVisibility has a value that is not known")
    domains, can_see_private = row.get("agentDomains"), row.get("agentsSeePrivate", False)
    return UserSettings(
        opt_outs=tuple(row.get("promotionOptOuts", ())),
        unlisted=None
        if domains is None
        else Unlisted(domains=tuple(check_domains(domains)), can_see_private=can_see_private),
        default=None if default == User.default_visibility else check_choice(Visibility(default)),
    )
