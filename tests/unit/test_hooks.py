"""Plugins, and the settings of what they have a say in."""

import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from graphmem.domain.profiles.parameters import Tiered
from graphmem.plugins import Moving, Verdict, hookimpl
from graphmem.services.jobs.hooks import Hooks
from graphmem.settings import Settings

NOTE = Moving(id="1", user="me", domain="work", kind="SEMANTIC", title=None, tags=(), due=True)


class Plugin:
    """One that is made of functions."""

    def __init__(self, **functions: Any) -> None:
        vars(self).update(functions)


def saying(verdict: Verdict | None) -> Plugin:
    @hookimpl
    def before_transition(note: Moving, from_tier: str, to_tier: str) -> Verdict | None:
        return verdict

    return Plugin(before_transition=before_transition)


@pytest.mark.feature("TIER-19")
@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ((), "proceed"),
        ((None,), "proceed"),
        (("proceed", "force"), "force"),
        (("force", "skip", "proceed"), "skip"),
        (("skip", "force"), "skip"),
    ],
)
def test_of_several_plugins_the_most_careful_decides(
    said: tuple[Verdict | None, ...], verdict: Verdict
) -> None:
    hooks = Hooks(saying(each) for each in said)
    assert bool(hooks) == bool(said)
    assert hooks.before(NOTE, "SHORT_TERM", "LONG_TERM") == verdict


def test_an_installed_package_with_the_entry_point_is_a_plugin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    example = Path(__file__).parents[2] / "examples" / "plugin"
    known = tmp_path / "keep_critical-1.0.0.dist-info"
    known.mkdir()
    (known / "METADATA").write_text("Metadata-Version: 2.1\nName: keep-critical\nVersion: 1.0.0\n")
    (known / "entry_points.txt").write_text("[graphmem]\nkeep-critical = keep_critical\n")
    for folder in (example, tmp_path):
        monkeypatch.syspath_prepend(str(folder))
    assert not Hooks()
    hooks = Hooks(installed=True)
    critical = Moving(**{**vars(NOTE), "tags": ("critical",)})
    assert hooks.before(critical, "SHORT_TERM", "LONG_TERM") == "skip"
    assert hooks.before(NOTE, "SHORT_TERM", "LONG_TERM") == "proceed"
    sys.modules.pop("keep_critical")


@pytest.mark.feature("TIER-21")
def test_tiers_are_off_until_they_are_enabled(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not Settings().schedule.runs("move_tiers")
    monkeypatch.setenv("GRAPHMEM_TIERED__ENABLED", "true")
    monkeypatch.setenv("GRAPHMEM_TIERED__T4_PROMOTION_THRESHOLD", "5 recalls in 36h")
    settings = Settings()
    assert settings.schedule.runs("move_tiers")
    assert settings.tiered.promotion == (5, timedelta(hours=36))
    monkeypatch.setenv("GRAPHMEM_JOBS_OFF", "move_tiers")
    assert not Settings().schedule.runs("move_tiers")


@pytest.mark.parametrize(
    "wrong",
    [
        {"t2_compression_threshold": "two days"},
        {"t3_archival_threshold": "0d"},
        {"t4_promotion_threshold": "0 recalls in 7d"},
        {"t4_promotion_threshold": "3 in 7d"},
        {"t3_max_recalls_before_archival": -1},
        {"interval": "4m"},
        {"interval": "7m"},
        {"interval": "often"},
    ],
)
def test_thresholds_that_make_no_sense_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"is written as|must be|an interval is"):
        Tiered(**wrong)  # type: ignore[arg-type]
