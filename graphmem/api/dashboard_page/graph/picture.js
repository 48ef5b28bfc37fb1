// The picture of a small graph as SVG. All it shows stands in the list beside it, too.

import { h } from "../dom.js";
import { plain, titleOf } from "../words.js";

const ROOM = 13000; // square pixels that a name needs; others show while the pointer is on a node
const TOLD = 0.7; // ties for each name that has room, with which all say what they are
const LETTERS = 26;
const SHAPES = {
  ENTITY: (more) => h("circle", { r: 9, ...more }),
  NOTE: (more) => h("rect", { x: -9, y: -7, width: 18, height: 14, rx: 3, ...more }),
  AGENT: (more) => h("path", { d: "M0-11 11 0 0 11-11 0Z", ...more }),
  TOPIC: (more) => h("path", { d: "M-6-10H6L12 0 6 10H-6L-12 0Z", ...more }),
};

/** The picture; `places` are those of the nodes, `choose(node)` is called for a click. */
export function picture({ nodes, edges }, places, width, height, choose) {
  const room = Math.max(Math.floor((width * height) / ROOM), 4);
  const named = mostTied(nodes, edges, room);
  return h(
    "svg.graph",
    {
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      "aria-label": `Graph around ${nodes[0].label}; all of it is in the list`,
    },
    edges.map((edge) => tie(edge, nodes, places, edges.length <= room * TOLD)),
    nodes.map((each, at) => node(each, at, places[at], choose)),
    nodes.map((each, at) => named.has(at) && name(each, at, places[at])), // above all shapes
  );
}

/** The places of so many nodes that have the most ties, with the one in the middle. */
function mostTied(nodes, edges, most) {
  const ties = nodes.map(() => 0);
  for (const { source, target } of edges) for (const end of [source, target]) ties[end] += 1;
  ties[0] = Infinity;
  const order = nodes.map((_, at) => at).sort((one, other) => ties[other] - ties[one]);
  return new Set(order.slice(0, most));
}

/** The shape of a kind by itself, for a legend. */
export function shape(kind) {
  return h(
    "svg.shape",
    { viewBox: "-13 -13 26 26", "aria-hidden": "true" },
    SHAPES[kind]({ "data-kind": kind }),
  );
}

function tie({ source, target, kind }, nodes, places, told) {
  const [one, other] = [places[source], places[target]];
  return h(
    "g.tie",
    {},
    h("line", { x1: one.x, y1: one.y, x2: other.x, y2: other.y }),
    told &&
      h(
        "text",
        { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2, "text-anchor": "middle" },
        plain(kind),
      ),
    words(`${nodes[source].label} ${plain(kind)} ${nodes[target].label}`),
  );
}

function node(each, at, { x, y }, choose) {
  return h(
    "g.node",
    { transform: `translate(${x} ${y})`, "data-middle": at === 0, onclick: () => choose(each) },
    SHAPES[each.kind]({ "data-kind": each.kind }),
    words(`${plain(each.kind)}: ${each.label}`),
  );
}

function name({ label }, at, { x, y }) {
  const given = { x, y: y + 22, "text-anchor": "middle", "data-middle": at === 0 };
  return h("text.name", given, titleOf({ title: label }, LETTERS));
}

/** Words that show while the pointer is on what holds them. */
function words(text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", "title");
  made.append(text);
  return made;
}
