import { CloudError, type CloudAccount } from "../../cloud.ts";
import { tryAgain, type Tries } from "../../calls/try-again.ts";
import { APIS, GLOBAL_REGION, type Api, type Pace, type ServiceOf } from "./apis.ts";
import type { Buckets } from "./buckets.ts";
import { cloudError, isSessionError, isUnknownThere, toCloudError } from "./errors.ts";
import type { Clients, Sdk } from "./sdk.ts";
import type { Sessions } from "./sessions.ts";

/**
 * Makes one call of AWS's API in a customer's account: at the account's pace, with a session of its role,
 * with a time-out, and again when it failed in a way that may pass. Every call may be repeated, for it
 * carries a token or an ETag or only reads, but those with `repeat` "when-throttled": of them the provider
 * must have refused to do anything.
 * @throws CloudError
 */
export type Call = <A extends Api, Output>(
  account: CloudAccount,
  api: A,
  send: (client: Clients[ServiceOf<A>], options: { abortSignal: AbortSignal }) => Promise<Output>,
  region?: string,
  repeat?: Repeat,
) => Promise<Output>;

type Repeat = "when-it-may-pass" | "when-throttled";

export type CallOptions = Tries & {
  /** For each try. */
  readonly timeoutMs: number;
  /** A call whose turn is further away is refused as throttled, so that the worker's backoff takes it. */
  readonly maxTurnWaitMs: number;
};

export const CALL_OPTIONS: CallOptions = {
  timeoutMs: 15_000,
  attempts: 3,
  firstPauseMs: 200,
  maxTurnWaitMs: 5_000,
};

export function createCall(sdk: Sdk, sessions: Sessions, buckets: Buckets, options: CallOptions): Call {
  async function attempt<A extends Api, Output>(
    ...[account, api, send, region = GLOBAL_REGION]: Parameters<typeof call<A, Output>>
  ): Promise<Output> {
    const bucket = `${account.accountId}/${region}/${api}`;
    const pace: Pace = APIS[api];
    if (!(await buckets.take(bucket, pace, options.maxTurnWaitMs))) {
      throw cloudError(["retryable", "THROTTLED"], api);
    }
    const session = await sessions.of(account);
    // The name of every operation begins with its service (apis.ts), which the compiler cannot follow.
    const service = api.slice(0, api.indexOf(":")) as ServiceOf<A>;
    try {
      const client = await sdk.clientOf(service, region, session);
      return await send(client, { abortSignal: AbortSignal.timeout(options.timeoutMs) });
    } catch (error) {
      if (isSessionError(error)) sessions.forget(account, session);
      const meant = toCloudError(api, error);
      if (meant.code === "THROTTLED") await buckets.empty(bucket, pace);
      throw meant;
    }
  }

  async function call<A extends Api, Output>(
    account: CloudAccount,
    api: A,
    send: (client: Clients[ServiceOf<A>], options: { abortSignal: AbortSignal }) => Promise<Output>,
    region?: string,
    repeat: Repeat = "when-it-may-pass",
  ): Promise<Output> {
    try {
      const once = async (): Promise<Output> => await attempt(account, api, send, region);
      return await tryAgain(once, options, (error) => mayPassSoon(error, repeat));
    } catch (error) {
      await refuseRegion(account, api, region, error);
      throw error;
    }
  }

  /**
   * A region that is not there for the account stays away until somebody acts. It is that, and not a
   * network that is down, when a fresh session is given meanwhile. @throws CloudError
   */
  async function refuseRegion(
    account: CloudAccount,
    api: Api,
    region: string | undefined,
    error: unknown,
  ): Promise<void> {
    if (region === undefined || region === GLOBAL_REGION) return;
    if (!(error instanceof CloudError) || !isUnknownThere(error)) return;
    await sessions.assume(account.roleArn, account.connectionId, account.purpose ?? "work");
    throw cloudError(["invalid", "REGION_UNAVAILABLE"], api, { cause: error });
  }

  return call;
}

/** A time-out has taken long enough already, and who holds a stale ETag must look first. */
function mayPassSoon(error: unknown, repeat: Repeat): boolean {
  if (!(error instanceof CloudError)) return false;
  return error.code === "THROTTLED" || (error.code === "UNAVAILABLE" && repeat === "when-it-may-pass");
}

/** What an answer of AWS must have; one without it was none. @throws CloudError `retryable` */
export function required<T>(value: T | null | undefined, api: Api): T {
  if (value === null || value === undefined) throw cloudError(["retryable", "UNAVAILABLE"], api);
  return value;
}
