// Rows as comma-separated values.

// By its first character a spreadsheet knows that the text is UTF-8.
const MARK = "\ufeff";
// Where a formula could begin: also behind a `;`, which some take for the end of a cell, and with
// the wide signs of East Asian keyboards.
const FORMULA = /(^|;)(?=["'\s]*[=+\-@＝＋－＠]|[\t\r])/g;

/** The text of a file; what a spreadsheet would take for a formula gets a quote before. */
export function csv(rows) {
  const names = Object.keys(rows[0] ?? {});
  const lines = rows.map((row) => names.map((name) => cell(row[name])).join(","));
  return MARK + [names.join(","), ...lines].join("\r\n");
}

function cell(value) {
  const safe = String(value ?? "").replace(FORMULA, "$1'");
  return `"${safe.replaceAll('"', '""')}"`;
}
