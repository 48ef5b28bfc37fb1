// Numbers, times and words of the API as a person reads them.

const MINUTE = 60;
const STEPS = [
  ["year", 31536000],
  ["month", 2592000],
  ["day", 86400],
  ["hour", 3600],
  ["minute", MINUTE],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const whole = new Intl.NumberFormat("en");
const absolute = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });
const dated = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium" });

/** "3 hours ago", "in 2 days". */
export function ago(text, now = Date.now()) {
  const seconds = (Date.parse(text) - now) / 1000;
  const [unit, size] = STEPS.find(([, each]) => Math.abs(seconds) >= each) ?? ["minute", 0];
  return size
    ? relative.format(Math.trunc(seconds / size), unit)
    : seconds > 0
      ? "in a moment"
      : "just now";
}

/** Date and time in the time zone of the browser. */
export function when(text) {
  return text ? absolute.format(new Date(text)) : "–";
}

/** The date alone. */
export function day(text) {
  return text ? dated.format(new Date(text)) : "–";
}

/** A whole number with separators. */
export function count(number) {
  return whole.format(number);
}

/** "1 note", "3 notes". */
export function many(number, one, more = `${one}s`) {
  return `${count(number)} ${number === 1 ? one : more}`;
}

/** A share from 0 to 1 in per cent. */
export function percent(share) {
  return `${Math.round(share * 100)} %`;
}

/** Bytes in the unit that fits. */
export function bytes(number) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const step = number > 0 ? Math.min(Math.floor(Math.log10(number) / 3), 4) : 0;
  const size = number / 1000 ** step;
  return `${size.toFixed(step && size < 10 ? 1 : 0)} ${units[step]}`;
}

/** SHORT_TERM as "short term". */
export function plain(word) {
  return String(word ?? "")
    .replaceAll("_", " ")
    .toLowerCase();
}

/** A note in few words: its title, else how it begins. */
export function titleOf(note, length = 90) {
  const text = (note.title || note.content || "").trim().replace(/\s+/g, " ");
  return text.length > length ? `${text.slice(0, length - 1)}…` : text || "(no text)";
}
