/** The sandbox's DNS for people and tests: records, zones of accounts, and what an admin gives the DNS provider. */
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { SERVICE_ID, type Stack } from "../accounts/stacks.ts";
import { CONNECT_SERVERS, type DnsProvider } from "../dns-provider/provider.ts";
import { NAME_SERVER, normalizeName } from "../dns/names.ts";
import { checkRecord, RECORD_TYPES, type Records } from "../dns/records.ts";
import type { Zones } from "../dns/zones.ts";
import { closed } from "../protocol.ts";
import { callerOf } from "./callers.ts";

const RecordType = Type.Enum([...RECORD_TYPES]);
const Name = Type.String({ minLength: 1, maxLength: 300 });
const Ttl = Type.Integer({ minimum: 0, maximum: 604_800 });

export type DnsParts = {
  readonly records: Records;
  readonly zones: Zones;
  readonly dnsProvider: DnsProvider;
  /** Authority and path of the DNS provider's settings. */
  readonly connectAt: () => string;
  /** The stack of a connection. @throws AppError `NOT_FOUND` */
  readonly stackOf: (request: FastifyRequest, serviceId: string) => Stack;
};

export function registerDnsRoutes(fastify: FastifyInstance, parts: DnsParts): void {
  const app = fastify.withTypeProvider<TypeBoxTypeProvider>();
  const { records, zones, dnsProvider, connectAt, stackOf } = parts;

  app.get("/sandbox/dns/records", (request) => ({
    records: records
      .list(callerOf(request).organizationId ?? undefined)
      .map(({ name, type, values, ttl }) => ({ name, type, values, ttl })),
  }));

  app.put(
    "/sandbox/dns/records",
    {
      schema: {
        body: closed({
          name: Type.String({ minLength: 1 }),
          type: RecordType,
          values: Type.Array(Type.String(), { minItems: 1, maxItems: 100 }),
          ttl: Type.Optional(Ttl),
        }),
      },
    },
    async (request, reply) => {
      records.put(checkRecord(request.body), callerOf(request).organizationId);
      return reply.status(204).send();
    },
  );

  app.delete(
    "/sandbox/dns/records",
    { schema: { body: closed({ name: Type.String({ minLength: 1 }), type: RecordType }) } },
    async (request, reply) => {
      const { organizationId } = callerOf(request);
      records.remove(normalizeName(request.body.name), request.body.type, organizationId ?? undefined);
      return reply.status(204).send();
    },
  );

  app.post(
    "/sandbox/zones",
    {
      schema: {
        body: closed({
          ServiceId: Type.String({ pattern: SERVICE_ID.source }),
          name: Type.String({ minLength: 1 }),
          isAllowed: Type.Optional(Type.Boolean()),
          isPrivate: Type.Optional(Type.Boolean()),
          isDelegated: Type.Optional(Type.Boolean()),
          isServed: Type.Optional(Type.Boolean()),
          nameServers: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 10 })),
        }),
      },
    },
    async (request, reply) => {
      const { ServiceId, isAllowed = true, isPrivate = false, isDelegated = true } = request.body;
      const { isServed = true, nameServers } = request.body;
      const { accountId } = stackOf(request, ServiceId);
      const servers = { name: request.body.name, type: "NS", values: nameServers ?? [NAME_SERVER] } as const;
      const { name, values } = checkRecord(servers, "name");
      const zone = zones.create(
        accountId,
        {
          name,
          isAllowed,
          isPrivate,
          isDelegated,
          isServed,
          nameServers: nameServers === undefined ? null : values,
        },
        callerOf(request).organizationId,
      );
      return reply.status(201).send({ id: zone.id, name: zone.name, nameServers: zone.nameServers });
    },
  );

  app.put(
    "/sandbox/domain-connect/zones",
    { schema: { body: closed({ name: Name, isIdle: Type.Optional(Type.Boolean()) }) } },
    async (request, reply) => {
      const { isIdle = false } = request.body;
      const { name } = checkRecord({ name: request.body.name, type: "NS", values: CONNECT_SERVERS }, "name");
      const { organizationId } = callerOf(request);
      dnsProvider.addZone({ name, organizationId, isIdle }, connectAt());
      return reply.status(204).send();
    },
  );

  app.put(
    "/sandbox/domain-connect/templates",
    {
      schema: {
        body: Type.Object({
          providerId: Name,
          providerName: Name,
          serviceId: Name,
          serviceName: Name,
          syncPubKeyDomain: Name,
          syncRedirectDomain: Type.Optional(Name),
          hostRequired: Type.Optional(Type.Boolean()),
          records: Type.Array(
            Type.Object({
              type: Type.Enum(["CNAME", "APEXCNAME"]),
              groupId: Type.Optional(Name),
              host: Type.Optional(Name),
              pointsTo: Name,
              ttl: Ttl,
            }),
            { minItems: 1, maxItems: 20 },
          ),
        }),
      },
    },
    async (request, reply) => {
      dnsProvider.addTemplate(request.body, callerOf(request).organizationId);
      return reply.status(204).send();
    },
  );
}
