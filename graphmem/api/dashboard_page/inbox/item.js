// What the kinds of things that wait have in common.

import { changesOf, words } from "../difference.js";
import { h } from "../dom.js";

/** Something to decide, which keys can choose. */
export function item(label, ...inside) {
  return h("li.card", { "data-item": true, tabindex: "0", "aria-label": label }, inside);
}

/** A button; `kind` are classes: `yes`, `no` and `later` are pressed by keys. */
export function button(words, act, kind = "") {
  const press = (event) => once(event.currentTarget.closest("[data-item]"), act);
  return h(`button${kind && `.${kind}`}`, { type: "button", onclick: press }, words);
}

/** Decide about an item; till that is done, its buttons take no second decision. */
async function once(item, act) {
  const buttons = [...item.querySelectorAll("button")];
  // A button that takes nothing loses the focus, and the place in the list with it.
  if (item.contains(document.activeElement)) item.focus({ preventScroll: true });
  buttons.forEach((each) => (each.disabled = true));
  try {
    await act();
  } finally {
    buttons.forEach((each) => (each.disabled = false));
  }
}

/** A text with what it changes of another one. */
export function difference(before, after) {
  const tags = { gone: "del", come: "ins", same: "span" };
  return h(
    "p.content",
    {},
    changesOf(words(before), words(after)).map(({ kind, text }) => h(tags[kind], {}, text)),
  );
}
