import { Value } from "typebox/value";
import { CLOUD_ERROR_CODES, CloudError, type CloudErrorCode } from "../cloud.ts";
import { OPERATIONS, Refused, type InputOf, type Operation, type OutputOf } from "../../sandbox/protocol.ts";

type Caller = <O extends Operation>(
  operation: O,
  role: { readonly roleArn: string; readonly externalId: string | null },
  input: InputOf<O>,
) => Promise<OutputOf<O>>;

/**
 * Makes calls to the sandbox's server. Whatever goes wrong on the way (no connection, a reset, silence,
 * a 5xx, an answer that is none) is a `retryable` CloudError, for the outcome is unknown.
 */
export function createCaller(options: {
  readonly url: string;
  readonly secret: string | null;
  readonly timeoutMs: number;
}): Caller {
  const { url, secret, timeoutMs } = options;
  const headers = {
    "content-type": "application/json",
    ...(secret === null ? {} : { authorization: `Bearer ${secret}` }),
  };
  return async (operation, role, input) => {
    const unavailable = (message: string, cause?: unknown) =>
      new CloudError("retryable", "UNAVAILABLE", operation, message, { cause });
    let status: number;
    let text: string;
    try {
      const response = await fetch(`${url}/cloud/${operation}`, {
        method: "POST",
        headers,
        body: JSON.stringify({ ...role, input }),
        redirect: "error",
        signal: AbortSignal.timeout(timeoutMs),
      });
      status = response.status;
      text = await response.text();
    } catch (error) {
      if (error instanceof DOMException && error.name === "TimeoutError") {
        const message = `The sandbox did not answer within ${timeoutMs} ms.`;
        throw new CloudError("retryable", "TIMEOUT", operation, message, { cause: error });
      }
      throw unavailable("The sandbox could not be reached, or broke off the connection.", error);
    }
    if (status === 401) throw unavailable("The sandbox does not accept Slipway's secret.");
    const body = parse(text);
    if (status === 200 && Value.Check(OPERATIONS[operation].output, body)) {
      // The check above is for the schema of this very operation, which the compiler cannot follow.
      return body as OutputOf<typeof operation>;
    }
    if (status < 500 && Value.Check(Refused, body)) {
      throw new CloudError(body.kind, readCode(body.code), operation, body.message);
    }
    throw unavailable(`The sandbox gave no usable answer (status ${status}).`);
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // An answer that is no JSON fails the check of its schema.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function readCode(code: string): CloudErrorCode {
  return CLOUD_ERROR_CODES.find((known) => known === code) ?? "UNKNOWN";
}
