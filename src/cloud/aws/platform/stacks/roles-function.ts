/** Calls the function of a connection's stack that makes roles and starts commands (`stack/connection-v2.yaml`). */
import { CloudError, type CloudAccount } from "../../../cloud.ts";
import { GLOBAL_REGION } from "../../calls/apis.ts";
import { type Call, required } from "../../calls/calls.ts";
import { cloudError } from "../../calls/errors.ts";
import { rolesFunctionOf } from "./names.ts";
import { shorten } from "./stack-events.ts";

const API = "lambda:InvokeFunction";
/** A call with the same request fails again. */
const FOR_GOOD = /AccessDenied|LimitExceeded|ValueError|InvalidParameter|ClientException|ConflictException/;
const AGAIN_LATER = /Capacity is unavailable/;

/** Null if the role of the connection may not call it: stacks of version 1 have no such function. @throws CloudError */
export async function askRolesFunction(call: Call, account: CloudAccount, request: object): Promise<unknown> {
  // A large client, needed only here.
  const { InvokeCommand } = await import("@aws-sdk/client-lambda");
  const FunctionName = rolesFunctionOf(account);
  const command = new InvokeCommand({ FunctionName, Payload: JSON.stringify(request) });
  const answer = await call(account, API, command, GLOBAL_REGION).catch(nullWhenDenied);
  if (answer === null) return null;
  const text = Buffer.from(required(answer.Payload, API)).toString();
  if (answer.FunctionError === undefined) return JSON.parse(text);
  // Why it failed, in its own words.
  const message = `The function ${FunctionName} of the connection's stack failed: ${shorten(text)}`;
  const isForGood = FOR_GOOD.test(text) && !AGAIN_LATER.test(text);
  throw cloudError(isForGood ? ["invalid", "INVALID_REQUEST"] : ["retryable", "UNAVAILABLE"], API, {
    message,
    cause: new Error(text),
  });
}

function nullWhenDenied(error: unknown): null {
  if (error instanceof CloudError && error.kind === "denied") return null;
  throw error;
}
