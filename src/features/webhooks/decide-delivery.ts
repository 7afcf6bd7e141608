/** What follows from the answers of an endpoint. Pure. */
import type { Trigger } from "./delivery.ts";
import type { Health } from "./webhook-endpoint.ts";

/** When each attempt of an event is due after the one before, in seconds: 11 attempts within 75.6 hours. */
export const SCHEDULE_SECONDS = [
  0, 5, 30, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400,
] as const;
/** How long a failing endpoint rests after each failed probe, in seconds; the last value repeats. */
export const PROBE_SECONDS = [5, 30, 60, 300, 900] as const;
/** After this number of failures in a row, an endpoint is FAILING. */
export const FAILURES_OF_FAILING = 5;
export const DISABLED_AFTER_DAYS = 5;
const DAY_MS = 86_400_000;
/** `Retry-After` is honoured up to this. */
const RETRY_AFTER_MAX_MS = DAY_MS;
/** A fifth more or less, so that endpoints that failed together are not retried together. */
const JITTER = 0.2;

/** What an attempt has shown. */
export type Outcome =
  | { readonly kind: "delivered" }
  | {
      readonly kind: "failed";
      /** Answered with 410. */
      readonly isGone: boolean;
      /** What `Retry-After` asks for, in ms. */
      readonly retryAfterMs: number | null;
    };

/** What becomes of a delivery after an attempt. */
export type Following =
  | { readonly status: "DELIVERED" | "FAILED" }
  | { readonly status: "PENDING"; readonly afterMs: number };

/**
 * @param attempt `spent` and `attempts` include this one
 * @param random in [0, 1)
 */
export function decideFollowing(
  attempt: {
    readonly trigger: Trigger;
    readonly attempts: number;
    readonly spent: number;
    /** Whether the endpoint was FAILING. Such an attempt does not count. */
    readonly isProbe: boolean;
  },
  outcome: Outcome,
  random: number,
): Following {
  if (outcome.kind === "delivered") return { status: "DELIVERED" };
  // What a user asked for is tried once: the user sees the result and may ask again.
  if (attempt.trigger === "manual" || attempt.trigger === "ping") return { status: "FAILED" };
  const place = attempt.isProbe ? Math.min(attempt.attempts, SCHEDULE_SECONDS.length - 1) : attempt.spent;
  const seconds = SCHEDULE_SECONDS[place];
  if (seconds === undefined) return { status: "FAILED" };
  return { status: "PENDING", afterMs: Math.max(jittered(seconds, random), capped(outcome.retryAfterMs)) };
}

/**
 * How an endpoint is after an attempt. Attempts that a user asked for count like all others.
 * @param restsFrom after this number of failures in a row, it rests before each further attempt
 */
export function decideHealth(
  health: Health,
  outcome: Outcome,
  now: Date,
  random: number,
  restsFrom = FAILURES_OF_FAILING,
): Health {
  if (health.status === "DISABLED") return health;
  if (outcome.kind === "delivered") {
    return { status: "HEALTHY", disabledReason: null, failures: 0, failingSince: null, resumeAt: null };
  }
  const failures = health.failures + 1;
  const failingSince = health.failingSince ?? now;
  const counted = { failures, failingSince };
  if (outcome.isGone) return { ...counted, status: "DISABLED", disabledReason: "GONE", resumeAt: null };
  if (now.getTime() - failingSince.getTime() >= DISABLED_AFTER_DAYS * DAY_MS)
    return { ...counted, status: "DISABLED", disabledReason: "FAILING", resumeAt: null };
  const probes = failures - restsFrom;
  const probeSeconds = PROBE_SECONDS[Math.min(Math.max(probes, 0), PROBE_SECONDS.length - 1)] ?? 0;
  const afterMs = Math.max(probes < 0 ? 0 : jittered(probeSeconds, random), capped(outcome.retryAfterMs));
  const until = new Date(now.getTime() + afterMs);
  const isLater = health.resumeAt === null || until > health.resumeAt;
  return {
    ...counted,
    status: failures < FAILURES_OF_FAILING ? "HEALTHY" : "FAILING",
    disabledReason: null,
    resumeAt: afterMs === 0 ? health.resumeAt : isLater ? until : health.resumeAt,
  };
}

/** The change of health to emit as an event; null for none. */
export function decideNews(before: Health, after: Health): "disabled" | "failing" | "recovered" | null {
  if (before.status === after.status || before.status === "DISABLED") return null;
  if (after.status === "DISABLED") return "disabled";
  return after.status === "FAILING" ? "failing" : "recovered";
}

/** `Retry-After` as seconds or as a date (RFC 9110, section 10.2.3), in ms; null if there is none that can be read. */
export function readRetryAfter(value: string | undefined, now: Date): number | null {
  if (value === undefined) return null;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1_000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, at - now.getTime());
}

const PART_MAX = 32;

/** How many events are sent before the endpoint is checked again. */
export function decideBatchSize({ status, failures }: Health, maxPerSecond: number | null): number {
  const most = status === "FAILING" ? 1 : failures > 0 ? 4 : PART_MAX;
  return Math.min(most, maxPerSecond ?? most);
}

function jittered(seconds: number, random: number): number {
  return Math.round(seconds * 1_000 * (1 - JITTER + 2 * JITTER * random));
}

function capped(retryAfterMs: number | null): number {
  return Math.min(retryAfterMs ?? 0, RETRY_AFTER_MAX_MS);
}
