// Jobs: what is done by itself, when, and with which outcome.

import { ask } from "../api.js";
import { fill, h } from "../dom.js";
import { attempt, badge, card, nothing, table, time, toast } from "../parts.js";
import { count, plain } from "../words.js";
import { inWords } from "./times.js";

const JOBS = `{
  jobs {
    name cron timeZone description nextRunAt
    lastRun { id status startedAt finishedAt counts error }
  }
  jobRuns(first: 25) { id job startedAt finishedAt status counts error }
}`;
const RUN = "mutation Run($name: String!) { runJob(name: $name) { id status } }";
const CANCEL = "mutation Cancel($id: ID!) { cancelRun(id: $id) { id status } }";
const LOOK_MS = 3000; // how often a run that goes on is looked at

async function show(view, params, signal) {
  const refresh = async () => {
    const data = await ask(JOBS, {}, { signal });
    if (signal.aborted) return;
    draw(view, data, refresh);
    if (data.jobRuns.some((run) => run.status === "RUNNING"))
      setTimeout(() => signal.aborted || refresh().catch(() => {}), LOOK_MS);
  };
  await refresh();
  return { refresh };
}

function draw(view, { jobs, jobRuns }, refresh) {
  fill(
    view,
    h("h1", {}, "Jobs"),
    card(
      "Jobs",
      table(
        [
          {
            name: "Job",
            of: (job) => [h("strong", {}, plain(job.name)), h("p.quiet", {}, job.description)],
          },
          {
            name: "When",
            of: (job) => h("span", { title: `${job.cron} (${job.timeZone})` }, inWords(job.cron)),
          },
          { name: "Next", of: (job) => time(job.nextRunAt) },
          { name: "Last", of: (job) => (job.lastRun ? outcome(job.lastRun) : nothing("not yet")) },
          { name: "Run", of: (job) => button(job, refresh) },
        ],
        jobs,
      ),
    ),
    card(
      "Newest runs",
      table(
        [
          { name: "Job", of: (run) => plain(run.job) },
          { name: "Began", of: (run) => time(run.startedAt) },
          { name: "Took", number: true, of: (run) => took(run) },
          { name: "Outcome", of: (run) => outcome(run, false) },
        ],
        jobRuns,
      ),
    ),
  );
}

function button(job, refresh) {
  const running = job.lastRun?.status === "RUNNING";
  const run = () =>
    attempt(() => ask(RUN, { name: job.name })).then((done) => {
      if (done) toast(`${plain(job.name)} begins.`);
      return refresh();
    });
  const stop = () => attempt(() => ask(CANCEL, { id: job.lastRun.id })).then(refresh);
  return h(
    "button",
    {
      type: "button",
      onclick: running ? stop : run,
      "aria-label": `${running ? "Stop" : "Run now"}: ${plain(job.name)}`,
    },
    running ? "Stop" : "Run now",
  );
}

function outcome(run, dated = true) {
  const counts = Object.entries(run.counts ?? {}).filter(([, value]) => value);
  return [
    badge(run.status),
    dated && [" ", time(run.startedAt)],
    counts.length > 0 &&
      h("p.quiet.counts", {}, counts.map(([name, value]) => `${spaced(name)} ${value}`).join(", ")),
    run.error && h("p.wrong", {}, run.error),
  ];
}

function spaced(name) {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function took({ startedAt, finishedAt }) {
  if (!finishedAt) return "–";
  const seconds = (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000;
  return seconds < 1 ? "under 1 s" : `${count(Math.round(seconds))} s`;
}

export const page = { name: "jobs", title: "Jobs", show };
