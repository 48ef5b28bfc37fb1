"""The pages of the graph: its index, the words of relations, links of notes, and entities."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from graphmem.domain.entities import Entity, Relation
from graphmem.language.pages import (
    EdgeRow,
    EntityRow,
    render_entity,
    render_index,
    render_relations,
    slugs_of,
)
from graphmem.services.context import Access, Context
from graphmem.services.reading.entities import (
    MAX_PAGE,
    MAX_RELATIONS,
    load_entities,
    notes_of,
    relations_of,
)
from graphmem.services.syncing.pages.entity import Known, entity_text, measure
from graphmem.services.syncing.pages.page import ENTITIES, GRAPH, Page, json_page
from graphmem.services.syncing.pages.shelf import Shelf, parts_of
from graphmem.services.writing.links import MAX_LINKS, links_of
from graphmem.store import entities as store

MOST_NAMES: Final = 20_000  # names that are looked through
MOST_PAGES: Final = 2_000  # entities with a page, those with the most notes
NOTES_OF_PAGE: Final = 200  # newest notes of an entity that its page shows
SOME: Final = 100  # entities of one query
NOTES_AT_ONCE: Final = 1_000  # whose links are read by one query


@dataclass(frozen=True, kw_only=True)
class Topology:
    """The entities with a page, the most written of first, with what belongs to each."""

    entities: Sequence[Entity]
    slugs: Mapping[str, str]
    notes: Mapping[str, Sequence[str]]
    relations: Mapping[str, Sequence[Relation]]
    labels: Mapping[str, str]  # of entities at the other end that have no page


async def read_topology(context: Context, access: Access) -> Topology:
    """Read the entities that readable notes write of most, and their relations."""
    every = await _read_entities(context, access)
    chosen = sorted(every, key=lambda each: (-each.note_count, each.id))[:MOST_PAGES]
    ids = [each.id for each in chosen]
    notes: dict[str, Sequence[str]] = {}
    relations: dict[str, Sequence[Relation]] = {}
    for some in parts_of(ids, SOME):
        notes |= await notes_of(context, access, some, NOTES_OF_PAGE)
        relations |= await relations_of(context, access, some, MAX_RELATIONS)
    known = set(ids)
    ends = {end for said in relations.values() for one in said for end in (one.subject, one.object)}
    labels: dict[str, str] = {}
    for some in parts_of(sorted(ends - known), SOME):
        found = await load_entities(context, access, some)
        labels |= {each: entity.name for each, entity in found.items()}
    slugs = slugs_of([(each.id, each.type, each.name) for each in chosen])
    return Topology(entities=chosen, slugs=slugs, notes=notes, relations=relations, labels=labels)


async def _read_entities(context: Context, access: Access) -> list[Entity]:
    found: dict[str, Entity] = {}
    after, count = "", 0
    while count < MOST_NAMES:
        names = await store.list_names(
            context.graph,
            access.viewer.user,
            access.by_name,
            context.clock(),
            search=None,
            after=after,
            limit=MAX_PAGE,
        )
        loaded = await load_entities(context, access, [each for each, _ in names])
        found |= {entity.id: entity for entity in loaded.values()}
        count += len(names)
        if len(names) < MAX_PAGE:
            break
        after = names[-1][1]
    return list(found.values())


async def graph_pages(
    context: Context, access: Access, shelf: Shelf, topology: Topology
) -> list[Page]:
    """Return the pages of the graph."""
    await shelf.load(context, access, {i for ids in topology.notes.values() for i in ids})
    rows, pages, ends = [], list[Page](), _ends(topology)
    for entity in topology.entities:
        known = _known(topology, shelf, entity, ends)
        slug, measures = topology.slugs[entity.id], measure(context, shelf, known.notes)
        if measures is None:  # its notes went while they were read
            continue
        rows.append(
            EntityRow(
                slug=slug,
                type=entity.type,
                label=entity.name,
                score=measures.score,
                pinned=measures.pinned,
            )
        )
        text = render_entity(entity_text(slug, known, measures))
        pages.append(Page(ENTITIES / f"{slug}.md", text, editable=True))
    edges = _edges(topology)
    used = Counter(relation.predicate for relation in edges)
    index = render_index(rows, [_edge_row(topology, each) for each in edges])
    links = await _links(context, access, sorted(shelf.notes))
    return [
        Page(GRAPH / "index.md", index),
        Page(GRAPH / "relations.md", render_relations(used)),
        json_page(GRAPH / "links.json", links),
        *sorted(pages, key=lambda page: page.path),
    ]


def _known(
    topology: Topology, shelf: Shelf, entity: Entity, ends: Mapping[str, tuple[str | None, str]]
) -> Known:
    found = [shelf.notes[i] for i in topology.notes[entity.id] if i in shelf.notes]
    relations = topology.relations[entity.id]
    return Known(entity=entity, notes=found, relations=relations, ends=ends)


def _ends(topology: Topology) -> Mapping[str, tuple[str | None, str]]:
    """Return the name of the page and the label of each entity, by its id."""
    paged = {e.id: (topology.slugs[e.id], e.name) for e in topology.entities}
    return {**{i: (None, label) for i, label in topology.labels.items()}, **paged}


def _edges(topology: Topology) -> list[Relation]:
    """Return each relation once, in the order of its ends."""
    every = {one.id: one for said in topology.relations.values() for one in said}
    return sorted(every.values(), key=lambda one: (one.subject, one.predicate, one.object))


def _edge_row(topology: Topology, relation: Relation) -> EdgeRow:
    def name(end: str) -> str:
        return topology.slugs.get(end) or topology.labels.get(end, "")

    return EdgeRow(
        start=name(relation.subject),
        predicate=relation.predicate,
        end=name(relation.object),
        confidence=relation.confidence,
        first_seen=relation.first_seen_at,
        last_accessed=relation.last_accessed_at,
    )


async def _links(context: Context, access: Access, ids: Sequence[str]) -> dict[str, list[str]]:
    """Return the notes that each note is linked with, from either end."""
    found: dict[str, set[str]] = defaultdict(set)
    for some in parts_of(ids, NOTES_AT_ONCE):
        for links in (await links_of(context, access, some, MAX_LINKS)).values():
            for one in links:
                found[one.source].add(one.target)
                found[one.target].add(one.source)
    return {note: sorted(others) for note, others in sorted(found.items())}
