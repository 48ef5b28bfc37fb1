// Names that may be one: pairs of entities to merge.

import { ask } from "../api.js";
import { h } from "../dom.js";
import { attempt, share, time, toast } from "../parts.js";
import { to } from "../route.js";
import { many } from "../words.js";
import { button, item } from "./item.js";

const QUERY = `{
  entityReviews(first: 20) {
    score reasons mergesAt one { id name type noteCount } other { id name type noteCount }
  }
}`;
const MERGE = `mutation Merge($keep: ID!, $merge: ID!) {
  mergeEntities(keep: $keep, merge: $merge) { id mergedFrom { id mergedName undone } }
}`;
const REFUSE = `mutation Refuse($one: ID!, $other: ID!) {
  refuseEntityMerge(one: $one, other: $other) { id }
}`;
const UNMERGE = "mutation Unmerge($id: ID!) { undoEntityMerge(id: $id) { id } }";

function draw(each, refresh) {
  const merge = async (keep, lose) => {
    const done = await attempt(() => ask(MERGE, { keep: keep.id, merge: lose.id }));
    const made = done?.mergeEntities.mergedFrom.find(
      (one) => one.mergedName === lose.name && !one.undone,
    );
    if (done)
      toast(
        `${lose.name} is ${keep.name} now.`,
        made && ["Undo", () => attempt(() => ask(UNMERGE, { id: made.id })).then(refresh)],
      );
    await refresh();
  };
  const refuse = async () => {
    const ends = { one: each.one.id, other: each.other.id };
    if (await attempt(() => ask(REFUSE, ends)))
      toast(`${each.one.name} and ${each.other.name} stay two.`);
    await refresh();
  };
  const pair = [each.one, each.other].sort((one, other) => other.noteCount - one.noteCount);
  return item(
    "Names that may be one",
    h(
      "div.sides",
      {},
      pair.map((one, place) =>
        h(
          "div",
          {},
          h(
            "p",
            {},
            h("a", { href: to("entities", { id: one.id }) }, one.name),
            h("span.quiet", {}, ` ${one.type}, ${many(one.noteCount, "note")}`),
          ),
          button(
            `Keep the name ${one.name}`,
            () => merge(one, pair[1 - place]),
            place === 0 ? "main.yes" : "",
          ),
        ),
      ),
    ),
    h(
      "p.quiet",
      {},
      `${each.reasons.join("; ")} `,
      share(each.score, "how sure"),
      each.mergesAt && [" The rules merge them, unless you refuse, ", time(each.mergesAt)],
    ),
    button("They are two", refuse, "no"),
  );
}

export const names = {
  title: "Names that may be one",
  query: QUERY,
  rows: (data) => data.entityReviews,
  draw,
};
