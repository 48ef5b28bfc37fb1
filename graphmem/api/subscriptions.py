"""The subscription: changes, replayed and live."""

import strawberry

from graphmem.api.fields import subscription_of
from graphmem.api.jobs import JobSubscription
from graphmem.api.payloads import Event
from graphmem.operations.commands.events import FollowEvents


@strawberry.type
class Subscription(JobSubscription):
    """Following the memory."""

    events = subscription_of(FollowEvents, Event)
