/**
 * Roles of an environment and of a service's builds. The function of the connection's stack makes them, so that
 * neither Slipway nor a template that it writes says whom a role trusts and what it may do
 * (`stack/connection-v2.yaml`). A stack of version 1 has no such function: there one role starts the containers of
 * all environments, and each service's stack has the role of its builds.
 */
import { CloudError, type CloudAccount } from "../../../cloud.ts";
import type { PlatformService } from "../../../platform.ts";
import { GLOBAL_REGION } from "../../calls/apis.ts";
import { type Call, required } from "../../calls/calls.ts";
import { cloudError } from "../../calls/errors.ts";
import { deployRoleOf, rolesFunctionOf, runRoleOf } from "./names.ts";
import { shorten } from "./stack-events.ts";

/** ARNs. */
export type Roles = {
  /** What builds of the service have; null: a role that is a part of the service's stack (version 1). */
  build(account: CloudAccount, service: PlatformService): Promise<string | null>;
  /** What ECS's agent starts containers of the environment with. */
  run(account: CloudAccount, service: PlatformService): Promise<string>;
  /** What CloudFormation makes a service with that runs in the environment's network, which must be there. */
  deploy(account: CloudAccount, service: PlatformService): Promise<string>;
  removeOfService(account: CloudAccount, serviceId: string): Promise<void>;
  removeOfEnvironment(account: CloudAccount, environmentId: string): Promise<void>;
};

type Wanted =
  | { readonly role: "build"; readonly serviceId: string; readonly environmentId: string }
  | { readonly role: "run"; readonly environmentId: string }
  | { readonly role: "deploy"; readonly environmentId: string; readonly region: string };

type Request =
  | Wanted
  | { readonly action: "remove"; readonly role: "build"; readonly serviceId: string }
  | { readonly action: "remove"; readonly role: "run" | "deploy"; readonly environmentId: string };

/** A role that somebody deleted is made again after this. */
const KNOWN_MS = 10 * 60_000;
const MAX_KNOWN = 10_000;
const API = "lambda:InvokeFunction";

export function createRoles(call: Call, nowMs: () => number): Roles {
  const known = new Map<string, { readonly arn: string; readonly untilMs: number }>();

  /** Null with a stack of version 1. @throws CloudError */
  async function ask(account: CloudAccount, request: Request): Promise<unknown> {
    // A large client, needed for this alone.
    const { InvokeCommand } = await import("@aws-sdk/client-lambda");
    const command = new InvokeCommand({
      FunctionName: rolesFunctionOf(account),
      Payload: JSON.stringify(request),
    });
    const answer = await call(
      account,
      API,
      (lambda, options) => lambda.send(command, options),
      GLOBAL_REGION,
    ).catch(nullWhenDenied);
    if (answer === null) return null;
    const text = Buffer.from(required(answer.Payload, API)).toString();
    if (answer.FunctionError === undefined) return JSON.parse(text);
    throw failureOf(rolesFunctionOf(account), text);
  }

  async function make(account: CloudAccount, wanted: Wanted): Promise<string | null> {
    const key = `${account.roleArn} ${JSON.stringify(wanted)}`;
    const found = known.get(key);
    if (found !== undefined && found.untilMs > nowMs()) return found.arn;
    const answer = await ask(account, wanted);
    if (answer === null) return null;
    const arn: unknown = typeof answer === "object" ? Reflect.get(answer, "roleArn") : null;
    if (typeof arn !== "string") throw cloudError(["retryable", "UNAVAILABLE"], API);
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(key, { arn, untilMs: nowMs() + KNOWN_MS });
    return arn;
  }

  return {
    build: (account, { serviceId, environmentId }) =>
      make(account, { role: "build", serviceId, environmentId }),
    async run(account, { environmentId }) {
      return (await make(account, { role: "run", environmentId })) ?? runRoleOf(account);
    },
    async deploy(account, { environmentId, region }) {
      return (await make(account, { role: "deploy", environmentId, region })) ?? deployRoleOf(account);
    },
    async removeOfService(account, serviceId) {
      await ask(account, { action: "remove", role: "build", serviceId });
    },
    async removeOfEnvironment(account, environmentId) {
      for (const role of ["deploy", "run"] as const) {
        await ask(account, { action: "remove", role, environmentId });
      }
    },
  };
}

function nullWhenDenied(error: unknown): null {
  if (error instanceof CloudError && error.kind === "denied") return null;
  throw error;
}

/** What the function died of, in its own words. */
function failureOf(name: string, text: string): CloudError {
  const message = `The function ${name} of the connection's stack failed: ${shorten(text)}`;
  const isForGood = /AccessDenied|LimitExceeded|ValueError/.test(text);
  return cloudError(isForGood ? ["invalid", "INVALID_REQUEST"] : ["retryable", "UNAVAILABLE"], API, {
    message,
  });
}
