// Files of what a table shows, made in the browser.

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
  return h("span.files", {}, ["csv", "json"].map((kind) =>
    h("button.plain", { type: "button", onclick: () => save(kind) }, `Save ${kind.toUpperCase()}`)));
}

/** Comma-separated values. A cell that a spreadsheet would take for a formula gets a quote before. */
export function csv(rows) {
  const names = Object.keys(rows[0] ?? {});
  const lines = rows.map((row) => names.map((name) => cell(row[name])).join(","));
  return [names.join(","), ...lines].join("\r\n");
}

function cell(value) {
  const text = String(value ?? "");
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}

function download(name, text, type) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  h("a", { href: address, download: name }).click();
  URL.revokeObjectURL(address);
}
