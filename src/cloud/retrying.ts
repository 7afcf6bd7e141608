import { setTimeout as sleep } from "node:timers/promises";
import { type Cloud, CloudError } from "./cloud.ts";

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
 * the pass ends with the call under way, and another worker takes it up.
 */
export function retrying(cloud: Cloud, pace: Pace = DEFAULT_PACE, stopping?: AbortSignal): Cloud {
  const tried = async <Answer>(call: () => Promise<Answer>): Promise<Answer> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await call();
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
    identity: { verify: (connectionId, reported) => tried(() => identity.verify(connectionId, reported)) },
    certificates: {
      request: (account, wanted) => tried(() => certificates.request(account, wanted)),
      describe: (account, id) => tried(() => certificates.describe(account, id)),
      delete: (account, id) => tried(() => certificates.delete(account, id)),
    },
    distributions: {
      create: (account, wanted) => tried(() => distributions.create(account, wanted)),
      describe: (account, id) => tried(() => distributions.describe(account, id)),
      update: (account, id, update) => tried(() => distributions.update(account, id, update)),
      delete: (account, id, etag) => tried(() => distributions.delete(account, id, etag)),
    },
    parameters: {
      put: (account, write) => tried(() => parameters.put(account, write)),
      delete: (account, where) => tried(() => parameters.delete(account, where)),
    },
    secrets: {
      put: (account, write) => tried(() => secrets.put(account, write)),
      delete: (account, where) => tried(() => secrets.delete(account, where)),
    },
  };
}

function mayPass(error: unknown): boolean {
  return error instanceof CloudError && error.kind === "retryable" && error.code !== "STALE_ETAG";
}
