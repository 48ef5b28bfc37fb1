// A question that is answered before something is done.

import { h } from "./dom.js";
import { filled } from "./parts.js";

/** Ask in a dialog, with `words` on the button that does it; gives what was filled in, or null. */
export function askFirst(title, words, ...inside) {
  return new Promise((resolve) => {
    const end = (given) => {
      dialog.close();
      dialog.remove();
      resolve(given);
    };
    const take = (event) => {
      event.preventDefault();
      end(filled(event.target));
    };
    const leave = (event) => {
      event.preventDefault();
      end(null);
    };
    const dialog = h(
      "dialog",
      { "aria-label": title, oncancel: leave },
      h(
        "form.stack",
        { onsubmit: take },
        h("h2", {}, title),
        inside,
        h(
          "p.buttons",
          {},
          h("button.main", {}, words),
          h("button", { type: "button", onclick: leave }, "Cancel"),
        ),
      ),
    );
    document.body.append(dialog);
    dialog.showModal();
  });
}
