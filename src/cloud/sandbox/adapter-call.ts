import { Value } from "typebox/value";
import { parseJsonOrNull } from "../../lib/json/json-body.ts";
import { createBuckets } from "../../lib/pace/token-bucket.ts";
import type { CallPolicy } from "../calls/policy.ts";
import { CLOUD_ERROR_CODES, type CloudAccount, CloudError, type CloudErrorCode } from "../cloud.ts";
import type { CallRate } from "../../../sandbox/src/refusal.ts";
import {
  OPERATIONS,
  Refused,
  type InputOf,
  type Operation,
  type OutputOf,
} from "../../../sandbox/src/protocol.ts";

/** The account of a call, and how its role is assumed. */
type CallerRole = {
  readonly connectionId: string;
  readonly roleArn: string;
  readonly externalId: string | null;
};

/** The role of a connected account, as its connection assumes it. */
export function roleOf({ connectionId, roleArn }: CloudAccount): CallerRole {
  return { connectionId, roleArn, externalId: connectionId };
}

type Caller = <O extends Operation>(
  operation: O,
  role: CallerRole,
  input: InputOf<O>,
) => Promise<OutputOf<O>>;

/**
 * Makes calls to the sandbox's server. Once a call was refused for its rate, later ones wait for their turn. Every transport failure (no connection, a reset, a time-out, a 5xx, an
 * invalid answer) is a `retryable` CloudError, because the outcome is unknown.
 */
export function createCaller(options: {
  readonly url: string;
  readonly secret: string | null;
  /** For each attempt; five seconds by default. */
  readonly timeoutMs?: number;
  readonly policy: CallPolicy;
}): Caller {
  const { url, secret, policy, timeoutMs = 5_000 } = options;
  const buckets = createBuckets();
  /** What refusals said of the rates of operations. */
  const rates = new Map<Operation, CallRate>();
  const headers = {
    "content-type": "application/json",
    ...(secret === null ? {} : { authorization: `Bearer ${secret}` }),
  };
  async function send<O extends Operation>(
    operation: O,
    { roleArn, externalId }: CallerRole,
    input: InputOf<O>,
    signal: AbortSignal,
  ): Promise<OutputOf<O>> {
    const unavailable = (message: string, cause?: unknown) =>
      new CloudError("retryable", "UNAVAILABLE", operation, message, { cause });
    let status: number;
    let text: string;
    try {
      const response = await fetch(`${url}/cloud/${operation}`, {
        method: "POST",
        headers,
        body: JSON.stringify({ roleArn, externalId, input }),
        redirect: "error",
        signal,
      });
      status = response.status;
      text = await response.text();
    } catch (error) {
      if (error instanceof DOMException && error.name === "TimeoutError") {
        const message = "The sandbox did not answer in time.";
        throw new CloudError("retryable", "TIMEOUT", operation, message, { cause: error });
      }
      throw unavailable("The sandbox could not be reached, or closed the connection.", error);
    }
    if (status === 401) throw unavailable("The sandbox does not accept Slipway's secret.");
    const body = parseJsonOrNull(text);
    if (status === 200 && Value.Check(OPERATIONS[operation].output, body)) {
      // The check above used the schema of this operation, which the compiler cannot know.
      return body as OutputOf<typeof operation>;
    }
    if (status < 500 && Value.Check(Refused, body)) {
      if (body.rate !== undefined) {
        rates.set(operation, body.rate);
        await buckets.empty(keyOf(roleArn, body.rate), body.rate);
      }
      throw new CloudError(body.kind, readCode(body.code), operation, body.message);
    }
    throw unavailable(`The sandbox gave an unusable answer (status ${status}).`);
  }

  return (operation, role, input) =>
    policy.request({
      connectionId: role.connectionId,
      operation,
      attemptMs: timeoutMs,
      takeTurn: async (maxWaitMs) => {
        const rate = rates.get(operation);
        return rate === undefined || (await buckets.take(keyOf(role.roleArn, rate), rate, maxWaitMs));
      },
      prepare: async (signal) => () => send(operation, role, input, signal),
    });
}

function keyOf(roleArn: string, { bucket }: CallRate): string {
  return `${roleArn} ${bucket}`;
}

function readCode(code: string): CloudErrorCode {
  return CLOUD_ERROR_CODES.find((known) => known === code) ?? "UNKNOWN";
}
