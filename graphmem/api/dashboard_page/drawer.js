// The note at the side of a page: its text, who may read it, its past, and what can be done.

import { ask, isAborted } from "./api.js";
import { askFirst } from "./asking.js";
import { decayCurve } from "./decay.js";
import { changesOf, words } from "./difference.js";
import { byId, fill, h } from "./dom.js";
import {
  attempt,
  badge,
  entityLink,
  facts,
  failure,
  nothing,
  share,
  time,
  toast,
} from "./parts.js";
import { also, to } from "./route.js";
import { epoch } from "./who.js";
import { day, many, plain, titleOf, when } from "./words.js";

const NOTE = `query Note($id: ID!) {
  note(id: $id) {
    id version content title context kind type source validity importance confidence loadBearing
    pinned domain visibility tier status activation retention relevance halfLifeHours accessCount
    lastAccessedAt createdAt updatedAt occurredAt validFrom validTo expiresAt episode speaker tags
    keywords author { name } user { name }
    entities { id name type }
    links(first: 50) {
      id kind strength reason source { id title content } target { id title content }
    }
    revisions(first: 20) { version at actor content }
    supersededBy { id title content }
    derivedFrom { id title content }
    readers { agent { id name } reason team { name } }
  }
}`;
const REVISE = `mutation Revise($id: ID!, $content: String, $version: Int) {
  revise(id: $id, content: $content, expectedVersion: $version) { version }
}`;
const REVERT = `mutation Revert($id: ID!, $version: Int!) {
  revertNote(id: $id, version: $version) { version }
}`;
const FORGET = "mutation Forget($id: ID!) { forget(id: $id, confirm: true) { forgotten } }";
const DESTROY = `mutation Destroy($id: ID!) {
  forget(id: $id, confirm: true, permanent: true) { forgotten }
}`;
const RESTORE = "mutation Restore($id: ID!) { restore(id: $id) { id } }";
const PIN =
  "mutation Pin($id: ID!, $pinned: Boolean!) { pin(id: $id, pinned: $pinned) { pinned } }";
const VISIBLE = `mutation Show($id: ID!, $visibility: Visibility!) {
  setVisibility(id: $id, visibility: $visibility) { updatedCount }
}`;
const VISIBILITIES = ["OPEN", "SCOPED", "PRIVATE", "USER_ONLY"];
const asked = { id: null, epoch: null };

/** Show a note; `changed` is called when something was done with it. */
export async function showNote(id, changed) {
  const drawer = byId("drawer");
  if (asked.id === id && asked.epoch === epoch() && !drawer.hidden) return;
  const opened = drawer.hidden;
  Object.assign(asked, { id, epoch: epoch() });
  drawer.hidden = false;
  document.body.classList.add("beside");
  fill(drawer, top(), nothing("Loading…"));
  if (opened) drawer.querySelector("a").focus();
  await draw(id, changed);
}

/** Put the note away, and nothing of it stays in the page. */
export function closeNote() {
  asked.id = null;
  fill(byId("drawer")).hidden = true;
  document.body.classList.remove("beside");
}

async function draw(id, changed) {
  const drawer = byId("drawer");
  try {
    const { note } = await ask(NOTE, { id });
    if (asked.id !== id) return;
    const again = () => {
      changed();
      return draw(id, changed);
    };
    fill(drawer, top(), body(note, again));
  } catch (error) {
    if (asked.id === id && !isAborted(error))
      fill(
        drawer,
        top(),
        failure(error, () => draw(id, changed)),
      );
  }
}

function top() {
  return h(
    "p.close",
    {},
    h("a.button", { href: also({ note: "" }) }, "Close ", h("kbd", {}, "Esc")),
  );
}

function body(note, again) {
  return [
    h("h2", {}, note.title || "Note"),
    h(
      "p.marks",
      {},
      badge(note.status),
      badge(note.tier),
      badge(note.kind),
      badge(note.type),
      badge(note.visibility),
      note.pinned && badge("pinned"),
    ),
    h("div.content", {}, note.content),
    note.supersededBy && h("p", {}, "Superseded by ", noteLink(note.supersededBy)),
    actions(note, again),
    part(
      "About",
      note.entities.length
        ? h("p.chips", {}, note.entities.map(entityLink))
        : nothing("No entity is named."),
    ),
    part("Who may read it, and why", readers(note)),
    part("Facts", theFacts(note)),
    part("If nobody uses it", decayCurve(note)),
    part(
      many(note.links.length, "link"),
      note.links.length
        ? h(
            "ul.plain",
            {},
            note.links.map((each) => link(note, each)),
          )
        : nothing("None."),
    ),
    note.derivedFrom.length > 0 &&
      part(
        "Made from",
        h(
          "ul.plain",
          {},
          note.derivedFrom.map((each) => h("li", {}, noteLink(each))),
        ),
      ),
    part("History", history(note)),
  ];
}

function part(title, ...inside) {
  return h("section", {}, h("h3", {}, title), inside);
}

function noteLink(note) {
  return h("a", { href: also({ note: note.id }) }, titleOf(note, 70));
}

function readers(note) {
  return h(
    "ul.plain.readers",
    {},
    note.readers.map(({ agent, reason, team }) =>
      h(
        "li",
        {},
        h("strong", {}, agent?.name ?? team?.name ?? note.user?.name ?? "The user"),
        h("span.quiet", {}, ` – ${reason}`),
      ),
    ),
  );
}

function link(note, { kind, reason, source, target }) {
  const out = source.id === note.id;
  return h(
    "li",
    {},
    h("span.quiet", {}, out ? `${plain(kind)} → ` : `← ${plain(kind)} `),
    noteLink(out ? target : source),
    reason && h("span.quiet", {}, ` (${reason})`),
  );
}

function theFacts(note) {
  const valid = note.validFrom || note.validTo;
  return facts([
    ["Domain", h("a", { href: to("notes", { domain: note.domain }) }, note.domain)],
    ["Written by", note.author?.name ?? note.user?.name],
    ["Said by", note.speaker],
    ["Written", time(note.createdAt)],
    ["Changed", note.updatedAt === note.createdAt ? null : time(note.updatedAt)],
    ["Happened", note.occurredAt && when(note.occurredAt)],
    ["True", valid && `from ${day(note.validFrom)} to ${day(note.validTo)}`],
    ["Expires", note.expiresAt && when(note.expiresAt)],
    ["Source", `${plain(note.source)}, ${plain(note.validity)}`],
    [
      "Episode",
      note.episode && h("a", { href: to("notes", { episode: note.episode }) }, note.episode),
    ],
    ["Importance", share(note.importance, "importance")],
    ["Confidence", share(note.confidence, "confidence")],
    ["Retention", share(note.retention, "what is left of it")],
    ["Relevance", note.relevance.toFixed(2)],
    ["Activation", note.activation.toFixed(2)],
    [
      "Half-life",
      note.halfLifeHours === null
        ? "never decays"
        : many(Math.round(note.halfLifeHours / 24), "day"),
    ],
    [
      "Used",
      [many(note.accessCount, "time"), note.lastAccessedAt && `, last ${day(note.lastAccessedAt)}`],
    ],
    ["Load-bearing", note.loadBearing ? "other things depend on it" : null],
    ["Tags", note.tags.join(", ")],
    ["Keywords", note.keywords.join(", ")],
    ["Version", note.version],
    ["Id", h("code", {}, note.id)],
  ]);
}

function history({ revisions }) {
  const newest = [...revisions].sort((one, other) => other.version - one.version);
  return h(
    "ol.history",
    {},
    newest.map((each, place) => {
      const before = newest[place + 1];
      return h(
        "li",
        {},
        h(
          "p.under",
          {},
          h("strong", {}, `Version ${each.version}`),
          h("span", {}, each.actor),
          time(each.at),
        ),
        before &&
          before.content !== each.content &&
          h("p.difference", {}, pieces(before.content, each.content)),
      );
    }),
  );
}

function pieces(before, after) {
  const tags = { gone: "del", come: "ins", same: "span" };
  return changesOf(words(before), words(after)).map(({ kind, text }) => h(tags[kind], {}, text));
}

function actions(note, again) {
  const gone = note.status === "ARCHIVED";
  const pin = () => attempt(() => ask(PIN, { id: note.id, pinned: !note.pinned })).then(again);
  return h(
    "div.buttons",
    {},
    gone
      ? h("button", { type: "button", onclick: () => restore(note, again) }, "Restore")
      : h("button", { type: "button", onclick: () => forget(note, again) }, "Forget"),
    !gone && h("button", { type: "button", onclick: () => edit(note, again) }, "Edit"),
    h("a.button", { href: to("graph", { kind: "NOTE", of: note.id }) }, "Graph"),
    h("button", { type: "button", onclick: pin }, note.pinned ? "Unpin" : "Pin"),
    VISIBILITIES.includes(note.visibility) && choiceOfReaders(note, again),
    h("button", { type: "button", onclick: () => destroy(note, again) }, "Destroy…"),
  );
}

/** Choosing alone changes nothing: a key or a turn of the wheel is enough to choose. */
function choiceOfReaders(note, again) {
  const box = h(
    "select",
    {},
    VISIBILITIES.map((each) =>
      h("option", { value: each, selected: each === note.visibility }, plain(each)),
    ),
  );
  return h(
    "span",
    {},
    h("label.inline", {}, "Readers ", box),
    h("button", { type: "button", onclick: () => see(note, box.value, again) }, "Change"),
  );
}

async function see(note, visibility, again) {
  if (visibility === note.visibility) return;
  const question = `Make the note ${plain(visibility)}?`;
  const told = `It is ${plain(note.visibility)} now; afterwards others may be able to read it.`;
  // Any other change may let somebody read it who could not: PRIVATE has readers SCOPED has not.
  const fewer =
    note.visibility === "OPEN" || (note.visibility === "PRIVATE" && visibility === "USER_ONLY");
  if (!fewer && !(await askFirst(question, "Change", h("p", {}, told)))) return;
  const set = (value) => attempt(() => ask(VISIBLE, { id: note.id, visibility: value }));
  if (!(await set(visibility))) return;
  const back = () => set(note.visibility).then(again);
  toast(`Readers: ${plain(visibility)} now.`, ["Undo", back]);
  await again();
}

/** Put a field in the place of the text. */
function edit(note, again) {
  const place = byId("drawer").querySelector(".content");
  const box = h("textarea", { rows: "8", "aria-label": "Text of the note", value: note.content });
  const save = async (event) => {
    event.preventDefault();
    const given = { id: note.id, content: box.value, version: note.version };
    if (!(await attempt(() => ask(REVISE, given)))) return;
    const back = () =>
      attempt(() => ask(REVERT, { id: note.id, version: note.version })).then(again);
    toast("Changed.", ["Undo", back]);
    await again();
  };
  place.replaceWith(
    h(
      "form",
      { onsubmit: save },
      box,
      h(
        "p.buttons",
        {},
        h("button.main", {}, "Save"),
        h("button", { type: "button", onclick: again }, "Cancel"),
      ),
    ),
  );
  box.focus();
}

async function forget(note, again) {
  const done = await attempt(() => ask(FORGET, { id: note.id }));
  if (!done) return;
  // It is shown before anything else is waited for: by then somebody else may look.
  toast(`Forgotten: ${titleOf(note, 40)}`, ["Undo", () => restore(note, again)]);
  await again();
}

async function destroy(note, again) {
  const told = "Its text and its versions go for good, and so does what jobs made of it.";
  if (!(await askFirst("Destroy this note?", "Destroy", h("p", {}, told)))) return;
  if (!(await attempt(() => ask(DESTROY, { id: note.id })))) return;
  toast("Destroyed.");
  location.hash = also({ note: "" });
  await again();
}

async function restore(note, again) {
  if (await attempt(() => ask(RESTORE, { id: note.id }))) {
    toast(`Restored: ${titleOf(note, 40)}`);
    await again();
  }
}
