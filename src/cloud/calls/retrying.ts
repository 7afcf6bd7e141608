import { createAccountCircuits } from "./account-circuits.ts";
import { type CloudAccount, CloudError } from "../cloud.ts";
import { tryAgain, type Tries } from "./try-again.ts";

const DEFAULT_PACE: Tries = { attempts: 4, firstPauseMs: 100 };

/** What is called: the account, or the id of its connection, comes first. */
type Call = (who: CloudAccount | string, ...rest: readonly unknown[]) => Promise<unknown>;

/** Makes calls again that failed for a reason that may pass. One for all that is called in the same accounts. */
export type Retrying = {
  /** The same port, a cloud or its platform, with every call in its groups (`certificates.request`) tried again. */
  each<Port extends object>(port: Port): Port;
};

/**
 * Tries a call again at once, a few times, when its failure may pass. Without it one lost answer sends the
 * whole pass of a reconciler, with every look at the cloud before it, through the backoff of its job: at
 * 30 % failing calls most passes fail, and both the calls made and the time taken grow many times over.
 * `STALE_ETAG` is not tried again: its caller has to look first. Nor is anything once `stopping` has fired:
 * the pass ends with the call under way, and another worker takes it up. An account that does not answer
 * is hardly asked (`AccountCircuits`).
 */
export function createRetrying(options: { pace?: Tries; stopping?: AbortSignal } = {}): Retrying {
  const { pace = DEFAULT_PACE, stopping } = options;
  const circuits = createAccountCircuits(() => performance.now());

  const admitted = async (connectionId: string, call: () => Promise<unknown>): Promise<unknown> => {
    if (!circuits.admits(connectionId)) throw unanswering();
    let outcome: "answered" | "timed-out" = "answered";
    try {
      return await call();
    } catch (error) {
      if (error instanceof CloudError && error.code === "TIMEOUT") outcome = "timed-out";
      throw error;
    } finally {
      circuits.report(connectionId, outcome);
    }
  };

  const tried =
    (call: Call): Call =>
    async (who, ...rest) => {
      const connectionId = typeof who === "string" ? who : who.connectionId;
      return await tryAgain(
        () => admitted(connectionId, () => call(who, ...rest)),
        pace,
        (error) => stopping?.aborted !== true && mayPass(error),
      );
    };

  return {
    each: (port) =>
      mapValues(port, (member) =>
        isGroup(member) ? mapValues(member, (call) => tried(call as Call)) : member,
      ),
  };
}

/** What a port has besides groups of calls is plain: its kind, a list, a function that calls nobody. */
function isGroup(member: unknown): member is object {
  return typeof member === "object" && member !== null && !Array.isArray(member);
}

/** @param map gives back a value of the same type */
function mapValues<T extends object>(of: T, map: (value: unknown) => unknown): T {
  return Object.fromEntries(Object.entries(of).map(([key, value]) => [key, map(value)])) as T;
}

const REFUSED_CALL = "calls.admit";

/** Nothing was asked, so nothing was done; the job's own backoff says when to come back. */
function unanswering(): CloudError {
  const message = "The cloud account has not answered several calls in a row; it is asked again shortly.";
  return new CloudError("retryable", "UNAVAILABLE", REFUSED_CALL, message);
}

function mayPass(error: unknown): boolean {
  if (error instanceof CloudError && error.operation === REFUSED_CALL) return false;
  return error instanceof CloudError && error.kind === "retryable" && error.code !== "STALE_ETAG";
}
