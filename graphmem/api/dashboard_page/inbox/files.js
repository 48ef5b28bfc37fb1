// Changed files: those that agents live by, which somebody else changed or destroyed.

import { ask } from "../api.js";
import { h } from "../dom.js";
import { attempt, time } from "../parts.js";
import { also } from "../route.js";
import { button, item } from "./item.js";

const QUERY = "{ alerts { file noteId version at by diff question } }";
const CONFIRM = `mutation Confirm($note: ID!, $version: Int!) {
  confirmAlert(noteId: $note, version: $version) { noteId }
}`;

function draw(each, refresh) {
  const confirm = () =>
    attempt(() => ask(CONFIRM, { note: each.noteId, version: each.version })).then(refresh);
  return item(
    `Changed file ${each.file}`,
    h(
      "p.under",
      {},
      h("strong", {}, each.file),
      time(each.at),
      h("span", {}, `by ${each.by.join(", ")}`),
    ),
    h("p", {}, each.question),
    h("pre.content", {}, each.diff),
    h(
      "p.buttons",
      {},
      button("That was intended", confirm, "main.yes"),
      h("a.button", { href: also({ note: each.noteId }) }, "The note"),
    ),
  );
}

export const files = { title: "Changed files", query: QUERY, rows: (data) => data.alerts, draw };
