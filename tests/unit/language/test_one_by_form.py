"""Names that are one by their form alone, and names that only look so."""

from typing import Final

import pytest

from graphmem.domain.ids import name_key
from graphmem.language.naming import loose_key, one_by_form

# By class; a type is that of both names, "thing" where none is said.
SAME: Final = {
    "article": (
        ("The Orchard Street Bakery", "Orchard Street Bakery"),
        ("the Guild of Potters", "Guild of Potters"),
        ("The Night Relay Team", "Night Relay Team"),
        ("The Blue Lantern", "Blue Lantern"),
        ("The Lord of the Rings", "Lord of the Rings"),
        ("The New York Times", "New York Times"),
        ("The Netherlands", "Netherlands", "country"),
        ("The Orchard", "Orchard", "company"),
    ),
    "project": (
        ("Project Aurora", "Aurora project"),
        ("Project Halden", "Halden Project"),
        ("Project Kestrel", "the Kestrel project"),
        ("Project Sable", "SABLE project"),
        ("Project Marlow 2", "Marlow 2 project"),
        ("project Tern", "Tern project"),
        ("Project Borealis", "Borealis Project"),
    ),
    "saint and mount": (
        ("St. Ives", "Saint Ives"),
        ("St Alban", "Saint Alban"),
        ("St. Piran Bay", "Saint Piran Bay"),
        ("Mt. Ida", "Mount Ida"),
        ("Mt Rowan", "Mount Rowan"),
        ("Mt. Corbin Lodge", "Mount Corbin Lodge"),
        ("Ft. Vernon", "Fort Vernon"),
        ("Corbin St.", "Corbin Street"),
    ),
    "ordinals": (
        ("1st Street", "First Street"),
        ("2nd Floor", "Second Floor"),
        ("3rd Quarter Review", "Third Quarter Review"),
        ("5th Avenue", "Fifth Avenue"),
        ("21st Amendment", "Twenty-first Amendment"),
        ("32nd Regiment", "Thirty-second Regiment"),
        ("7th Harbour Board", "Seventh Harbour Board"),
        ("4th Ward", "Fourth Ward"),
    ),
    "umlauts": (
        ("Müller", "Mueller"),
        ("Jürgen Groß", "Juergen Gross"),
        ("Björn Åkesson", "Bjoern Aakesson"),
        ("Köhler & Söhne", "Koehler and Soehne"),
        ("Grünwald", "Gruenwald"),
        ("Jäger Transport", "Jaeger Transport"),
        ("Søren Bühler", "Soeren Buehler"),
        ("Schröder", "Schroeder"),
    ),
    "initials": (
        ("J.R. Moreau", "JR Moreau"),
        ("J. R. Moreau", "J.R. Moreau"),
        ("A. L. Kessler", "AL Kessler"),
        ("T.S. Odell", "T. S. Odell"),
        ("B.K. Halden", "BK Halden"),
        ("A.B.C. Motors", "ABC Motors"),
        ("U.S.A.", "USA"),
    ),
    "legal forms": (
        ("Delta GmbH", "Delta G.m.b.H."),
        ("Delta GmbH", "DELTA GMBH"),
        ("Kestrow Inc.", "Kestrow, Incorporated"),
        ("Norvik Ltd.", "Norvik Limited"),
        ("Quill N.V.", "Quill NV"),
        ("Vantor Corp.", "Vantor Corporation"),
        ("Blue Lantern Ltd", "Blue Lantern"),
        ("Saltmarsh GmbH", "Saltmarsh", "company"),
        ("Tanager Inc.", "Tanager", "organisation"),
    ),
    "versions": (
        ("Python v3.11", "Python 3.11"),
        ("Neo4j v5", "Neo4j 5"),
        ("Orion version 2", "Orion 2"),
        ("Orion v. 2.4", "Orion 2.4"),
        ("Sable Server v1.0", "Sable Server 1.0"),
        ("Kestrel v12", "Kestrel 12"),
        ("Release v2", "Release 2"),
    ),
    "addresses": (
        ("https://www.example.org", "example.org"),
        ("http://example.org", "https://example.org"),
        ("www.example.org", "example.org"),
        ("https://example.org/", "example.org"),
        ("https://docs.example.org/start", "docs.example.org/start"),
        ("HTTP://Example.org", "example.org"),
        ("https://www.example.org/docs/", "example.org/docs"),
    ),
}
APART: Final = (
    ("The Band", "Band"),
    ("The Firm", "Firm"),
    ("The Who", "WHO", "organisation", "team"),
    ("The Office", "Office", "show", "product"),
    ("The Guild of Potters", "The Guild of Weavers"),
    ("The Orchard", "Orchard", "company", "place"),
    ("Project Aurora", "Borealis project"),
    ("Project Manager", "Manager Project"),
    ("Project Office", "office project"),
    ("Project Aurora 1", "Aurora project 2"),
    ("Project Aurora", "Aurora programme"),
    ("Project Aurora", "Aurora"),
    ("St. Ives", "Ives St."),
    ("St. Ives", "St. Ives Bay"),
    ("S.T. Ives", "St. Ives"),
    ("Mount Ida", "Fort Ida"),
    ("Mount Ida", "Mount Ada"),
    ("Mt. Ida", "Mt. Ida Lodge"),
    ("Corbin Street", "Corbin Road"),
    ("Saint John", "St. John", "city", "person"),
    ("First Street", "Second Street"),
    ("1st Street", "11th Street"),
    ("21st Amendment", "First Amendment"),
    ("Twenty-first Amendment", "Twentieth Amendment"),
    ("Fifth Avenue", "Fifteenth Avenue"),
    ("5th Avenue", "5 Avenue"),
    ("Third Quarter", "Three Quarters"),
    ("Muller", "Mueller"),
    ("Miller", "Müller"),
    ("Bär", "Bar"),
    ("Joe", "Jo"),
    ("Michael", "Michal"),
    ("Schröder", "Schrader"),
    ("Jäger", "Jeger"),
    ("Müller", "Mullers"),
    ("J.R. Moreau", "J.S. Moreau"),
    ("J.R. Moreau", "J. Moreau"),
    ("A.L. Kessler", "Al Kessler"),
    ("M.R. Kessler", "Mr. Kessler"),
    ("D.R. Rowan", "Dr. Rowan"),
    ("JR Moreau", "Moreau Jr."),
    ("B.K. Halden", "B.C. Halden"),
    ("Delta Inc.", "Delta GmbH"),
    ("Delta Ltd.", "Delta LLC"),
    ("Delta N.V.", "Delta B.V."),
    ("Ford", "Ford Inc.", "person", "company"),
    ("Apple", "Apple Inc.", "food", "company"),
    ("Apple", "Apple Inc.", "thing", "company"),
    ("Delta", "Delta GmbH"),
    ("Quill SA", "Quill Sable"),
    ("Kestrow & Sons", "Kestrow & Co."),
    ("Python 3.11", "Python 3.1"),
    ("Python v3.1", "Python 31"),
    ("Orion v2", "Orion v3"),
    ("Orion V8", "Orion 8"),
    ("Orion 2.4", "Orion v2.4.1"),
    ("Kestrel II", "Kestrel III"),
    ("Kestrel IV", "Kestrel VI"),
    ("Model S", "Models"),
    ("C#", "C"),
    ("example.org", "example.com"),
    ("docs.example.org", "example.org"),
    ("https://example.org/docs", "example.org"),
    ("https://example.org/a", "https://example.org/b"),
    ("www.example.org", "www.example.org.uk"),
    ("HTTP", "https"),
    ("White House", "Whitehouse"),
    ("Dara Osei", "Osei Dara"),
)


def are_one(one: str, other: str, kind: str = "thing", other_kind: str | None = None) -> bool:
    """Whether the graph would look both up under one key, and find them to be one."""
    if name_key(one) == name_key(other):
        return True
    things = {"a": [(one, kind)], "b": [(other, other_kind or kind)]}
    return loose_key(name_key(one)) == loose_key(name_key(other)) and bool(one_by_form(things))


@pytest.mark.parametrize("kind", SAME)
def test_one_name_in_two_forms_is_one(kind: str) -> None:
    missed = [pair for pair in SAME[kind] if not are_one(*pair)]
    missed += [pair for pair in SAME[kind] if not are_one(pair[1], pair[0], *pair[2:])]
    assert missed == []


def test_names_that_look_alike_stay_apart() -> None:
    assert len(SAME) == 9
    assert sum(map(len, SAME.values())) >= 60
    assert len(APART) >= 60
    assert [pair for pair in APART if are_one(*pair)] == []


def test_of_two_firms_a_bare_name_is_neither() -> None:
    firms = {"i": [("Acme Inc.", "company")], "g": [("Acme GmbH", "company")]}
    bare = {"b": [("Acme", "company")]}
    assert one_by_form({"i": firms["i"], **bare}) == {frozenset("ib")}
    assert one_by_form({**firms, **bare}) == set()
