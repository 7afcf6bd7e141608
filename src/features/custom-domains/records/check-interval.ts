const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * Seconds until a record is looked at again: often while a client is likely to be setting it, ever less
 * as it stays as it is. `random` in [0, 1) spreads what began together. Pure.
 */
export function againAfterSeconds(
  status: "PENDING" | "OK",
  unchangedSeconds: number,
  random: number,
): number {
  const base = status === "PENDING" ? pendingSeconds(unchangedSeconds) : okSeconds(unchangedSeconds);
  return base * (0.8 + 0.4 * random);
}

function pendingSeconds(age: number): number {
  if (age < HOUR) return 2;
  if (age < DAY) return 15;
  return age < 4 * DAY ? MINUTE : 30 * MINUTE;
}

/** A record that was removed breaks a renewal weeks later; an hour's delay in telling so is soon enough. */
function okSeconds(age: number): number {
  return age < HOUR ? 5 * MINUTE : HOUR;
}
