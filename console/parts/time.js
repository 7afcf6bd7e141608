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
 * An instant, told from now, with the exact one to point at.
 * @param {string | null} instant ISO 8601
 * @param {string} [otherwise] What to say of null.
 */
export function when(instant, otherwise = "never") {
  if (instant === null) return h("span", { class: "quiet" }, otherwise);
  const date = new Date(instant);
  return h("time", { datetime: instant, title: exact.format(date) }, tell(date));
}

/** Tells all instants on the page from now: "just now" does not stay true. */
export function refreshTimes() {
  for (const time of document.querySelectorAll("time")) time.textContent = tell(new Date(time.dateTime));
}

/** @param {Date} date */
function tell(date) {
  const seconds = Math.round((date.getTime() - Date.now()) / 1_000);
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit);
  }
  return Math.abs(seconds) < 5 ? "just now" : relative.format(seconds, "second");
}
