/**
 * Budgets for the rate limits of a CA. Pure. A refused request counts against limits too, so Slipway waits
 * before it asks for more than there is.
 */

/** At most `count` uses within any `windowMs`. */
export type Limit = { readonly count: number; readonly windowMs: number };

export type Limits = {
  /** New orders of the account. */
  readonly orders: Limit;
  /** Certificates of one registered domain. */
  readonly domain: Limit;
  /** Certificates of the same name. */
  readonly name: Limit;
  /** Failed validations of one name. */
  readonly failures: Limit;
};
export type LimitName = keyof Limits;

const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;
/** No use counts for longer. */
export const LONGEST_WINDOW_MS = WEEK_MS;

/** Let's Encrypt's limits in production (letsencrypt.org/docs/rate-limits). */
export const LETS_ENCRYPT_LIMITS: Limits = {
  orders: { count: 300, windowMs: 3 * HOUR_MS },
  domain: { count: 50, windowMs: WEEK_MS },
  name: { count: 5, windowMs: WEEK_MS },
  failures: { count: 5, windowMs: HOUR_MS },
};

/** Unknown limits are not guessed: such a CA says itself when to wait (`rateLimited`). */
export function limitsOf(directory: string): Limits | null {
  return new URL(directory).hostname === "acme-v02.api.letsencrypt.org" ? LETS_ENCRYPT_LIMITS : null;
}

/** The times of the uses that count against each limit, oldest first. */
export type Uses = Readonly<Record<LimitName, readonly number[]>>;

export type Plan = {
  /** When an order may begin; not after `now`: at once. */
  readonly at: number;
  /** The limit that makes it wait the longest; null if it need not wait. */
  readonly limit: LimitName | null;
};

/**
 * When the next order for a name may begin.
 * @param isExempt a renewal with ARI's `replaces` (RFC 9773, 5), which counts against no limit but that of failures
 */
export function planOrder(uses: Uses, limits: Limits | null, now: number, isExempt: boolean): Plan {
  if (limits === null) return { at: now, limit: null };
  const counted: readonly LimitName[] = isExempt ? ["failures"] : ["orders", "domain", "name", "failures"];
  let plan: Plan = { at: now, limit: null };
  for (const name of counted) {
    const at = freeAt(uses[name], limits[name], now);
    if (at > plan.at) plan = { at, limit: name };
  }
  return plan;
}

/** How many uses of a limit are left now. */
export function leftOf(times: readonly number[], limit: Limit, now: number): number {
  return Math.max(0, limit.count - countWithin(times, limit, now));
}

function countWithin(times: readonly number[], limit: Limit, now: number): number {
  return times.reduce((count, at) => count + (at > now - limit.windowMs ? 1 : 0), 0);
}

/** The `count` latest uses must not all lie within one window. */
function freeAt(times: readonly number[], limit: Limit, now: number): number {
  if (countWithin(times, limit, now) < limit.count) return now;
  return (times.at(-limit.count) ?? now - limit.windowMs) + limit.windowMs;
}

const LIMIT_SENTENCES: Readonly<Record<LimitName, string>> = {
  orders: "The CA allows this installation no more new orders for now",
  domain: "The CA issues no more certificates for this registered domain this week",
  name: "The CA issues no more certificates for this name this week",
  failures: "Too many validations of this name have failed within an hour",
};

/** Why an order waits, as a sentence. */
export function explainPlan(limit: LimitName, at: number): string {
  return `${LIMIT_SENTENCES[limit]}. The next try is at ${new Date(at).toISOString()}.`;
}
