// Notes: browsing all that can be read, by what the API can filter, one page at a time.

import { ask } from "../api.js";
import { askFirst } from "../asking.js";
import { fill, h } from "../dom.js";
import {
  attempt,
  choice,
  field,
  filled,
  noteRow,
  NOTE_FIELDS,
  nothing,
  searchLine,
  toast,
} from "../parts.js";
import { also, go, to } from "../route.js";
import { chosen, epoch } from "../who.js";
import { count, many, plain } from "../words.js";
import { offerFiles } from "../export.js";

const FIELDS = `${NOTE_FIELDS} tier kind type occurredAt`;
const NOTES = `query Notes($filter: NoteFilter, $first: Int!, $after: String, $asOf: DateTime) {
  notes(filter: $filter, first: $first, after: $after, asOf: $asOf) {
    nodes { ${FIELDS} } pageInfo { hasNextPage endCursor }
  }
}`;
const COUNT = `query Count($filter: NoteFilter, $asOf: DateTime) {
  notes(filter: $filter, asOf: $asOf, first: 1) { totalCount }
}`;
const FORGET_MANY = `mutation ForgetMany($filter: NoteFilter!, $confirm: Boolean!) {
  forgetMany(filter: $filter, confirm: $confirm) { found forgotten at }
}`;
const RESTORE_MANY = "mutation RestoreMany($at: DateTime!) { restoreMany(at: $at) }";
const AGENTS = "{ agents { id name } }";
const PAGE_SIZE = 25;
const LISTS = {
  status: ["statuses", ["ACTIVE", "FADING", "DORMANT", "ARCHIVED", "SUPERSEDED"]],
  tier: ["tiers", ["FOUNDATIONAL", "WORKING", "DAILY", "SHORT_TERM", "LONG_TERM"]],
  kind: ["kinds", ["EPISODIC", "SEMANTIC", "PROCEDURAL"]],
  type: ["types", ["FACT", "PREFERENCE", "DECISION", "TASK", "EVENT", "EMOTION", "CORRECTION"]],
  visibility: ["visibilities", ["OPEN", "SCOPED", "PRIVATE", "USER_ONLY", "LOCAL", "QUARANTINED"]],
};

async function show(view, params, signal) {
  const agents = await ask(AGENTS, {}, { signal }).then(
    (data) => data.agents,
    () => [],
  );
  const list = h("div", { "aria-live": "polite" }, nothing("Reading…"));
  fill(view, h("h1", {}, "Notes"), form(params, agents), facets(params, signal), list);
  const number = h("span", {}, "Counting…");
  const refresh = async () => {
    const given = asked(params);
    const counting = ask(COUNT, given, { signal });
    counting.catch(() => {}); // it is waited for below
    const page = { first: PAGE_SIZE, after: params.after ?? null };
    const { notes } = await ask(NOTES, { ...given, ...page }, { signal });
    if (signal.aborted) return;
    fill(list, drawn(notes, params, number, refresh)); // to count a large memory takes a while
    fill(number, many((await counting).notes.totalCount, "note"));
  };
  await refresh();
  return { refresh };
}

function form(params, agents) {
  const take = (given) => go(to("notes", filled(given)));
  const lists = Object.entries(LISTS).map(([name, [, words]]) =>
    choice(capital(name), name, ["", ...words], params[name]),
  );
  return h(
    "form",
    {
      role: "search",
      "aria-label": "This page",
      onsubmit: (event) => {
        event.preventDefault();
        take(event.target);
      },
      onchange: (event) => take(event.currentTarget),
    },
    searchLine("text", params.text, "With these words", "Search"),
    h(
      "details.filters",
      { open: wide() || narrowed(params) },
      h("summary", {}, "Filters"),
      h(
        "div.fields",
        {},
        lists,
        choice(
          "Written by",
          "author",
          [["", "anybody"], ...agents.map(({ id, name }) => [id, name])],
          params.author,
        ),
        field("Domain", "domain", params.domain, { placeholder: "work/sales" }),
        field("Tag", "tag", params.tag),
        field("Entity", "entity", params.entity),
        field("Episode", "episode", params.episode),
        field("External id begins", "externalPrefix", params.externalPrefix),
        field("From", "since", params.since, { type: "date" }),
        field("Until", "until", params.until, { type: "date" }),
        field("As it was on", "at", params.at, { type: "date" }),
      ),
    ),
  );
}

/** Whether more is asked for than words. */
function narrowed(params) {
  return Object.keys(params).some((name) => name !== "text" && name !== "after");
}

function wide() {
  return matchMedia("(min-width: 56rem)").matches;
}

function capital(word) {
  return word[0].toUpperCase() + word.slice(1);
}

/** The variables of the query, of what the address says. */
function asked(params) {
  const filter = {};
  for (const [name, [plural]] of Object.entries(LISTS))
    if (params[name]) filter[plural] = [params[name]];
  for (const name of ["text", "domain", "entity", "episode", "externalPrefix", "author"])
    if (params[name]) filter[name] = params[name];
  if (params.tag) filter.tags = [params.tag];
  if (params.since) filter.since = `${params.since}T00:00:00Z`;
  if (params.until) filter.until = `${params.until}T23:59:59Z`;
  return { filter, asOf: params.at ? `${params.at}T23:59:59Z` : null };
}

/** How many of the notes that are listed are of each status and so on, counted when asked for. */
function facets(params, signal) {
  const shown = h("div", { "aria-live": "polite" }, nothing("Counting…"));
  const load = async (event) => {
    if (!event.target.open || shown.dataset.counted) return;
    shown.dataset.counted = true;
    const counted = await attempt(() => counts(params, signal));
    if (counted && !signal.aborted) fill(shown, counted.map(facet));
  };
  return h("details.filters", { ontoggle: load }, h("summary", {}, "How many of each"), shown);
}

/** Rows of [name of a filter, [[value, number], …]], as the other filters leave them. */
async function counts(params, signal) {
  const found = [];
  for (const [name, [plural, values]] of Object.entries(LISTS)) {
    const { filter, asOf } = asked(params);
    const declared = values.map((value) => `$${value}: NoteFilter`).join(", ");
    const fields = values.map(
      (value) => `${value}: notes(filter: $${value}, asOf: $asOf) { totalCount }`,
    );
    const given = values.map((value) => [value, { ...filter, [plural]: [value] }]);
    const query = `query Counts($asOf: DateTime, ${declared}) { ${fields.join(" ")} }`;
    const data = await ask(query, { ...Object.fromEntries(given), asOf }, { signal });
    found.push([name, values.map((value) => [value, data[value].totalCount])]);
  }
  return found;
}

function facet([name, values]) {
  return h(
    "p.chips",
    {},
    h("span.quiet", {}, capital(name)),
    values
      .filter(([, number]) => number)
      .map(([value, number]) =>
        h(
          "a.chip",
          { href: also({ [name]: value, after: "" }) },
          `${plain(value)} ${count(number)}`,
        ),
      ),
  );
}

function drawn({ nodes, pageInfo }, params, number, refresh) {
  const filtered = Object.keys(params).some((name) => name !== "after");
  if (!nodes.length)
    return nothing(
      filtered ? "No note is like that. " : "There is no note yet.",
      filtered && h("a", { href: to("notes") }, "All notes"),
    );
  return [
    h(
      "p.under",
      {},
      number,
      filtered && h("a", { href: to("notes") }, "All notes"),
      offerFiles("notes", () => everything(params)),
      filtered && !params.at && !chosen().agent && forgetAll(asked(params).filter, refresh),
    ),
    h(
      "ul.notes.card",
      {},
      nodes.map((note) => noteRow(note)),
    ),
    h(
      "p.buttons",
      {},
      params.after && h("a.button", { href: also({ after: "" }) }, "First page"),
      pageInfo.hasNextPage &&
        h("a.button", { href: also({ after: pageInfo.endCursor }) }, "Next page"),
      h("span.quiet", {}, `${count(nodes.length)} on this page`),
    ),
  ];
}

/** A button that forgets all notes which a filter finds. */
function forgetAll(filter, refresh) {
  const forget = async () => {
    const counted = await attempt(() => ask(FORGET_MANY, { filter, confirm: false }));
    if (!counted) return;
    const found = many(counted.forgetMany.found, "note");
    const more = "Those that faded, expired or were superseded are among them; 1,000 go at once.";
    if (!(await askFirst(`Forget ${found}?`, "Forget", h("p", {}, more)))) return;
    const done = await attempt(() => ask(FORGET_MANY, { filter, confirm: true }));
    if (!done) return;
    const { forgotten, at } = done.forgetMany;
    const back = () => attempt(() => ask(RESTORE_MANY, { at })).then(refresh);
    toast(`Forgotten: ${many(forgotten, "note")}`, at ? ["Undo", back] : null);
    await refresh();
  };
  return h("button.plain", { type: "button", onclick: forget }, "Forget all of them…");
}

/** All notes that fit, page by page, up to so many, as one viewer may read them. */
async function everything(params, most = 5000) {
  const all = [];
  const since = epoch();
  let after = null;
  do {
    const { notes } = await ask(NOTES, { ...asked(params), first: 500, after }, { since });
    all.push(...notes.nodes);
    after = notes.pageInfo.hasNextPage ? notes.pageInfo.endCursor : null;
  } while (after && all.length < most);
  const rows = all.map(({ author, ...note }) => ({ ...note, author: author?.name ?? "" }));
  return { rows, isAll: !after };
}

export const page = { name: "notes", title: "Notes", show };
