/**
 * How every call to a cloud is made. Both adapters send each of their requests through here, and nothing else retries:
 * not the SDK, not the ports, only, much later, the backoff of the job.
 *
 * - Deadline: a call of the port has one, `CALL_MS` after it began. All its requests, their turns, sessions, pages and
 *   attempts share it. After it nothing is sent, and what is under way is given up.
 * - Attempts: at most `ATTEMPTS` for each request, each of at most `ATTEMPT_MS` and of what is left until the deadline.
 * - Retry: `isWorthRepeating` says which failures are worth it. A repetition carries the same token.
 * - Turn: a request waits for its place in the account's token bucket, at most `TURN_WAIT_MS`.
 * - Circuit: an account that has not answered several times in a row is hardly asked (`account-circuits.ts`).
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { type CloudAccount, CloudError } from "../cloud.ts";
import { createAccountCircuits } from "./account-circuits.ts";

/** From the beginning of a call of the port to the last instant at which one of its requests may be sent. */
export const CALL_MS = 45_000;
/** One attempt of one request, its session included. What was sent is taken to arrive within this time, or never. */
export const ATTEMPT_MS = 15_000;
const ATTEMPTS = 4;
/** The longest pause before the second attempt; it doubles from attempt to attempt. */
const FIRST_PAUSE_MS = 100;
/** A request whose turn is further away counts as throttled, so that the backoff of the job takes it. */
const TURN_WAIT_MS = 5_000;

export type CallRequest<Answer> = {
  readonly connectionId: string;
  /** The provider's name of it. */
  readonly operation: string;
  /** Waits for the request's place in a token bucket; false at once when that would take longer than `maxWaitMs`. */
  readonly takeTurn?: (maxWaitMs: number) => Promise<boolean>;
  /**
   * Gets what the request needs, and changes nothing. The function that it returns sends the request. Either throws a
   * `CloudError`, and gives up when the signal fires.
   */
  readonly prepare: (signal: AbortSignal) => Promise<() => Promise<Answer>>;
  /** Where an attempt is given less time than the policy has. */
  readonly attemptMs?: number;
  /** `when-throttled`: it has no token, so that it is repeated only when the provider refused to do anything. */
  readonly repeat?: Repeat;
};
export type Repeat = "when-it-may-pass" | "when-throttled";

export type CallPolicy = {
  /**
   * The same port, a cloud or its platform, with a deadline for every call in its groups (`certificates.request`). It
   * counts from the account's `startedAt` where the caller gives one, or else from now.
   */
  readonly each: <Port extends object>(port: Port) => Port;
  /** Makes a request within the deadline of the call that it belongs to. @throws CloudError */
  readonly request: <Answer>(request: CallRequest<Answer>) => Promise<Answer>;
};

/** Replaced in tests alone, the clock of the process and its stop aside. */
export type CallPolicyOptions = {
  readonly callMs?: number;
  readonly attemptMs?: number;
  readonly attempts?: number;
  readonly firstPauseMs?: number;
  readonly turnWaitMs?: number;
  /** Wall time, as the noted beginnings of calls are. */
  readonly nowMs?: () => number;
  readonly pause?: (ms: number) => Promise<unknown>;
  readonly abortAfter?: (ms: number) => AbortSignal;
  /** Once it has fired, nothing is repeated: the pass ends with the request under way, and another worker goes on. */
  readonly stopping?: AbortSignal;
};

/** What is called: the account, or the id of its connection, comes first. */
type Call = (who: CloudAccount | string, ...rest: readonly unknown[]) => Promise<unknown>;

/** One for all that is called in the same accounts. */
export function createCallPolicy(options: CallPolicyOptions = {}): CallPolicy {
  const { callMs = CALL_MS, attemptMs = ATTEMPT_MS, attempts = ATTEMPTS, stopping } = options;
  const { firstPauseMs = FIRST_PAUSE_MS, turnWaitMs = TURN_WAIT_MS, nowMs = Date.now } = options;
  const { pause = sleep, abortAfter = (ms) => AbortSignal.timeout(ms) } = options;
  const circuits = createAccountCircuits(() => performance.now());
  /** Of the call of the port that is being made. */
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
      if (left <= 0) throw refusal("There was no time left to ask the cloud; it is asked again shortly.");
      return left;
    };
    const maxWaitMs = Math.min(turnWaitMs, leftMs());
    if (request.takeTurn !== undefined && !(await request.takeTurn(maxWaitMs))) {
      const message = `The account takes no more of these calls at the moment. (${request.operation})`;
      throw new CloudError("retryable", "THROTTLED", request.operation, message);
    }
    const limitMs = Math.min(attemptMs, request.attemptMs ?? attemptMs, leftMs());
    if (!circuits.admits(request.connectionId)) throw unanswering();
    let outcome: "answered" | "timed-out" = "answered";
    try {
      const send = await request.prepare(abortAfter(Math.ceil(limitMs)));
      // Asked for once more, however long the session took or the process stood still.
      leftMs();
      return await send();
    } catch (error) {
      if (error instanceof CloudError && error.code === "TIMEOUT") outcome = "timed-out";
      throw error;
    } finally {
      circuits.report(request.connectionId, outcome);
    }
  }

  return {
    each: (port) =>
      mapValues(port, (member) =>
        isGroup(member) ? mapValues(member, (call) => withDeadline(call as Call)) : member,
      ),

    async request(request) {
      const deadlineMs = deadlines.getStore() ?? nowMs() + callMs;
      let failure: unknown = null;
      for (let made = 1; ; made += 1) {
        try {
          return await attempt(request, deadlineMs);
        } catch (error) {
          failure = failure === null ? error : mostTelling(failure, error);
          if (made >= attempts || stopping?.aborted === true) throw failure;
          if (!isWorthRepeating(error, request.repeat)) throw failure;
        }
        // Full jitter: those that failed together do not come back together.
        const pauseMs = Math.random() * firstPauseMs * 2 ** (made - 1);
        if (nowMs() + pauseMs >= deadlineMs) throw failure;
        await pause(pauseMs);
      }
    },
  };
}

/**
 * The one list of what is retried: throttling, and, of a request that carries a token or an ETag or only reads, also a
 * 5xx, silence and a lost answer. With a stale ETag the caller has to look first.
 */
function isWorthRepeating(error: unknown, repeat: Repeat = "when-it-may-pass"): boolean {
  if (!(error instanceof CloudError) || isRefusal(error)) return false;
  if (error.code === "THROTTLED") return true;
  return repeat === "when-it-may-pass" && error.kind === "retryable" && error.code !== "STALE_ETAG";
}

/** The last failure; but neither a refusal of ours nor throttling hides an attempt before it whose outcome is unknown. */
function mostTelling(before: unknown, last: unknown): unknown {
  if (!(before instanceof CloudError) || !(last instanceof CloudError)) return last;
  if (isRefusal(last)) return before;
  return last.code === "THROTTLED" ? before : last;
}

const REFUSED_CALL = "calls.admit";

/** Nothing was asked, so nothing was done; the job's own backoff says when to come back. */
function refusal(message: string): CloudError {
  return new CloudError("retryable", "UNAVAILABLE", REFUSED_CALL, message);
}

function unanswering(): CloudError {
  return refusal("The cloud account has not answered several calls in a row; it is asked again shortly.");
}

function isRefusal(error: CloudError): boolean {
  return error.operation === REFUSED_CALL;
}

/** What a port has besides groups of calls is plain: its kind, a list, a function that calls nobody. */
function isGroup(member: unknown): member is object {
  return typeof member === "object" && member !== null && !Array.isArray(member);
}

/** @param map gives back a value of the same type */
function mapValues<T extends object>(of: T, map: (value: unknown) => unknown): T {
  return Object.fromEntries(Object.entries(of).map(([key, value]) => [key, map(value)])) as T;
}
