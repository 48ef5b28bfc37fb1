// Single keys. They do nothing while a field has the focus, and can be switched off.

import { byId, fill, h, isTyping } from "./dom.js";

const OFF = "graphmem.keys";
const GENERAL = [
  ["/", "search, or ask"],
  ["j  k", "next, previous"],
  ["Enter", "open what is chosen"],
  ["Esc", "close the note"],
  ["1 – 9", "go to a page"],
  ["?", "this help"],
];

/** Call `act(key, held)` for each single key; `held` if it is one that stays pressed. */
export function listen(act) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (document.querySelector("dialog[open]")) return;
    if (event.key === "Escape" || (areOn() && !isTyping(event.target))) {
      if (act(event.key, event.repeat)) event.preventDefault();
    }
  });
}

function areOn() {
  return localStorage.getItem(OFF) !== "off";
}

/** Move the focus among what is listed on the page, by so many places. */
export function move(steps) {
  const rows = [...byId("main").querySelectorAll("[data-note] .open, [data-item]")];
  if (!rows.length) return false;
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next =
    at < 0 ? (steps > 0 ? 0 : rows.length - 1) : Math.max(0, Math.min(at + steps, rows.length - 1));
  rows[next].focus();
  rows[next].scrollIntoView({ block: "nearest" });
  return true;
}

/** Show which keys there are; `own` are those of this page. */
export function help(own = []) {
  const dialog =
    byId("help") ?? document.body.appendChild(h("dialog", { id: "help", "aria-label": "Keys" }));
  const keep = ({ target }) => localStorage.setItem(OFF, target.checked ? "on" : "off");
  fill(
    dialog,
    h("h2", {}, "Keys"),
    h(
      "dl.facts",
      {},
      [...GENERAL, ...own].map(([key, words]) => [
        h("dt", {}, h("kbd", {}, key)),
        h("dd", {}, words),
      ]),
    ),
    h(
      "label.check",
      {},
      h("input", { type: "checkbox", checked: areOn(), onchange: keep }),
      " Single keys are on",
    ),
    h("p", {}, h("button", { type: "button", onclick: () => dialog.close() }, "Close")),
  );
  dialog.showModal();
}
