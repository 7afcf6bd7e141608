import { h } from "../dom.js";

/** @type {readonly [Intl.RelativeTimeFormatUnit, number][]} */
const UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const exact = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "medium" });

/**
 * An instant as relative time, with the exact time as its tooltip.
 * @param {string | null} instant ISO 8601
 * @param {string} [otherwise] Shown for null.
 */
export function when(instant, otherwise = "never") {
  if (instant === null) return h("span", { class: "quiet" }, otherwise);
  const date = new Date(instant);
  return h("time", { datetime: instant, title: exact.format(date) }, tell(date));
}

/** Updates all relative times on the page: "just now" does not stay true. */
export function refreshTimes() {
  for (const time of document.querySelectorAll("time")) {
    // A log line shows when it was printed, not how long ago.
    if (time.dataset["clock"] === undefined) time.textContent = tell(new Date(time.dateTime));
  }
}

/** @param {Date} date */
function tell(date) {
  const seconds = Math.round((date.getTime() - Date.now()) / 1_000);
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit);
  }
  return Math.abs(seconds) < 5 ? "just now" : relative.format(seconds, "second");
}

/**
 * How long something took, or has taken until now.
 * @param {string | null} from ISO 8601
 * @param {string | null} to
 */
export function lasted(from, to) {
  if (from === null) return h("span", { class: "quiet" }, "–");
  if (to === null) return h("span", { class: "quiet" }, "since ", when(from));
  const seconds = (Date.parse(to) - Date.parse(from)) / 1_000;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}
