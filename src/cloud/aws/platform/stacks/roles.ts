/**
 * Roles of an environment and of a service's builds. A function in the connection's stack creates them. So neither
 * Slipway nor a template that it writes decides whom a role trusts and what it may do
 * (`stack/connection-v2.yaml`). Stacks of version 1 have no such function: one role starts the containers of
 * all environments, and each service's stack contains the role of its builds.
 */
import type { CloudAccount } from "../../../cloud.ts";
import { pick } from "../../../../lib/pick.ts";
import type { PlatformService } from "../../../platform.ts";
import type { Call } from "../../calls/calls.ts";
import { cloudError } from "../../calls/errors.ts";
import { deployRoleOf, networkOf, runRoleOf } from "./names.ts";
import { askRolesFunction } from "./roles-function.ts";

/** ARNs. */
export type Roles = {
  /** The role of the service's builds; null: a role in the service's stack (version 1). */
  build(account: CloudAccount, service: PlatformService): Promise<string | null>;
  /** The role of ECS's agent, which starts the environment's containers. */
  run(account: CloudAccount, service: PlatformService): Promise<string>;
  /** The role of CloudFormation for a service in the environment's network. The network must exist. */
  deploy(account: CloudAccount, service: PlatformService): Promise<string>;
  removeOfService(account: CloudAccount, serviceId: string): Promise<void>;
  removeOfEnvironment(account: CloudAccount, environmentId: string): Promise<void>;
};

/**
 * Whose values the role may read: all of the environment, of the template those for previews, and what the customer tagged
 * for it, except for the commits of a fork.
 */
type Reads = Pick<PlatformService, "environmentId" | "templateId" | "isFork">;

type RoleRequest =
  | ({ readonly role: "build"; readonly serviceId: string } & Reads)
  | ({ readonly role: "run" } & Reads)
  | { readonly role: "deploy"; readonly environmentId: string; readonly region: string };

type Request =
  | RoleRequest
  | { readonly action: "remove"; readonly role: "build"; readonly serviceId: string }
  | { readonly action: "remove"; readonly role: "run" | "deploy"; readonly environmentId: string };

/** After this time, a role that the customer deleted is created again. */
const KNOWN_MS = 10 * 60_000;
const MAX_KNOWN = 10_000;

export function createRoles(call: Call): Roles {
  const known = new Map<string, { readonly arn: string; readonly untilMs: number }>();

  /** Null for a stack of version 1. @throws CloudError */
  const ask = (account: CloudAccount, request: Request) => askRolesFunction(call, account, request);

  async function make(account: CloudAccount, request: RoleRequest): Promise<string | null> {
    const key = `${account.roleArn} ${JSON.stringify(request)}`;
    const found = known.get(key);
    if (found !== undefined && found.untilMs > Date.now()) return found.arn;
    const answer = await ask(account, request);
    if (answer === null) return null;
    const arn: unknown = typeof answer === "object" ? Reflect.get(answer, "roleArn") : null;
    if (typeof arn !== "string") throw cloudError(["retryable", "UNAVAILABLE"], "lambda:InvokeFunction");
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(key, { arn, untilMs: Date.now() + KNOWN_MS });
    return arn;
  }

  return {
    build: (account, service) =>
      make(account, { role: "build", serviceId: service.serviceId, ...readsOf(service) }),
    async run(account, service) {
      return (await make(account, { role: "run", ...readsOf(service) })) ?? runRoleOf(account);
    },
    async deploy(account, service) {
      // It may run containers in one network only, whose name is that of its environment.
      const request = { role: "deploy", environmentId: networkOf(service), region: service.region } as const;
      return (await make(account, request)) ?? deployRoleOf(account);
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

function readsOf(service: PlatformService): Reads {
  return pick(service, ["environmentId", "templateId", "isFork"]);
}
