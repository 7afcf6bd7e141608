/** The calls of the adapter, each with its own outcome: an answer, a refusal, or a fault on demand. */
import type { FastifyInstance, FastifyReply } from "fastify";
import { Value } from "typebox/value";
import { AppError, COMMON_ERRORS } from "../../../src/lib/errors.ts";
import {
  Call,
  type CertificateMessage,
  type InputOf,
  isOperation,
  type Operation,
  OPERATIONS,
  type OutputOf,
} from "../protocol.ts";
import type { Certificates } from "../cdn/certificates.ts";
import type { Distributions } from "../cdn/distributions.ts";
import { distributionIdOf } from "../../../edge/src/requests.ts";
import type { EdgeTraffic } from "../../../edge/src/traffic.ts";
import { type CallFaults, refusalOf } from "./faults.ts";
import type { ManagedValues } from "../accounts/managed-values.ts";
import type { SandboxPlatform } from "../platform/platform.ts";
import { invalid, Refusal } from "../refusal.ts";
import type { Stack, Stacks } from "../accounts/stacks.ts";
import { createThrottle } from "./throttle.ts";
import type { Zones } from "../dns/zones.ts";
import type { SandboxTuning } from "../tuning.ts";

type Outcome =
  | { readonly kind: "answer"; readonly output: object }
  | { readonly kind: "refused"; readonly refusal: Refusal }
  | { readonly kind: "server-error" }
  /** Nothing is done, and there is no answer. */
  | { readonly kind: "timeout" }
  /** The work was done or refused, but there is no answer. */
  | { readonly kind: "lost-response" };

export type Calls = {
  make(
    operation: Operation,
    call: { readonly roleArn: string; readonly externalId: string | null; readonly input: unknown },
  ): Promise<Outcome>;
  /** How often each operation has been called for a connection since the start. */
  countsOf(serviceId: string): { readonly [operation: string]: number };
};

const nothing = (_done: void) => ({});

type Handlers = {
  readonly [O in Operation]: (account: Stack, input: InputOf<O>) => OutputOf<O> | Promise<OutputOf<O>>;
};

export function createCalls(options: {
  stacks: Stacks;
  certificates: Certificates;
  distributions: Distributions;
  traffic: EdgeTraffic;
  parameters: ManagedValues;
  secrets: ManagedValues;
  zones: Pick<Zones, "find" | "look" | "change">;
  platform: SandboxPlatform;
  faults: Pick<CallFaults, "strike">;
  tuning: SandboxTuning;
  now: () => number;
}): Calls {
  const { stacks, certificates, distributions, traffic, parameters, secrets, zones, platform } = options;
  const { faults, tuning, now } = options;
  const throttle = createThrottle(now);
  const counts = new Map<string, Record<string, number>>();

  const handlers: Handlers = {
    "identity.verify": ({ accountId }) => ({ accountId }),
    "certificates.request": ({ accountId }, { names, token }) =>
      certificates.request(accountId, names, token),
    "certificates.describe": ({ accountId }, { id }): { certificate: CertificateMessage | null } => ({
      certificate: certificates.describe(accountId, id),
    }),
    "certificates.list": ({ accountId }) => ({
      certificates: certificates
        .list(accountId)
        .filter((one) => ["PENDING_VALIDATION", "ISSUED"].includes(one.status))
        .map(({ id, names }) => ({ id, names: [...names] })),
    }),
    "certificates.delete": ({ accountId }, { id }) => ({ result: certificates.delete(accountId, id) }),
    "distributions.create": ({ accountId }, { token, origin, access }) =>
      distributions.create(accountId, token, origin, access),
    "distributions.describe": ({ accountId }, { id }) => ({
      distribution: distributions.describe(accountId, id),
    }),
    "distributions.update": ({ accountId }, { id, ...update }) => distributions.update(accountId, id, update),
    "distributions.delete": ({ accountId }, { id, etag }) => ({
      result: distributions.delete(accountId, id, etag),
    }),
    "distributions.traffic": ({ accountId }, { ids, since }) => {
      const own = ids.filter((id) => distributions.describe(accountId, distributionIdOf(id)) !== null);
      return traffic.read(own, since);
    },
    "parameters.put": ({ accountId }, write) => parameters.put(accountId, write),
    "parameters.delete": async ({ accountId }, { region, name }) =>
      nothing(await parameters.delete(accountId, region, name)),
    "secrets.put": ({ accountId }, write) => secrets.put(accountId, write),
    "secrets.delete": async ({ accountId }, { region, name }) =>
      nothing(await secrets.delete(accountId, region, name)),
    "zones.find": ({ accountId }, { name }) => zones.find(accountId, name),
    "zones.look": ({ accountId }, { id, names }) => zones.look(accountId, id, names),
    "zones.create": ({ accountId }, input) => nothing(zones.change(accountId, "create", input)),
    "zones.delete": ({ accountId }, input) => nothing(zones.change(accountId, "delete", input)),
    "builds.start": ({ accountId }, { credentials = null, ...input }) =>
      platform.builds.start(accountId, input, credentials),
    "builds.describe": ({ accountId }, { token }) => ({ build: platform.builds.describe(accountId, token) }),
    "builds.cancel": ({ accountId }, { token }) => nothing(platform.builds.cancel(accountId, token)),
    "builds.logs": ({ accountId }, { token, cursor }) => platform.builds.logs(accountId, token, cursor),
    "releases.start": ({ accountId }, input) => platform.releases.start(accountId, input),
    "releases.describe": ({ accountId }, { token }) => ({
      release: platform.releases.describe(accountId, token),
    }),
    "releases.cancel": ({ accountId }, { token }) => nothing(platform.releases.cancel(accountId, token)),
    "releases.health": ({ accountId }, { token }) => ({ health: platform.releases.health(accountId, token) }),
    "releases.logs": ({ accountId }, { token, cursor }) => platform.releases.logs(accountId, token, cursor),
    "executions.start": ({ accountId }, input) => platform.executions.start(accountId, input),
    "executions.describe": ({ accountId }, { token }) => ({
      execution: platform.executions.describe(accountId, token),
    }),
    "executions.cancel": ({ accountId }, { token }) => nothing(platform.executions.cancel(accountId, token)),
    "executions.logs": ({ accountId }, { token, cursor }) =>
      platform.executions.logs(accountId, token, cursor),
    "services.remove": ({ accountId }, { serviceId }) =>
      nothing(platform.removeService(accountId, serviceId)),
    "stores.ensure": ({ accountId }, input) => platform.stores.ensure(accountId, input),
    "stores.describe": ({ accountId }, { service }) => ({
      store: platform.stores.describe(accountId, service.serviceId),
    }),
    "stores.down": ({ accountId }, { serviceIds }) => ({
      down: [...platform.stores.listDown(accountId, serviceIds)],
    }),
    "stores.remove": ({ accountId }, { service, snapshot }) => ({
      store: platform.stores.remove(accountId, service.serviceId, snapshot),
    }),
    "snapshots.create": ({ accountId }, { service, token }) =>
      platform.stores.createSnapshot(accountId, service.serviceId, token),
    "snapshots.describe": ({ accountId }, { service, token }) => ({
      snapshot: platform.stores.describeSnapshot(accountId, service.serviceId, token),
    }),
    "snapshots.remove": ({ accountId }, { service, token }) =>
      nothing(platform.stores.removeSnapshot(accountId, service.serviceId, token)),
    "environments.activity": ({ accountId }, { environmentIds }) => ({
      activities: [...platform.releases.sleep.read(accountId, environmentIds)],
    }),
    "environments.sleep": ({ accountId }, { environmentId, usedAt }) => {
      platform.releases.sleep.fallAsleep({ accountId, environmentId }, usedAt);
      return { activity: platform.releases.sleep.read(accountId, [environmentId])[0] ?? null };
    },
  };

  function handle<O extends Operation>(
    operation: O,
    account: Stack,
    input: unknown,
  ): OutputOf<O> | Promise<OutputOf<O>> {
    const schema = OPERATIONS[operation].input;
    if (!Value.Check(schema, input)) {
      throw invalid(`The input of ${operation} is not valid.`);
    }
    // The check above used the schema of this operation, which the compiler cannot know.
    return handlers[operation](account, input as InputOf<O>);
  }

  async function work(operation: Operation, call: Parameters<Calls["make"]>[1]): Promise<Outcome> {
    try {
      const account = stacks.assume(call.roleArn, call.externalId);
      if (account === null) {
        throw new Refusal(
          "denied",
          "ACCESS_DENIED",
          "The role does not exist or does not trust this caller.",
        );
      }
      // Route 53 has one rate for all operations of an account.
      const bucket = operation.startsWith("zones.") ? "zones" : operation;
      const rate = tuning.throttle[operation];
      if (rate !== undefined && !throttle.allows(`${account.accountId}/${bucket}`, rate)) {
        throw new Refusal("retryable", "THROTTLED", "Rate exceeded.", { bucket, ...rate });
      }
      return { kind: "answer", output: await handle(operation, account, call.input) };
    } catch (error) {
      if (error instanceof Refusal) return { kind: "refused", refusal: error };
      throw error;
    }
  }

  return {
    async make(operation, call) {
      const serviceId = stacks.get(call.externalId ?? "")?.serviceId;
      if (serviceId !== undefined) {
        const counted = counts.get(serviceId) ?? {};
        counts.set(serviceId, { ...counted, [operation]: (counted[operation] ?? 0) + 1 });
      }
      const account = stacks.get(call.externalId ?? "") ?? stacks.ofRole(call.roleArn);
      const fault = faults.strike(operation, account?.organizationId ?? null);
      if (fault === null) return await work(operation, call);
      const refusal = refusalOf(fault, operation);
      if (refusal !== null) return { kind: "refused", refusal };
      if (fault === "timeout" || fault === "server-error") return { kind: fault };
      await work(operation, call);
      return { kind: "lost-response" };
    },
    countsOf: (serviceId) => counts.get(serviceId) ?? {},
  };
}

/** Large enough for all variables that a service may have (500 of 32 KiB). */
const MAX_CALL_BYTES = 32 * 1024 * 1024;

const STATUS_OF_KIND = { retryable: 429, denied: 403, gone: 404, limit: 400, invalid: 400 } as const;

/** One POST for each call. */
export function registerCallRoute(app: FastifyInstance, calls: Calls): void {
  const bodyLimit = MAX_CALL_BYTES;
  app.post<{ Params: { operation: string } }>("/cloud/:operation", { bodyLimit }, async (request, reply) => {
    const { operation } = request.params;
    const { body } = request;
    if (!isOperation(operation) || !Value.Check(Call, body)) {
      const message = "There is no such operation, or its envelope is wrong.";
      throw new AppError(COMMON_ERRORS.INVALID_REQUEST, message);
    }
    const outcome = await calls.make(operation, body);
    switch (outcome.kind) {
      case "answer":
        return reply.send(outcome.output);
      case "refused": {
        const { kind, code, message, rate } = outcome.refusal;
        return reply.status(STATUS_OF_KIND[kind]).send({ kind, code, message, rate });
      }
      case "server-error":
        // Like a load balancer's answer for a service that is down: it is not JSON.
        return reply
          .status(503)
          .type("text/html")
          .send("<html><body><h1>503 Service Unavailable</h1></body></html>");
      case "timeout":
        return hangUp(reply, false);
      case "lost-response":
        return hangUp(reply, true);
    }
  });
}

/** Takes the connection away from Fastify, to break it or to leave it without an answer. */
function hangUp(reply: FastifyReply, isBroken: boolean): FastifyReply {
  reply.hijack();
  if (isBroken) reply.raw.destroy();
  return reply;
}
