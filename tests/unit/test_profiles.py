"""The formulas of the ranking profiles, against numbers worked out by hand."""

from math import e, log
from statistics import fmean, pstdev
from typing import Any

import pytest
from some_notes import NOW, ago, note

from graphmem.domain.actors import Agent, AgentRole, Viewer
from graphmem.domain.notes import Kind, Source, Status, Tier, Validity
from graphmem.domain.profiles.model import ModelProfile, read_model_profile
from graphmem.domain.profiles.moltbot import relevance_weighted, search_parts, tier_weighted
from graphmem.domain.profiles.muma import (
    act_r,
    activation_weighted,
    domain_boost,
    noise,
    threshold,
)
from graphmem.domain.profiles.parameters import (
    ActR,
    QueryExpansion,
    RelatedMemories,
    TemporalDecay,
    Tiered,
)
from graphmem.domain.profiles.recency import (
    add_related_boost,
    recency,
    score_with_recency,
)
from graphmem.domain.profiles.why import Why
from graphmem.language.lexicon import STOP_WORDS
from graphmem.language.query_expansion import extract_keywords, query_variants

EXACT = {"abs": 1e-6, "rel": 0}
DECAY = TemporalDecay()


def viewer(*domains: str, role: AgentRole = AgentRole.WORKER) -> Viewer:
    return Viewer(user="ann", agent=Agent(id="a", user="ann", name="a", role=role, domains=domains))


USED = note(accesses=(ago(1),), access_count=1)  # uses 4 h and 1 h ago: ln 1.5


@pytest.mark.feature("MUMA-6", "MUMA-7")
def test_act_r_is_activation_and_eleven_times_the_similarity() -> None:
    why = act_r(USED, 0.5, NOW, ActR(sigma=0), 1)
    assert (why.activation, why.similarity, why.noise) == (pytest.approx(log(1.5), **EXACT), 0.5, 0)
    assert why.score == pytest.approx(5.905465, **EXACT)  # 0.405465 + 11 · 0.5
    assert why.summands[1] == ("similarity", 5.5)
    noisy = act_r(USED, 0.5, NOW, ActR(), 7)
    assert noisy.noise == noise(7, "n1", 1.2)
    assert noisy.score == pytest.approx(5.905465 + noise(7, "n1", 1.2), **EXACT)


@pytest.mark.feature("MUMA-6")
def test_act_r_obeys_its_numbers() -> None:
    given = ActR(d=0.25, w=2.0, sigma=0)
    expected = log(4**-0.25 + 1) + 2 * 0.5
    assert act_r(USED, 0.5, NOW, given, 1).score == pytest.approx(expected, **EXACT)


@pytest.mark.feature("MUMA-8")
def test_noise_is_normal_over_notes_and_over_seeds() -> None:
    for drawn in (
        [noise(3, f"note-{i}", 1.2) for i in range(2000)],
        [noise(seed, "note", 1.2) for seed in range(2000)],
    ):
        assert fmean(drawn) == pytest.approx(0, abs=0.08)  # three standard errors
        assert pstdev(drawn) == pytest.approx(1.2, abs=0.06)
        within = sum(abs(value) < 1.2 for value in drawn) / 2000
        assert within == pytest.approx(0.6827, abs=0.035)


@pytest.mark.feature("MUMA-8")
def test_noise_is_the_same_for_a_seed_and_a_note() -> None:
    assert noise(3, "a", 1.2) == noise(3, "a", 1.2)
    assert len({noise(3, "a", 1.2), noise(4, "a", 1.2), noise(3, "b", 1.2)}) == 3
    assert noise(3, "a", 2.4) == 2 * noise(3, "a", 1.2)
    assert noise(3, "a", 0) == 0
    assert noise(-1, "a", 1.2) != noise(1, "a", 1.2)


@pytest.mark.feature("MUMA-9")
def test_the_threshold_is_the_roles() -> None:
    given = ActR(threshold={AgentRole.WORKER: 5.0, AgentRole.ASSISTANT: 1.0})
    assert threshold(viewer("*"), given) == 5.0
    assert threshold(viewer("*", role=AgentRole.ORCHESTRATOR), given) == 0.0
    assert threshold(viewer("*", role=AgentRole.ASSISTANT), given) == 1.0
    assert threshold(Viewer(user="ann"), given) == 1.0
    assert all(threshold(viewer("*", role=role), ActR()) == 0 for role in AgentRole)


@pytest.mark.feature("MUMA-10", "MUMA-27")
def test_activation_is_a_product_with_recency_and_boost() -> None:
    # Last used 1 h ago, half-life 168 h: 2^(-1/168) = 0.995883; 0.405465 · 0.8 = 0.324372.
    why = activation_weighted(USED, 0.8, NOW, domain_boost=1.0, d=0.5)
    assert why.activation == pytest.approx(0.405465, **EXACT)
    assert why.recency == pytest.approx(0.995883, **EXACT)
    assert why.domain_boost == 1.0
    assert why.score == pytest.approx(0.324372 + 0.995883 + 1.0, **EXACT)
    assert dict(why.summands)["activation"] == pytest.approx(0.324372, **EXACT)


@pytest.mark.feature("MUMA-27")
def test_a_negative_activation_does_not_put_the_nearest_last() -> None:
    faint = note(created_at=ago(e**4), half_life_hours=e**4)  # B = -2, retention 0.5
    near = activation_weighted(faint, 0.9, NOW, domain_boost=0.0, d=0.5)
    far = activation_weighted(faint, 0.2, NOW, domain_boost=0.0, d=0.5)
    assert near.score == pytest.approx(-2 * 0.1 + 0.5, **EXACT)
    assert far.score == pytest.approx(-2 * 0.8 + 0.5, **EXACT)
    # At B = 0 both ways of writing it give 0.
    even = activation_weighted(note(created_at=ago(1)), 0.3, NOW, domain_boost=0.0, d=0.5)
    assert dict(even.summands)["activation"] == pytest.approx(0.0, **EXACT)


@pytest.mark.feature("MUMA-28")
def test_the_domain_boost_is_for_the_agents_domains_and_below() -> None:
    coding = viewer("business/coding", "docs")
    assert domain_boost(note(domain="business/coding"), coding, 1.0) == 1.0
    assert domain_boost(note(domain="business/coding/kiln"), coding, 2.5) == 2.5
    assert domain_boost(note(domain="business"), coding, 1.0) == 0.0
    assert domain_boost(note(domain="personal/preferences"), coding, 1.0) == 0.0
    assert domain_boost(note(domain="docs"), viewer("*"), 1.0) == 1.0
    assert domain_boost(note(domain="docs"), Viewer(user="ann"), 1.0) == 0.0


@pytest.mark.feature("MOLT-34", "MOLT-62")
def test_relevance_multiplies_the_search_score() -> None:
    # 0.7 · e^(-0.3) · log2(2) · 1.2 = 0.622287; search 0.7 · 0.6 + 0.3 · 0.5 = 0.57.
    old = note(created_at=ago(240))
    why = relevance_weighted(old, 0.6, 0.5, NOW)
    assert why.relevance == pytest.approx(0.622287, **EXACT)
    assert why.score == pytest.approx(0.354704, **EXACT)
    assert (why.similarity, why.keyword) == (0.6, 0.5)
    assert why.score == pytest.approx((0.7 * 0.6 + 0.3 * 0.5) * (why.relevance or 0), **EXACT)


@pytest.mark.feature("MOLT-35", "MOLT-36")
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"source": Source.TOLD}, 0.888982),  # 1.0 · e^(-0.3) · 1.2
        ({"source": Source.INFERRED}, 0.444491),
        ({"kind": Kind.EPISODIC}, 0.414858),
        ({"kind": Kind.PROCEDURAL}, 0.518573),
        ({"pinned": True}, 1.0),
        ({"status": Status.ARCHIVED}, 0.0),
        ({"access_count": 6, "source": Source.TOLD}, 1.0),  # 2.667 is cut: DIFF-9
    ],
)
def test_relevance_by_origin_and_kind(given: dict[str, Any], expected: float) -> None:
    why = relevance_weighted(note(created_at=ago(240), **given), 1.0, 1.0, NOW)
    assert why.relevance == pytest.approx(expected, **EXACT)
    assert why.score == pytest.approx(expected, **EXACT)


@pytest.mark.feature("MOLT-63")
def test_the_search_score_keeps_each_share_within_0_and_1() -> None:
    assert sum(search_parts(0.6, 0.5)) == pytest.approx(0.57, **EXACT)
    assert sum(search_parts(-0.4, 0.5)) == pytest.approx(0.15, **EXACT)
    assert sum(search_parts(1.0000001, 1.2)) == pytest.approx(1.0, **EXACT)


@pytest.mark.feature("TIER-16")
@pytest.mark.parametrize(
    ("tier", "weight"),
    [
        (Tier.FOUNDATIONAL, 1.2),
        (Tier.WORKING, 1.0),
        (Tier.DAILY, 1.5),
        (Tier.SHORT_TERM, 1.0),
        (Tier.LONG_TERM, 0.5),
    ],
)
def test_the_weight_of_each_tier(tier: Tier, weight: float) -> None:
    why = tier_weighted(note(tier=tier), 0.4, Tiered())
    assert why.tier_weight == weight
    assert why.score == pytest.approx(0.4 * weight, **EXACT)
    assert tier_weighted(note(tier=tier), 0.4, Tiered(search_weights={})).score == 0.4


@pytest.mark.feature("L3-6", "L3-T10")
def test_recency_halves_every_half_life() -> None:
    assert recency(note(created_at=ago(168)), NOW, DECAY) == pytest.approx(0.5, **EXACT)
    assert recency(note(created_at=ago(336)), NOW, DECAY) == pytest.approx(0.25, **EXACT)
    assert recency(note(created_at=ago(-1)), NOW, DECAY) == 1.0
    assert recency(note(created_at=ago(24)), NOW, TemporalDecay(half_life_hours=24)) == 0.5
    # The note's own half-life is another measure (DIFF-5).
    assert recency(note(created_at=ago(168), half_life_hours=1), NOW, DECAY) == pytest.approx(0.5)


@pytest.mark.feature("L3-6")
def test_recency_is_blended_in() -> None:
    why = score_with_recency(note(created_at=ago(168)), 0.8, NOW, DECAY)
    assert why.score == pytest.approx(0.755, **EXACT)  # 0.85 · 0.8 + 0.15 · 0.5
    assert (why.similarity, why.recency) == (0.8, pytest.approx(0.5, **EXACT))
    off = score_with_recency(note(created_at=ago(168)), 0.8, NOW, TemporalDecay(enabled=False))
    assert (off.score, off.recency) == (0.8, None)


@pytest.mark.feature("L3-T6", "L3-7")
def test_what_was_used_long_ago_scores_lower() -> None:
    used = {"created_at": ago(2000), "access_count": 1}
    today = score_with_recency(note(**used, accesses=(NOW,)), 0.6, NOW, DECAY)
    month = score_with_recency(note(**used, accesses=(ago(720),)), 0.6, NOW, DECAY)
    assert today.score == pytest.approx(0.66, **EXACT)  # 0.51 + 0.15
    # 720 h are more than three half-lives: 2^(-720/168) = 0.051271 is lifted to 0.1.
    assert month.score == pytest.approx(0.525, **EXACT)
    assert recency(note(created_at=ago(8760)), NOW, DECAY) == 0.1


@pytest.mark.feature("L3-T7", "L3-T8", "L3-T9", "L3-7")
@pytest.mark.parametrize(
    "given",
    [{"load_bearing": True}, {"validity": Validity.ASSERTED}, {"validity": Validity.CONFIRMED}],
)
def test_what_is_exempt_keeps_its_score_at_any_age(given: dict[str, Any]) -> None:
    old = score_with_recency(note(created_at=ago(2 * 8760), **given), 0.6, NOW, DECAY)
    assert old.recency == 1.0
    assert old.score == score_with_recency(note(created_at=NOW, **given), 0.6, NOW, DECAY).score
    plain = TemporalDecay(exempt_utilities=(), exempt_sources=(), exempt_validities=())
    assert (
        score_with_recency(note(created_at=ago(2 * 8760), **given), 0.6, NOW, plain).recency == 0.1
    )


@pytest.mark.feature("L3-T13")
def test_creation_counts_before_the_first_access() -> None:
    assert recency(note(created_at=ago(168)), NOW, DECAY) == pytest.approx(0.5, **EXACT)
    later = note(created_at=ago(168), accesses=(ago(84),), access_count=1)
    assert recency(later, NOW, DECAY) == pytest.approx(2**-0.5, **EXACT)


@pytest.mark.feature("L3-4", "L3-T3")
def test_keywords_are_without_stop_words_and_at_most_12() -> None:
    assert extract_keywords("how do I rotate the API key") == "rotate api key"
    words = [f"word{i}" for i in range(20)]
    assert extract_keywords(" ".join(words)) == " ".join(words[:12])
    assert extract_keywords("It's Ox-Bow, no?") == "bow"
    assert len(STOP_WORDS["query expansion"]) == 81


@pytest.mark.feature("L3-3", "L3-5", "L3-T1", "L3-T4")
def test_three_wordings_of_a_message() -> None:
    message = "How do I rotate the API key?"
    full = (message, "rotate api key", "codegen: rotate api key")
    assert query_variants(message, "codegen", QueryExpansion()) == full
    assert query_variants(message, "codegen", QueryExpansion(enabled=False)) == full[:1]
    assert query_variants(message, "codegen", QueryExpansion(use_domain_scoping=False)) == full[:2]
    unworded = QueryExpansion(use_keyword_extraction=False)
    assert query_variants(message, "codegen", unworded) == (full[0], full[2])
    assert query_variants(message, "x", QueryExpansion(max_keywords=2))[1:] == (
        "rotate api",
        "x: rotate api",
    )
    assert query_variants("How is it?", "codegen", QueryExpansion()) == ("How is it?",)


@pytest.mark.feature("L3-T20", "L3-13")
def test_the_related_boost_is_added_once() -> None:
    why = score_with_recency(note(created_at=ago(168)), 0.8, NOW, DECAY)
    more = add_related_boost(why, RelatedMemories().related_boost)
    assert more.score - why.score == pytest.approx(0.08, **EXACT)
    assert more.related_boost == 0.08
    assert more.similarity == why.similarity


@pytest.mark.feature("L3-2")
def test_a_model_profile_is_read_and_lets_in() -> None:
    memory = '"max_injected": 3, "similarity_threshold": 0.4, "disabled_domains": ["work"]'
    model = read_model_profile(f'{{"name": "small", "memory": {{{memory}}}}}')
    assert model == ModelProfile(
        max_injected=3, similarity_threshold=0.4, disabled_domains=("work",)
    )
    assert model.allows("home", 0.4)
    assert not model.allows("home", 0.39)
    assert not model.allows("work/payroll", 0.9)
    assert read_model_profile('{"disabled_domains": ["x"]}').disabled_domains == ("x",)
    assert read_model_profile("{}").allows("work", -1.0)


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "{",
        '{"memory": 3}',
        '{"memory": {"max_injected": 0}}',
        '{"memory": {"max_injected": true}}',
        '{"memory": {"similarity_threshold": "high"}}',
        '{"memory": {"disabled_domains": "work"}}',
    ],
)
def test_a_wrong_model_profile_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        read_model_profile(text)


def test_parts_add_up_to_the_score() -> None:
    whys = [
        act_r(USED, 0.5, NOW, ActR(), 3),
        activation_weighted(USED, 0.5, NOW, domain_boost=1.0, d=0.5),
        relevance_weighted(USED, 0.5, 0.3, NOW),
        tier_weighted(USED, 0.5, Tiered()),
        add_related_boost(score_with_recency(USED, 0.5, NOW, DECAY), 0.08),
        Why(similarity=0.5, keyword=0.25, graph=-0.125),
    ]
    for why in whys:
        assert sum(value for _, value in why.summands) == pytest.approx(why.score, **EXACT)
        assert len({name for name, _ in why.summands}) == len(why.summands)
    assert whys[-1].score == 0.625


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        (ActR, {"d": 1.0}),
        (ActR, {"sigma": -1.0}),
        (ActR, {"w": float("nan")}),
        (ActR, {"threshold": {AgentRole.WORKER: float("inf")}}),
        (QueryExpansion, {"retrieval_k_per_variant": 0}),
        (QueryExpansion, {"max_keywords": 101}),
        (TemporalDecay, {"half_life_hours": 0.0}),
        (TemporalDecay, {"decay_weight": 1.1}),
        (RelatedMemories, {"related_boost": -0.1}),
        (Tiered, {"search_weights": {"t9": 1.0}}),
        (Tiered, {"search_weights": {"t2": -1.0}}),
    ],
)
def test_numbers_out_of_range_are_refused(kind: Any, given: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(given))):
        kind(**given)
