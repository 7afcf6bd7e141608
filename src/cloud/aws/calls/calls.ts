import { CloudError, type CloudAccount } from "../../cloud.ts";
import type { CallPolicy, Repeat } from "../../calls/policy.ts";
import type { TokenBuckets } from "../../../lib/pace/token-bucket.ts";
import { GLOBAL_REGION, paceOf, type Api, type ServiceOf } from "./apis.ts";
import { cloudError, isSessionError, isRegionUnavailable, toCloudError } from "./errors.ts";
import type { Clients, Sdk } from "./sdk.ts";
import { ASSUME_ROLE, type Sessions } from "./sessions.ts";

/**
 * Makes one call of AWS's API in a customer's account, at the account's rate and with a session of its role. The
 * policy decides how long it may take and when it is repeated (`cloud/calls/policy.ts`).
 * @throws CloudError
 */
export type Call = <A extends Api, Output>(
  account: CloudAccount,
  api: A,
  send: (client: Clients[ServiceOf<A>], options: { abortSignal: AbortSignal }) => Promise<Output>,
  region?: string,
  repeat?: Repeat,
) => Promise<Output>;

export function createCall(deps: {
  readonly sdk: Sdk;
  readonly sessions: Sessions;
  readonly buckets: TokenBuckets;
  readonly policy: CallPolicy;
}): Call {
  const { sdk, sessions, buckets, policy } = deps;

  async function call<A extends Api, Output>(
    account: CloudAccount,
    api: A,
    send: (client: Clients[ServiceOf<A>], options: { abortSignal: AbortSignal }) => Promise<Output>,
    region: string = GLOBAL_REGION,
    repeat?: Repeat,
  ): Promise<Output> {
    const pace = paceOf(api);
    const bucket = `${account.accountId}/${region}/${pace.bucket}`;
    // The name of every operation begins with its service (apis.ts), which the compiler cannot know.
    const service = api.slice(0, api.indexOf(":")) as ServiceOf<A>;
    try {
      return await policy.request({
        connectionId: account.connectionId,
        operation: api,
        ...(repeat === undefined ? {} : { repeat }),
        takeTurn: (maxWaitMs) => buckets.take(bucket, pace.rate, maxWaitMs),
        async prepare(abortSignal) {
          const session = await sessions.of(account, abortSignal);
          const client = await sdk.clientOf(service, region, session);
          return async () => {
            try {
              return await send(client, { abortSignal });
            } catch (error) {
              if (isSessionError(error)) sessions.forget(account, session);
              const meant = toCloudError(api, error);
              if (meant.code === "THROTTLED") await buckets.empty(bucket, pace.rate);
              throw meant;
            }
          };
        },
      });
    } catch (error) {
      await refuseRegion(account, api, region, error);
      throw error;
    }
  }

  /**
   * A region that does not exist for the account stays unusable until the account's owner acts. If AWS gives out a new
   * session in the meantime, the region is at fault, and not the network. @throws CloudError
   */
  async function refuseRegion(
    account: CloudAccount,
    api: Api,
    region: string,
    error: unknown,
  ): Promise<void> {
    if (region === GLOBAL_REGION) return;
    if (!(error instanceof CloudError) || !isRegionUnavailable(error)) return;
    const { roleArn, connectionId, purpose = "work" } = account;
    await policy.request({
      connectionId,
      operation: ASSUME_ROLE,
      prepare: async (signal) => () => sessions.assume(roleArn, connectionId, purpose, signal),
    });
    throw cloudError(["invalid", "REGION_UNAVAILABLE"], api, { cause: error });
  }

  return call;
}

/** A value that every valid answer of AWS has. @throws CloudError `retryable` */
export function required<T>(value: T | null | undefined, api: string): T {
  if (value === null || value === undefined) throw cloudError(["retryable", "UNAVAILABLE"], api);
  return value;
}
