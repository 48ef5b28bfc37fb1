"""Settings: where they come from, what is refused, and that no secret is shown."""

import os
from pathlib import Path

import pytest

from graphmem.ai.embedder import DEFAULT_MODEL
from graphmem.domain.actors import AgentRole
from graphmem.domain.writing import Writing
from graphmem.errors import Misconfigured
from graphmem.server import default_cache_dir
from graphmem.settings import Settings, debug_wanted, is_loopback, load_settings


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.startswith(("GRAPHMEM_", "XDG_")) or name in ("NEO4J_HOME", "JAVA_HOME"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


def test_defaults_agree_with_the_parts_that_use_them():
    settings = load_settings()
    assert settings.embedder == DEFAULT_MODEL
    assert settings.cache == default_cache_dir()
    assert settings.data == Path("~/.local/share/graphmem").expanduser()
    assert (settings.host, settings.port, settings.auth) == ("127.0.0.1", 8321, "open")
    assert settings.neo4j_uri is None


def test_what_is_given_goes_before_the_environment_and_that_before_the_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    lines = "GRAPHMEM_PORT=1\nGRAPHMEM_DEFAULT_USER=file\nOTHER=x\n"
    usual = tmp_path / "config" / "graphmem" / "settings.env"
    usual.parent.mkdir(parents=True)
    usual.write_text(lines)
    (tmp_path / "other.env").write_text(lines.replace("file", "other"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("GRAPHMEM_PORT", "2")
    assert load_settings().default_user == "file"
    assert load_settings({"host": None}).port == 2
    assert load_settings({"port": 3}).port == 3
    monkeypatch.setenv("GRAPHMEM_ENV_FILE", str(tmp_path / "other.env"))
    assert load_settings().default_user == "other"


@pytest.mark.parametrize("name", ["missing.env", "/nowhere/settings.env", "."])
def test_a_file_that_is_named_and_can_t_be_used_is_refused(
    monkeypatch: pytest.MonkeyPatch, name: str
):
    monkeypatch.setenv("GRAPHMEM_ENV_FILE", name)
    with pytest.raises(Misconfigured, match="GRAPHMEM_ENV_FILE"):
        load_settings()


def test_standard_names_are_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("NEO4J_HOME", str(tmp_path / "neo4j"))
    monkeypatch.setenv("JAVA_HOME", "/java")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    settings = load_settings()
    assert settings.neo4j_home == tmp_path / "neo4j"
    assert settings.java_home == "/java"
    assert settings.data == tmp_path / "graphmem"


def test_user_and_password_of_neo4j_may_stand_in_a_file(tmp_path: Path):
    file = tmp_path / "neo4j_auth"
    for text in ("neo4j", "neo4j/", "/hunter2", ""):
        file.write_text(text)
        with pytest.raises(Misconfigured, match="GRAPHMEM_NEO4J_AUTH_FILE") as caught:
            load_settings({"neo4j_auth_file": file})
        assert "hunter2" not in caught.value.message
    with pytest.raises(Misconfigured, match="can't be read"):
        load_settings({"neo4j_auth_file": tmp_path / "none"})
    file.write_text("ada/hunter2/3\n")
    settings = load_settings({"neo4j_auth_file": file})
    assert (settings.neo4j_user, settings.neo4j_password.get_secret_value()) == ("ada", "hunter2/3")
    assert "hunter2" not in repr(settings)


@pytest.mark.parametrize(
    ("uri", "fine"),
    [
        *((f"{kind}{safe}://h:7687", True) for kind in ("bolt", "neo4j") for safe in ("", "+s")),
        *((uri, False) for uri in ("http://h:7474", "https://h", "h:7687", "neo4jj://h", "x://")),
    ],
)
def test_the_address_of_neo4j_is_one_of_its_protocols(uri: str, fine: bool):
    if fine:
        assert load_settings({"neo4j_uri": uri}).neo4j_uri == uri
        return
    with pytest.raises(Misconfigured, match=r"^GRAPHMEM_NEO4J_URI: .* neo4j://"):
        load_settings({"neo4j_uri": uri})


def test_origins_are_divided_by_commas(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GRAPHMEM_ALLOWED_ORIGINS", "https://a.example, https://b.example,")
    assert load_settings().allowed_origins == ("https://a.example", "https://b.example")


@pytest.mark.parametrize(
    "given",
    [
        {"llm_url": "http://127.0.0.1:1/v1"},
        {"llm_model": "sk-secret"},
        {"llm_url": "sk-secret", "llm_model": "m"},
        {"llm_url": "http://127.0.0.1:1/v1", "llm_model": "m", "llm_timeout": 0},
        {"llm_url": "http://127.0.0.1:1/v1", "llm_model": "m", "llm_mode": "sk-secret"},
    ],
)
def test_an_llm_that_is_set_up_wrongly_is_refused(given: dict[str, object]):
    with pytest.raises(Misconfigured) as caught:
        load_settings({"llm_key": "sk-secret", **given})
    assert "GRAPHMEM_LLM_" in caught.value.message
    assert "secret" not in caught.value.message


def test_an_llm_is_off_until_it_is_set_up():
    assert load_settings().llm_url is None
    settings = load_settings({"llm_url": "https://a.example/v1", "llm_model": "m"})
    assert (settings.llm_mode, settings.llm_timeout) == ("background", 20.0)
    assert "sk-secret" not in repr(load_settings({"llm_key": "sk-secret"}))


def test_settings_do_not_change():
    with pytest.raises(ValueError, match="frozen"):
        load_settings().port = 1  # pyright: ignore[reportAttributeAccessIssue]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("GRAPHMEM_PORT", "many"),
        ("GRAPHMEM_PORT", "65536"),
        ("GRAPHMEM_AUTH", "none"),
        ("GRAPHMEM_DEFAULT_USER", "a/b"),
        ("GRAPHMEM_LOG_LEVEL", "loud"),
        ("GRAPHMEM_OPERATION_TIMEOUT_S", "0"),
        ("GRAPHMEM_ACT_R", "3"),
        ("GRAPHMEM_ACT_R__W", "heavy"),
        ("GRAPHMEM_ACT_R__THRESHOLD", '{"BOSS": 1}'),
        ("GRAPHMEM_QUERY_EXPANSION__ENABLED", "perhaps"),
    ],
)
def test_an_error_names_the_variable(monkeypatch: pytest.MonkeyPatch, name: str, value: str):
    monkeypatch.setenv(name, value)
    with pytest.raises(Misconfigured, match=f"^{name}: "):
        load_settings()


@pytest.mark.feature("DAEM-40")
def test_no_secret_is_shown(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GRAPHMEM_NEO4J_PASSWORD", "hunter2")
    monkeypatch.setenv("GRAPHMEM_EMBEDDER_KEY", "hunter3")
    settings = load_settings()
    assert "hunter" not in repr(settings)
    assert "hunter" not in settings.model_dump_json()
    monkeypatch.setenv("GRAPHMEM_PORT", "hunter4")
    with pytest.raises(Misconfigured) as caught:
        load_settings()
    assert "hunter" not in caught.value.message
    assert caught.value.__cause__ is None


def test_open_is_refused_where_others_could_ask():
    for host in ("0.0.0.0", "::", "192.168.1.5", "example.org"):
        with pytest.raises(Misconfigured, match="GRAPHMEM_AUTH=open"):
            load_settings({"host": host})
        assert load_settings({"host": host, "auth": "keys"}).host == host


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "[::1]", "localhost"])
def test_loopback(host: str):
    assert is_loopback(host)
    assert Settings(host=host).host == host


def test_debug_is_wanted_by_anything_but_no(monkeypatch: pytest.MonkeyPatch):
    assert not debug_wanted()
    monkeypatch.setenv("GRAPHMEM_DEBUG", "0")
    assert not debug_wanted()
    monkeypatch.setenv("GRAPHMEM_DEBUG", "1")
    assert debug_wanted()


def test_a_group_is_set_number_by_number(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GRAPHMEM_ACT_R__SIGMA", "0")
    monkeypatch.setenv("GRAPHMEM_ACT_R__THRESHOLD", '{"WORKER": 5}')
    monkeypatch.setenv("GRAPHMEM_TEMPORAL_DECAY__EXEMPT_SOURCES", "[]")
    monkeypatch.setenv("GRAPHMEM_TIERED__SEARCH_WEIGHTS", '{"t2": 3}')
    monkeypatch.setenv("GRAPHMEM_QUERY_EXPANSION__ENABLED", "false")
    ranking = load_settings().ranking
    assert (ranking.act_r.sigma, ranking.act_r.w) == (0.0, 11.0)
    assert ranking.act_r.threshold == {AgentRole.WORKER: 5.0}
    assert ranking.temporal_decay.exempt_sources == ()
    assert ranking.tiered.search_weights == {"t2": 3.0}
    assert ranking.query_expansion.enabled is False


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("GRAPHMEM_ACT_R__D", "2", "GRAPHMEM_ACT_R: d must be from"),
        ("GRAPHMEM_TIERED__SEARCH_WEIGHTS", "{t2", "GRAPHMEM_TIERED: .* JSON"),
        ("GRAPHMEM_TIERED__INTERVAL", "1m", "GRAPHMEM_TIERED: interval must be at least 5m"),
    ],
)
def test_a_wrong_number_of_a_group_is_told(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, told: str
):
    monkeypatch.setenv(name, value)
    with pytest.raises(Misconfigured, match=told):
        load_settings()


@pytest.mark.feature("L3-2")
def test_the_model_profile_is_a_file(tmp_path: Path):
    path = tmp_path / "model.json"
    settings = Settings(model_profile=path)
    with pytest.raises(Misconfigured, match=r"^GRAPHMEM_MODEL_PROFILE: "):
        _ = settings.ranking
    path.write_text('{"memory": {"max_injected": 3}}')
    assert settings.ranking.model.max_injected == 3
    path.write_text('{"memory": {"max_injected": "3"}}')
    with pytest.raises(Misconfigured, match="max_injected"):
        _ = settings.ranking


@pytest.mark.feature("MUMA-4", "MUMA-20", "MUMA-73")
def test_the_numbers_of_writing_are_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_settings().writing == Writing(
        half_life_hours=168, write_k=10, conflict_similarity=0.85
    )
    for name, value in (
        ("HALF_LIFE_HOURS", "24"),
        ("WRITE_K", "3"),
        ("CONFLICT_SIMILARITY", "0.9"),
    ):
        monkeypatch.setenv(f"GRAPHMEM_{name}", value)
    assert load_settings().writing == Writing(
        half_life_hours=24, write_k=3, conflict_similarity=0.9
    )
    monkeypatch.setenv("GRAPHMEM_WRITE_K", "0")
    with pytest.raises(Misconfigured, match="GRAPHMEM_WRITE_K"):
        load_settings()


@pytest.mark.feature("MOLT-74", "MOLT-94")
@pytest.mark.parametrize("name", ["GRAPHMEM_AUDIT_RETENTION", "GRAPHMEM_AUDIT_RETENTION_DAYS"])
def test_the_time_for_which_events_are_kept_is_read(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert load_settings().audit_retention_days == 90
    for text, days in (("30d", 30), ("48h", 2), ("7", 7)):
        monkeypatch.setenv(name, text)
        assert load_settings().audit_retention_days == days
    for text in ("soon", "0d", "5h"):
        monkeypatch.setenv(name, text)
        with pytest.raises(Misconfigured, match=r"^GRAPHMEM_AUDIT_RETENTION"):
            load_settings()


@pytest.mark.feature("MOLT-94")
def test_the_numbers_of_decay_are_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = load_settings().decay
    monkeypatch.setenv("GRAPHMEM_DECAY__LAMBDA", "0.05")
    monkeypatch.setenv("GRAPHMEM_DECAY__ARCHIVE_THRESHOLD", "0.1")
    decay = load_settings().decay
    assert (decay.rate, decay.archive_threshold) == (0.05, 0.1)
    assert (usual.rate, usual.archive_threshold) != (0.05, 0.1)


@pytest.mark.feature("MUMA-68")
@pytest.mark.parametrize(
    ("text", "hours"), [("720h", 720.0), ("30d", 720.0), ("90m", 1.5), ("720", 720.0), ("0.5", 0.5)]
)
def test_an_age_is_hours_or_has_a_unit(
    monkeypatch: pytest.MonkeyPatch, text: str, hours: float
) -> None:
    monkeypatch.setenv("GRAPHMEM_DECAY__MAX_AGE", text)
    assert load_settings().decay.max_age == hours


@pytest.mark.parametrize("text", ["h", "-3d", "3 weeks", "1e3h", "[3]", "999999d"])
def test_an_age_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("GRAPHMEM_DECAY__MAX_AGE", text)
    with pytest.raises(Misconfigured, match="GRAPHMEM_DECAY"):
        load_settings()
