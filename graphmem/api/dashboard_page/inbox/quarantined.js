// Quarantine: notes that seem to instruct agents; none reads them before the user has looked.

import { ask } from "../api.js";
import { h } from "../dom.js";
import { attempt, time, toast } from "../parts.js";
import { also } from "../route.js";
import { button, item } from "./item.js";

const QUERY = `{
  notes(filter: { visibilities: [QUARANTINED], statuses: [ACTIVE, FADING, DORMANT] }, first: 50) {
    nodes { id title content domain quarantined createdAt author { id name } }
  }
}`;
const RELEASE = "mutation Release($id: ID!) { releaseNote(id: $id) { visibility } }";
const FORGET = "mutation Forget($id: ID!) { forget(id: $id) { forgotten } }";
const RESTORE = "mutation Restore($id: ID!) { restore(id: $id) { id } }";

function draw(each, refresh) {
  const release = async () => {
    if (await attempt(() => ask(RELEASE, { id: each.id }))) toast("Agents may read it now.");
    await refresh();
  };
  const archive = async () => {
    const back = () => attempt(() => ask(RESTORE, { id: each.id })).then(refresh);
    if (await attempt(() => ask(FORGET, { id: each.id }))) toast("It is archived.", ["Undo", back]);
    await refresh();
  };
  return item(
    "Note in quarantine",
    h(
      "p.under",
      {},
      h("a", { href: also({ note: each.id }) }, each.title || "This note"),
      h("span", {}, `by ${each.author?.name ?? each.author?.id ?? "an import"}`),
      time(each.createdAt),
      h("span.domain", {}, each.domain),
    ),
    h("p", {}, `No agent reads it: ${each.quarantined ?? "it was put in quarantine"}.`),
    h("pre.content", {}, each.content),
    h(
      "p.buttons",
      {},
      button("Archive it", archive, "main.no"),
      button("Let agents read it", release, "yes"),
    ),
  );
}

export const quarantined = {
  title: "Texts that instruct",
  query: QUERY,
  rows: (data) => data.notes.nodes,
  draw,
};
