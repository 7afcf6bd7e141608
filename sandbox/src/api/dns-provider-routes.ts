/** What an admin gives the sandbox's DNS provider: zones, and the templates that it reviewed. */
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance, FastifyReply } from "fastify";
import { Type } from "typebox";
import { COMMON_ERRORS } from "../../../src/lib/errors.ts";
import { CONNECT_SERVERS, type DnsProvider } from "../dns-provider/provider.ts";
import { checkRecord, RecordConflict } from "../dns/records.ts";
import { SANDBOX_ERRORS } from "../errors.ts";
import { callerOf } from "./caller-headers.ts";
import { sendProblem } from "./problems.ts";

const Name = Type.String({ minLength: 1, maxLength: 300 });

export function registerDnsProviderRoutes(
  fastify: FastifyInstance,
  { dnsProvider, connectAt }: { readonly dnsProvider: DnsProvider; readonly connectAt: () => string },
): void {
  const app = fastify.withTypeProvider<TypeBoxTypeProvider>();
  app.put(
    "/sandbox/domain-connect/zones",
    {
      schema: {
        body: Type.Object(
          { name: Name, isIdle: Type.Optional(Type.Boolean()) },
          { additionalProperties: false },
        ),
      },
    },
    async (request, reply) => {
      const { name, isIdle = false } = request.body;
      const checked = checkRecord({ name, type: "NS", values: CONNECT_SERVERS });
      if ("faults" in checked)
        return sendProblem(
          reply,
          COMMON_ERRORS.INVALID_REQUEST,
          "The name is not valid; see errors.",
          checked.faults,
        );
      const { organizationId } = callerOf(request);
      const zone = { name: checked.set.name, organizationId, isIdle };
      return orConflict(reply, () => dnsProvider.addZone(zone, connectAt()));
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
              ttl: Type.Integer({ minimum: 0, maximum: 604_800 }),
            }),
            { minItems: 1, maxItems: 20 },
          ),
        }),
      },
    },
    async (request, reply) =>
      orConflict(reply, () => dnsProvider.addTemplate(request.body, callerOf(request).organizationId)),
  );
}

function orConflict(reply: FastifyReply, change: () => void): FastifyReply {
  try {
    change();
  } catch (error) {
    if (!(error instanceof RecordConflict)) throw error;
    return sendProblem(reply, SANDBOX_ERRORS.RECORD_CONFLICT, error.message);
  }
  return reply.status(204).send();
}
