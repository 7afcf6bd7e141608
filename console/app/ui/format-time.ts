/** Instants and durations in words. Pure. */

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["year", 365 * 86_400],
  ["month", 30 * 86_400],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];
const JUST_NOW_SECONDS = 20;
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
/** As in durations, which stand beside them. */
const SHORT: Readonly<Partial<Record<Intl.RelativeTimeFormatUnit, string>>> = {
  hour: "h",
  minute: "min",
  second: "s",
};

/** How long ago, or in how long. Both in milliseconds since 1970. */
export function formatRelative(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1_000);
  for (const [unit, length] of UNITS)
    if (Math.abs(seconds) >= length) return tellIn(Math.trunc(seconds / length), unit);
  return Math.abs(seconds) < JUST_NOW_SECONDS ? "just now" : tellIn(seconds, "second");
}

function tellIn(count: number, unit: Intl.RelativeTimeFormatUnit): string {
  const short = SHORT[unit];
  if (short === undefined) return relative.format(count, unit);
  return count < 0 ? `${-count} ${short} ago` : `in ${count} ${short}`;
}

/** A duration such as `4.2 s`, `38 s`, `3 min 5 s`, `2 h 10 min`. */
export function formatDuration(ms: number): string {
  const seconds = ms / 1_000;
  if (seconds < 10) return `${(Math.floor(seconds * 10) / 10).toFixed(1)} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** How long until something, such as `in 38 s`; `any moment` for what is about to be, or late. */
export function formatCountdown(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  if (seconds <= 3) return "any moment";
  return seconds < 60 ? `in ${seconds} s` : `in ${formatDuration(seconds * 1_000)}`;
}
