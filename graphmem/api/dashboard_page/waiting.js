// What waits for a decision.

import { h } from "./dom.js";
import { WAITING } from "./inbox/proposals.js";
import { nothing } from "./parts.js";
import { to } from "./route.js";
import { many } from "./words.js";

// Each is asked by itself: what a viewer may not see must not hide the rest.
export const WAITS = {
  proposals: "{ proposals(first: 50) { id status } }",
  conflicts: "{ conflicts(first: 50) { id } }",
  reflections: "{ reflections(status: PENDING, first: 50) { id } }",
  entityReviews: "{ entityReviews(first: 50) { score } }",
  alerts: "{ alerts { noteId } }",
  quarantined: `{
    quarantined: notes(
      filter: { visibilities: [QUARANTINED], statuses: [ACTIVE, FADING, DORMANT] }
      first: 50
    ) { nodes { id } }
  }`,
};
const NAMES = {
  proposals: "proposals",
  conflicts: "conflicts",
  reflections: "reflections",
  entityReviews: "names that may be one",
  alerts: "changed files",
  quarantined: "texts that instruct",
};

/** How many of each kind wait, with a way to them. */
export function waiting(data) {
  const unread = Object.keys(WAITS).filter((name) => !data[name]);
  const kinds = [
    ["proposal", (data.proposals ?? []).filter((each) => WAITING.has(each.status)).length],
    ["conflict", data.conflicts?.length ?? 0],
    ["reflection", data.reflections?.length ?? 0],
    [
      "pair of names that may be one",
      data.entityReviews?.length ?? 0,
      "pairs of names that may be one",
    ],
    ["changed file", data.alerts?.length ?? 0],
    ["text that instructs", data.quarantined?.nodes.length ?? 0, "texts that instruct"],
  ].filter(([, number]) => number);
  if (!kinds.length && !unread.length) return nothing("Nothing waits for a decision.");
  return [
    h(
      "ul.plain",
      {},
      kinds.map(([one, number, more]) =>
        h("li", {}, h("a", { href: to("inbox") }, many(number, one, more))),
      ),
    ),
    unread.length > 0 &&
      h("p.wrong", {}, `Could not be read: ${unread.map((name) => NAMES[name]).join(", ")}.`),
  ];
}
