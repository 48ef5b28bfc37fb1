// What pages are put together from.

import { isAborted } from "./api.js";
import { byId, h } from "./dom.js";
import { also, to } from "./route.js";
import { ago, count, percent, plain, titleOf, when } from "./words.js";

const TOAST_MS = 12000;
const TONES = {
  ACTIVE: "good",
  APPLIED: "good",
  COMMITTED: "good",
  DONE: "good",
  CONFIRMED: "good",
  FADING: "warn",
  PENDING: "warn",
  DEFERRED: "warn",
  AWAITING_OWNER: "warn",
  AWAITING_ORCHESTRATOR: "warn",
  RUNNING: "warn",
  CANCELLED: "warn",
  CONFLICT: "bad",
  REJECTED: "bad",
  FAILED: "bad",
  DEPRECATED: "bad",
  PRIVATE: "shut",
  USER_ONLY: "shut",
  QUARANTINED: "bad",
};

/** A section with a heading. */
export function card(title, ...children) {
  return h("section.card", {}, h("h2", {}, title), children);
}

/** A word of the API in a coloured frame. */
export function badge(word, title) {
  return h("span.badge", { "data-tone": TONES[word] ?? "plain", title }, plain(word));
}

/** An instant as "3 days ago", with the date at hand. */
export function time(text) {
  return text
    ? h("time.ago", { datetime: text, title: when(text) }, ago(text))
    : h("span.quiet", {}, "–");
}

/** Renew how long ago everything on the page was. */
export function renewTimes() {
  for (const each of document.querySelectorAll("time.ago")) each.textContent = ago(each.dateTime);
}

/** What is said where there is nothing. */
export function nothing(...text) {
  return h("p.quiet", {}, text);
}

/** A failure, with a way to try again. */
export function failure(error, again) {
  const words = {
    FORBIDDEN: "This viewer may not see this.",
    UNAUTHENTICATED: "The key is not valid, or no longer.",
    UNREACHABLE: "The service does not answer. Is it running?",
  };
  return h(
    "div.failure",
    { role: "alert" },
    h("p", {}, words[error.code] ?? error.message),
    h("p.quiet", {}, [error.code ?? "ERROR", words[error.code] && `: ${error.message}`]),
    again && h("button", { type: "button", onclick: again }, "Try again"),
  );
}

/** Rows of a name, a bar and a number; rows: `{ label, value, href?, shown? }`. */
export function bars(rows, most = Math.max(...rows.map((row) => Math.abs(row.value)), 0)) {
  if (!rows.length) return nothing("Nothing yet.");
  return h(
    "ul.bars",
    {},
    rows.map(({ label, value, href, shown }) => {
      const size = most ? Math.min(Math.abs(value) / most, 1) : 0;
      const inside = [
        h("span.name", { title: label }, label),
        h("span.bar", { css: { "--size": size }, "data-below": value < 0 }),
        h("span.number", {}, shown ?? count(value)),
      ];
      return h("li", {}, href ? h("a", { href }, inside) : h("span.row", {}, inside));
    }),
  );
}

/** A share from 0 to 1 as a bar with its number. */
export function share(value, label) {
  return h(
    "span.share",
    { title: label },
    h("span.bar", { css: { "--size": Math.max(0, Math.min(value, 1)) } }),
    percent(value),
  );
}

/** The marks of a note in a list. */
export function marks(note) {
  return h(
    "span.marks",
    {},
    note.status && note.status !== "ACTIVE" && badge(note.status),
    note.pinned && badge("pinned"),
    note.visibility && badge(note.visibility),
    note.domain && h("span.domain", {}, note.domain),
  );
}

/** What `noteRow` shows of a note, for a query. */
export const NOTE_FIELDS =
  "id title content domain visibility status pinned createdAt author { name }";

/** A note in a list; it opens beside the page. */
export function noteRow(note, ...more) {
  return h(
    "li.note",
    { "data-note": note.id },
    h("a.open", { href: also({ note: note.id }) }, titleOf(note)),
    note.title && h("p.text", {}, titleOf({ content: note.content }, 220)),
    h(
      "p.under",
      {},
      marks(note),
      note.author && h("span", {}, note.author.name),
      time(note.createdAt),
    ),
    more,
  );
}

/** A link to an entity. */
export function entityLink(entity) {
  return h("a.chip", { href: to("entities", { id: entity.id }), title: entity.type }, entity.name);
}

/** A field with its name; `options` are values or [value, words]. */
export function choice(label, name, options, value) {
  return h(
    "label",
    {},
    label,
    h(
      "select",
      { name },
      options.map((each) => {
        const [given, words] = Array.isArray(each) ? each : [each, each ? plain(each) : "any"];
        return h("option", { value: given, selected: given === (value ?? "") }, words);
      }),
    ),
  );
}

/** A field for text; `more` are further attributes. */
export function field(label, name, value = "", more = {}) {
  return h(
    "label",
    {},
    label,
    h("input", { name, value, autocomplete: "off", spellcheck: "false", ...more }),
  );
}

/** The field of a page for words, to which the key `/` goes, with a button if it has words. */
export function searchLine(name, value, placeholder, words) {
  return h(
    "p.question",
    {},
    h("input", {
      name,
      type: "search",
      value: value ?? "",
      placeholder,
      "aria-label": placeholder,
      "data-search": true,
      autocomplete: "off",
    }),
    words && h("button.main", {}, words),
  );
}

/** The fields of a form that are filled in, by name. */
export function filled(form) {
  const boxes = [...form.elements].filter((each) => each.name);
  return Object.fromEntries(
    boxes.map((each) => [
      each.name,
      each.type === "checkbox" ? (each.checked ? "1" : "") : each.value.trim(),
    ]),
  );
}

/** A table; columns: `{ name, of(row), number? }`. */
export function table(columns, rows) {
  const cell = (column, row) =>
    h("td", { "data-name": column.name, class: column.number && "number" }, column.of(row));
  return h(
    "div.scroll",
    { tabindex: 0 }, // so that it scrolls by keyboard, too
    h(
      "table",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          columns.map((column) =>
            h("th", { scope: "col", class: column.number && "number" }, column.name),
          ),
        ),
      ),
      h(
        "tbody",
        {},
        rows.map((row) =>
          h(
            "tr",
            {},
            columns.map((column) => cell(column, row)),
          ),
        ),
      ),
    ),
  );
}

/** Names with values, one a line; pairs whose value is null are left out. */
export function facts(pairs) {
  const given = pairs.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return h(
    "dl.facts",
    {},
    given.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
  );
}

/** Tell something for a moment; `action` is `[words, what to do]`, such as to undo it. */
export function toast(text, action) {
  const shown = h("p.toast", {}, h("span", {}, text));
  const end = () => shown.remove();
  const timer = setTimeout(end, TOAST_MS);
  if (action) {
    const [words, run] = action;
    const act = () => {
      clearTimeout(timer);
      end();
      run();
    };
    shown.append(h("button", { type: "button", onclick: act }, words));
  }
  shown.append(h("button.plain", { type: "button", onclick: end, "aria-label": "Close" }, "×"));
  byId("toasts").append(shown);
}

/** Do something that may be refused, and say so, except to somebody else; gives null then. */
export async function attempt(doing) {
  try {
    return await doing();
  } catch (error) {
    if (!isAborted(error)) toast(error.message);
    return null;
  }
}
