// Remember: a text, what is read in it and what would become of it, and then to store it.

import { ask } from "../api.js";
import { fill, h } from "../dom.js";
import {
  attempt,
  badge,
  card,
  choice,
  facts,
  failure,
  field,
  filled,
  nothing,
  share,
  table,
  toast,
} from "../parts.js";
import { also, to } from "../route.js";
import { day, plain, titleOf, when } from "../words.js";

const PREVIEW = `query Preview($note: RememberInput!) {
  previewRemember(note: $note) {
    operation reason
    read {
      domain visibility kind type context tags keywords importance confidence occurredAt
      validFrom validTo readers { agent { name } reason team { name } }
    }
    entities { name type ofText }
    relations { subject predicate object validFrom validTo ofText }
    note { id content version }
    affected { id title content }
  }
}`;
const REMEMBER = `mutation Remember($note: RememberInput!) {
  remember(input: $note) { operation reason noteId proposal { id } }
}`;
const FORGET = "mutation Forget($id: ID!) { forget(id: $id, confirm: true) { forgotten } }";
const WILL = {
  ADD: "It would be a new note.",
  UPDATE: "It would be added to a note that is there.",
  DELETE: "It would be a new note, which takes the place of an older one.",
  NOOP: "No new note: it would strengthen one that says the same.",
  PROPOSE: "It would be proposed, and written once somebody accepts it.",
};
const DONE = {
  ADD: "Stored.",
  UPDATE: "Added to a note that was there.",
  DELETE: "Stored in the place of an older note.",
  NOOP: "A note says so already; it was strengthened.",
  PROPOSE: "Proposed.",
};
const VISIBILITIES = ["", "OPEN", "SCOPED", "PRIVATE", "USER_ONLY"];
const MODES = [
  ["CURATED", "compared with what is known"],
  ["VERBATIM", "word for word"],
];

async function show(view, params, signal) {
  const told = h("div", { "aria-live": "polite" }, nothing("Nothing is stored before you say so."));
  const read = (given) => preview(told, given, signal);
  fill(view, h("h1", {}, "Remember"), form(params, told, read), told);
  return null;
}

function form(params, told, read) {
  const take = (event) => {
    event.preventDefault();
    const given = wanted(filled(event.target));
    if (given.content) read(given);
  };
  const box = h("textarea", {
    name: "content",
    rows: "5",
    maxlength: "50000",
    "data-search": true,
    required: true,
  });
  return h(
    "form.stack",
    {
      "aria-label": "This page",
      onsubmit: take,
      // What was told is of a text that is no longer there.
      oninput: () => fill(told, nothing("Look at it again before it is stored.")),
    },
    h("label", {}, "What to remember", box),
    h(
      "div.fields",
      {},
      field("Title", "title", "", { maxlength: "500" }),
      field("Domain", "domain", params.domain, { placeholder: "by rules" }),
      choice(
        "Readers",
        "visibility",
        VISIBILITIES.map((each) => [each, each ? plain(each) : "by rules"]),
        "",
      ),
      field("Happened on", "occurred", "", { type: "date" }),
      choice("How", "mode", MODES, "CURATED"),
    ),
    h("p.buttons", {}, h("button.main", {}, "Look at it first")),
  );
}

function wanted({ content, title, domain, visibility, occurred, mode }) {
  return {
    content,
    mode,
    ...(title && { title }),
    ...(domain && { domain }),
    ...(visibility && { visibility }),
    ...(occurred && { occurredAt: `${occurred}T12:00:00Z` }),
  };
}

async function preview(told, note, signal) {
  fill(told, nothing("Reading…"));
  try {
    const { previewRemember } = await ask(PREVIEW, { note }, { signal });
    if (!signal.aborted) fill(told, drawn(previewRemember, note, told));
  } catch (error) {
    if (!signal.aborted)
      fill(
        told,
        failure(error, () => preview(told, note, signal)),
      );
  }
}

function drawn(found, note, told) {
  const store = async (event) => {
    event.target.disabled = true; // a second press is not a second note
    const done = await attempt(() => ask(REMEMBER, { note }));
    if (!done) event.target.disabled = false;
    else stored(told, done.remember);
  };
  return [
    h(
      "p.verdict",
      { "data-tone": found.operation === "ADD" ? null : "warn" },
      badge(found.operation),
      h("strong", {}, WILL[found.operation]),
      h("span", {}, found.reason),
      h("button.main", { type: "button", onclick: store }, "Store it"),
    ),
    changes(found),
    h(
      "div.columns",
      {},
      found.read && card("What is read in it", reading(found.read)),
      found.read && card("Who would read it, and why", readers(found.read)),
      card("Names", names(found.entities)),
      card("Statements", statements(found.relations)),
    ),
  ];
}

function changes({ operation, note, affected }) {
  const there = operation === "UPDATE" || operation === "NOOP";
  const rows = [
    there && note && ["The note that is there", note],
    ...affected.map((each) => ["Would give way", each]),
  ].filter(Boolean);
  return (
    rows.length > 0 &&
    card(
      "Notes that would change",
      h(
        "ul.plain",
        {},
        rows.map(([words, each]) =>
          h(
            "li",
            {},
            h("span.quiet", {}, `${words}: `),
            h("a", { href: also({ note: each.id }) }, titleOf(each, 90)),
          ),
        ),
      ),
    )
  );
}

function reading(read) {
  const valid = read.validFrom || read.validTo;
  return facts([
    ["Domain", read.domain],
    ["Readers", plain(read.visibility)],
    ["Kind", `${plain(read.kind)}, ${plain(read.type)}`],
    ["In short", read.context],
    ["Happened", read.occurredAt && when(read.occurredAt)],
    ["True", valid && `from ${day(read.validFrom)} to ${day(read.validTo)}`],
    ["Importance", share(read.importance, "importance")],
    ["Confidence", share(read.confidence, "confidence")],
    ["Tags", read.tags.join(", ")],
    ["Keywords", read.keywords.join(", ")],
  ]);
}

function readers(read) {
  return h(
    "ul.plain.readers",
    {},
    read.readers.map(({ agent, reason, team }) =>
      h(
        "li",
        {},
        h("strong", {}, agent?.name ?? team?.name ?? "You"),
        h("span.quiet", {}, ` – ${reason}`),
      ),
    ),
  );
}

function names(entities) {
  if (!entities.length) return nothing("None.");
  return h(
    "p.chips",
    {},
    entities.map(({ name, type }) =>
      h("span.chip", {}, name, type && h("span.quiet", {}, ` ${type}`)),
    ),
  );
}

function statements(relations) {
  if (!relations.length) return nothing("None.");
  return table(
    [
      { name: "Who or what", of: (each) => each.subject },
      { name: "does", of: (each) => each.predicate },
      { name: "whom or what", of: (each) => each.object },
      { name: "from", of: (each) => each.validFrom && day(each.validFrom) },
    ],
    relations,
  );
}

function stored(told, { operation, reason, noteId, proposal }) {
  const undo = () =>
    attempt(() => ask(FORGET, { id: noteId })).then((gone) => gone && toast("Gone."));
  toast(DONE[operation], operation === "ADD" && noteId ? ["Undo", undo] : undefined);
  fill(
    told,
    h(
      "p.verdict",
      {},
      badge(operation),
      h("strong", {}, DONE[operation]),
      h("span", {}, reason),
      noteId && h("a", { href: also({ note: noteId }) }, "Open the note"),
      proposal && h("a", { href: to("inbox") }, "Go to the inbox"),
    ),
  );
}

export const page = { name: "remember", title: "Remember", show };
