/**
 * How every call to a cloud is made. Both adapters send all their requests through here, and nothing else retries:
 * not the SDK and not the ports. Only the job's backoff does, much later.
 *
 * - Deadline: every call of a port has one, `CALL_MS` after its start. All its requests share it, including turns,
 *   sessions, pages and attempts. After it, nothing is sent, and running requests are given up.
 * - Attempts: at most `ATTEMPTS` per request, each at most `ATTEMPT_MS` long, and never beyond the deadline.
 * - Retry: `isWorthRepeating` decides which failures are retried. A retry has the same token.
 * - Turn: a request waits for its place in the account's token bucket, for at most `TURN_WAIT_MS`.
 * - Circuit: an account that has not answered several times in a row is rarely called (`account-circuits.ts`).
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { type CloudAccount, CloudError } from "../cloud.ts";
import { createAccountCircuits } from "./account-circuits.ts";

/** The time from the start of a port's call to the last moment at which one of its requests may be sent. */
export const CALL_MS = 45_000;
/** The limit of one attempt of one request, including its session. A request arrives within this time, or never. */
export const ATTEMPT_MS = 15_000;
const ATTEMPTS = 4;
/** The longest pause before the second attempt; it doubles with each attempt. */
const FIRST_PAUSE_MS = 100;
/** A request whose turn is further away counts as throttled, and is left to the job's backoff. */
const TURN_WAIT_MS = 5_000;

export type CallRequest<Answer> = {
  readonly connectionId: string;
  /** The provider's name of the operation. */
  readonly operation: string;
  /** Waits for the request's place in a token bucket; false at once if that would take longer than `maxWaitMs`. */
  readonly takeTurn?: (maxWaitMs: number) => Promise<boolean>;
  /**
   * Gets what the request needs, without changing anything. The returned function sends the request. Both throw a
   * `CloudError`, and stop when the signal aborts.
   */
  readonly prepare: (signal: AbortSignal) => Promise<() => Promise<Answer>>;
  /** A shorter limit for an attempt than the policy's. */
  readonly attemptMs?: number;
  /** `when-throttled`: it has no token, so it is repeated only if the provider refused to do anything. */
  readonly repeat?: Repeat;
};
export type Repeat = "when-it-may-pass" | "when-throttled";

export type CallPolicy = {
  /**
   * The same port (a cloud or its platform) with a deadline for every call in its groups, such as
   * `certificates.request`. It counts from the account's `startedAt` if the caller sets it, otherwise from now.
   */
  readonly each: <Port extends object>(port: Port) => Port;
  /** Makes a request within the deadline of the call it belongs to. @throws CloudError */
  readonly request: <Answer>(request: CallRequest<Answer>) => Promise<Answer>;
};

/** Only tests replace these, except for the process's clock and its stop signal. */
export type CallPolicyOptions = {
  readonly callMs?: number;
  readonly attemptMs?: number;
  readonly attempts?: number;
  readonly firstPauseMs?: number;
  readonly turnWaitMs?: number;
  /** Wall-clock time, like the noted starts of calls. */
  readonly nowMs?: () => number;
  readonly pause?: (ms: number) => Promise<unknown>;
  readonly abortAfter?: (ms: number) => AbortSignal;
  /** Once it aborts, nothing is repeated: the step ends with the running request, and another worker continues. */
  readonly stopping?: AbortSignal;
};

/** A call of a port. The account, or the id of its connection, is the first argument. */
type Call = (who: CloudAccount | string, ...rest: readonly unknown[]) => Promise<unknown>;

/** Use one policy for everything that calls the same accounts. */
export function createCallPolicy(options: CallPolicyOptions = {}): CallPolicy {
  const { callMs = CALL_MS, attemptMs = ATTEMPT_MS, attempts = ATTEMPTS, stopping } = options;
  const { firstPauseMs = FIRST_PAUSE_MS, turnWaitMs = TURN_WAIT_MS, nowMs = Date.now } = options;
  const { pause = sleep, abortAfter = (ms) => AbortSignal.timeout(ms) } = options;
  const circuits = createAccountCircuits(() => performance.now());
  /** The deadline of the running call of the port. */
  const deadlines = new AsyncLocalStorage<number>();

  const withDeadline =
    (call: Call): Call =>
    async (who, ...rest) => {
      const now = nowMs();
      const noted = typeof who === "string" ? undefined : who.startedAt?.getTime();
      return await deadlines.run(Math.min(noted ?? now, now) + callMs, () => call(who, ...rest));
    };

  async function attempt<Answer>(request: CallRequest<Answer>, deadlineMs: number): Promise<Answer> {
    const leftMs = (): number => {
      const left = deadlineMs - nowMs();
      if (left <= 0) throw refusal("There was no time left to ask the cloud. Slipway tries again shortly.");
      return left;
    };
    const maxWaitMs = Math.min(turnWaitMs, leftMs());
    if (request.takeTurn !== undefined && !(await request.takeTurn(maxWaitMs))) {
      const message = `The account's rate of these calls is used up at the moment. (${request.operation})`;
      throw new CloudError("retryable", "THROTTLED", request.operation, message);
    }
    const limitMs = Math.min(attemptMs, request.attemptMs ?? attemptMs, leftMs());
    if (!circuits.admits(request.connectionId)) throw unanswering();
    let outcome: "answered" | "timed-out" = "answered";
    try {
      const send = await request.prepare(abortAfter(Math.ceil(limitMs)));
      // Check once more: the session may have taken long, or the process may have stood still.
      leftMs();
      return await send();
    } catch (error) {
      if (error instanceof CloudError && error.code === "TIMEOUT") outcome = "timed-out";
      throw error;
    } finally {
      circuits.report(request.connectionId, outcome);
    }
  }

  /** A group may have groups, such as `stores.snapshots`. */
  const eachOf = <Group extends object>(group: Group): Group =>
    mapValues(group, (member) => (isGroup(member) ? eachOf(member) : withDeadline(member as Call)));

  return {
    each: (port) => mapValues(port, (member) => (isGroup(member) ? eachOf(member) : member)),

    async request(request) {
      const deadlineMs = deadlines.getStore() ?? nowMs() + callMs;
      let failure: unknown = null;
      for (let made = 1; ; made += 1) {
        try {
          return await attempt(request, deadlineMs);
        } catch (error) {
          failure = failure === null ? error : failureToReport(failure, error);
          if (made >= attempts || stopping?.aborted === true) throw failure;
          if (!isWorthRepeating(error, request.repeat)) throw failure;
        }
        // Full jitter: requests that failed together are not repeated together.
        const pauseMs = Math.random() * firstPauseMs * 2 ** (made - 1);
        if (nowMs() + pauseMs >= deadlineMs) throw failure;
        await pause(pauseMs);
      }
    },
  };
}

/**
 * The only list of what is retried: throttling; and, if a request has a token or an ETag or only reads, also a
 * 5xx, a time-out and a lost answer. After a stale ETag, the caller has to read first.
 */
function isWorthRepeating(error: unknown, repeat: Repeat = "when-it-may-pass"): boolean {
  if (!(error instanceof CloudError) || isRefusal(error)) return false;
  if (error.code === "THROTTLED") return true;
  return repeat === "when-it-may-pass" && error.kind === "retryable" && error.code !== "STALE_ETAG";
}

/** The last failure. But a refusal of ours, or throttling, must not hide an earlier attempt of unknown outcome. */
function failureToReport(before: unknown, last: unknown): unknown {
  if (!(before instanceof CloudError) || !(last instanceof CloudError)) return last;
  if (isRefusal(last)) return before;
  return last.code === "THROTTLED" ? before : last;
}

const REFUSED_CALL = "calls.admit";

/** No request was sent, so nothing was done. The job's backoff decides when to try again. */
function refusal(message: string): CloudError {
  return new CloudError("retryable", "UNAVAILABLE", REFUSED_CALL, message);
}

function unanswering(): CloudError {
  return refusal("The cloud account has not answered several calls in a row. Slipway tries again shortly.");
}

function isRefusal(error: CloudError): boolean {
  return error.operation === REFUSED_CALL;
}

/** Members of a port that are not groups of calls are plain: its kind, a list, or a function without a call. */
function isGroup(member: unknown): member is object {
  return typeof member === "object" && member !== null && !Array.isArray(member);
}

/** @param map returns a value of the same type */
function mapValues<T extends object>(of: T, map: (value: unknown) => unknown): T {
  return Object.fromEntries(Object.entries(of).map(([key, value]) => [key, map(value)])) as T;
}
