// Inbox: what waits for a decision, beside what it would change.

import { ask } from "../api.js";
import { fill, h } from "../dom.js";
import { conflicts } from "../inbox/conflicts.js";
import { copies } from "../inbox/copies.js";
import { files } from "../inbox/files.js";
import { names } from "../inbox/names.js";
import { proposals } from "../inbox/proposals.js";
import { reflections } from "../inbox/reflections.js";
import { count } from "../words.js";

// Keys decide nothing for so long after something else took the place of what one looked at.
const STILL_MS = 500;
const SOURCES = [proposals, conflicts, copies, reflections, names, files];

async function show(view, params, signal) {
  const list = h("div", {});
  fill(
    view,
    h("h1", {}, "Inbox"),
    h(
      "p.quiet.hint",
      {},
      "Choose with ",
      h("kbd", {}, "j"),
      " ",
      h("kbd", {}, "k"),
      ", accept with ",
      h("kbd", {}, "y"),
      ", refuse with ",
      h("kbd", {}, "n"),
      ".",
    ),
    list,
  );
  let drawn = "";
  const still = { until: performance.now() + STILL_MS };
  const refresh = async () => {
    const found = await Promise.all(
      SOURCES.map(({ query }) => ask(query, {}, { signal }).catch((error) => ({ error }))),
    );
    if (signal.aborted) return;
    if (found.every(({ error }) => error)) throw found[0].error;
    const now = JSON.stringify(found);
    if (now === drawn) return; // what was ticked meanwhile stays
    drawn = now;
    keepingPlace(list, () => fill(list, sections(found, refresh)));
    still.until = performance.now() + STILL_MS;
  };
  await refresh();
  return {
    refresh,
    keys: {
      y: () => press(list, ".yes", still),
      n: () => press(list, ".no", still),
      d: () => press(list, ".later", still),
    },
  };
}

function press(list, which, still) {
  if (performance.now() < still.until) return false;
  const item = document.activeElement?.closest("[data-item]");
  const button = item && list.contains(item) ? item.querySelector(which) : null;
  if (!button || button.disabled) return false;
  button.click();
  return true;
}

/** Draw anew, and put the focus on what comes at the place of what was decided. */
function keepingPlace(list, draw) {
  const at = [...list.querySelectorAll("[data-item]")].findIndex((item) =>
    item.contains(document.activeElement),
  );
  draw();
  const items = [...list.querySelectorAll("[data-item]")];
  if (at >= 0) items[Math.min(at, items.length - 1)]?.focus();
}

function sections(found, refresh) {
  const all = SOURCES.map(({ title, rows, draw }, place) => {
    const { error } = found[place];
    if (error) return unread(title, error);
    const waiting = rows(found[place]);
    return waiting.length > 0 && section(title, waiting, (each) => draw(each, refresh));
  }).filter(Boolean);
  return all.length ? all : h("p.card", {}, "Nothing waits for a decision.");
}

function unread(title, error) {
  return h(
    "section.inbox",
    {},
    h("h2", {}, title),
    h("p.wrong", {}, `Could not be read: ${error.message}`),
  );
}

function section(title, rows, draw) {
  return (
    rows.length > 0 &&
    h(
      "section.inbox",
      {},
      h("h2", {}, title, h("span.quiet", {}, ` ${count(rows.length)}`)),
      h("ul.plain.items", {}, rows.map(draw)),
    )
  );
}

export const page = {
  name: "inbox",
  title: "Inbox",
  show,
  keys: [
    ["y", "accept what is chosen"],
    ["n", "refuse it"],
    ["d", "decide it later"],
  ],
};
