/** `/sandbox/…` for people and tests: stacks, faults, and everything that the customer would see. */
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Type, type Static } from "typebox";
import { AppError } from "../../../src/lib/errors.ts";
import { parseJsonBody } from "../../../src/lib/json/json-body.ts";
import type { ManagedValue, ManagedValues } from "../accounts/managed-values.ts";
import { SERVICE_ID, type Stack, type Stacks } from "../accounts/stacks.ts";
import type { Certificates } from "../cdn/certificates.ts";
import { type Distributions, originOf } from "../cdn/distributions.ts";
import { SANDBOX_ERRORS } from "../errors.ts";
import { faultBody } from "../faults.ts";
import type { Ports } from "../find-sandbox.ts";
import type { GitHost } from "../git/git-host.ts";
import type { SandboxPlatform } from "../platform/platform.ts";
import { closed, OPERATION_NAMES } from "../protocol.ts";
import type { SandboxState } from "../state.ts";
import { callerOf, noStack, stackOf } from "./callers.ts";
import type { Calls } from "./calls.ts";
import { type DnsParts, registerDnsRoutes } from "./dns-routes.ts";
import { type CallFaults, FAULT_KINDS } from "./faults.ts";
import { registerGitAdminRoutes } from "./git-routes.ts";

const StackParams = Type.Object({ serviceId: Type.String() });
/** Far more than anyone creates by hand. Each stack is kept forever, with its account number. */
const MAX_STACKS = 20_000;

export type AdminParts = Omit<DnsParts, "stackOf"> & {
  readonly stacks: Stacks;
  readonly faults: CallFaults;
  readonly certificates: Certificates;
  readonly distributions: Distributions;
  readonly parameters: ManagedValues;
  readonly secrets: ManagedValues;
  readonly platform: SandboxPlatform;
  readonly calls: Calls;
  readonly gitHost: GitHost;
  readonly state: SandboxState;
  readonly ports: () => Static<typeof Ports>;
};

export function registerAdminRoutes(fastify: FastifyInstance, parts: AdminParts): void {
  const app = fastify.withTypeProvider<TypeBoxTypeProvider>();
  const { stacks, faults } = parts;
  readJsonBodies(fastify);
  const ofRequest = (request: FastifyRequest, serviceId: string) => stackOf(stacks, request, serviceId);
  registerDnsRoutes(fastify, { ...parts, stackOf: ofRequest });
  registerGitAdminRoutes(fastify, parts.gitHost, parts.state);

  app.post(
    "/sandbox/stacks",
    { schema: { body: closed({ ServiceId: Type.String({ pattern: SERVICE_ID.source }) }) } },
    async (request, reply) => {
      if (stacks.list().length >= MAX_STACKS) {
        const message = `The sandbox has reached its limit of ${MAX_STACKS} stacks.`;
        throw new AppError(SANDBOX_ERRORS.TOO_MANY_STACKS, message);
      }
      const stack = stacks.create(request.body.ServiceId, callerOf(request).organizationId);
      if (stack === null) {
        throw new AppError(SANDBOX_ERRORS.STACK_EXISTS, "There is already a stack for this connection.");
      }
      return reply
        .status(201)
        .header("location", `/sandbox/stacks/${stack.serviceId}`)
        .send(viewStack(stack));
    },
  );

  app.get("/sandbox/stacks/:serviceId", { schema: { params: StackParams } }, (request) =>
    viewStack(ofRequest(request, request.params.serviceId)),
  );

  app.delete("/sandbox/stacks/:serviceId", { schema: { params: StackParams } }, async (request, reply) => {
    if (!stacks.delete(ofRequest(request, request.params.serviceId).serviceId)) throw noStack();
    return reply.status(204).send();
  });

  app.put(
    "/sandbox/faults",
    { schema: { body: faultBody(OPERATION_NAMES, FAULT_KINDS) } },
    async (request, reply) => {
      faults.set(request.body, callerOf(request).organizationId);
      return reply.status(204).send();
    },
  );

  app.delete("/sandbox/faults", async (request, reply) => {
    faults.clear(callerOf(request).organizationId);
    return reply.status(204).send();
  });

  app.get("/sandbox/ports", async () => parts.ports());

  app.put(
    "/sandbox/tenancy",
    { schema: { body: closed({ isShared: Type.Boolean() }) } },
    async (request, reply) => {
      await parts.platform.setShared(request.body.isShared);
      return reply.status(204).send();
    },
  );

  app.get("/sandbox/state", async (request, reply) => {
    const { organizationId, claims } = callerOf(request);
    if (organizationId !== null) {
      for (const serviceId of claims) {
        const stack = stacks.get(serviceId);
        if (stack !== undefined) stacks.claim(stack, organizationId);
      }
    }
    const own = stacks
      .list()
      .filter((stack) => organizationId === null || stack.organizationId === organizationId);
    const accounts = await Promise.all(own.map((stack) => viewAccount(stack, parts)));
    return reply.send({ accounts });
  });
}

/** Reads bodies by the rules of the API, because clients find these endpoints at the API's address. */
export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>(
    "application/json",
    { parseAs: "buffer" },
    async (request: FastifyRequest, bytes: Buffer) => {
      // Clients often label an empty DELETE as JSON.
      if (bytes.length === 0 && request.routeOptions.schema?.body === undefined) return undefined;
      return parseJsonBody(bytes);
    },
  );
}

function viewStack({ serviceId, accountId, roleArn, status, createdAt }: Stack): object {
  return { ServiceId: serviceId, accountId, roleArn, status, createdAt: new Date(createdAt).toISOString() };
}

async function viewAccount(stack: Stack, parts: AdminParts): Promise<object> {
  const { accountId, serviceId } = stack;
  const { certificates, distributions, parameters, secrets, zones, platform, calls } = parts;
  return {
    serviceId,
    accountId,
    roleArn: stack.roleArn,
    stackStatus: stack.status,
    calls: calls.countsOf(serviceId),
    certificates: certificates.list(accountId).map((certificate) => ({
      ...certificate,
      inUse: distributions.isCertificateInUse(certificate.id),
    })),
    distributions: distributions.list(accountId).map((distribution) => {
      const view = distributions.view(distribution);
      return { ...view, changedAt: new Date(view.changedAt).toISOString(), origin: originOf(distribution) };
    }),
    parameters: (await parameters.list(accountId)).map(viewValue),
    secrets: (await secrets.list(accountId)).map((secret) => ({
      arn: secret.reference,
      ...viewValue(secret),
    })),
    zones: zones.list(accountId).map(({ id, name, nameServers }) => ({ id, name, nameServers })),
    services: platform.list(accountId),
  };
}

/** The sandbox stands in for the customer's cloud, where the customer may read its values. */
function viewValue({ name, region, versionCount, value, isOurs }: ManagedValue): object {
  return { name, region, versionCount, value, isOurs };
}
