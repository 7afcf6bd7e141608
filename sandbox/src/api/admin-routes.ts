/** `/sandbox/…` for people and tests: DNS records, stacks, faults, and everything that the customer would see. */
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Type, type Static } from "typebox";
import { parseJsonBody } from "../../../src/lib/json/json-body.ts";
import type { Calls } from "./calls.ts";
import type { Certificates } from "../certificates/certificates.ts";
import { type Distributions, originOf } from "../edge/distributions.ts";
import { FAULT_KINDS, type Faults } from "./faults.ts";
import type { Ports } from "../find-sandbox.ts";
import type { ManagedValue, ManagedValues } from "../accounts/managed-values.ts";
import { NAME_SERVER, normalizeName } from "../dns/names.ts";
import type { SandboxPlatform } from "../platform/platform.ts";
import { sendProblem } from "./problems.ts";
import { callerOf } from "./caller-headers.ts";
import { registerDnsProviderRoutes } from "./dns-provider-routes.ts";
import { OPERATION_NAMES } from "../protocol.ts";
import { checkRecord, RECORD_TYPES, RecordConflict, type Records } from "../dns/records.ts";
import type { DnsProvider } from "../dns-provider/provider.ts";
import type { Zones } from "../dns/zones.ts";
import { SERVICE_ID, type Stack, type Stacks } from "../accounts/stacks.ts";
import { COMMON_ERRORS } from "../../../src/lib/errors.ts";
import { SANDBOX_ERRORS } from "../errors.ts";

const closed = { additionalProperties: false };
const RecordType = Type.Enum([...RECORD_TYPES]);
const StackParams = Type.Object({ serviceId: Type.String() });
/** Far more than anyone creates by hand. Each stack is kept forever, with its account number. */
const MAX_STACKS = 20_000;
const NO_STACK = "There is no stack for this connection.";

export type AdminParts = {
  readonly records: Records;
  readonly zones: Zones;
  readonly dnsProvider: DnsProvider;
  /** Authority and path of the DNS provider's settings. */
  readonly connectAt: () => string;
  readonly stacks: Stacks;
  readonly faults: Faults;
  readonly certificates: Certificates;
  readonly distributions: Distributions;
  readonly parameters: ManagedValues;
  readonly secrets: ManagedValues;
  readonly platform: SandboxPlatform;
  readonly calls: Calls;
  readonly ports: () => Static<typeof Ports>;
};

export function registerAdminRoutes(fastify: FastifyInstance, parts: AdminParts): void {
  const app = fastify.withTypeProvider<TypeBoxTypeProvider>();
  const { records, zones, stacks, faults } = parts;
  readJsonBodies(fastify);
  registerDnsProviderRoutes(fastify, parts);

  app.get("/sandbox/dns/records", (request) => ({
    records: records
      .list(callerOf(request).organizationId ?? undefined)
      .map(({ name, type, values, ttl }) => ({ name, type, values, ttl })),
  }));

  app.put(
    "/sandbox/dns/records",
    {
      schema: {
        body: Type.Object(
          {
            name: Type.String({ minLength: 1 }),
            type: RecordType,
            values: Type.Array(Type.String(), { minItems: 1, maxItems: 100 }),
            ttl: Type.Optional(Type.Integer({ minimum: 0, maximum: 604_800 })),
          },
          closed,
        ),
      },
    },
    async (request, reply) => {
      const checked = checkRecord(request.body);
      if ("faults" in checked) {
        return sendProblem(
          reply,
          COMMON_ERRORS.INVALID_REQUEST,
          "The record is not valid; see errors.",
          checked.faults,
        );
      }
      try {
        const { organizationId } = callerOf(request);
        records.put(organizationId === null ? checked.set : { ...checked.set, organizationId });
      } catch (error) {
        if (!(error instanceof RecordConflict)) throw error;
        return sendProblem(reply, SANDBOX_ERRORS.RECORD_CONFLICT, error.message);
      }
      return reply.status(204).send();
    },
  );

  app.delete(
    "/sandbox/dns/records",
    { schema: { body: Type.Object({ name: Type.String({ minLength: 1 }), type: RecordType }, closed) } },
    async (request, reply) => {
      const { organizationId } = callerOf(request);
      try {
        records.remove(normalizeName(request.body.name), request.body.type, organizationId ?? undefined);
      } catch (error) {
        if (!(error instanceof RecordConflict)) throw error;
        return sendProblem(reply, SANDBOX_ERRORS.RECORD_CONFLICT, error.message);
      }
      return reply.status(204).send();
    },
  );

  app.post(
    "/sandbox/stacks",
    { schema: { body: Type.Object({ ServiceId: Type.String({ pattern: SERVICE_ID.source }) }, closed) } },
    async (request, reply) => {
      if (stacks.list().length >= MAX_STACKS) {
        return sendProblem(
          reply,
          SANDBOX_ERRORS.TOO_MANY_STACKS,
          `The sandbox has reached its limit of ${MAX_STACKS} stacks.`,
        );
      }
      const stack = stacks.create(request.body.ServiceId, callerOf(request).organizationId);
      if (stack === null) {
        return sendProblem(
          reply,
          SANDBOX_ERRORS.STACK_EXISTS,
          "There is already a stack for this connection.",
        );
      }
      return reply
        .status(201)
        .header("location", `/sandbox/stacks/${stack.serviceId}`)
        .send(viewStack(stack));
    },
  );

  app.post(
    "/sandbox/zones",
    {
      schema: {
        body: Type.Object(
          {
            ServiceId: Type.String({ pattern: SERVICE_ID.source }),
            name: Type.String({ minLength: 1 }),
            isAllowed: Type.Optional(Type.Boolean()),
            isPrivate: Type.Optional(Type.Boolean()),
            isDelegated: Type.Optional(Type.Boolean()),
            isServed: Type.Optional(Type.Boolean()),
            nameServers: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 10 })),
          },
          closed,
        ),
      },
    },
    async (request, reply) => {
      const { ServiceId, isAllowed = true, isPrivate = false, isDelegated = true } = request.body;
      const { isServed = true, nameServers = null } = request.body;
      const stack = findStack(request, ServiceId);
      if (stack === undefined) return sendProblem(reply, COMMON_ERRORS.NOT_FOUND, NO_STACK);
      const servers = nameServers ?? [NAME_SERVER];
      const checked = checkRecord({ name: request.body.name, type: "NS", values: servers });
      if ("faults" in checked)
        return sendProblem(
          reply,
          COMMON_ERRORS.INVALID_REQUEST,
          "The name is not valid; see errors.",
          checked.faults,
        );
      try {
        const { name, values } = checked.set;
        const given = { nameServers: nameServers === null ? null : values, isServed };
        const wanted = { name, isAllowed, isPrivate, isDelegated, ...given };
        const zone = zones.create(stack.accountId, wanted, callerOf(request).organizationId);
        return await reply.status(201).send({ id: zone.id, name: zone.name, nameServers: zone.nameServers });
      } catch (error) {
        if (!(error instanceof RecordConflict)) throw error;
        return sendProblem(reply, SANDBOX_ERRORS.RECORD_CONFLICT, error.message);
      }
    },
  );

  app.get("/sandbox/stacks/:serviceId", { schema: { params: StackParams } }, async (request, reply) => {
    const stack = findStack(request, request.params.serviceId);
    return stack === undefined
      ? sendProblem(reply, COMMON_ERRORS.NOT_FOUND, NO_STACK)
      : reply.send(viewStack(stack));
  });

  app.delete("/sandbox/stacks/:serviceId", { schema: { params: StackParams } }, async (request, reply) =>
    findStack(request, request.params.serviceId) !== undefined && stacks.delete(request.params.serviceId)
      ? reply.status(204).send()
      : sendProblem(reply, COMMON_ERRORS.NOT_FOUND, NO_STACK),
  );

  app.put(
    "/sandbox/faults",
    {
      schema: {
        body: Type.Object(
          {
            operation: Type.Enum([...OPERATION_NAMES, "*" as const]),
            kind: Type.Enum([...FAULT_KINDS]),
            rate: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
            count: Type.Optional(Type.Integer({ minimum: 1 })),
          },
          closed,
        ),
      },
    },
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
    { schema: { body: Type.Object({ isShared: Type.Boolean() }, closed) } },
    async (request, reply) => {
      await parts.platform.setShared(request.body.isShared);
      return reply.status(204).send();
    },
  );

  app.get("/sandbox/state", (request) => {
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
    return { accounts: own.map((stack) => viewAccount(stack, parts)) };
  });

  /** Null as well if the stack belongs to another organization. */
  function findStack(request: FastifyRequest, serviceId: string): Stack | undefined {
    const { organizationId, claims } = callerOf(request);
    const stack = stacks.get(serviceId);
    if (stack === undefined || organizationId === null) return stack;
    const seen = claims.includes(serviceId) ? stacks.claim(stack, organizationId) : stack;
    return seen.organizationId === organizationId ? seen : undefined;
  }
}

/** Reads bodies by the rules of the API, because clients find these endpoints at the API's address. */
function readJsonBodies(app: FastifyInstance): void {
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

function viewStack(stack: Stack): object {
  return {
    ServiceId: stack.serviceId,
    accountId: stack.accountId,
    roleArn: stack.roleArn,
    status: stack.status,
    createdAt: new Date(stack.createdAt).toISOString(),
  };
}

function viewAccount(stack: Stack, parts: AdminParts): object {
  const { accountId, serviceId } = stack;
  const { certificates, distributions, parameters, secrets, zones, platform, calls } = parts;
  return {
    serviceId,
    accountId,
    roleArn: stack.roleArn,
    stackStatus: stack.status,
    calls: calls.countsOf(serviceId),
    certificates: certificates.list(accountId).map((certificate) => ({
      id: certificate.id,
      status: certificates.statusOf(certificate),
      names: certificate.names,
      failureReason: certificate.failureReason,
      inUse: distributions.isCertificateInUse(certificate.id),
    })),
    distributions: distributions.list(accountId).map((distribution) => {
      const seen = distributions.view(distribution);
      return { ...seen, changedAt: new Date(seen.changedAt).toISOString(), origin: originOf(distribution) };
    }),
    parameters: parameters.list(accountId).map(viewValue),
    secrets: secrets.list(accountId).map((secret) => ({ arn: secret.reference, ...viewValue(secret) })),
    zones: zones.list(accountId).map(({ id, name, nameServers }) => ({ id, name, nameServers })),
    services: platform.list(accountId),
  };
}

/** The sandbox stands in for the customer's cloud, where the customer may read its values (design, section 2). */
function viewValue({ name, region, versionCount, value, isOurs }: ManagedValue): object {
  return { name, region, versionCount, value, isOurs };
}
