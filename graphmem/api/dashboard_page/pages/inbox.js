// Inbox: what waits for a decision, beside what it would change.

import { ask } from "../api.js";
import { changesOf, words } from "../difference.js";
import { fill, h } from "../dom.js";
import { attempt, badge, filled, share, time, toast } from "../parts.js";
import { also, to } from "../route.js";
import { count, many, titleOf } from "../words.js";

const SOURCES = {
  proposals: `{ proposals(first: 50) {
    id kind status content title domain noteKind confidence at expiresAt reason from { name }
    note { id title content } conflictsWith { id content }
  } }`,
  conflicts: "{ conflicts(first: 50) { id similarity verdict at notes { id title content domain createdAt author { name } } } }",
  reflections: "{ reflections(status: PENDING, first: 20) { id number at items { id kind summary accepted } } }",
  entityReviews: "{ entityReviews(first: 20) { score reasons one { id name type noteCount } other { id name type noteCount } } }",
  alerts: "{ alerts { file noteId version at by diff question } }",
};
const WAITING = new Set(["PENDING", "AWAITING_OWNER", "AWAITING_ORCHESTRATOR", "DEFERRED", "CONFLICT"]);
const DECIDE = `mutation Decide($id: ID!, $decision: Decision!, $reason: String, $keepBoth: Boolean!) {
  decideProposal(id: $id, decision: $decision, reason: $reason, keepBoth: $keepBoth) { status result { id } }
}`;
const FORGET = "mutation Forget($id: ID!) { forget(id: $id, confirm: true) { forgotten } }";
const RESOLVE = `mutation Resolve($id: ID!, $verdict: Verdict!, $keep: ID) {
  resolveConflict(id: $id, verdict: $verdict, keep: $keep) { resolution }
}`;
const REFLECT = `mutation Reflect($id: ID!, $accept: [ID!]!, $reject: [ID!]) {
  decideReflection(id: $id, accept: $accept, reject: $reject) { status }
}`;
const REVERT = "mutation Revert($id: ID!) { revertReflection(id: $id) { status } }";
const MERGE = `mutation Merge($keep: ID!, $merge: ID!) {
  mergeEntities(keep: $keep, merge: $merge) { id mergedFrom { id mergedName undone } }
}`;
const UNMERGE = "mutation Unmerge($id: ID!) { undoEntityMerge(id: $id) { id } }";
const CONFIRM = "mutation Confirm($note: ID!, $version: Int!) { confirmAlert(noteId: $note, version: $version) { noteId } }";

async function show(view, params, signal) {
  const list = h("div", {});
  fill(view, h("h1", {}, "Inbox"), h("p.quiet.hint", {}, "Choose with ", h("kbd", {}, "j"), " ", h("kbd", {}, "k"), ", accept with ", h("kbd", {}, "y"), ", refuse with ", h("kbd", {}, "n"), "."), list);
  let drawn = "";
  const refresh = async () => {
    const found = await Promise.all(Object.values(SOURCES).map((query) => ask(query, {}, { signal }).catch((error) => ({ error }))));
    if (signal.aborted) return;
    if (found.every(({ error }) => error)) throw found[0].error;
    const data = Object.assign({}, ...found);
    const now = JSON.stringify(found);
    if (now === drawn) return; // what was ticked meanwhile stays
    drawn = now;
    keepingPlace(list, () => fill(list, sections(data, refresh)));
  };
  await refresh();
  return { refresh, keys: { y: () => press(list, ".yes"), n: () => press(list, ".no"), d: () => press(list, ".later") } };
}

function press(list, which) {
  const item = document.activeElement?.closest("[data-item]");
  const button = item && list.contains(item) ? item.querySelector(which) : null;
  button?.click();
  return Boolean(button);
}

/** Draw anew, and put the focus on what comes at the place of what was decided. */
function keepingPlace(list, draw) {
  const at = [...list.querySelectorAll("[data-item]")].findIndex((item) => item.contains(document.activeElement));
  draw();
  const items = [...list.querySelectorAll("[data-item]")];
  if (at >= 0) items[Math.min(at, items.length - 1)]?.focus();
}

function sections(data, refresh) {
  const proposals = (data.proposals ?? []).filter((each) => WAITING.has(each.status));
  const all = [
    section("Proposals", proposals, (each) => proposal(each, refresh)),
    section("Conflicts", data.conflicts ?? [], (each) => conflict(each, refresh)),
    section("Reflections", data.reflections ?? [], (each) => reflection(each, refresh)),
    section("Names that may be one", data.entityReviews ?? [], (each) => review(each, refresh)),
    section("Changed files", data.alerts ?? [], (each) => alert(each, refresh)),
  ].filter(Boolean);
  return all.length ? all : h("p.card", {}, "Nothing waits for a decision.");
}

function section(title, rows, draw) {
  return rows.length > 0 && h("section.inbox", {}, h("h2", {}, title, h("span.quiet", {}, ` ${count(rows.length)}`)), h("ul.plain.items", {}, rows.map(draw)));
}

function item(label, ...inside) {
  return h("li.card", { "data-item": true, tabindex: "0", "aria-label": label }, inside);
}

function button(words, act, kind = "") {
  return h(`button${kind && `.${kind}`}`, { type: "button", onclick: act }, words);
}

// ---------------------------------------------------------------- proposals

function proposal(each, refresh) {
  const decide = (decision, more = {}) => attempt(() => ask(DECIDE, { id: each.id, decision, keepBoth: false, ...more }));
  const commit = async (more) => {
    const done = await decide("COMMIT", more);
    const made = done?.decideProposal.result;
    if (done) toast("Accepted.", made && ["Undo", () => attempt(() => ask(FORGET, { id: made.id })).then(refresh)]);
    await refresh();
  };
  const refuse = async () => {
    const reason = await askReason();
    if (reason === null) return;
    if (await decide("REJECT", { reason: reason || null })) toast("Refused.");
    await refresh();
  };
  return item(`Proposal: ${titleOf(each)}`,
    h("p.under", {}, badge(each.kind), badge(each.status), h("span", {}, `from ${each.from?.name ?? "the user"}`), h("span.domain", {}, each.domain), time(each.at), share(each.confidence, "confidence")),
    each.title && h("p", {}, h("strong", {}, each.title)),
    each.note ? difference(each.note.content, each.content) : h("p.content", {}, each.content),
    each.reason && h("p.quiet", {}, each.reason),
    each.conflictsWith.map((other) => h("p.against", {}, h("span.quiet", {}, "against: "), other.content)),
    h("p.buttons", {}, button("Accept", () => commit(), "main.yes"), button("Refuse", refuse, "no"),
      each.status !== "DEFERRED" && button("Later", () => decide("DEFER").then(refresh), "later"),
      each.conflictsWith.length > 0 && button("Accept both", () => commit({ keepBoth: true }))));
}

function difference(before, after) {
  const tags = { gone: "del", come: "ins", same: "span" };
  return h("p.content", {}, changesOf(words(before), words(after)).map(({ kind, text }) => h(tags[kind], {}, text)));
}

/** Ask why something is refused; "" for no reason, null when it is not refused after all. */
function askReason() {
  return new Promise((resolve) => {
    const end = (reason) => {
      dialog.close();
      dialog.remove();
      resolve(reason);
    };
    const form = h("form.stack", {
      onsubmit: (event) => {
        event.preventDefault();
        end(filled(event.target).reason);
      },
    },
    h("h2", {}, "Refuse the proposal?"), h("p", {}, "This can't be taken back."),
    h("label", {}, "Why (may be empty)", h("input", { name: "reason", autocomplete: "off" })),
    h("p.buttons", {}, h("button.main", {}, "Refuse"), button("Cancel", () => end(null))));
    const dialog = h("dialog", { "aria-label": "Refuse the proposal?", oncancel: (event) => { event.preventDefault(); end(null); } }, form);
    document.body.append(dialog);
    dialog.showModal();
  });
}

// ---------------------------------------------------------------- conflicts

function conflict(each, refresh) {
  const settle = (verdict, keep) => attempt(() => ask(RESOLVE, { id: each.id, verdict, keep })).then((done) => {
    if (done) toast(done.resolveConflict.resolution ?? "Settled.");
    return refresh();
  });
  const [one, other] = each.notes;
  return item("Conflict",
    h("p.under", {}, badge(each.verdict), h("span", {}, "alike ", share(each.similarity, "similarity")), time(each.at)),
    h("div.sides", {}, each.notes.map((note) => h("div", {},
      h("p.under", {}, h("a", { href: also({ note: note.id }) }, note.title || "Note"), h("span.domain", {}, note.domain), note.author?.name, time(note.createdAt)),
      onlyHere(note, note === one ? other : one),
      button("Keep this one", () => settle("CONTRADICTORY", note.id))))),
    h("p.buttons", {}, button("Both say the same: merge", () => settle("COMPATIBLE", null))));
}

/** A text, in which is marked what the other one does not say. */
function onlyHere(note, other) {
  const here = changesOf(words(other.content), words(note.content)).filter(({ kind }) => kind !== "gone");
  return h("p.content", {}, here.map(({ kind, text }) => h(kind === "come" ? "mark" : "span", {}, text)));
}

// ---------------------------------------------------------------- reflections

function reflection(each, refresh) {
  const boxes = each.items.map((one) => h("input", { type: "checkbox", checked: one.accepted !== false, name: one.id }));
  const undo = () => attempt(() => ask(REVERT, { id: each.id })).then((done) => {
    if (done) toast("Taken back.");
    return refresh();
  });
  const decide = async (accept, reject) => {
    const done = await attempt(() => ask(REFLECT, { id: each.id, accept, reject }));
    if (done) toast(accept.length ? `${many(accept.length, "item")} applied.` : "Refused.", accept.length > 0 && ["Undo", undo]);
    await refresh();
  };
  const ticked = (wanted) => boxes.filter((box) => box.checked === wanted).map((box) => box.name);
  return item(`Reflection ${each.number}`,
    h("p.under", {}, h("strong", {}, `Reflection ${each.number}`), time(each.at), many(each.items.length, "item")),
    h("ul.plain", {}, each.items.map((one, place) => h("li", {}, h("label.check", {}, boxes[place], badge(one.kind), h("span.said", {}, one.summary))))),
    h("p.buttons", {}, button("Apply what is ticked", () => decide(ticked(true), ticked(false)), "main.yes"), button("Refuse all", () => decide([], null), "no")));
}

// ---------------------------------------------------------------- names, files

function review(each, refresh) {
  const merge = async (keep, lose) => {
    const done = await attempt(() => ask(MERGE, { keep: keep.id, merge: lose.id }));
    const made = done?.mergeEntities.mergedFrom.find((one) => one.mergedName === lose.name && !one.undone);
    if (done) toast(`${lose.name} is ${keep.name} now.`, made && ["Undo", () => attempt(() => ask(UNMERGE, { id: made.id })).then(refresh)]);
    await refresh();
  };
  const pair = [each.one, each.other].sort((one, other) => other.noteCount - one.noteCount);
  return item("Names that may be one",
    h("div.sides", {}, pair.map((one, place) => h("div", {},
      h("p", {}, h("a", { href: to("entities", { id: one.id }) }, one.name), h("span.quiet", {}, ` ${one.type}, ${many(one.noteCount, "note")}`)),
      button(`Keep the name ${one.name}`, () => merge(one, pair[1 - place]), place === 0 ? "main.yes" : "")))),
    h("p.quiet", {}, `${each.reasons.join("; ")} `, share(each.score, "how sure")));
}

function alert(each, refresh) {
  const confirm = () => attempt(() => ask(CONFIRM, { note: each.noteId, version: each.version })).then(refresh);
  return item(`Changed file ${each.file}`,
    h("p.under", {}, h("strong", {}, each.file), time(each.at), h("span", {}, `by ${each.by.join(", ")}`)),
    h("p", {}, each.question), h("pre.content", {}, each.diff),
    h("p.buttons", {}, button("That was intended", confirm, "main.yes"), h("a.button", { href: also({ note: each.noteId }) }, "The note")));
}

export const page = {
  name: "inbox", title: "Inbox", show,
  keys: [["y", "accept what is chosen"], ["n", "refuse it"], ["d", "decide it later"]],
};
