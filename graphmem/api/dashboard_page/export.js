// Files of what a table shows, made in the browser.

import { csv } from "./csv.js";
import { h } from "./dom.js";
import { attempt, toast } from "./parts.js";

/** Links that save rows as CSV or JSON; `read` gives all rows, as objects of plain values. */
export function offerFiles(name, read) {
  const save = async (kind) => {
    const rows = await attempt(read);
    if (!rows) return;
    const text = kind === "csv" ? csv(rows) : JSON.stringify(rows, null, 2);
    download(`${name}.${kind}`, text, kind === "csv" ? "text/csv" : "application/json");
    toast(`Saved ${rows.length} rows.`);
  };
  return h(
    "span.files",
    {},
    ["csv", "json"].map((kind) =>
      h(
        "button.plain",
        { type: "button", onclick: () => save(kind) },
        `Save ${kind.toUpperCase()}`,
      ),
    ),
  );
}

function download(name, text, type) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  h("a", { href: address, download: name }).click();
  URL.revokeObjectURL(address);
}
