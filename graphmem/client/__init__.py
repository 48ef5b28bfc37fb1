"""The Python client of a graphmem service. It needs the standard library only.

```
from graphmem.client import Memory

with Memory.embedded() as memory:
    memory.remember("Dara Osei works from Lisbon.")
```
"""

from graphmem.client.asynchronous import AsyncMemory
from graphmem.client.daemon import MemoryClient
from graphmem.client.errors import (
    Conflicting,
    InvalidRequest,
    NotAllowed,
    NotAuthenticated,
    NotAvailable,
    NotThere,
    ServiceError,
)
from graphmem.client.memory import Memory
from graphmem.client.models import (
    Agent,
    Consultation,
    ContextPackage,
    Entity,
    Event,
    Expert,
    ForgetResult,
    Hit,
    Note,
    NotePage,
    Recall,
    Remembered,
    RememberResult,
    Revision,
    RouteAdvice,
    Stats,
    Status,
)

__all__ = [
    "Agent",
    "AsyncMemory",
    "Conflicting",
    "Consultation",
    "ContextPackage",
    "Entity",
    "Event",
    "Expert",
    "ForgetResult",
    "Hit",
    "InvalidRequest",
    "Memory",
    "MemoryClient",
    "NotAllowed",
    "NotAuthenticated",
    "NotAvailable",
    "NotThere",
    "Note",
    "NotePage",
    "Recall",
    "RememberResult",
    "Remembered",
    "Revision",
    "RouteAdvice",
    "ServiceError",
    "Stats",
    "Status",
]
