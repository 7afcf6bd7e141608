/** From which value on something is a warning, or a failure. Pure. */
import type { Check, Health, Outcome } from "./health.ts";

const MINUTE_S = 60;
const DAY_S = 86_400;
const GIB = 2 ** 30;

export const ok = (says: string): Outcome => ({ status: "ok", says, fix: null });
export const skipped = (says: string): Outcome => ({ status: "skipped", says, fix: null });
export const warning = (says: string, fix: string): Outcome => ({ status: "warning", says, fix });
export const failed = (says: string, fix: string): Outcome => ({ status: "failed", says, fix });

export function sumUp(checks: readonly Check[]): Health["status"] {
  for (const status of ["failed", "warning"] as const)
    if (checks.some((check) => check.status === status)) return status;
  return "ok";
}

export function decideSchema(pending: readonly string[], unknown: readonly string[]): Outcome {
  if (unknown.length > 0) {
    return warning(
      `The database has ${unknown.length} migrations that this release does not know, up to ${unknown.at(-1)}.`,
      "Finish the upgrade: replace the processes of this release with the newer one.",
    );
  }
  if (pending.length > 0) {
    return failed(
      `${pending.length} migrations of this release have not run, from ${pending[0]} on.`,
      "Start a process of this release, or run: slipway migrate",
    );
  }
  return ok("All migrations of this release have run, and no others.");
}

/** @param skewMs by how much the database's clock is ahead, at least */
export function decideClock(skewMs: number): Outcome {
  const seconds = Math.round(Math.abs(skewMs) / 1_000);
  const says = `This machine's clock and the database's differ by ${seconds} s.`;
  const fix = "Set the clocks by NTP (chrony, systemd-timesyncd) on all machines.";
  if (seconds >= 60) return failed(says, fix);
  return seconds >= 5 ? warning(says, fix) : ok(says);
}

/** @param lagSeconds since when the oldest due work waits; null if none is due */
export function decideWork(lagSeconds: number | null): Outcome {
  if (lagSeconds === null) return ok("No work waits.");
  const says = `The oldest due work has waited for ${Math.round(lagSeconds)} s.`;
  const fix = "Add workers, or check the log for steps that fail, and the database's load.";
  if (lagSeconds >= 10 * MINUTE_S) return failed(says, fix);
  return lagSeconds >= MINUTE_S ? warning(says, fix) : ok(says);
}

/** Workers extend their claims every few seconds; without work there is nothing to see. */
export function decideWorkers(claimed: number, lagSeconds: number | null): Outcome {
  if (claimed > 0) return ok(`Workers hold ${claimed} claims.`);
  if (lagSeconds === null || lagSeconds < MINUTE_S) return ok("Nothing waits for a worker.");
  return failed(
    "Work is due, and no worker has claimed anything.",
    "Start a worker (SLIPWAY_ROLE=worker or all), and check its log.",
  );
}

export function decideEvents(lagSeconds: number): Outcome {
  if (lagSeconds < MINUTE_S) return ok(`Events are numbered within ${Math.round(lagSeconds)} s.`);
  return failed(
    `The oldest event without a number has waited for ${Math.round(lagSeconds)} s: the feed and webhooks are delayed.`,
    "Check that a worker runs, and read its log.",
  );
}

export function decideWebhooks(
  endpoints: readonly { readonly status: string; readonly endpoints: number; readonly backlog: number }[],
): Outcome {
  const sum = (of: (one: (typeof endpoints)[number]) => number): number =>
    endpoints.reduce((total, one) => total + of(one), 0);
  const [count, unsent] = [sum((one) => one.endpoints), sum((one) => one.backlog)];
  if (count === 0) return ok("There are no endpoints.");
  const unwell = sum((one) => (one.status === "HEALTHY" ? 0 : one.endpoints));
  const says = `${count} endpoints, ${unwell} of them failing or disabled; ${unsent} events not checked yet.`;
  return unsent >= 100_000
    ? warning(says, "Add workers, or ask the owners of failing endpoints to fix or delete them.")
    : ok(says);
}

/** @param secondsLeft until the first certificate expires; null without certificates */
export function decideCertificates(secondsLeft: number | null): Outcome {
  if (secondsLeft === null) return ok("There are no certificates.");
  const days = Math.floor(secondsLeft / DAY_S);
  const says =
    secondsLeft < 0 ? "A certificate has expired." : `The first certificate expires in ${days} days.`;
  const fix =
    "The list of domains shows whose records prevent a renewal; in the API, filter it by `warning`.";
  // The provider renews 60 days before.
  if (days < 7) return failed(says, fix);
  return days < 30 ? warning(says, fix) : ok(says);
}

export function decideCloudAccounts(seen: {
  readonly connected: number;
  readonly failing: number;
  readonly disconnected: number;
}): Outcome {
  const { connected, failing, disconnected } = seen;
  if (connected + disconnected === 0) return ok("No cloud account is connected.");
  const says = `${connected} connected cloud accounts, ${failing} of them failed their last check; ${disconnected} disconnected.`;
  if (failing > 0 && failing === connected) {
    return failed(says, "All fail: check Slipway's own credentials and its network access to the cloud.");
  }
  return failing > 0
    ? warning(says, "The page of each account says why; in the API, its `lastCheckError`.")
    : ok(says);
}

/** @param disks each with the variable that names it */
export function decideDisk(
  disks: readonly { readonly variable: string; readonly freeBytes: number; readonly totalBytes: number }[],
): Outcome {
  const says = disks
    .map(
      ({ variable, freeBytes, totalBytes }) =>
        `${variable}: ${gib(freeBytes)} of ${gib(totalBytes)} GiB free`,
    )
    .join("; ");
  const fix = "Free some space, or use a larger disk.";
  if (disks.some(({ freeBytes }) => freeBytes < GIB / 4)) return failed(says, fix);
  const isScarce = disks.some(
    ({ freeBytes, totalBytes }) => freeBytes < 2 * GIB && freeBytes < totalBytes / 10,
  );
  return isScarce ? warning(says, fix) : ok(says);
}

export function decideBackup(verified: { readonly madeAt: string } | null, now: Date): Outcome {
  const fix = "Create and verify one: slipway backup --to PATH, slipway backup verify PATH";
  if (verified === null) return warning("No backup has been verified.", fix);
  const days = Math.floor((now.getTime() - Date.parse(verified.madeAt)) / (DAY_S * 1_000));
  const says = `The last verified backup was made ${days} days ago.`;
  return days >= 8 ? warning(says, fix) : ok(says);
}

function gib(bytes: number): string {
  return (bytes / GIB).toFixed(1);
}
