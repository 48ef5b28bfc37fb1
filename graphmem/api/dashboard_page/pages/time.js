// Time: what changed, by whom and when, with a way back; and the whole memory as it was.

import { ask } from "../api.js";
import { askFirst } from "../asking.js";
import { fill, h } from "../dom.js";
import { attempt, badge, card, choice, failure, field, filled, nothing, toast } from "../parts.js";
import { also, go, to } from "../route.js";
import { day, many, titleOf, when } from "../words.js";

const EVENTS = `query Events($before: Long, $types: [String!], $actor: String, $note: ID,
  $since: DateTime, $until: DateTime, $first: Int) {
  events(newestFirst: true, before: $before, types: $types, actor: $actor, subjectId: $note,
    since: $since, until: $until, first: $first) {
    id seq at type actor subjectId domain summary data
  }
}`;
const AGENTS = "{ agents { id name } }";
const NOTE = "query Revisions($id: ID!) { note(id: $id) { revisions(first: 100) { version at } } }";
const FORGET = "mutation Forget($id: ID!) { forget(id: $id, confirm: true) { forgotten } }";
const RESTORE = "mutation Restore($id: ID!) { restore(id: $id) { id } }";
const PIN = "mutation Pin($id: ID!, $on: Boolean!) { pin(id: $id, pinned: $on) { pinned } }";
const REVERT = `mutation Revert($id: ID!, $version: Int!) {
  revertNote(id: $id, version: $version) { version }
}`;
const BACK = "mutation Back($at: DateTime!, $dry: Boolean!) { revertTo(at: $at, dryRun: $dry) }";
const TYPES = (
  "CREATE EDIT APPEND DELETE ARCHIVE MERGE REVERT DECAY RENAME PROPOSE COMMIT REJECT LINK PIN " +
  "VISIBILITY PROMOTE ALERT"
).split(" ");
const FIRST = 50; // events that are shown while the others are read
const PAGE = 500;
const MOST = 2000; // events of a time that are read
const DAYS = 7; // that are shown if none are chosen
const DAY_MS = 86400000;

async function show(view, params, signal) {
  const agents = await ask(AGENTS, {}, { signal }).then(
    (data) => data.agents,
    () => [],
  );
  const list = h("div", { "aria-live": "polite" }, nothing("Reading…"));
  let isFirst = true;
  const refresh = async () => {
    const draw = ({ events, isAll }) => {
      if (!signal.aborted) fill(list, timeline(events, isAll, params, refresh));
    };
    draw(await read(params, signal, isFirst ? draw : null));
    isFirst = false;
  };
  fill(view, h("h1", {}, "Time"), form(params, agents), goingBack(refresh), list);
  await refresh();
  return { refresh };
}

/** The days that are shown, as dates. */
function span({ since, until }) {
  const last = until || new Date().toISOString().slice(0, 10);
  const first = new Date(Date.parse(last) - (DAYS - 1) * DAY_MS).toISOString().slice(0, 10);
  return { since: since || first, until: last };
}

/** Read the events of the days; `begun` gets the newest of them, before the others are read. */
async function read(params, signal, begun) {
  const { since, until } = span(params);
  const asked = {
    types: params.type ? [params.type] : null,
    actor: params.actor || null,
    note: params.of || null,
    since: `${since}T00:00:00Z`,
    until: `${until}T23:59:59.999Z`,
  };
  const all = [];
  let isAll = false;
  while (!isAll && all.length < MOST) {
    const first = Math.min(all.length || !begun ? PAGE : FIRST, MOST - all.length);
    const before = all.at(-1)?.seq ?? null;
    const page = (await ask(EVENTS, { ...asked, before, first }, { signal })).events;
    if (!all.length && page.length) begun?.({ events: page, isAll: null });
    all.push(...page);
    isAll = page.length < first;
  }
  return { events: all, isAll };
}

function form(params, agents) {
  const take = (given) => go(to("time", { of: params.of, ...filled(given) }));
  const actors = [
    ["", "anybody"],
    ["manual", "the user in person"],
    ...agents.map(({ id, name }) => [`bot:${id}`, name]),
  ];
  if (params.actor && !actors.some(([value]) => value === params.actor))
    actors.push([params.actor, params.actor]);
  const shown = span(params);
  return h(
    "form.fields",
    {
      role: "search",
      "aria-label": "This page",
      onsubmit: (event) => {
        event.preventDefault();
        take(event.target);
      },
      onchange: (event) => take(event.currentTarget),
    },
    choice("By", "actor", actors, params.actor),
    choice("Kind", "type", ["", ...TYPES], params.type),
    field("From", "since", shown.since, { type: "date" }),
    field("Until", "until", shown.until, { type: "date" }),
    params.of && h("p", {}, "Of one note. ", h("a", { href: also({ of: "" }) }, "Of all")),
  );
}

function timeline(events, isAll, params, refresh) {
  const { since, until } = span(params);
  const before = new Date(Date.parse(since) - DAY_MS).toISOString().slice(0, 10);
  const earlier = h("a.button", { href: also({ since: "", until: before }) }, "Earlier");
  if (!events.length)
    return [nothing(`Nothing changed from ${day(since)} to ${day(until)}.`), h("p", {}, earlier)];
  const days = new Map();
  for (const each of events) {
    if (!days.has(day(each.at))) days.set(day(each.at), []);
    days.get(day(each.at)).push(each);
  }
  return [
    h(
      "p.under",
      {},
      isAll === null ? "Reading the rest…" : many(events.length, "change"),
      isAll === false &&
        h("strong", {}, `The newest ${MOST} of this time; choose fewer days for the rest.`),
    ),
    [...days].map(([name, ofDay]) =>
      card(
        name,
        h(
          "ol.plain.events",
          {},
          ofDay.map((event) => row(event, refresh)),
        ),
      ),
    ),
    h("p.buttons", {}, earlier),
  ];
}

function row(event, refresh) {
  const { type, summary, actor, subjectId, domain, data, at } = event;
  const note = data?.note_id;
  const back = note && WAYS[type];
  const by = also({ actor });
  return h(
    "li",
    { "data-item": true, tabindex: "0" },
    badge(type),
    " ",
    h("span", {}, summary),
    note && [
      ": ",
      h("a", { href: also({ note }) }, titleOf({ title: data.summary ?? "a note" }, 70)),
    ],
    h(
      "p.under",
      {},
      h("time", { datetime: at }, when(at)),
      h("a", { href: by }, actor),
      domain && h("span.domain", {}, domain),
      note && h("a", { href: also({ of: subjectId, since: "", until: "" }) }, "Its changes"),
      back &&
        h(
          "button.plain",
          { type: "button", onclick: () => undo(back, event, refresh) },
          back.words,
        ),
    ),
  );
}

// What takes a change back, where something does.
const WAYS = {
  CREATE: { words: "Forget it", run: (id) => ask(FORGET, { id }) },
  ARCHIVE: { words: "Restore it", run: (id) => ask(RESTORE, { id }) },
  DECAY: { words: "Restore it", run: (id) => ask(RESTORE, { id }) },
  PIN: {
    words: "Take back",
    run: (id, { summary }) => ask(PIN, { id, on: summary.includes("unpinned") }),
  },
  EDIT: { words: "Back to before", run: before },
  APPEND: { words: "Back to before", run: before },
};

async function before(id, { at }) {
  const { note } = await ask(NOTE, { id });
  const made = note.revisions.filter((each) => Date.parse(each.at) < Date.parse(at));
  if (!made.length) throw new Error("No earlier text of this note is kept.");
  return ask(REVERT, { id, version: Math.max(...made.map(({ version }) => version)) });
}

async function undo(way, event, refresh) {
  const told = `It was on ${when(event.at)}. What was changed in the note since then goes, too.`;
  const since = event.type === "EDIT" || event.type === "APPEND";
  if (since && !(await askFirst("Go back to before this change?", way.words, h("p", {}, told))))
    return;
  if (await attempt(() => way.run(event.data.note_id, event))) {
    toast("Done; it stands here as a change of its own.");
    await refresh();
  }
}

function goingBack(refresh) {
  const told = h("div", { "aria-live": "polite" });
  const look = async (event) => {
    event.preventDefault();
    const at = new Date(filled(event.target).at).toISOString();
    try {
      const { revertTo: number } = await ask(BACK, { at, dry: true });
      fill(told, offer(at, number, told, refresh));
    } catch (error) {
      fill(told, failure(error));
    }
  };
  return h(
    "details.filters",
    {},
    h("summary", {}, "Go back in time"),
    h(
      "p.quiet",
      {},
      "All notes as they were at an instant of the last 90 days. Notes made since are archived. ",
      "First it is only counted.",
    ),
    h(
      "form.buttons",
      { onsubmit: look, "aria-label": "Go back in time" },
      field("As it was at", "at", "", { type: "datetime-local", required: true }),
      h("button", {}, "Count what would change"),
    ),
    told,
  );
}

function offer(at, number, told, refresh) {
  if (!number) return nothing("Nothing would change.");
  const back = async () => {
    const question = `Go back to ${when(at)}?`;
    const words = `${many(number, "note")} will change; each can be changed back by itself.`;
    if (!(await askFirst(question, "Go back", h("p", {}, words)))) return;
    const done = await attempt(() => ask(BACK, { at, dry: false }));
    if (!done) return;
    fill(told, nothing(`${many(done.revertTo, "note")} changed.`));
    await refresh();
  };
  return h(
    "p.verdict",
    { "data-tone": "warn" },
    `${many(number, "note")} would change.`,
    h("button", { type: "button", onclick: back }, "Go back…"),
  );
}

export const page = { name: "time", title: "Time", show };
