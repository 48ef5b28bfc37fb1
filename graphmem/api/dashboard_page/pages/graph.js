// Graph: what lies around a note, an entity, an agent or a topic, as a picture and as a list.

import { ask } from "../api.js";
import { fill, h } from "../dom.js";
import { placed } from "../graph/forces.js";
import { picture, shape } from "../graph/picture.js";
import { savePng, saveSvg } from "../graph/saving.js";
import { attempt, card, choice, field, filled, nothing } from "../parts.js";
import { also, go, to } from "../route.js";
import { many, plain, titleOf } from "../words.js";

const AROUND = `query Around($kind: NodeKind!, $of: String!, $depth: Int, $first: Int,
  $kinds: [NodeKind!], $since: DateTime, $until: DateTime) {
  neighbourhood(kind: $kind, of: $of, depth: $depth, first: $first, kinds: $kinds,
    since: $since, until: $until) {
    more nodes { id kind label hops } edges { source target kind }
  }
}`;
const BEGINNINGS = `{
  entities(first: 100) { id name noteCount }
  agents { id name }
  notes(first: 6) { nodes { id title content } }
}`;
const KINDS = { ENTITY: "entities", NOTE: "notes", AGENT: "agents", TOPIC: "topics" };
const SIZES = [20, 40, 80, 150];
const SIZE = 40;
const TIES = 6; // of a node in the list

async function show(view, params, signal) {
  const found = h("div", { "aria-live": "polite" }, nothing("Reading…"));
  fill(view, h("h1", {}, "Graph"), form(params), found);
  const refresh = async () => {
    if (!params.of) {
      const data = await ask(BEGINNINGS, {}, { signal });
      if (!signal.aborted) fill(found, beginnings(data));
      return;
    }
    try {
      const { neighbourhood } = await ask(AROUND, asked(params), { signal });
      if (!signal.aborted) draw(found, neighbourhood);
    } catch (error) {
      if (error.code !== "NOT_FOUND") throw error;
      fill(found, nothing("There is nothing of this name or id that you may read."));
    }
  };
  await refresh();
  return { refresh };
}

/** The address of the graph around a node. */
export function around(kind, of, more = {}) {
  return to("graph", { ...more, kind, of });
}

function asked({ kind, of, depth, size, kinds, since, until }) {
  return {
    kind: kind in KINDS ? kind : "ENTITY",
    of,
    depth: Number(depth) || 1,
    first: Number(size) || SIZE,
    kinds: kinds ? kinds.split(" ") : null,
    since: since ? `${since}T00:00:00Z` : null,
    until: until ? `${until}T23:59:59Z` : null,
  };
}

function form(params) {
  const take = (event) => {
    event.preventDefault();
    const { kind, of, depth, size, since, until, ...boxes } = filled(event.currentTarget);
    const kinds = Object.keys(KINDS).filter((each) => boxes[each]);
    const some = kinds.length && kinds.length < 4 ? kinds.join(" ") : "";
    go(to("graph", { kind, of, depth, size, since, until, kinds: some }));
  };
  const chosen = params.kinds?.split(" ") ?? Object.keys(KINDS);
  return h(
    "form",
    {
      role: "search",
      "aria-label": "This page",
      onsubmit: take,
      onchange: (event) => event.currentTarget.elements.of.value.trim() && take(event),
    },
    h(
      "div.fields",
      {},
      choice("Around", "kind", Object.keys(KINDS), params.kind ?? "ENTITY"),
      field("Name or id", "of", params.of, { type: "search", "data-search": true }),
      choice("Steps", "depth", ["1", "2", "3"], params.depth ?? "1"),
      choice("At most", "size", SIZES.map(String), params.size ?? String(SIZE)),
      field("Notes from", "since", params.since, { type: "date" }),
      field("Notes until", "until", params.until, { type: "date" }),
      h("p.buttons", {}, h("button.main", {}, "Show")),
      h(
        "fieldset.wide",
        {},
        h("legend", {}, "Show"),
        Object.entries(KINDS).map(([kind, words]) =>
          h(
            "label.check",
            {},
            h("input", { type: "checkbox", name: kind, checked: chosen.includes(kind) }),
            shape(kind),
            words,
          ),
        ),
      ),
    ),
  );
}

function beginnings({ entities, agents, notes }) {
  const named = [...entities].sort((one, other) => other.noteCount - one.noteCount).slice(0, 12);
  const links = (rows) => h("p.chips", {}, rows);
  const chip = (kind, id, words) =>
    h("a.chip", { href: around(kind, id), "data-item": true }, words);
  return [
    nothing("Choose what to begin with, or name it above."),
    named.length > 0 &&
      card("Entities", links(named.map(({ id, name }) => chip("ENTITY", id, name)))),
    agents.length > 0 &&
      card("Agents", links(agents.map(({ id, name }) => chip("AGENT", id, name)))),
    notes.nodes.length > 0 &&
      card(
        "Newest notes",
        links(notes.nodes.map((note) => chip("NOTE", note.id, titleOf(note, 50)))),
      ),
  ];
}

function draw(found, graph) {
  const [middle] = graph.nodes;
  const frame = h("section.card.drawn", { "aria-label": "Picture" });
  const saving = h("p.buttons", {});
  fill(
    found,
    h(
      "p.under",
      {},
      h("span", {}, `${many(graph.nodes.length, "node")}, ${many(graph.edges.length, "tie")}`),
      graph.more &&
        h("strong", {}, "There is more, which has no place here: choose fewer kinds or steps."),
      middle.kind === "ENTITY" &&
        h("a", { href: to("entities", { id: middle.id }) }, "All about it"),
    ),
    h(
      "div.beside-list",
      {},
      frame,
      h("section.card.around", { "aria-label": "List" }, list(graph)),
    ),
  );
  const width = Math.max(Math.round(frame.clientWidth) - 36, 260);
  const height = Math.round(Math.min(Math.max(width * 0.7, 440), 640));
  const places = placed(graph.nodes, graph.edges, width, height);
  const made = picture(graph, places, width, height, choose);
  const name = `graph of ${middle.label}`.replace(/[^\p{L}\p{N} -]/gu, "").slice(0, 60);
  const save = (words, act) => h("button", { type: "button", onclick: act }, words);
  fill(
    saving,
    save("Save SVG", () => saveSvg(name, made)),
    save("Save PNG", () => attempt(() => savePng(name, made))),
  );
  fill(frame, made, saving);
}

/** A click opens a note, and goes to the graph around anything else. */
function choose({ kind, id }) {
  go(kind === "NOTE" ? also({ note: id }) : also({ kind, of: id, note: "" }));
}

function list({ nodes, edges }) {
  const ties = nodes.map((_, at) => tiesOf(at, nodes, edges));
  return Object.entries(KINDS).map(([kind, words]) => {
    const rows = nodes.map((node, at) => ({ node, at })).filter(({ node }) => node.kind === kind);
    return (
      rows.length > 0 && [
        h("h2", {}, shape(kind), ` ${many(rows.length, plain(kind), words)}`),
        h(
          "ul.plain",
          {},
          rows.map(({ node, at }) => row(node, at, ties[at])),
        ),
      ]
    );
  });
}

function row(node, at, ties) {
  const note = node.kind === "NOTE";
  const words = titleOf({ title: node.label }, 70);
  const centre = also({ kind: node.kind, of: node.id, note: "" });
  return h(
    "li",
    note ? { "data-note": node.id } : {},
    note
      ? h("a.open", { href: also({ note: node.id }) }, words)
      : h("a", { href: centre, "data-item": true }, words),
    note && at > 0 && [" ", h("a.hops", { href: centre }, "around it")],
    " ",
    h("span.hops", {}, at ? many(node.hops, "step") : "in the middle"),
    ties.length > 0 &&
      h("p.quiet", {}, ties.slice(0, TIES).join("; "), ties.length > TIES && "; …"),
  );
}

function tiesOf(at, nodes, edges) {
  const name = (place) => titleOf({ title: nodes[place].label }, 40);
  return edges
    .filter(({ source, target }) => source === at || target === at)
    .map(({ source, target, kind }) =>
      source === at ? `${plain(kind)} ${name(target)}` : `${name(source)} ${plain(kind)} it`,
    );
}

export const page = { name: "graph", title: "Graph", show };
