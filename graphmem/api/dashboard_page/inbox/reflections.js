// Reflections: what follows of the memory, item by item.

import { ask } from "../api.js";
import { h } from "../dom.js";
import { attempt, badge, time, toast } from "../parts.js";
import { many } from "../words.js";
import { button, item } from "./item.js";

const QUERY = `{
  reflections(status: PENDING, first: 20) {
    id number at items { id kind summary accepted }
  }
}`;
const REFLECT = `mutation Reflect($id: ID!, $accept: [ID!]!, $reject: [ID!]) {
  decideReflection(id: $id, accept: $accept, reject: $reject) { status }
}`;
const REVERT = "mutation Revert($id: ID!) { revertReflection(id: $id) { status } }";

function draw(each, refresh) {
  const boxes = each.items.map((one) =>
    h("input", { type: "checkbox", checked: one.accepted !== false, name: one.id }),
  );
  const undo = () =>
    attempt(() => ask(REVERT, { id: each.id })).then((done) => {
      if (done) toast("Taken back.");
      return refresh();
    });
  const decide = async (accept, reject) => {
    const done = await attempt(() => ask(REFLECT, { id: each.id, accept, reject }));
    if (done)
      toast(
        accept.length ? `${many(accept.length, "item")} applied.` : "Refused.",
        accept.length > 0 && ["Undo", undo],
      );
    await refresh();
  };
  const ticked = (wanted) => boxes.filter((box) => box.checked === wanted).map((box) => box.name);
  return item(
    `Reflection ${each.number}`,
    h(
      "p.under",
      {},
      h("strong", {}, `Reflection ${each.number}`),
      time(each.at),
      many(each.items.length, "item"),
    ),
    h(
      "ul.plain",
      {},
      each.items.map((one, place) =>
        h(
          "li",
          {},
          h("label.check", {}, boxes[place], badge(one.kind), h("span.said", {}, one.summary)),
        ),
      ),
    ),
    h(
      "p.buttons",
      {},
      button("Apply what is ticked", () => decide(ticked(true), ticked(false)), "main.yes"),
      button("Refuse all", () => decide([], null), "no"),
    ),
  );
}

export const reflections = {
  title: "Reflections",
  query: QUERY,
  rows: (data) => data.reflections,
  draw,
};
