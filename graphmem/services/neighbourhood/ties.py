"""The ties of nodes of the graph to others, as far as the viewer may read them: by the same gated
reads that answer for a note, an entity or an agent, so no query of its own."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from graphmem.domain.neighbourhood import NodeKey, NodeKind
from graphmem.domain.notes import NoteFilter
from graphmem.services.context import Access, Context
from graphmem.services.expertise.experts import expertise_of_agents, list_experts
from graphmem.services.reading import entities
from graphmem.services.reading.notes import lineage, list_notes
from graphmem.services.writing.links import links_of

FAN: Final = 25  # ties of each sort at a node, so that frequent ones do not crowd out the rest
RELATIVES: Final = {"supersededBy": "superseded by", "derivedFrom": "made from"}
MENTIONS: Final = "mentions"


@dataclass(frozen=True)
class Tie:
    """A directed tie of two nodes; `rest` is True for one beyond those that are followed."""

    source: NodeKey
    target: NodeKey
    kind: str
    rest: bool = False


def note_key(note_id: str) -> NodeKey:
    """Return the key of a note."""
    return NodeKey(NodeKind.NOTE, note_id)


def entity_key(entity_id: str) -> NodeKey:
    """Return the key of an entity."""
    return NodeKey(NodeKind.ENTITY, entity_id)


async def ties_of_notes(context: Context, access: Access, ids: Sequence[str]) -> list[Tie]:
    """Return links of notes, what they mention, and what they were made of or replaced by."""
    if not ids:
        return []
    links = await links_of(context, access, ids, FAN + 1)
    mentioned = await entities.entities_of(context, access, ids)
    related = await lineage(context, access, ids)
    ties = list[Tie]()
    for note in ids:
        ties += [
            Tie(note_key(each.source), note_key(each.target), each.kind, place >= FAN)
            for place, each in enumerate(links.get(note, ()))
        ]
        ties += [
            Tie(note_key(note), note_key(other), words, place >= FAN)
            for name, words in RELATIVES.items()
            for place, other in enumerate(related.get((note, name), ()))
        ]
        ties += [
            Tie(note_key(note), entity_key(entity), MENTIONS, place >= FAN)
            for place, entity in enumerate(mentioned.get(note, ()))
        ]
    return ties


async def ties_of_entities(context: Context, access: Access, ids: Sequence[str]) -> list[Tie]:
    """Return what notes say of entities, and the notes that mention them, newest first."""
    if not ids:
        return []
    relations = await entities.relations_of(context, access, ids, FAN + 1)
    notes = await entities.notes_of(context, access, ids, FAN + 1)
    ties = list[Tie]()
    for entity in ids:
        ties += [
            Tie(entity_key(each.subject), entity_key(each.object), each.predicate, place >= FAN)
            for place, each in enumerate(relations.get(entity, ()))
        ]
        ties += [
            Tie(note_key(note), entity_key(entity), MENTIONS, place >= FAN)
            for place, note in enumerate(notes.get(entity, ()))
        ]
    return ties


async def ties_of_agent(context: Context, access: Access, agent: str) -> list[Tie]:
    """Return the newest notes that an agent of the user wrote, and the topics that it knows."""
    here, writer = NodeKey(NodeKind.AGENT, agent), (access.viewer.user, agent)
    known = await expertise_of_agents(context, access, [writer])
    page = await list_notes(context, access, NoteFilter(author=agent), first=FAN + 1, after=None)
    topics = [NodeKey(NodeKind.TOPIC, each.topic) for each in known.get(writer, ())]
    return [
        *(Tie(here, topic, "knows about") for topic in topics),
        *(
            Tie(here, note_key(note.id), "wrote", place >= FAN)
            for place, note in enumerate(page.notes)
        ),
    ]


async def ties_of_topic(context: Context, access: Access, topic: str) -> list[Tie]:
    """Return the user's agents that know about a topic, and the notes that show it."""
    here, user = NodeKey(NodeKind.TOPIC, topic), access.viewer.user
    ties = list[Tie]()
    for expert in await list_experts(context, access, topic):
        if expert.agent is not None and expert.user == user:
            ties.append(Tie(NodeKey(NodeKind.AGENT, expert.agent.id), here, "knows about"))
        ties += [
            Tie(note_key(each.note), here, "about", place >= FAN)
            for place, each in enumerate(expert.notes)
        ]
    return ties
