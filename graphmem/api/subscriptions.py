"""The subscription: changes, replayed and live."""

import strawberry

from graphmem.api.fields import subscription_of
from graphmem.api.payloads import Event
from graphmem.operations.commands.events import FollowEvents


@strawberry.type
class Subscription:
    """Following the memory."""

    events = subscription_of(FollowEvents, Event)
