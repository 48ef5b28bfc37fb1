// Inbox: what waits for a decision, beside what it would change.

import { ask } from "../api.js";
import { fill, h } from "../dom.js";
import { conflicts } from "../inbox/conflicts.js";
import { copies } from "../inbox/copies.js";
import { files } from "../inbox/files.js";
import { names } from "../inbox/names.js";
import { proposals } from "../inbox/proposals.js";
import { quarantined } from "../inbox/quarantined.js";
import { reflections } from "../inbox/reflections.js";
import { nothing } from "../parts.js";
import { count } from "../words.js";

// Keys decide nothing for so long after something else took the place of what one looked at.
const STILL_MS = 500;
const SOURCES = [proposals, quarantined, conflicts, copies, reflections, names, files];

async function show(view, params, signal) {
  const slots = SOURCES.map(() => h("div", {}));
  const message = h("div", {}, nothing("Reading…"));
  const list = h("div", {}, slots);
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
    message,
    list,
  );
  const drawn = [];
  const still = { until: performance.now() + STILL_MS };
  // What did not change stays, with what was ticked in it.
  const draw = (found, place) => {
    const now = JSON.stringify([found, found.error?.message]);
    if (now === drawn[place]) return;
    drawn[place] = now;
    keepingPlace(list, () => fill(slots[place], section(SOURCES[place], found, refresh)));
    still.until = performance.now() + STILL_MS;
  };
  let last = 0;
  const refresh = async () => {
    const turn = ++last;
    const reading = SOURCES.map(({ query }) =>
      ask(query, {}, { signal }).catch((error) => ({ error })),
    );
    const found = [];
    // Each is drawn below the others when it is there: nothing moves under the pointer.
    for (const [place, each] of reading.entries()) {
      found.push(await each);
      if (signal.aborted || turn !== last) return; // a later look has begun
      draw(found[place], place);
    }
    if (found.every(({ error }) => error)) throw found[0].error;
    const isEmpty = slots.every((slot) => !slot.hasChildNodes());
    fill(message, isEmpty && h("p.card", {}, "Nothing waits for a decision."));
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

/** Draw a part again; the focus stays in it. */
function keepingPlace(list, draw) {
  const at = [...list.querySelectorAll("[data-item]")].findIndex((item) =>
    item.contains(document.activeElement),
  );
  draw();
  if (at < 0 || list.contains(document.activeElement)) return;
  const items = [...list.querySelectorAll("[data-item]")];
  items[Math.min(at, items.length - 1)]?.focus();
}

function section({ title, rows, draw }, found, refresh) {
  const inside = (...children) => h("section.inbox", {}, ...children);
  if (found.error)
    return inside(
      h("h2", {}, title),
      h("p.wrong", {}, `Could not be read: ${found.error.message}`),
    );
  const waiting = rows(found);
  return (
    waiting.length > 0 &&
    inside(
      h("h2", {}, title, h("span.quiet", {}, ` ${count(waiting.length)}`)),
      h(
        "ul.plain.items",
        {},
        waiting.map((each) => draw(each, refresh)),
      ),
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
