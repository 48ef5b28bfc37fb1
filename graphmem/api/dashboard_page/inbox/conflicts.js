// Conflicts: two notes that can't both be true.

import { ask } from "../api.js";
import { changesOf, words } from "../difference.js";
import { h } from "../dom.js";
import { attempt, badge, share, time, toast } from "../parts.js";
import { also } from "../route.js";
import { button, item } from "./item.js";

const QUERY = `{
  conflicts(first: 50) {
    id similarity verdict at
    notes { id title content domain createdAt author { name } }
  }
}`;
const RESOLVE = `mutation Resolve($id: ID!, $verdict: Verdict!, $keep: ID) {
  resolveConflict(id: $id, verdict: $verdict, keep: $keep) { resolution }
}`;

function draw(each, refresh) {
  const settle = (verdict, keep) =>
    attempt(() => ask(RESOLVE, { id: each.id, verdict, keep })).then((done) => {
      if (done) toast(keep ? "Settled: this note stays." : "Settled: the notes are merged.");
      return refresh();
    });
  const [one, other] = each.notes;
  return item(
    "Conflict",
    h(
      "p.under",
      {},
      badge(each.verdict),
      h("span", {}, "alike ", share(each.similarity, "similarity")),
      time(each.at),
    ),
    h(
      "div.sides",
      {},
      each.notes.map((note) =>
        h(
          "div",
          {},
          h(
            "p.under",
            {},
            h("a", { href: also({ note: note.id }) }, note.title || "Note"),
            h("span.domain", {}, note.domain),
            note.author?.name,
            time(note.createdAt),
          ),
          onlyHere(note, note === one ? other : one),
          button("Keep this one", () => settle("CONTRADICTORY", note.id)),
        ),
      ),
    ),
    h(
      "p.buttons",
      {},
      button("Both say the same: merge", () => settle("COMPATIBLE", null)),
    ),
  );
}

/** A text, in which is marked what the other one does not say. */
function onlyHere(note, other) {
  const here = changesOf(words(other.content), words(note.content)).filter(
    ({ kind }) => kind !== "gone",
  );
  return h(
    "p.content",
    {},
    here.map(({ kind, text }) => h(kind === "come" ? "mark" : "span", {}, text)),
  );
}

export const conflicts = { title: "Conflicts", query: QUERY, rows: (data) => data.conflicts, draw };
