"""Visibility rules and the default visibility."""

import strawberry

from graphmem.api.fields import mutation_of
from graphmem.api.types import User
from graphmem.operations.commands.rules import RemoveVisibilityRule, SetDefaultVisibility


@strawberry.type
class RuleMutation:
    """Taking rules back, and the default; `setVisibility` sets a rule."""

    remove_visibility_rule = mutation_of(RemoveVisibilityRule, User)
    set_default_visibility = mutation_of(SetDefaultVisibility, User)
