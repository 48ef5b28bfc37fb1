// Overview: how much there is, what is new, what waits, and whether all is well.

import { ask, lastAnswerMs } from "../api.js";
import { fill, h } from "../dom.js";
import { badge, bars, card, noteRow, NOTE_FIELDS, nothing, time } from "../parts.js";
import { to } from "../route.js";
import { waiting, WAITS } from "../waiting.js";
import { bytes, count, many, plain } from "../words.js";

const DAY_MS = 86400000;
const TOP = 12;
const SLOW_MS = 2000;
const MOST = 500; // events of a day that are counted
const NEWEST = `{ notes(first: 8) { nodes { ${NOTE_FIELDS} } } }`;
const STATS = `{
  stats { totalNotes byDomain byVisibility byStatus byTier storageBytes entities links }
}`;
const CHANGED = `query Changed($since: DateTime!) {
  events(since: $since, newestFirst: true, first: ${MOST}) { seq at type actor subjectId summary }
}`;
const HEALTH = "{ jobs { name lastRun { status } } }";

async function show(view, params, signal) {
  const refresh = async () => {
    const since = new Date(Date.now() - DAY_MS).toISOString();
    const maybe = (query, variables = {}) => ask(query, variables, { signal }).catch(() => ({}));
    const rest = Promise.all([
      ask(STATS, {}, { signal }),
      maybe(CHANGED, { since }),
      maybe(HEALTH), // for admins alone
      ...Object.values(WAITS).map((query) => maybe(query)),
    ]);
    rest.catch(() => {}); // it is waited for below
    const data = await ask(NEWEST, {}, { signal });
    const isFirst = !view.querySelector("h1");
    if (isFirst && !signal.aborted) draw(view, data); // to count a large memory takes a while
    Object.assign(data, ...(await rest));
    if (!signal.aborted) draw(view, data);
  };
  await refresh();
  return { refresh };
}

function draw(view, data) {
  const { stats, events, jobs } = data;
  fill(
    view,
    h("h1", {}, "Overview"),
    health(jobs),
    stats ? figures(stats) : nothing("Counting…"),
    h(
      "div.columns",
      {},
      card("What waits", stats ? waiting(data) : nothing("Reading…")),
      card("Changed in the last 24 hours", stats ? changed(events) : nothing("Reading…")),
      card(
        "Newest",
        h(
          "ul.notes",
          {},
          data.notes.nodes.map((each) => noteRow(each)),
        ),
      ),
      stats && counts(stats),
    ),
  );
}

function figures(stats) {
  return h(
    "div.figures",
    {},
    figure(count(stats.totalNotes), "notes", to("notes")),
    figure(count(stats.entities), "entities", to("entities")),
    figure(count(stats.links), "links"),
    figure(bytes(stats.storageBytes), "stored"),
  );
}

function counts(stats) {
  return [
    card(
      "By domain",
      bars(rows(stats.byDomain, (domain) => to("notes", { domain })).slice(0, TOP)),
      Object.keys(stats.byDomain).length > TOP &&
        nothing(`and ${many(Object.keys(stats.byDomain).length - TOP, "more domain")}`),
    ),
    card("By status", bars(rows(stats.byStatus, (status) => to("notes", { status })))),
    card("By tier", bars(rows(stats.byTier, (tier) => to("notes", { tier })))),
    card("By readers", bars(rows(stats.byVisibility, (visibility) => to("notes", { visibility })))),
  ];
}

function rows(counts, href) {
  return Object.entries(counts)
    .sort(([, one], [, other]) => other - one)
    .map(([name, value]) => ({
      label: /^[A-Z_]+$/.test(name) ? plain(name) : name,
      value,
      href: href(name),
    }));
}

function figure(number, words, href) {
  const inside = [h("strong", {}, number), h("span", {}, words)];
  return href ? h("a.figure", { href }, inside) : h("span.figure", {}, inside);
}

function health(jobs) {
  const broken = (jobs ?? []).filter(({ lastRun }) => lastRun?.status === "FAILED");
  const names = broken.map(({ name }) => name).join(", ");
  const slow = lastAnswerMs() > SLOW_MS;
  const told = [`The service answers in ${count(Math.round(lastAnswerMs()))} ms.`];
  if (broken.length) told.push(`${many(broken.length, "job")} failed last time: ${names}.`);
  else if (jobs) told.push("No job failed last time.");
  return h(
    "p.health",
    { "data-tone": broken.length ? "bad" : slow ? "warn" : "good" },
    told.join(" "),
    " ",
    h("a", { href: to("health") }, "Health"),
  );
}

function changed(changes) {
  if (!changes) return h("p.wrong", {}, "Could not be read.");
  if (!changes.length) return nothing("Nothing changed.");
  const kinds = new Map();
  changes.forEach(({ type }) => kinds.set(type, (kinds.get(type) ?? 0) + 1));
  return [
    h(
      "p.quiet",
      {},
      changes.length === MOST ? `The newest ${MOST}: ` : "",
      [...kinds].map(([type, number]) => `${number} × ${plain(type)}`).join(", "),
    ),
    h(
      "ol.plain.events",
      {},
      runs(changes)
        .slice(0, 8)
        .map(({ event, times }) =>
          h(
            "li",
            {},
            badge(event.type),
            " ",
            h("span", {}, event.summary),
            times > 1 && ` (${times} times)`,
            " ",
            h("span.quiet", {}, event.actor, " · ", time(event.at)),
          ),
        ),
    ),
  ];
}

/** Equal events behind each other as the newest of them, with how often. */
function runs(changes) {
  const found = [];
  for (const event of changes) {
    const last = found.at(-1);
    if (last && ["type", "summary", "actor"].every((name) => last.event[name] === event[name]))
      last.times += 1;
    else found.push({ event, times: 1 });
  }
  return found;
}

export const page = { name: "overview", title: "Overview", show };
