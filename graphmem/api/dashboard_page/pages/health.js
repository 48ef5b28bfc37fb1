// Health: how the memory of who asks is, and, for admins, how the service is.

import { ask, lastAnswerMs } from "../api.js";
import { fill, h } from "../dom.js";
import { badge, bars, card, facts, nothing, table } from "../parts.js";
import { to } from "../route.js";
import { waiting, WAITS } from "../waiting.js";
import { bytes, count, many, plain } from "../words.js";

const LOOK_MS = 15000; // how often the service is looked at
const MEMORY = "{ stats { totalNotes byStatus entities links storageBytes } }";
const TIMES = "name count failures medianMs p95Ms";
const SERVICE = `{
  health {
    version uptimeS model dimension
    database { version nodes relationships building }
    operations { ${TIMES} } stages { ${TIMES} }
    lagMs queues connectionsInUse connectionsMost subscribers
    parts { name version license }
  }
  jobs { name lastRun { status } }
}`;
const SLOW_MS = 2000;
const LATE_MS = 250;
const FULL = 0.9;

async function show(view, params, signal) {
  const refresh = async () => {
    const maybe = (query) => ask(query, {}, { signal }).catch(() => ({}));
    const service = await ask(SERVICE, {}, { signal }).catch(forOthers);
    const isFirst = !view.querySelector("h1");
    if (isFirst && !signal.aborted) draw(view, service); // to count a large memory takes a while
    const [{ stats }, ...parts] = await Promise.all([
      ask(MEMORY, {}, { signal }),
      ...Object.values(WAITS).map(maybe),
    ]);
    if (!signal.aborted) draw(view, service, stats, Object.assign({}, ...parts));
  };
  await refresh();
  const timer = setInterval(() => document.hidden || refresh().catch(() => {}), LOOK_MS);
  signal.addEventListener("abort", () => clearInterval(timer));
  return { refresh };
}

/** What is known of the service to who is no admin: nothing. */
function forOthers(error) {
  if (error.code === "FORBIDDEN") return null;
  throw error;
}

function draw(view, service, stats = null, waits = {}) {
  const answer = `The service answers in ${count(Math.round(lastAnswerMs()))} ms.`;
  const troubles = service ? troublesOf(service) : [];
  const tone = troubles.length ? "bad" : lastAnswerMs() > SLOW_MS ? "warn" : "good";
  fill(
    view,
    h("h1", {}, "Health"),
    h("p.health", { "data-tone": tone }, [answer, ...troubles].join(" ")),
    h(
      "div.columns",
      {},
      card("Notes by status", stats ? bars(byStatus(stats)) : nothing("Counting…")),
      card("What waits", stats ? waiting(waits) : nothing("Reading…")),
      card("This memory", stats ? facts(sizes(stats)) : nothing("Counting…")),
      service && parts(service.health),
    ),
    service ? tables(service.health) : nothing("How the service itself is, is for admins to see."),
  );
}

function troublesOf({ health, jobs }) {
  const failed = jobs.filter(({ lastRun }) => lastRun?.status === "FAILED");
  const { database, lagMs, connectionsInUse, connectionsMost } = health;
  return [
    failed.length && `Jobs that failed last time: ${failed.map((job) => job.name).join(", ")}.`,
    database.building.length && `Indexes that can't be used yet: ${database.building.join(", ")}.`,
    lagMs > LATE_MS && `The process is too busy: answers wait up to ${count(lagMs)} ms.`,
    connectionsInUse >= FULL * connectionsMost && "Nearly all connections to Neo4j are in use.",
  ].filter(Boolean);
}

function byStatus({ byStatus: counts }) {
  return Object.entries(counts)
    .sort(([, one], [, other]) => other - one)
    .map(([status, value]) => ({ label: plain(status), value, href: to("notes", { status }) }));
}

function sizes(stats) {
  return [
    ["Notes", count(stats.totalNotes)],
    ["Entities", count(stats.entities)],
    ["Links", count(stats.links)],
    ["Stored", bytes(stats.storageBytes)],
  ];
}

function parts(health) {
  const { database } = health;
  const nodes = Object.entries(database.nodes).sort(([, one], [, other]) => other - one);
  return [
    card(
      "The service",
      facts([
        ["Version", health.version],
        ["Runs for", lasting(health.uptimeS)],
        ["Model", `${health.model}, ${health.dimension} dimensions`],
        [
          "Event loop",
          health.lagMs === null ? "not measured" : `late by ${health.lagMs} ms at most`,
        ],
        ["Followers", many(health.subscribers, "stream of changes", "streams of changes")],
      ]),
    ),
    card(
      "Neo4j",
      facts([
        ["Version", database.version],
        ["Connections", `${health.connectionsInUse} of ${health.connectionsMost} in use`],
        ["Relationships", count(database.relationships)],
        ["Indexes", database.building.length ? badge("building") : "all can be used"],
      ]),
    ),
    card(
      "What waits in this process",
      bars(Object.entries(health.queues).map(([name, value]) => ({ label: plain(name), value }))),
    ),
    card("Nodes of everybody", bars(nodes.map(([label, value]) => ({ label, value })))),
  ];
}

function tables(health) {
  return [
    card("Time of operations since the start", times(health.operations)),
    card("Stages of recalls", times(health.stages, false)),
    card(
      "What it is made of",
      table(
        [
          { name: "Part", of: (part) => part.name },
          { name: "Version", of: (part) => part.version },
          { name: "Licence", of: (part) => part.license },
        ],
        health.parts,
      ),
    ),
  ];
}

function times(rows, failing = true) {
  if (!rows.length) return nothing("Nothing yet.");
  return table(
    [
      { name: "What", of: (row) => row.name },
      { name: "Times", number: true, of: (row) => count(row.count) },
      failing && { name: "Failed", number: true, of: (row) => count(row.failures) },
      { name: "Half within", number: true, of: (row) => within(row.medianMs) },
      { name: "95 % within", number: true, of: (row) => within(row.p95Ms) },
    ].filter(Boolean),
    rows,
  );
}

function within(milliseconds) {
  return milliseconds === null ? "over 10 s" : `${milliseconds} ms`;
}

function lasting(seconds) {
  const [size, unit] = [
    [86400, "day"],
    [3600, "hour"],
    [60, "minute"],
  ].find(([each]) => seconds >= each) ?? [1, "second"];
  return many(Math.floor(seconds / size), unit);
}

export const page = { name: "health", title: "Health", show };
