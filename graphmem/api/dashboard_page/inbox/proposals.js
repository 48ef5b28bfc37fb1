// Proposals: what agents that may not write by themselves want to remember.

import { ask } from "../api.js";
import { askFirst } from "../asking.js";
import { h } from "../dom.js";
import { attempt, badge, share, time, toast } from "../parts.js";
import { titleOf } from "../words.js";
import { button, difference, item } from "./item.js";

const QUERY = `{
  proposals(first: 50) {
    id kind status content title domain confidence at reason from { name }
    note { id title content } conflictsWith { id content }
  }
}`;
export const WAITING = new Set([
  "PENDING",
  "AWAITING_OWNER",
  "AWAITING_ORCHESTRATOR",
  "DEFERRED",
  "CONFLICT",
]);
const DECIDE = `mutation Decide(
  $id: ID!, $decision: Decision!, $reason: String, $keepBoth: Boolean!
) {
  decideProposal(id: $id, decision: $decision, reason: $reason, keepBoth: $keepBoth) {
    status result { id }
  }
}`;
const FORGET = "mutation Forget($id: ID!) { forget(id: $id, confirm: true) { forgotten } }";

function draw(each, refresh) {
  const decide = (decision, more = {}) =>
    attempt(() => ask(DECIDE, { id: each.id, decision, keepBoth: false, ...more }));
  const commit = async (more) => {
    const done = await decide("COMMIT", more);
    const made = done?.decideProposal.result;
    if (done)
      toast(
        "Accepted.",
        made && ["Undo", () => attempt(() => ask(FORGET, { id: made.id })).then(refresh)],
      );
    await refresh();
  };
  const refuse = async () => {
    const reason = await askReason();
    if (reason === null) return;
    if (await decide("REJECT", { reason: reason || null })) toast("Refused.");
    await refresh();
  };
  return item(
    `Proposal: ${titleOf(each)}`,
    h(
      "p.under",
      {},
      badge(each.kind),
      badge(each.status),
      h("span", {}, `from ${each.from?.name ?? "the user"}`),
      h("span.domain", {}, each.domain),
      time(each.at),
      share(each.confidence, "confidence"),
    ),
    each.title && h("p", {}, h("strong", {}, each.title)),
    each.note ? difference(each.note.content, each.content) : h("p.content", {}, each.content),
    each.reason && h("p.quiet", {}, each.reason),
    each.conflictsWith.map((other) =>
      h("p.against", {}, h("span.quiet", {}, "against: "), other.content),
    ),
    h(
      "p.buttons",
      {},
      button("Accept", () => commit(), "main.yes"),
      button("Refuse", refuse, "no"),
      each.status !== "DEFERRED" && button("Later", () => decide("DEFER").then(refresh), "later"),
      each.conflictsWith.length > 0 && button("Accept both", () => commit({ keepBoth: true })),
    ),
  );
}

/** Ask why something is refused; "" for no reason, null when it is not refused after all. */
async function askReason() {
  const given = await askFirst(
    "Refuse the proposal?",
    "Refuse",
    h("p", {}, "This can't be taken back."),
    h("label", {}, "Why (may be empty)", h("input", { name: "reason", autocomplete: "off" })),
  );
  return given && given.reason;
}

export const proposals = {
  title: "Proposals",
  query: QUERY,
  rows: (data) => data.proposals.filter((each) => WAITING.has(each.status)),
  draw,
};
