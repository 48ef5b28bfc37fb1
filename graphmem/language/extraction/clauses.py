"""Finds the relations that the grammar of a sentence states between its names.

It reads a dependency parse with the labels of spaCy's English models. As with the phrases of
`relations`, only plain statements count: no questions, conditions, negations or plans."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from graphmem.domain.notes import RelationDraft
from graphmem.language.extraction import clause_words as w
from graphmem.language.extraction.literals import NameSpan
from graphmem.language.extraction.relation_phrases import KIN
from graphmem.language.extraction.relations import (
    CARRIED,
    HEDGED,
    STATED,
    asks,
    is_doubted,
    relation,
    with_implied_type,
)
from graphmem.language.extraction.things import Word, is_role, thing_at
from graphmem.language.lexicon import (
    FIRST_NAMES,
    ORGANISATIONS,
    PLACES,
    PRODUCTS,
    TOOLS,
)

MOST_CONJUNCTS = 6  # names in one list
MOST_CLAUSES = 20  # nested or chained clauses, as in "says that ... thinks that ..."
LISTED: Final = (FIRST_NAMES, ORGANISATIONS, PLACES, PRODUCTS, TOOLS)

Relation = tuple[RelationDraft, tuple[NameSpan, ...]]


def clause_relations(
    sentence: str,
    words: Sequence[Word],
    spans: Sequence[NameSpan],
    speaker: str | None,
    person: str | None,
) -> Iterator[Relation]:
    """Yield the relations of a sentence, each with its two ends.

    `speaker` is meant by "I"; `person`, the one person of the sentences before, by "he" or
    "she"."""
    if asks(sentence):
        return
    sure = HEDGED if is_doubted(sentence) else STATED
    clauses = Clauses(words, spans, speaker, person)
    for one, predicate, other in clauses.stated():
        types = w.TYPES.get(predicate)
        if types is not None:
            if not _fit_types(one, predicate, other):
                continue
            one = with_implied_type(one, types[0] | {None})
            other = with_implied_type(other, types[1] | {None})
        if one.name != other.name:
            carried = clauses.person in (one, other)
            yield relation(one, predicate, other, min(sure, CARRIED) if carried else sure)


def _fit_types(one: NameSpan, predicate: str, other: NameSpan) -> bool:
    """Check whether both ends can be of the types that a predicate has."""
    types = w.TYPES.get(predicate)
    return types is None or (_may_be(one, types[0]) and _may_be(other, types[1]))


def _is_common(span: NameSpan) -> bool:
    """Check whether an end is a common noun; hive 5 is one of its kind, as a name is."""
    return span.type == "concept" and not span.name[-1].isdigit()


def _may_be(span: NameSpan, types: frozenset[str]) -> bool:
    """Check whether a name can be of one of these types; an unlisted word can be any, and a thing
    whatever is not a person or a place."""
    if span.type is None or span.type in types:
        return True
    if span.type == "concept":
        return not types <= w.NO_THING
    return " " not in span.name and not any(span.name in names for names in LISTED)


class Clauses:
    """The words of one sentence with the dependents of each, and the names among them."""

    def __init__(
        self,
        words: Sequence[Word],
        spans: Sequence[NameSpan],
        speaker: str | None,
        person: str | None,
    ) -> None:
        self.words = words
        self.below = defaultdict[int, list[int]](list)
        for i, word in enumerate(words):
            if word.head != i:
                self.below[word.head].append(i)
        self.spans = {
            i: span
            for i, word in enumerate(words)
            for span in spans
            if span.start <= word.start and word.end <= span.end
        }
        self.speaker = NameSpan(0, 0, speaker, "person") if speaker else None
        self.person = NameSpan(0, 0, person, "person") if person else None

    def stated(self) -> Iterator[tuple[NameSpan, str, NameSpan]]:
        """Yield subject, predicate and object of all that the sentence states."""
        yield from self.of_verbs()
        yield from self.of_places()
        yield from self.of_nouns()
        yield from self.of_roles()
        yield from self.of_names()

    def of_verbs(self) -> Iterator[tuple[NameSpan, str, NameSpan]]:
        """Yield subject, predicate and object of each plain verb."""
        for i, word in enumerate(self.words):
            if not word.tag.startswith("VB") or word.dep in ("aux", "auxpass"):
                continue
            if word.lemma == "be" or self._is_unreal(i):
                continue
            subjects = self._find_ends(self._find_subjects(i))
            for key, objects in self._find_objects(i):
                for one in subjects:
                    for other in self._find_ends(objects):
                        if key == w.BY:
                            yield from self._relate(i, key, other, one)
                        else:
                            yield from self._relate(i, key, one, other)

    def _relate(
        self, i: int, key: str, one: NameSpan, other: NameSpan
    ) -> Iterator[tuple[NameSpan, str, NameSpan]]:
        """Yield what a verb states about two ends, at least one of which must be a name."""
        if _is_common(one) and _is_common(other):
            return
        known, own = self._predicate(i, key), self._own_predicate(i, key)
        if known is not None and "concept" in (one.type, other.type):
            known = known if w.fits_thing(known, one, other) else None
        if _is_common(other) and key.removeprefix(w.PASSIVE) in w.OF_OCCASIONS:
            own = None
        if _is_common(other) and self.words[i].lemma.lower() in w.OWN_WITH_THINGS:
            known = None
        for predicate in (known, own):
            if predicate is not None and _fit_types(one, predicate, other):
                yield one, predicate, other
                return

    def of_places(self) -> Iterator[tuple[NameSpan, str, NameSpan]]:
        """Yield what is in, at, behind or with something: the store is in Hansen's barn."""
        for i, word in enumerate(self.words):
            if word.lemma != "be" or word.dep in ("aux", "auxpass") or self._is_unreal(i):
                continue
            subjects = self._find_ends(self._find_subjects(i))
            for j in self._find_dependents(i, "prep"):
                predicate = w.BEING.get(self.words[j].lemma.lower())
                if predicate is None:
                    continue
                objects = self._keep_definite(self._find_dependents(j, "pobj"))
                for other in self._find_ends(objects):
                    for one in subjects:
                        if not (_is_common(one) and _is_common(other)):
                            yield one, predicate, other

    def _is_denied(self, j: int) -> bool:
        return j > 0 and self.words[j - 1].dep == "neg"

    def _keep_definite(self, objects: Sequence[int]) -> list[int]:
        """Return those that are one certain thing: on the Basic plan, but not in negotiation."""
        return [
            i
            for i in objects
            if self._find_name(i) is not None
            or self._find_dependents(i, "det", "poss", "nummod", "compound")
        ]

    def of_roles(self) -> Iterator[tuple[NameSpan, str, NameSpan]]:
        """Yield who has which role: Ann is chief engineer, our lawyer is Ruth, Captain: Oddvar."""
        for i, word in enumerate(self.words):
            if not is_role(word.lemma.lower()) or not word.tag.startswith("NN"):
                continue
            role = thing_at(i, self.words, self.below, self.spans)
            if role is not None:
                for one in self._find_names(self._find_holders(i)):
                    yield one, "has-role", role

    def of_nouns(self) -> Iterator[tuple[NameSpan, str, NameSpan]]:
        """Yield holder, role and owner of each noun that says what somebody or something is."""
        for i, word in enumerate(self.words):
            if (
                word.tag != "NN"
                or i in self.spans
                or not (word.text.isalpha() and word.text.islower())
            ):
                continue
            holders = self._find_names(self._find_holders(i))
            if not holders:
                continue
            for marker, owners in self._find_owners(i):
                for one in holders:
                    for other in self._find_ends(owners):
                        predicate = w.role_predicate(word.lemma.lower(), marker, one, other)
                        if predicate is not None:
                            yield one, predicate, other

    def of_names(self) -> Iterator[tuple[NameSpan, str, NameSpan]]:
        """Yield pairs with a preposition: somebody at a firm, something in a place."""
        for j, word in enumerate(self.words):
            if word.dep != "prep" or j == word.head:
                continue
            ends = self._find_placed(word.head)
            for other in self._find_names(self._find_dependents(j, "pobj")):
                for one in ends:
                    predicate = w.name_predicate(one, word.lemma.lower(), other)
                    if predicate is not None:
                        yield one, predicate, other

    def _find_dependents(self, i: int, *labels: str) -> list[int]:
        return [j for j in self.below[i] if self.words[j].dep in labels]

    def _find_names(self, heads: Sequence[int]) -> list[NameSpan]:
        found = [self._find_name(i) for head in heads for i in self._find_conjuncts(head)]
        return [span for span in found if span is not None]

    def _find_conjuncts(self, head: int) -> list[int]:
        """Return a word and those joined to it by commas and "and"."""
        found = [head]
        for i in found:
            if len(found) > MOST_CONJUNCTS:
                break
            between = {self.words[j].lemma for j in self._find_dependents(i, "cc", "preconj")}
            if between <= {"and", "&", "both"}:
                found += self._find_dependents(i, "conj")
        return found

    def _find_name(self, i: int) -> NameSpan | None:
        """Return the name that a noun is or has: Harbour, the Harbour app, the firm Brightwell."""
        word = self.words[i]
        if word.text == "I":
            return self.speaker
        if word.text.lower() in ("he", "she"):
            return self.person
        if i in self.spans:
            return self.spans[i]
        if word.lemma.lower() in w.KINDS_OF_THINGS:
            inner = [
                j for j in self._find_dependents(i, "compound", "nmod", "appos") if j in self.spans
            ]
            places = any(self.spans[j].type == "place" for j in inner)  # the Ghent office
            if len({self.spans[j].name for j in inner}) == 1 and not places:
                return self.spans[inner[0]]
        return None

    def named(self, heads: Sequence[int], dep: str | None = None) -> list[NameSpan]:
        """Return the names of words, only of those that depend as `dep` if that is given."""
        chosen = [i for i in heads if dep is None or self.words[i].dep == dep]
        found = [self.spans.get(i) for head in chosen for i in self._find_conjuncts(head)]
        return [span for span in found if span is not None and span.type != "place"]

    def _find_ends(self, heads: Sequence[int]) -> list[NameSpan]:
        """Return the names, or else the things, of words and those joined to them."""
        found = self._find_names(heads)
        if found:
            return found
        nouns = [i for head in heads for i in self._find_conjuncts(head)]
        known = [i for i in nouns if self.words[i].lemma.lower() not in KIN]
        things = (thing_at(i, self.words, self.below, self.spans) for i in known)
        return [thing for thing in things if thing is not None]

    def _find_placed(self, i: int) -> list[NameSpan]:
        """Return what is in, at or from somewhere.

        It is the name that a noun is, or that is the noun (Ely is a city in ...), else the
        thing."""
        one, noun = self._find_name(i), self.words[i].lemma.lower()
        if one is not None:
            return [one]
        if self._is_in_unreal_clause(i):
            return []
        holders = self._find_names(self._find_holders(i)) if self.words[i].tag == "NN" else []
        if holders or is_role(noun) or noun in KIN or self._is_said_to_be(i):
            return holders
        thing = thing_at(i, self.words, self.below, self.spans)
        return [] if thing is None else [thing]

    def _is_said_to_be(self, i: int) -> bool:
        be = self.words[i].head
        subjects = self._find_dependents(be, "nsubj")
        return self.words[i].dep == "attr" and self.words[be].lemma == "be" and bool(subjects)

    def _is_in_unreal_clause(self, i: int) -> bool:
        """Check whether a noun belongs to something denied, only possible or planned."""
        for _ in range(MOST_CLAUSES):
            if self.words[i].tag.startswith(("VB", "MD")):
                return self._is_unreal(i)
            if self.words[i].head == i:
                return False
            i = self.words[i].head
        return True

    def _is_unreal(self, i: int) -> bool:
        """Check whether a clause, or one around it, is denied, only possible, planned or wanted."""
        for _ in range(MOST_CLAUSES):
            if self._is_marked_unreal(i):
                return True
            word = self.words[i]
            own = self._find_dependents(i, "nsubj", "nsubjpass")
            if word.dep != "ccomp" and (word.dep != "conj" or own):
                return False
            i = word.head
        return True  # in so many nested clauses nobody knows who states it

    def _is_marked_unreal(self, i: int) -> bool:
        word = self.words[i]
        for j in self.below[i]:
            other = self.words[j]
            if other.dep == "neg" or (other.dep == "aux" and other.lemma.lower() in w.UNREAL):
                return True
            if other.dep in ("mark", "advmod", "npadvmod") and other.text.lower() in w.UNREAL:
                return True
        return word.tag == "VB" or (word.tag == "VBG" and word.dep in ("xcomp", "pcomp", "advcl"))

    def _find_subjects(self, i: int) -> list[int]:
        for _ in range(MOST_CLAUSES):
            word = self.words[i]
            own = self._find_dependents(i, "nsubj", "nsubjpass")
            if own:
                if self.words[own[0]].tag not in ("WP", "WDT") or word.dep != "relcl":
                    return own
                span = self.spans.get(word.head)
                placed = span is not None and span.type == "place"
                return [] if placed and self.words[own[0]].tag == "WP" else [word.head]
            if word.dep == "acl" and word.tag in ("VBN", "VBD"):
                return [word.head]
            if word.dep != "conj" or not self.words[word.head].tag.startswith("VB"):
                return []
            i = word.head
        return []

    def _find_objects(self, i: int) -> Iterator[tuple[str, list[int]]]:
        """Yield the objects of a verb by preposition; "" without one, BY for who does it."""
        passive, direct = self._is_passive(i), self._find_dependents(i, "dobj")
        for j in () if passive else direct:
            yield "", [j]
        for j in self._find_dependents(i, "prep", "agent"):
            marker = self.words[j].lemma.lower()
            if (direct and marker not in ("to", "by")) or self._is_denied(j):
                continue  # a place, a time or a manner; not at the bakery
            key = marker if not passive else w.BY if marker == "by" else f"{w.PASSIVE}{marker}"
            objects = self._find_dependents(j, "pobj")
            yield key, self._keep_definite(objects) if self._is_loose(i, key) else objects

    def _is_passive(self, i: int) -> bool:
        for _ in range(MOST_CLAUSES):
            word = self.words[i]
            if self._find_dependents(i, "nsubjpass", "auxpass", "agent"):
                return True
            if word.dep != "conj" or word.tag != "VBN" or self._find_dependents(i, "nsubj"):
                return word.dep == "acl" and word.tag in ("VBN", "VBD")
            i = word.head
        return False

    def _predicate(self, i: int, key: str) -> str | None:
        verb = self.words[i].lemma.lower()
        particles = [self.words[j].lemma.lower() for j in self._find_dependents(i, "prt")]
        return w.verb_predicate(" ".join((verb, *particles)), key)

    def _is_loose(self, i: int, key: str) -> bool:
        """Check whether a verb has no predicate with this preposition but its own words."""
        return self._predicate(i, key) in (None, self._own_predicate(i, key))

    def _own_predicate(self, i: int, key: str) -> str | None:
        """Return the verb itself; None for one that says too little, or that has a particle."""
        if self._find_dependents(i, "prt"):
            return None
        word = self.words[i]
        return w.own_predicate(word.lemma.lower(), word.text.lower(), word.tag, key)

    def _find_holders(self, i: int) -> list[int]:
        """Return who it is: Dara is the lawyer, Dara, the lawyer of ..., our lawyer Dara."""
        word = self.words[i]
        if word.dep == "nsubj" and self.words[word.head].lemma == "be":
            attributes = [j for j in self._find_dependents(word.head, "attr") if j in self.spans]
            return [] if self._is_unreal(word.head) else attributes
        if word.dep == "attr" and self.words[word.head].lemma == "be":
            return [] if self._is_unreal(word.head) else self._find_subjects(word.head)
        if word.dep == "appos" or (word.dep == "compound" and word.head in self.spans):
            return [word.head]
        return [j for j in self._find_dependents(i, "appos") if j in self.spans]

    def _find_owners(self, i: int) -> Iterator[tuple[str, list[int]]]:
        for j in self._find_dependents(i, "poss"):
            yield "of", [j]
        for j in self._find_dependents(i, "prep"):
            yield self.words[j].lemma.lower(), self._find_dependents(j, "pobj")
