const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * Seconds until a record is checked again: short while a client is probably setting it, longer the longer it stays the
 * same. `random` in [0, 1) spreads checks that began together. Pure.
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

/** A removed record breaks a renewal weeks later, so it is early enough to notice it within an hour. */
function okSeconds(age: number): number {
  return age < HOUR ? 5 * MINUTE : HOUR;
}
