"""The graph around one node, as far as the viewer may read it, step by step."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from graphmem.domain.drafts import check_instant, check_text
from graphmem.domain.neighbourhood import (
    Neighbour,
    NeighbourEdge,
    Neighbourhood,
    NodeKey,
    NodeKind,
)
from graphmem.domain.notes import MAX_NAME, Note
from graphmem.services.actors import list_agents
from graphmem.services.context import Access, Context, missing
from graphmem.services.neighbourhood.ties import (
    Tie,
    note_key,
    ties_of_agent,
    ties_of_entities,
    ties_of_notes,
    ties_of_topic,
)
from graphmem.services.reading import entities
from graphmem.services.reading.notes import MAX_IDS, load_many, require_note

MAX_DEPTH: Final = 3
MAX_NODES: Final = 150


@dataclass(frozen=True, kw_only=True)
class Around:
    """The question of what is around a node: of which kinds (none given: of all), and how much."""

    depth: int = 1
    first: int = 50
    kinds: tuple[NodeKind, ...] = ()
    since: datetime | None = None
    until: datetime | None = None

    def has_kind(self, key: NodeKey) -> bool:
        """Tell if nodes of this kind are wanted."""
        return not self.kinds or key.kind in self.kinds

    def has_time(self, note: Note) -> bool:
        """Tell if a note happened (or, without a time, was written) when it is wanted."""
        at = note.occurred_at or note.created_at
        return (self.since is None or at >= self.since) and (self.until is None or at <= self.until)


async def neighbourhood(
    context: Context, access: Access, kind: NodeKind, of: str, around: Around
) -> Neighbourhood:
    """Return what lies up to `depth` steps around a node, at most `first` nodes, nearest first.

    `of` is the id of a note or of an agent of the user, the id or name of an entity, or a topic. An
    agent and a topic lead on only from the middle. Raises NotFound, Invalid.
    """
    check_instant(around.since, "since")
    check_instant(around.until, "until")
    of = check_text(of, "of", MAX_NAME).strip()
    walk = _Walk(context, access, around)
    newest = [await walk.begin(kind, of)]
    for hop in range(1, around.depth + 1):
        newest = await walk.go_on(newest, hop)
    await walk.tie(newest)
    return walk.found()


@dataclass
class _Walk:
    context: Context
    access: Access
    around: Around
    nodes: dict[NodeKey, Neighbour] = field(default_factory=dict)
    ties: dict[Tie, None] = field(default_factory=dict)
    notes: dict[str, Note] = field(default_factory=dict)
    known: dict[NodeKey, tuple[NodeKey, str]] = field(default_factory=dict)  # as which, how called
    more: bool = False

    async def begin(self, kind: NodeKind, of: str) -> NodeKey:
        """Take the node in the middle. Raises NotFound, for a hidden one in the same words."""
        agents = {each.id: each for each in await list_agents(self.context, self.access)}
        self.known = {
            key: (key, agent.name)
            for key, agent in ((NodeKey(NodeKind.AGENT, i), each) for i, each in agents.items())
        }
        key, label = NodeKey(kind, of), of
        if kind is NodeKind.NOTE:
            note = self.notes[of] = await require_note(self.context, self.access, of)
            label = _label(note)
        elif kind is NodeKind.ENTITY:
            entity = await entities.get_by_name_or_id(self.context, self.access, of)
            key, label = NodeKey(kind, entity.id), entity.name
        elif kind is NodeKind.AGENT:
            if of not in agents:
                raise missing("agent")
            label = agents[of].name
        self.known[key] = (key, label)
        self.nodes[key] = Neighbour(id=key.id, kind=kind, label=label, hops=0)
        return key

    async def go_on(self, newest: Sequence[NodeKey], hop: int) -> list[NodeKey]:
        """Follow what leads on from the newest nodes; return those that are new by it."""
        ties = await self._ties_of(newest, hop)
        await self._name([end for tie in ties for end in (tie.source, tie.target)])
        new = dict[NodeKey, str]()
        for tie in ties:
            for key, label in (self.known.get(end, (end, "")) for end in (tie.source, tie.target)):
                if label and key not in self.nodes and self.around.has_kind(key):
                    self.more = self.more or tie.rest
                    if not tie.rest:
                        new[key] = label
        room = max(self.around.first - len(self.nodes), 0)
        self.more = self.more or len(new) > room
        taken = list(new)[:room]
        for key in taken:
            self.nodes[key] = Neighbour(id=key.id, kind=key.kind, label=new[key], hops=hop)
        self._keep(ties)
        return taken

    async def tie(self, newest: Sequence[NodeKey]) -> None:
        """Find what ties the outermost nodes to each other, without going on."""
        self._keep(await self._ties_of(newest, self.around.depth + 1))

    def found(self) -> Neighbourhood:
        """Return what was found."""
        places = {key: place for place, key in enumerate(self.nodes)}
        edges = (
            NeighbourEdge(source=places[tie.source], target=places[tie.target], kind=tie.kind)
            for tie in self.ties
            if tie.source in places and tie.target in places
        )
        return Neighbourhood(nodes=tuple(self.nodes.values()), edges=tuple(edges), more=self.more)

    def _keep(self, ties: Iterable[Tie]) -> None:
        for tie in ties:
            source, target = (
                self.known.get(each, (each, ""))[0] for each in (tie.source, tie.target)
            )
            if source != target:
                self.ties[Tie(source, target, tie.kind)] = None

    async def _ties_of(self, newest: Sequence[NodeKey], hop: int) -> list[Tie]:
        of = {kind: [key.id for key in newest if key.kind is kind] for kind in NodeKind}
        context, access = self.context, self.access
        ties = self._written(of[NodeKind.NOTE])
        ties += await ties_of_notes(context, access, of[NodeKind.NOTE])
        ties += await ties_of_entities(context, access, of[NodeKind.ENTITY])
        if hop == 1:
            for agent in of[NodeKind.AGENT]:
                ties += await ties_of_agent(context, access, agent)
            for topic in of[NodeKind.TOPIC]:
                ties += await ties_of_topic(context, access, topic)
        return ties

    def _written(self, ids: Sequence[str]) -> list[Tie]:
        """Return the ties of notes to those of the user's agents that wrote them."""
        written = [
            (self.notes[i], NodeKey(NodeKind.AGENT, self.notes[i].author or "")) for i in ids
        ]
        return [
            Tie(agent, note_key(note.id), "wrote")
            for note, agent in written
            if note.user == self.access.viewer.user and agent in self.known
        ]

    async def _name(self, keys: Iterable[NodeKey]) -> None:
        """Load what the nodes are called, as far as the viewer may read them: the gate."""
        new = list(dict.fromkeys(key for key in keys if key not in self.known))
        notes = [key.id for key in new if key.kind is NodeKind.NOTE]
        self.more = self.more or len(notes) > MAX_IDS
        for note in (await load_many(self.context, self.access, notes)).values():
            if self.around.has_time(note):
                self.notes[note.id] = note
                self.known[note_key(note.id)] = (note_key(note.id), _label(note))
        names = [key.id for key in new if key.kind is NodeKind.ENTITY]
        found = await entities.load_entities(self.context, self.access, names)
        for i, entity in found.items():
            whole = NodeKey(NodeKind.ENTITY, entity.id)
            self.known[NodeKey(NodeKind.ENTITY, i)] = (whole, entity.name)
        self.known |= {key: (key, key.id) for key in new if key.kind is NodeKind.TOPIC}


def _label(note: Note) -> str:
    return note.title or note.content[: entities.LABEL]
