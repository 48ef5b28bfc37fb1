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
    (tmp_path / ".env.local").write_text("GRAPHMEM_PORT=1\nGRAPHMEM_DEFAULT_USER=file\nOTHER=x\n")
    monkeypatch.setenv("GRAPHMEM_PORT", "2")
    assert load_settings().default_user == "file"
    assert load_settings({"host": None}).port == 2
    assert load_settings({"port": 3}).port == 3


def test_standard_names_are_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("NEO4J_HOME", str(tmp_path / "neo4j"))
    monkeypatch.setenv("JAVA_HOME", "/java")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    settings = load_settings()
    assert settings.neo4j_home == tmp_path / "neo4j"
    assert settings.java_home == "/java"
    assert settings.data == tmp_path / "graphmem"


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
