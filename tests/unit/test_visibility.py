"""The whole table of who may read what, as tests of one pure function."""

from itertools import product

import pytest

from graphmem.domain.actors import Agent, AgentRole, Viewer
from graphmem.domain.ids import check_id, entity_id
from graphmem.domain.owners import Owner
from graphmem.domain.visibility import (
    Audience,
    Reading,
    Section,
    Visibility,
    audience_of,
    default_domain,
    derive_audience,
    in_domains,
    local_audiences,
    may_change,
    may_read,
    narrower_visibility,
    owner_token,
    readable_keys,
    readers_of,
    resolve_visibility,
    rule_for,
    team_audience,
    why_read,
)
from graphmem.errors import Invalid

OPEN, SCOPED = Visibility.OPEN, Visibility.SCOPED
PRIVATE, USER_ONLY = Visibility.PRIVATE, Visibility.USER_ONLY
DOMAINS = (
    "business/coding",
    "business/sales",
    "business/research",
    "skills",
    "docs",
    "personal/family",
    "personal/preferences",
    "personal/health",
    "general",
)
EVERYWHERE = frozenset(DOMAINS)
AGENTS = {
    "main": {"domains": ("*",), "can_see_private": True},
    "coding": {"domains": ("business/coding", "skills", "docs")},
    "sales": {"domains": ("business/sales", "business/research")},
    "family": {"domains": ("personal/family", "personal/preferences")},
    "orchestrator": {"domains": ("*",), "can_see_private": False},
    "unlisted": {},
}


def agent(name: str) -> Viewer:
    return Viewer(user="ann", agent=Agent(id=name, user="ann", name=name, **AGENTS[name]))


def agent_of(domain: str) -> Viewer:
    return Viewer(user="ann", agent=Agent(id="a", user="ann", name="a", domains=(domain,)))


def row(name: str, scoped: frozenset[str], *, private: bool, mark: str) -> object:
    return pytest.param(name, scoped, private, id=name, marks=pytest.mark.feature(mark))


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("below", ["", "/one/two"])
@pytest.mark.parametrize(
    ("name", "scoped", "private"),
    [
        row("main", EVERYWHERE, private=True, mark="MUMA-37"),
        row(
            "coding",
            frozenset({"business/coding", "skills", "docs"}),
            private=False,
            mark="MUMA-38",
        ),
        row(
            "sales",
            frozenset({"business/sales", "business/research"}),
            private=False,
            mark="MUMA-39",
        ),
        row(
            "family",
            frozenset({"personal/family", "personal/preferences"}),
            private=False,
            mark="MUMA-40",
        ),
        row("orchestrator", EVERYWHERE, private=False, mark="MUMA-41"),
        row("unlisted", EVERYWHERE, private=False, mark="MUMA-42"),
    ],
)
def test_the_matrix_of_agents(
    name: str, scoped: frozenset[str], private: bool, domain: str, below: str
) -> None:
    viewer = agent(name)
    place = domain + below
    cells = {v: audience_of("ann", v, place, author="writer") for v in Visibility}
    for reading in (Reading.AUTOMATIC, Reading.BY_NAME):
        seen = {v for v, audience in cells.items() if may_read(viewer, audience, reading)}
        expected = {OPEN}
        if domain in scoped:
            expected.add(SCOPED)
        if private:
            expected.add(PRIVATE)
        assert seen == expected


@pytest.mark.feature("MUMA-31")
@pytest.mark.parametrize("reading", list(Reading))
def test_private_is_for_its_writer_and_those_who_see_private(reading: Reading) -> None:
    by_coding = audience_of("ann", PRIVATE, "personal/health", author="coding")
    by_ann = audience_of("ann", PRIVATE, "personal/health")
    readers = [n for n in AGENTS if may_read(agent(n), by_coding, reading)]
    assert readers == ["main", "coding"]
    assert [n for n in AGENTS if may_read(agent(n), by_ann, reading)] == ["main"]
    assert may_read(Viewer(user="ann"), by_coding, reading)
    assert may_read(Viewer(user="ann"), by_ann, reading)


@pytest.mark.feature("MUMA-32")
def test_user_only_needs_an_explicit_question() -> None:
    audience = audience_of("ann", USER_ONLY, "personal/health", author="main")
    viewers = {"user": Viewer(user="ann")} | {name: agent(name) for name in AGENTS}
    readers = {
        reading: [name for name, viewer in viewers.items() if may_read(viewer, audience, reading)]
        for reading in Reading
    }
    assert readers[Reading.AUTOMATIC] == []
    assert readers[Reading.BY_NAME] == ["user"]
    assert readers[Reading.EXPLICIT] == ["user", "main"]


@pytest.mark.feature("MUMA-61", "MUMA-59")
@pytest.mark.parametrize("reading", list(Reading))
@pytest.mark.parametrize("visibility", list(Visibility))
@pytest.mark.parametrize("name", [None, "main", "coding"])
def test_nothing_of_another_user_is_readable(
    name: str | None, visibility: Visibility, reading: Reading
) -> None:
    viewer = Viewer(user="ann") if name is None else agent(name)
    admin = Viewer(user="ann", admin=True)
    for owner in ("bob", "ann2", "an", "ann/", ""):
        audience = Audience(owner=Owner(owner), section=visibility, domain="personal/family")
        assert not may_read(viewer, audience, reading)
        assert not may_read(admin, audience, reading)
        assert readable_keys(viewer, [audience], reading) == ()


@pytest.mark.feature("MUMA-30")
def test_scoped_goes_by_whole_parts_of_the_path() -> None:
    assert in_domains("business/sales/emea", ["business/sales"])
    assert in_domains("business/sales", ["business/sales"])
    assert not in_domains("business/sales2", ["business/sales"])
    assert not in_domains("business", ["business/sales"])
    assert in_domains("anything/at/all", ["*"])
    assert not in_domains("anything", [])
    emea = audience_of("ann", SCOPED, "business/sales/emea")
    assert may_read(agent("sales"), emea, Reading.AUTOMATIC)
    assert not may_read(agent("coding"), emea, Reading.AUTOMATIC)
    assert may_read(agent("coding"), audience_of("ann", OPEN, "a"), Reading.AUTOMATIC)


RULES = {
    "personal/health": PRIVATE,
    "personal/finance": PRIVATE,
    "personal/preferences": OPEN,
    "personal/location": OPEN,
    "business/coding": SCOPED,
    "business/sales": SCOPED,
    "skills": OPEN,
}


@pytest.mark.feature("MUMA-34")
@pytest.mark.parametrize(("domain", "visibility"), RULES.items())
def test_seven_rules_have_seven_outcomes(domain: str, visibility: Visibility) -> None:
    for place in (domain, f"{domain}/deeper"):
        for classified in Visibility:
            assert (
                resolve_visibility(domain=place, rules=RULES, classified=classified) is visibility
            )


@pytest.mark.feature("MUMA-35")
def test_the_longest_prefix_of_whole_parts_wins() -> None:
    rules = {"personal": OPEN, "personal/health": PRIVATE, "personal/health/gym": SCOPED}
    assert rule_for("personal/health/therapy", rules) is PRIVATE
    assert rule_for("personal/healthy", rules) is OPEN
    assert rule_for("personal/health/gym/legs", rules) is SCOPED
    assert rule_for("personal", rules) is OPEN
    assert rule_for("person", rules) is None
    assert rule_for("business", rules) is None
    assert resolve_visibility(domain="personal/healthy", rules=RULES, classified=OPEN) is OPEN
    assert (
        resolve_visibility(domain="personal/healthy", rules=RULES, default=USER_ONLY) is USER_ONLY
    )


@pytest.mark.feature("MUMA-33")
def test_each_step_of_the_order_decides_one_note() -> None:
    health = {"domain": "personal/health", "rules": RULES}
    assert resolve_visibility(**health, by_user=OPEN, by_agent=USER_ONLY, classified=SCOPED) is OPEN
    assert resolve_visibility(**health, classified=OPEN) is PRIVATE
    assert resolve_visibility(domain="misc", rules=RULES, classified=OPEN) is OPEN
    assert resolve_visibility(domain="misc", rules=RULES) is SCOPED


@pytest.mark.parametrize(
    ("rule", "asked", "outcome"),
    [
        (PRIVATE, OPEN, PRIVATE),
        (PRIVATE, SCOPED, PRIVATE),
        (PRIVATE, USER_ONLY, USER_ONLY),
        (SCOPED, OPEN, SCOPED),
        (SCOPED, PRIVATE, PRIVATE),
        (OPEN, USER_ONLY, USER_ONLY),
        (OPEN, OPEN, OPEN),
    ],
)
def test_an_agent_never_widens_a_rule(
    rule: Visibility, asked: Visibility, outcome: Visibility
) -> None:
    assert resolve_visibility(domain="a/b", rules={"a": rule}, by_agent=asked) is outcome
    assert resolve_visibility(domain="b", rules={"a": rule}, by_agent=asked) is asked


def test_narrower_has_fewer_readers() -> None:
    order = [Visibility.LOCAL, USER_ONLY, PRIVATE, SCOPED, OPEN]
    for i, one in enumerate(order):
        for j, other in enumerate(order):
            assert narrower_visibility(one, other) is order[min(i, j)]


@pytest.mark.parametrize("old", list(Visibility))
@pytest.mark.parametrize("new", list(Visibility))
def test_who_may_give_a_note_other_readers(old: Visibility, new: Visibility) -> None:
    assert may_change(Viewer(user="ann"), old, new)
    kept = old is Visibility.QUARANTINED and new is not old
    assert may_change(agent("main"), old, new) is (not kept)
    widens = (old, new) in {
        (PRIVATE, SCOPED),
        (PRIVATE, OPEN),
        (USER_ONLY, PRIVATE),
        (USER_ONLY, SCOPED),
        (USER_ONLY, OPEN),
        *((Visibility.LOCAL, other) for other in (USER_ONLY, PRIVATE, SCOPED, OPEN)),
        (Visibility.LOCAL, Visibility.QUARANTINED),
    }
    assert may_change(agent("coding"), old, new) is (not (widens or kept))


def test_audiences_have_keys_and_words_of_their_own() -> None:
    audiences = [
        audience_of("ann", v, domain, author)
        for v in Visibility
        for domain in ("a", "a/b", "~")
        for author in (None, "main", "coding")
    ]
    keys = {audience.key for audience in audiences}
    # PRIVATE and LOCAL tell the authors apart: 4 kinds x 3 domains + 2 x 3 authors x 3 domains.
    assert len(keys) == 30
    assert len({audience.token for audience in audiences}) == 30
    assert audience_of("ann", PRIVATE, "a", "main").key == "u:ann/PRIVATE/main/a"
    assert audience_of("ann", PRIVATE, "a").key == "u:ann/PRIVATE/~/a"
    assert audience_of("ann", OPEN, "a/b", "main").key == "u:ann/OPEN/a/b"
    words = {audience.token for audience in audiences} | {
        owner_token(Owner("ann")),
        owner_token(Owner("bob")),
    }
    assert len(words) == 32
    assert all(word.isalnum() and word == word.lower() and word[-1] == "0" for word in words)


@pytest.mark.parametrize(
    ("domains", "expected"),
    [
        (("*",), "general"),
        (("business", "general"), "general"),
        ((), "general"),
        (("business/sales", "home"), "business/sales"),
        (("general/other",), "general/other"),
    ],
)
def test_what_nothing_places_goes_where_its_writer_works(
    domains: tuple[str, ...], expected: str
) -> None:
    assert default_domain(Agent(id="a", user="me", name="a", domains=domains)) == expected
    assert default_domain(None) == "general"


def test_a_viewer_is_compiled_into_a_narrowed_sorted_list() -> None:
    audiences = [
        audience_of("ann", v, domain)
        for v in reversed(Visibility)
        for domain in ("business/sales", "business", "personal")
    ] + [audience_of("bob", OPEN, "business")]
    sales = agent("sales")
    assert readable_keys(sales, audiences, Reading.AUTOMATIC) == (
        "u:ann/OPEN/business",
        "u:ann/OPEN/business/sales",
        "u:ann/OPEN/personal",
        "u:ann/SCOPED/business/sales",
    )
    assert readable_keys(sales, audiences, Reading.AUTOMATIC, domain="business/sales") == (
        "u:ann/OPEN/business/sales",
        "u:ann/SCOPED/business/sales",
    )
    scoped = readable_keys(sales, audiences, Reading.AUTOMATIC, visibilities=[SCOPED, PRIVATE])
    assert scoped == ("u:ann/SCOPED/business/sales",)
    assert readable_keys(sales, audiences, Reading.AUTOMATIC, visibilities=[]) == ()


def member(name: str | None, *teams: str, role: AgentRole = AgentRole.WORKER) -> Viewer:
    """Ann in person, or an agent of hers, with her teams."""
    if name is None:
        return Viewer(user="ann", teams=teams)
    agent = Agent(id=name, user="ann", name=name, role=role, **AGENTS[name])
    return Viewer(user="ann", agent=agent, teams=teams)


@pytest.mark.feature("MUMA-59")
@pytest.mark.parametrize("reading", list(Reading))
@pytest.mark.parametrize("section", list(Section))
@pytest.mark.parametrize("name", [None, "main", "coding", "orchestrator"])
def test_nothing_of_a_team_is_readable_for_who_is_no_member(
    name: str | None, section: Section, reading: Reading
) -> None:
    audience = team_audience("ops", section, "business/coding")
    for teams in ((), ("Ops",), ("ops2", "op"), ("ann",)):
        assert not may_read(member(name, *teams), audience, reading)
    assert not may_read(Viewer(user="ops", admin=True), audience, reading)
    assert may_read(member(name, "legal", "ops"), audience, reading)


@pytest.mark.feature("MUMA-60", "MUMA-62")
@pytest.mark.parametrize(
    ("section", "domain", "readers"),
    [
        (Section.SKILLS, "skills", {None, "main", "coding", "sales", "orchestrator"}),
        (Section.KNOWLEDGE, "business/sales/sla", {None, "main", "sales", "orchestrator"}),
        (Section.SOPS, "business/coding", {None, "main", "coding", "orchestrator"}),
        (Section.BOARD, "team", {None, "main", "coding", "sales", "orchestrator"}),
        (Section.BOARD, "sales", {None, "main", "sales", "orchestrator"}),
        (Section.BOARD, "business/coding/ci", {None, "main", "coding", "orchestrator"}),
        (Section.BOARD, "somebody-else", {None, "main", "orchestrator"}),
    ],
)
def test_a_section_of_a_team_has_its_rule(
    section: Section, domain: str, readers: set[str | None]
) -> None:
    audience = team_audience("ops", section, domain)
    names = (None, "main", "coding", "sales", "orchestrator")
    for reading in Reading:
        assert {n for n in names if may_read(member(n, "ops"), audience, reading)} == readers


@pytest.mark.feature("MUMA-62")
def test_an_orchestrator_reads_the_whole_board_of_its_teams_whatever_its_domains_are() -> None:
    scope = team_audience("ops", Section.BOARD, "business/sales")
    assert not may_read(member("coding", "ops"), scope, Reading.BY_NAME)
    lead = member("coding", "ops", role=AgentRole.ORCHESTRATOR)
    assert may_read(lead, scope, Reading.BY_NAME)
    knowledge = team_audience("ops", Section.KNOWLEDGE, "business/sales")
    assert not may_read(lead, knowledge, Reading.BY_NAME)


def test_a_team_and_a_user_of_one_name_are_two_owners() -> None:
    user, team = Owner("ops"), Owner("ops", is_team=True)
    assert (user.key, team.key) == ("u:ops", "t:ops")
    assert (user.name, team.name) == ("ops", "t:ops")
    assert [Owner.named(owner.name) for owner in (user, team)] == [user, team]
    assert owner_token(user) != owner_token(team)
    assert entity_id(team.name, "kiln") != entity_id(user.name, "kiln")
    assert not may_read(
        Viewer(user="ops"), team_audience("ops", Section.SKILLS, "a"), Reading.BY_NAME
    )
    assert not may_read(
        Viewer(user="ann", teams=("ops",)), audience_of("ops", OPEN, "a"), Reading.BY_NAME
    )
    for taken in ("t:ops", "u:ann", "t:", "ops/skills", "ops/OPEN/a", ":"):
        with pytest.raises(Invalid):
            check_id(taken, "user id")


def test_a_section_is_never_read_as_a_visibility_nor_the_other_way_round() -> None:
    ann = Viewer(user="ann", teams=("ann",))
    for section in Section:
        odd = Audience(owner=Owner("ann"), section=section, domain="a")
        assert not any(may_read(ann, odd, reading) for reading in Reading)
    for visibility in Visibility:
        odd = Audience(owner=Owner("ann", is_team=True), section=visibility, domain="a")
        coding = member("coding", "ann")
        assert not any(may_read(coding, odd, reading) for reading in Reading)


def test_keys_of_teams_are_paths_and_their_readers_go_by_section() -> None:
    keys = {s: team_audience("ops", s, "a/b").key for s in Section}
    assert keys[Section.KNOWLEDGE] == "t:ops/knowledge/a/b"
    assert readers_of(keys[Section.SKILLS]) == "t:ops/skills"
    assert readers_of(keys[Section.KNOWLEDGE]) == keys[Section.KNOWLEDGE]
    assert len({team_audience(t, s, "a").token for t in ("x", "y") for s in Section}) == 8


def test_what_is_made_of_notes_is_read_by_nobody_who_may_not_read_one_of_them() -> None:
    domains = ("work", "work/sales", "work/code", "home")
    kinds = (OPEN, SCOPED, PRIVATE, USER_ONLY)
    audiences = {
        audience_of("ann", kind, domain, author)
        for kind, domain, author in product(kinds, domains, (None, "coding"))
    }
    readers = [Viewer(user="ann"), *(agent(name) for name in AGENTS)]
    for own, private in product((*domains, "work/sales/north"), (False, True)):
        profile = Agent(id="a", user="ann", name="a", domains=(own,), can_see_private=private)
        readers.append(Viewer(user="ann", agent=profile))
    kept = 0
    for made, source in product(audiences, audiences):
        after = derive_audience(made, source)
        if after is None:
            continue
        for viewer, reading in product(readers, Reading):
            if may_read(viewer, after, reading):
                assert may_read(viewer, made, reading)
                assert may_read(viewer, source, reading)
        assert derive_audience(after, source) == after == derive_audience(after, made)
        kept += 1
    assert kept > len(audiences) ** 2 / 2


def test_a_note_that_is_made_of_others_keeps_the_readers_that_they_have_in_common() -> None:
    sales, code, home = (audience_of("ann", SCOPED, d) for d in ("work/sales", "work/code", "home"))
    assert derive_audience(sales, sales) == sales
    assert derive_audience(sales, code) == audience_of("ann", SCOPED, "work")
    assert derive_audience(sales, home) is None
    assert derive_audience(audience_of("ann", OPEN, "home"), sales) == sales
    assert derive_audience(sales, audience_of("ann", PRIVATE, "work/sales")) is None


@pytest.mark.feature("MUMA-2")
def test_local_memory_is_its_agents_own() -> None:
    local = audience_of("ann", Visibility.LOCAL, "business/coding", author="coding")
    assert local.key == "u:ann/LOCAL/coding/business/coding"
    assert readers_of(local.key) == "u:ann/LOCAL/coding"
    for reading in Reading:
        assert [n for n in AGENTS if may_read(agent(n), local, reading)] == ["coding"]
        in_person = may_read(Viewer(user="ann"), local, reading)
        assert in_person is (reading is not Reading.AUTOMATIC)
        bob = Viewer(user="bob", agent=Agent(id="coding", user="bob", name="coding"))
        assert not may_read(bob, local, reading)
    other = audience_of("ann", PRIVATE, "business/coding", author="coding")
    assert local_audiences(agent("coding"), [local, other]) == (local,)
    assert local_audiences(agent("main"), [local, other]) == ()
    assert local_audiences(Viewer(user="ann"), [local, other]) == ()


@pytest.mark.feature("MUMA-129")
@pytest.mark.parametrize(
    ("reader", "visibility", "author", "reason"),
    [
        ("sales", OPEN, None, "the note is open to all agents of the user"),
        ("sales", SCOPED, None, "it works in business/sales"),
        ("coding", SCOPED, None, None),
        ("sales", PRIVATE, "sales", "it wrote the note"),
        ("main", PRIVATE, "sales", "it may see private notes"),
        ("coding", PRIVATE, "sales", None),
        ("main", USER_ONLY, None, "it may see private notes, when it asks explicitly"),
        ("sales", USER_ONLY, None, None),
        ("sales", Visibility.LOCAL, "sales", "it wrote the note"),
        ("main", Visibility.LOCAL, "sales", None),
    ],
)
def test_an_agent_is_told_of_as_a_reader_with_the_reason_why_it_is_one(
    reader: str, visibility: Visibility, author: str | None, reason: str | None
) -> None:
    audience = audience_of("ann", visibility, "business/sales", author)
    found = agent(reader).agent
    assert found is not None
    assert why_read(found, audience) == reason


@pytest.mark.parametrize(
    ("made", "source", "left"),
    [
        (OPEN, OPEN, OPEN),
        (SCOPED, OPEN, SCOPED),
        (PRIVATE, OPEN, PRIVATE),
        (USER_ONLY, OPEN, USER_ONLY),
        (OPEN, SCOPED, SCOPED),
        (SCOPED, SCOPED, SCOPED),
        (PRIVATE, SCOPED, None),
        (USER_ONLY, SCOPED, None),
        (OPEN, PRIVATE, PRIVATE),
        (SCOPED, PRIVATE, None),
        (PRIVATE, PRIVATE, PRIVATE),
        (USER_ONLY, PRIVATE, USER_ONLY),
        (OPEN, USER_ONLY, USER_ONLY),
        (SCOPED, USER_ONLY, None),
        (PRIVATE, USER_ONLY, USER_ONLY),
        (USER_ONLY, USER_ONLY, USER_ONLY),
    ],
)
def test_a_note_made_of_two_kinds_keeps_readers_wherever_some_are_left(
    made: Visibility, source: Visibility, left: Visibility | None
) -> None:
    one, other = audience_of("ann", made, "work/sales"), audience_of("ann", source, "work")
    if left is None:
        assert derive_audience(one, other) is None
        return
    after = derive_audience(one, other)
    assert after is not None
    assert (after.section, after.author) == (left, "~")
    assert after.domain == ("work" if source is SCOPED else "work/sales")


def test_the_words_in_keys_are_those_that_stored_notes_have() -> None:
    assert [*map(str, Visibility)] == [
        "OPEN",
        "SCOPED",
        "PRIVATE",
        "USER_ONLY",
        "LOCAL",
        "QUARANTINED",
    ]
    assert [*map(str, Section)] == ["knowledge", "skills", "sops", "board"]


def test_readers_of_a_users_notes_go_by_kind_author_and_domain() -> None:
    kinds = {kind: readers_of(audience_of("ann", kind, "a/b", "coding").key) for kind in Visibility}
    assert kinds == {
        OPEN: "u:ann/OPEN",
        SCOPED: "u:ann/SCOPED/a/b",
        PRIVATE: "u:ann/PRIVATE/coding",
        USER_ONLY: "u:ann/USER_ONLY",
        Visibility.QUARANTINED: "u:ann/QUARANTINED",
        Visibility.LOCAL: "u:ann/LOCAL/coding",
    }


def test_two_domains_share_whole_parts_from_their_beginning() -> None:
    one, other = (audience_of("ann", SCOPED, domain) for domain in ("a/b/c", "a/b/cd/c"))
    after = derive_audience(one, other)
    assert after is not None
    assert after.domain == "a/b"
