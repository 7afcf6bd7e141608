import { CloudError, type CloudAccount } from "../../cloud.ts";
import type { CallPolicy, Repeat } from "../../calls/policy.ts";
import type { TokenBuckets } from "../../../lib/pace/token-bucket.ts";
import { GLOBAL_REGION, paceOf, serviceOf, type Api } from "./apis.ts";
import { cloudError, isRegionUnavailable, isSessionError, toCloudError } from "./errors.ts";
import type { Command, Sdk } from "./sdk.ts";
import { ASSUME_ROLE, type Sessions } from "./sessions.ts";

/**
 * Makes one call of AWS's API in a customer's account, at the account's rate and with a session of its role. The
 * policy decides how long it may take and when it is repeated (`cloud/calls/policy.ts`).
 * @param more.read reads an output that is a stream, as a part of the call
 * @throws CloudError
 */
export type Call = <Output, Result = Output>(
  account: CloudAccount,
  api: Api,
  command: Command<Output>,
  region?: string,
  more?: { readonly repeat?: Repeat; readonly read?: (output: Output) => Promise<Result> },
) => Promise<Result>;

export function createCall(deps: {
  readonly sdk: Sdk;
  readonly sessions: Sessions;
  readonly buckets: TokenBuckets;
  readonly policy: CallPolicy;
}): Call {
  const { sdk, sessions, buckets, policy } = deps;

  const call: Call = async (account, api, command, region = GLOBAL_REGION, { read, ...more } = {}) => {
    const pace = paceOf(api);
    const bucket = `${account.accountId}/${region}/${pace.bucket}`;
    try {
      return await policy.request({
        connectionId: account.connectionId,
        operation: api,
        ...more,
        takeTurn: (maxWaitMs) => buckets.take(bucket, pace.rate, maxWaitMs),
        async prepare(abortSignal) {
          const session = await sessions.of(account, abortSignal);
          const client = await sdk.clientOf(serviceOf(api), region, session);
          return async () => {
            try {
              const output = await client.send(command, { abortSignal });
              // Without `read`, the result is the output.
              return read === undefined ? (output as never) : await read(output);
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
  };

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
