import { setTimeout as sleep } from "node:timers/promises";
import { createAccountCircuits } from "./account-circuits.ts";
import { type Cloud, type CloudAccount, CloudError } from "./cloud.ts";

type Pace = {
  /** Tries of one call, the first included. */
  readonly attempts: number;
  /** Longest pause before the second try; it doubles from try to try. */
  readonly firstPauseMs: number;
};

const DEFAULT_PACE: Pace = { attempts: 3, firstPauseMs: 100 };

/**
 * Tries a call again at once, a few times, when its failure may pass. Without it one lost answer sends the
 * whole pass of a reconciler, with every look at the cloud before it, through the backoff of its job: at
 * 30 % failing calls most passes fail, and both the calls made and the time taken grow many times over.
 * `STALE_ETAG` is not tried again: its caller has to look first. Nor is anything once `stopping` has fired:
 * the pass ends with the call under way, and another worker takes it up. An account that does not answer
 * is hardly asked (`AccountCircuits`).
 */
export function retrying(cloud: Cloud, pace: Pace = DEFAULT_PACE, stopping?: AbortSignal): Cloud {
  const circuits = createAccountCircuits(() => performance.now());

  const admitted = async <Answer>(connectionId: string, call: () => Promise<Answer>): Promise<Answer> => {
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

  const tried = async <Answer>(
    { connectionId }: Pick<CloudAccount, "connectionId">,
    call: () => Promise<Answer>,
  ): Promise<Answer> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await admitted(connectionId, call);
      } catch (error) {
        if (attempt >= pace.attempts || stopping?.aborted === true || !mayPass(error)) throw error;
        // Full jitter: those that failed together do not come back together.
        await sleep(Math.random() * pace.firstPauseMs * 2 ** (attempt - 1));
      }
    }
  };
  const { certificates, distributions, identity, parameters, secrets } = cloud;
  return {
    kind: cloud.kind,
    caaIssuers: cloud.caaIssuers,
    stackFor: (connectionId) => cloud.stackFor(connectionId),
    identity: {
      verify: (connectionId, reported) =>
        tried({ connectionId }, () => identity.verify(connectionId, reported)),
      missingPermissions: (account) => tried(account, () => identity.missingPermissions(account)),
    },
    certificates: {
      request: (account, wanted) => tried(account, () => certificates.request(account, wanted)),
      describe: (account, id) => tried(account, () => certificates.describe(account, id)),
      delete: (account, id) => tried(account, () => certificates.delete(account, id)),
    },
    distributions: {
      create: (account, wanted) => tried(account, () => distributions.create(account, wanted)),
      describe: (account, id) => tried(account, () => distributions.describe(account, id)),
      update: (account, id, update) => tried(account, () => distributions.update(account, id, update)),
      delete: (account, id, etag) => tried(account, () => distributions.delete(account, id, etag)),
    },
    parameters: {
      put: (account, write) => tried(account, () => parameters.put(account, write)),
      delete: (account, where) => tried(account, () => parameters.delete(account, where)),
    },
    secrets: {
      put: (account, write) => tried(account, () => secrets.put(account, write)),
      delete: (account, where) => tried(account, () => secrets.delete(account, where)),
    },
  };
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
