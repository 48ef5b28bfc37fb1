// Rows as comma-separated values.

/** The text of a file; a cell that a spreadsheet would take for a formula gets a quote before. */
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
