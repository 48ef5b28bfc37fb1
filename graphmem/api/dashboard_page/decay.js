// What is left of a note as time goes by, if nobody uses it: its half-life as a curve.

import { h } from "./dom.js";
import { nothing } from "./parts.js";
import { day, many, percent } from "./words.js";

const WIDTH = 320;
const HEIGHT = 96;
const HALVES = 4; // half-lives that are drawn, more if the last use is longer ago
const POINTS = 48;
const HOUR_MS = 3600000;
const MARGIN = 18; // below, for words

/** The curve of a note, with where it is now, in a picture and in words. */
export function decayCurve(note, now = Date.now()) {
  if (note.halfLifeHours === null) return nothing("It never decays.");
  const used = Date.parse(note.lastAccessedAt ?? note.createdAt);
  const half = note.halfLifeHours * HOUR_MS;
  const span = Math.max(half * HALVES, (now - used) * 1.1);
  const left = (at) => 2 ** (-Math.max(at - used, 0) / half);
  const x = (at) => ((at - used) / span) * WIDTH;
  const y = (share) => (1 - share) * (HEIGHT - MARGIN - 4) + 4;
  const times = Array.from({ length: POINTS + 1 }, (_, i) => used + (span * i) / POINTS);
  const points = times.map((at) => `${x(at).toFixed(1)},${y(left(at)).toFixed(1)}`).join(" ");
  const days = Math.max(Math.round(note.halfLifeHours / 24), 1);
  const rest = many(days, "day");
  const words = `${percent(left(now))} is left. Half of it goes in ${rest} without use.`;
  return [
    h(
      "svg.graph.decay",
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": words },
      h("line", { x1: 0, y1: y(0), x2: WIDTH, y2: y(0) }),
      h("line", { x1: x(now), y1: 0, x2: x(now), y2: y(0) }),
      h("polyline", { points }),
      h("circle", { cx: x(now), cy: y(left(now)), r: 4 }),
      h("text", { x: 0, y: HEIGHT - 4 }, day(used)),
      h("text", { x: WIDTH, y: HEIGHT - 4, "text-anchor": "end" }, day(used + span)),
    ),
    h("p.quiet", {}, words),
  ];
}
