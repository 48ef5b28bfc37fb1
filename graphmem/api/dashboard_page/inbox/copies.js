// Copies: notes that rules will merge, unless somebody refuses.

import { ask } from "../api.js";
import { h } from "../dom.js";
import { attempt, share, time, toast } from "../parts.js";
import { also } from "../route.js";
import { button, difference, item } from "./item.js";

const QUERY = `{
  noteCopies(first: 50) {
    similarity reason mergesAt note { id title content domain } copy { id title content }
  }
}`;
const REFUSE = `mutation Refuse($one: ID!, $other: ID!) {
  refuseNoteMerge(one: $one, other: $other)
}`;

function draw(each, refresh) {
  const refuse = async () => {
    const ends = { one: each.copy.id, other: each.note.id };
    if (await attempt(() => ask(REFUSE, ends))) toast("Both notes stay.");
    await refresh();
  };
  return item(
    "Copies",
    h(
      "p.under",
      {},
      h("a", { href: also({ note: each.copy.id }) }, each.copy.title || "This note"),
      " becomes a part of ",
      h("a", { href: also({ note: each.note.id }) }, each.note.title || "that note"),
      h("span.domain", {}, each.note.domain),
    ),
    difference(each.copy.content, each.note.content),
    h(
      "p.quiet",
      {},
      `${each.reason}, alike `,
      share(each.similarity, "similarity"),
      "; the rules merge them, unless you refuse, ",
      time(each.mergesAt),
    ),
    h("p.buttons", {}, button("Keep both", refuse, "no")),
  );
}

export const copies = { title: "Copies", query: QUERY, rows: (data) => data.noteCopies, draw };
