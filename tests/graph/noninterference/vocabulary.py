"""The words of the worlds: what is hidden shares names, words, titles and keys with what is not."""

from random import Random
from typing import Any

from .script import Place

PADDING = " Then we sat by the water for a while and spoke of other things." * 30
NAMES = ("Halden", "Ada Kessler", "Carla Moreno", "Kestrel", "Blue Lantern", "Orion")
SECRET = ("Zebulon", "Quill Harbor", "Ada Kesler", "Orion 3")
TEXTS = (
    "Ann prefers tea over coffee.",
    "Ann likes tea more than coffee.",
    "I live in Berlin.",
    "I moved to Hamburg.",
    "The Halden project uses Neo4j.",
    "The Halden project uses Neo4j with two replicas.",
    "The deadline of the Halden project is March 15.",
    "The deadline of the Halden project is March 30.",
    "Ticket 88 of Kestrel is open.",
    "Ticket 88 of Kestrel is closed.",
    "Ada Kessler repaired the kiln relay with Carla Moreno for Orion.",
    "we met zebulon at the quill harbor gate in week 12.",
    "the key of zebulon lies under the copper roof.",
    "To repair the kiln relay, first cut the power, then open the lid.",
    f"We met at noon.{PADDING} Carla Moreno repaired the kiln relay for Halden.",
)
HIDDEN = (
    "Zebulon moved the copper roof with Ada Kessler for Halden.",
    "Zebulon lives in Quill Harbor.",
    "The Halden project no longer uses Neo4j.",
    "The Halden project uses Neo4j with two replicas and Zebulon.",
    "Ticket 88 of Kestrel is closed.",
    "The deadline of the Halden project was moved to April 2.",
    "I moved to Rome.",
    "Ann now prefers coffee over tea.",
    "Quill Harbor pays for Orion, as Carla Moreno knows.",
    f"We met at noon.{PADDING} Ada Kessler repaired the kiln relay.{PADDING} Ann likes Rome.",
)
OPENLY = TEXTS[10:]  # what no hidden note says, word by word
QUESTIONS = (
    "Where does Halden keep its graph?",
    "Who repaired the kiln relay?",
    "zebulon copper roof",
    "What do you know about Quill Harbor?",
    "What does Ann like?",
    "When is the deadline of the Halden project?",
    "How do I repair the kiln relay?",
    "What's the latest on ticket 88 of Kestrel?",
    "What are we working on?",
)
TAGS = ("kiln", "roof", "tea", "ship")
EPISODES = ("monday", "tuesday")
DOMAINS = ("work", "work/kiln", "home", "home/garden", "vault")
VISIBILITIES = ("OPEN", "SCOPED", "PRIVATE", "USER_ONLY")
CHOICES = (*VISIBILITIES, "LOCAL", "QUARANTINED")  # the last two are refused
PLACES = tuple((v, d) for d in DOMAINS for v in VISIBILITIES)
# Some of the user's are files that agents live by.
EXTERNAL = {"1": "diary/1", "2": "diary/2", "3": "TOOLS", "4": "SOUL"}
MOMENTS = ("2026-03-01T08:00:00Z", "2026-03-02T09:12:00Z", "2026-04-11T10:00:00Z")


def chance(rng: Random, share: float) -> bool:
    """True in that share of the cases."""
    return rng.random() < share


def entity(rng: Random, names: tuple[str, ...]) -> dict[str, Any]:
    """An entity that a note gives, sometimes with other names."""
    given: dict[str, Any] = {"name": rng.choice(names)}
    if chance(rng, 0.5):
        given["type"] = rng.choice(("project", "person", "place"))
    if chance(rng, 0.4):
        given["aliases"] = rng.sample(names, 1)
    return given


def _keys(rng: Random, actor: str, *, secret: bool, free: bool) -> dict[str, Any]:
    """An external id and a key of a request. What an actor writes in both worlds and what it
    writes in one share none, for then its own would clash; those of others do."""
    own = ("1", "2", "3", "4") if free else ("2", "3") if secret else ("1", "4")
    given: dict[str, Any] = {}
    if chance(rng, 0.35):
        given["externalId"] = EXTERNAL[rng.choice(own)]
    if chance(rng, 0.25):
        given["idempotencyKey"] = f"key-{rng.choice(own)}"
    return given


def draft(
    rng: Random, place: Place | None, actor: str, *, secret: bool = False, free: bool = False
) -> dict[str, Any]:
    """A RememberInput. `place`: where to, None: wherever it belongs; `free`: a viewer's."""
    names = (*NAMES, *SECRET) if secret or free else NAMES
    texts = (*TEXTS, *HIDDEN) if free else HIDDEN + TEXTS[:10] if secret else TEXTS
    given: dict[str, Any] = {"content": rng.choice(texts)}
    if place is not None:
        given |= {"visibility": place.visibility, "domain": place.domain}
    elif chance(rng, 0.5):
        given["domain"] = rng.choice(DOMAINS[:4])
    given |= _keys(rng, actor, secret=secret, free=free)
    if chance(rng, 0.5):
        given["entities"] = [entity(rng, names) for _ in range(rng.randint(1, 2))]
    if chance(rng, 0.3):
        ends = rng.sample(names, 2)
        given["relations"] = [{"subject": ends[0], "predicate": "knows", "object": ends[1]}]
        if chance(rng, 0.5):
            given["relations"][0] |= {
                "confidence": 0.5,
                "validFrom": MOMENTS[0],
                "validTo": MOMENTS[2],
            }
    optional = {
        "title": rng.choice((*names, "Halden and the roof")),
        "tags": rng.sample(TAGS, 2),
        "keywords": rng.sample(TAGS, 1),
        "episode": rng.choice(EPISODES),
        "speaker": rng.choice(("Ada", "Bo")),
        "importance": rng.choice((0.2, 0.9)),
        "confidence": rng.choice((0.4, 1.0)),
        "kind": rng.choice(("EPISODIC", "SEMANTIC", "PROCEDURAL")),
        "type": rng.choice(
            ("FACT", "PREFERENCE", "DECISION", "TASK", "EVENT", "EMOTION", "CORRECTION")
        ),
        "source": rng.choice(("EXPERIENCE", "TOLD", "INFERRED")),
        "validity": rng.choice(("CONFIRMED", "ASSERTED", "INFERRED", "DEPRECATED")),
        "occurredAt": rng.choice(MOMENTS),
        "validFrom": MOMENTS[0],
        "validTo": MOMENTS[2],
        "expiresAt": "2026-03-02T09:40:00Z",
        "ttlSeconds": 1500,
        "pinned": True,
        "loadBearing": True,
        "metadata": {"row": 1},
        "mode": rng.choice(("CURATED", "VERBATIM")),
    }
    for name, value in optional.items():
        if chance(rng, 0.5 if name in ("title", "tags", "mode") else 0.08):
            given[name] = value
    if "ttlSeconds" in given:
        given.pop("expiresAt", None)
    return given
