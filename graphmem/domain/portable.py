"""The portable format: an export holds one JSON object a line; each field has a type.

Names and meanings are those of the graph and of GraphQL."""

from collections.abc import Mapping
from enum import Enum, StrEnum, auto
from types import MappingProxyType
from typing import Final, Union

FORMAT: Final = "graphmem"
VERSION: Final = 1


class Record(StrEnum):
    """The type of a line in an export, in the order of the lines."""

    HEADER = "header"
    USER = "user"
    AGENT = "agent"
    RULE = "rule"
    SHARE = "share"
    SOP = "sop"
    NOTE = "note"
    REVISION = "revision"
    WORDING = "wording"
    LINK = "link"
    LINEAGE = "lineage"
    MERGE = "merge"
    CONFLICT = "conflict"
    SESSION = "session"
    RECALL = "recall"
    REFLECTION = "reflection"
    PROPOSAL = "proposal"
    END = "end"


class Shape(Enum):
    """The type of a field."""

    TEXT = auto()
    ID = auto()  # of something else in the file
    WHOLE = auto()
    NUMBER = auto()
    FLAG = auto()
    TIME = auto()  # ISO 8601 in UTC
    TEXTS = auto()
    IDS = auto()
    TIMES = auto()
    JSON = auto()
    READERS = auto()  # an audience of the user: `SCOPED/business`, "" for the user in person
    SOME_READERS = auto()  # a list of audiences


Shapes = Mapping[str, Union[Shape, "Shapes"]]  # a mapping stands for a list of objects


def _create_shapes(**shapes: "str | Shapes") -> "Shapes":
    """Return fields by their shapes; a text names fields of one shape."""
    found: dict[str, Shape | Shapes] = {}
    for shape, names in shapes.items():
        if isinstance(names, str):
            found |= dict.fromkeys(names.split(), Shape[shape.upper()])
        else:
            found[shape] = names
    return MappingProxyType(found)


SHOWN: Final = _create_shapes(  # shown to everybody who may read the note
    id="id",
    text="author externalId content title context kind type source validity domain visibility "
    "tier status episode speaker",
    whole="version accessCount",
    number="importance confidence halfLifeHours",
    flag="loadBearing pinned",
    texts="keywords tags",
    time="createdAt updatedAt occurredAt validFrom validTo expiresAt",
    times="accessTimes",
    json="metadata",
    mentions=_create_shapes(text="key name type", whole="count"),
    called=_create_shapes(text="key other"),
    relations=_create_shapes(
        text="subject predicate object", number="confidence", time="validFrom validTo"
    ),
)
KEPT: Final = _create_shapes(  # further fields, kept for the user in person
    text="coreBlock coreMark archivedBy archivedByThen externalKey idempotencyKey requestHash "
    "requestOperation sourceUser embedding quarantined heldFrom",
    whole="successCount failureCount",
    flag="skill curated visibilityByUser ruledElsewhere byHand foundElsewhere",
    texts="givenKeywords givenTags lentTags sourceAgents usedBy workedFor verifiedBy",
    time="lastUsedAt wordedAt forgottenAt",
    times="helpedAt failedAt",
    mentions=_create_shapes(
        text="key name type of",
        whole="count",
        flag="given cased ofText plain old wasGiven",
        texts="keys names within",
        time="at",
    ),
    called=_create_shapes(id="id", text="key other", flag="ofText", time="at"),
    relations=_create_shapes(
        text="subject predicate object",
        number="confidence",
        flag="ofText",
        time="validFrom validTo createdAt",
    ),
)
WHOLE_NOTE: Final[Shapes] = MappingProxyType({**SHOWN, **KEPT})
FIELDS: Final[Mapping[Record, Shapes]] = MappingProxyType(
    {
        Record.USER: _create_shapes(
            text="id name defaultVisibility",
            texts="promotionOptOuts agentDomains",
            flag="agentsSeePrivate",
        ),
        Record.AGENT: _create_shapes(
            text="id name role writes status currentTask",
            flag="canSeePrivate listed",
            texts="domains",
            time="createdAt lastActiveAt",
        ),
        Record.RULE: _create_shapes(text="domain visibility", time="updatedAt"),
        Record.SHARE: _create_shapes(text="domain team", time="at until"),
        Record.SOP: _create_shapes(text="domain content actor", whole="version", time="at"),
        Record.NOTE: WHOLE_NOTE,
        Record.REVISION: _create_shapes(
            id="note",
            text="actor content",
            whole="version",
            time="at",
            json="changes",
            readers="audience before",
        ),
        Record.WORDING: _create_shapes(
            id="id note noteId",
            text="actor content title speaker",
            time="at occurredAt",
            json="metadata",
            readers="audience",
        ),
        Record.LINK: _create_shapes(
            id="id source target",
            text="kind reason by gave",
            number="strength",
            time="at",
            readers="sourceThen targetThen",
        ),
        Record.LINEAGE: _create_shapes(id="note of", text="how by reason", time="at"),
        Record.MERGE: _create_shapes(
            id="id",
            text="entity part by undoneBy",
            number="score",
            time="at undoneAt",
            some_readers="audiences",
        ),
        Record.CONFLICT: _create_shapes(
            id="id",
            ids="notes",
            text="verdict resolution resolvedBy",
            number="similarity",
            flag="open",
            time="at resolvedAt",
            readers="audienceThen otherThen closedIn",
        ),
        Record.SESSION: _create_shapes(
            id="id",
            text="agent task",
            whole="dropped",
            time="openedAt closedAt reflectedAt",
            promoted=_create_shapes(id="note", flag="added", time="at"),
        ),
        Record.RECALL: _create_shapes(
            id="id session",
            text="agent domain strategy profile query",
            whole="cycle",
            flag="helpful",
            time="at judgedAt",
            returned=_create_shapes(
                id="note",
                text="tier",
                whole="rank",
                number="score",
                flag="helpful",
                time="usedAt foundAt",
            ),
        ),
        Record.REFLECTION: _create_shapes(
            id="id",
            text="maker status decidedBy revertedBy topic",
            whole="number tokenBudget tokensUsed",
            time="at decidedAt revertedAt",
            json="numbers",
            items=_create_shapes(
                id="id link",
                text="kind",
                whole="place",
                flag="accepted",
                json="numbers",
                readers="audience",
                about=_create_shapes(id="note", whole="place version"),
                ids="made changed",
            ),
        ),
        Record.PROPOSAL: _create_shapes(
            id="id",
            ids="about became contradicts",
            text="author kind status mode noteKind title content domain reason decidedBy team "
            "asked found source type",
            whole="version",
            number="confidence",
            flag="consented coreWorthy",
            texts="tags entities",
            time="createdAt expiresAt decidedAt consentedAt",
            json="draft",
            readers="audience",
        ),
    }
)
