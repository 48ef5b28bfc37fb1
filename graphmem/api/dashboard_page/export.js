// Files of what a table shows, made in the browser.

import { csv } from "./csv.js";
import { h } from "./dom.js";
import { attempt, toast } from "./parts.js";
import { many } from "./words.js";

/** Links that save rows as CSV or JSON; `read` gives `rows`, of plain values, and if it `isAll`. */
export function offerFiles(name, read) {
  const save = async (kind) => {
    const found = await attempt(read);
    if (!found) return;
    const { rows, isAll } = found;
    const text = kind === "csv" ? csv(rows) : JSON.stringify(rows, null, 2);
    download(`${name}.${kind}`, [text], kind === "csv" ? "text/csv" : "application/json");
    const told = `Saved ${many(rows.length, "row")}`;
    toast(isAll ? `${told}.` : `${told}. There are more, which the file does not have.`);
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

/** Save a file made of texts or bytes. */
export function download(name, parts, type) {
  const address = URL.createObjectURL(new Blob(parts, { type }));
  h("a", { href: address, download: name }).click();
  URL.revokeObjectURL(address);
}
