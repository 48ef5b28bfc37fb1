"""The portable format: what an export holds, one JSON object a line, and of which type each field
is. Names and meanings are those of the graph and of GraphQL."""

from collections.abc import Mapping
from enum import Enum, StrEnum, auto
from types import MappingProxyType
from typing import Final, Union

FORMAT: Final = "graphmem"
VERSION: Final = 1


class Record(StrEnum):
    """What a line of an export is, in the order of the lines."""

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
    ID = auto()  # of something that is in the file, too
    WHOLE = auto()
    NUMBER = auto()
    FLAG = auto()
    TIME = auto()  # ISO 8601 in UTC
    TEXTS = auto()
    IDS = auto()
    TIMES = auto()
    JSON = auto()
    READERS = auto()  # an audience of the user: `SCOPED/business`, "" for the user in person
    SOME_READERS = auto()  # a list of them


Shapes = Mapping[str, Union[Shape, "Shapes"]]  # a mapping: a list of objects


def _of(**shapes: "str | Shapes") -> "Shapes":
    """Fields by their shapes; a text names fields of one shape."""
    found: dict[str, Shape | Shapes] = {}
    for shape, names in shapes.items():
        if isinstance(names, str):
            found |= dict.fromkeys(names.split(), Shape[shape.upper()])
        else:
            found[shape] = names
    return MappingProxyType(found)


SHOWN: Final = _of(  # what everybody is shown who may read a note
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
    mentions=_of(text="key name type", whole="count"),
    called=_of(text="key other"),
    relations=_of(text="subject predicate object", number="confidence", time="validFrom validTo"),
)
KEPT: Final = _of(  # what else is kept of a note, for the user in person
    text="coreBlock coreMark archivedBy externalKey idempotencyKey requestHash requestOperation "
    "sourceUser embedding",
    whole="successCount failureCount",
    flag="skill curated visibilityByUser ruledElsewhere byHand foundElsewhere",
    texts="givenKeywords givenTags lentTags sourceAgents usedBy workedFor verifiedBy",
    time="lastUsedAt wordedAt",
    times="helpedAt failedAt",
    mentions=_of(
        text="key name type of",
        whole="count",
        flag="given cased ofText plain old wasGiven",
        texts="keys names within",
        time="at",
    ),
    called=_of(id="id", text="key other", flag="ofText", time="at"),
    relations=_of(
        text="subject predicate object",
        number="confidence",
        flag="ofText",
        time="validFrom validTo createdAt",
    ),
)
WHOLE_NOTE: Final[Shapes] = MappingProxyType({**SHOWN, **KEPT})
FIELDS: Final[Mapping[Record, Shapes]] = MappingProxyType(
    {
        Record.USER: _of(text="id name defaultVisibility", texts="promotionOptOuts"),
        Record.AGENT: _of(
            text="id name role writes status currentTask",
            flag="canSeePrivate",
            texts="domains",
            time="createdAt lastActiveAt",
        ),
        Record.RULE: _of(text="domain visibility", time="updatedAt"),
        Record.SHARE: _of(text="domain team", time="at until"),
        Record.SOP: _of(text="domain content actor", whole="version", time="at"),
        Record.NOTE: WHOLE_NOTE,
        Record.REVISION: _of(
            id="note",
            text="actor content",
            whole="version",
            time="at",
            json="changes",
            readers="audience before",
        ),
        Record.WORDING: _of(
            id="id note noteId",
            text="actor content title speaker",
            time="at occurredAt",
            json="metadata",
            readers="audience",
        ),
        Record.LINK: _of(
            id="id source target",
            text="kind reason by gave",
            number="strength",
            time="at",
            readers="sourceThen targetThen",
        ),
        Record.LINEAGE: _of(id="note of", text="how by reason", time="at"),
        Record.MERGE: _of(
            id="id",
            text="entity part by undoneBy",
            number="score",
            time="at undoneAt",
            some_readers="audiences",
        ),
        Record.CONFLICT: _of(
            id="id",
            ids="notes",
            text="verdict resolution resolvedBy",
            number="similarity",
            flag="open",
            time="at resolvedAt",
            readers="audienceThen otherThen closedIn",
        ),
        Record.SESSION: _of(
            id="id",
            text="agent task",
            whole="dropped",
            time="openedAt closedAt reflectedAt",
            promoted=_of(id="note", flag="added", time="at"),
        ),
        Record.RECALL: _of(
            id="id session",
            text="agent domain strategy profile query",
            whole="cycle",
            flag="helpful",
            time="at judgedAt",
            returned=_of(
                id="note",
                text="tier",
                whole="rank",
                number="score",
                flag="helpful",
                time="usedAt foundAt",
            ),
        ),
        Record.REFLECTION: _of(
            id="id",
            text="maker status decidedBy revertedBy topic",
            whole="number tokenBudget tokensUsed",
            time="at decidedAt revertedAt",
            json="numbers",
            items=_of(
                id="id link",
                text="kind",
                whole="place",
                flag="accepted",
                json="numbers",
                readers="audience",
                about=_of(id="note", whole="place version"),
                ids="made changed",
            ),
        ),
        Record.PROPOSAL: _of(
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
