// Agents: who they are, what they may do and know, and what the next prompt of one would get.

import { ask } from "../api.js";
import { fill, h } from "../dom.js";
import { badge, bars, card, facts, failure, field, filled, nothing, time } from "../parts.js";
import { go, to } from "../route.js";
import { chosen, withKeys } from "../who.js";
import { count, many, percent, plain } from "../words.js";

const AGENTS = `{ viewer { agent { id } } agents {
  id name role domains canSeePrivate writes status currentTask noteCount lastActiveAt
  expertise { topic confidence evidence successes failures }
} }`;
const DEFAULT = "{ defaultAgentMemory { domains canSeePrivate } }";
const CORE = "{ coreMemory { tokenCount tokenCap blocks { name text tokenBudget pinned } } }";
const CONTEXT = `query Context($input: ContextInput!) {
  context(input: $input) { text tokenCount confidence suggestedScope suggestedDomains }
}`;
const TOP = 8;

async function show(view, params, signal) {
  const refresh = async () => {
    const { viewer, agents } = await ask(AGENTS, {}, { signal });
    if (signal.aborted) return;
    const one = agents.find((each) => each.id === params.id);
    if (one) drawOne(view, one, viewer.agent?.id === one.id, params, signal);
    else {
      const others = viewer.agent ? null : await ask(DEFAULT, {}, { signal });
      if (signal.aborted) return;
      fill(view, h("h1", {}, "Agents"), list(agents), others && unlisted(others));
    }
  };
  await refresh();
  return params.id ? null : { refresh };
}

function list(agents) {
  if (!agents.length) return nothing("No agent is known yet. One is set up with registerAgent.");
  return h(
    "div.columns",
    {},
    agents.map((each) =>
      h(
        "section.card",
        {},
        h("h2", {}, h("a", { href: to("agents", { id: each.id }), "data-item": true }, each.name)),
        profile(each),
      ),
    ),
  );
}

/** What an agent may read that nobody has set up. */
function unlisted({ defaultAgentMemory }) {
  return card("Agents without a profile of their own", facts(rights(defaultAgentMemory)));
}

function rights({ domains, canSeePrivate }) {
  return [
    ["Domains", domains.map((each) => (each === "*" ? "all" : each)).join(", ")],
    ["Private notes", canSeePrivate ? "may see them" : "may not see them"],
  ];
}

function profile(agent) {
  return facts([
    ["Id", h("code", {}, agent.id)],
    ["Role", badge(agent.role)],
    [
      "Writes",
      { DIRECT: "by itself", PROPOSE: "only proposes", AUTO_COMMIT: "by itself, where it is sure" }[
        agent.writes
      ] ?? plain(agent.writes),
    ],
    ...rights(agent),
    ["Notes", h("a", { href: to("notes", { author: agent.id }) }, count(agent.noteCount))],
    ["Status", agent.currentTask ? `${agent.status}: ${agent.currentTask}` : agent.status],
    ["Last active", time(agent.lastActiveAt)],
  ]);
}

function drawOne(view, agent, isViewer, params, signal) {
  const { user } = chosen();
  const known = agent.expertise.slice(0, TOP).map((each) => ({
    label: each.topic,
    value: each.confidence,
    shown: percent(each.confidence),
  }));
  const preview = h("div", {});
  fill(
    view,
    h("p.under", {}, h("a", { href: to("agents") }, "All agents")),
    h("h1", {}, agent.name),
    h("p.under", {}, h("a", { href: to("graph", { kind: "AGENT", of: agent.id }) }, "Graph")),
    h(
      "div.columns",
      {},
      card("Profile", profile(agent)),
      card(
        "What it knows about",
        bars(known, 1),
        agent.expertise.length > TOP &&
          nothing(`and ${many(agent.expertise.length - TOP, "more topic")}`),
      ),
    ),
    preview,
  );
  if (isViewer) drawPreview(preview, params, signal);
  else
    fill(
      preview,
      card(
        "What its next prompt gets",
        withKeys
          ? nothing("Sign in with a key of this agent to see it.")
          : h(
              "p",
              {},
              h(
                "a",
                { href: to("agents", { id: agent.id }, { user, agent: agent.id }) },
                "Look as this agent",
              ),
              h(
                "span.quiet",
                {},
                ": all is shown as it may read, and this page shows what its next prompt gets.",
              ),
            ),
      ),
    );
}

async function drawPreview(preview, params, signal) {
  const context = h("div", { "aria-live": "polite" });
  const core = h("div", {}, nothing("Reading…"));
  const take = (event) => {
    event.preventDefault();
    go(to("agents", { id: params.id, ...filled(event.target) }));
  };
  fill(
    preview,
    h("section.card", {}, h("h2", {}, "Core memory"), core),
    h(
      "section.card",
      {},
      h("h2", {}, "Context of a task"),
      h(
        "form.stack",
        { onsubmit: take },
        field("Task", "task", params.task, {
          "data-search": true,
          placeholder: "Answer the college's order",
        }),
        h("button.main", {}, "Show"),
      ),
      context,
    ),
  );
  await part(core, signal, async () => blocks((await ask(CORE, {}, { signal })).coreMemory));
  if (params.task) {
    fill(context, nothing("Asking…"));
    await part(context, signal, async () =>
      packed((await ask(CONTEXT, { input: { task: params.task } }, { signal })).context),
    );
  }
}

async function part(place, signal, draw) {
  try {
    fill(place, await draw());
  } catch (error) {
    if (!signal.aborted)
      fill(
        place,
        failure(error, () => part(place, signal, draw)),
      );
  }
}

function blocks(core) {
  const size = (text) => Math.ceil(text.length / 4); // nearly what a model counts
  return [
    h("p.quiet", {}, `${count(core.tokenCount)} of at most ${count(core.tokenCap)} tokens`),
    bars(
      core.blocks.map((each) => ({
        label: each.name,
        value: size(each.text),
        shown: `about ${size(each.text)} of ${each.tokenBudget}`,
      })),
      Math.max(...core.blocks.map((each) => each.tokenBudget), 1),
    ),
    core.blocks
      .filter((each) => each.text)
      .map((each) => [h("h3", {}, plain(each.name)), h("div.content", {}, each.text)]),
  ];
}

function packed(context) {
  return [
    h(
      "p.quiet",
      {},
      `${count(context.tokenCount)} tokens, confidence ${percent(context.confidence)}`,
      context.suggestedDomains.length > 0 &&
        `, most of it of ${context.suggestedDomains.join(", ")}`,
    ),
    h("div.content", {}, context.text),
  ];
}

export const page = { name: "agents", title: "Agents", show };
