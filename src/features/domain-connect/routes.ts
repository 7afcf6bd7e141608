/** Domain Connect: sends an owner to the DNS provider of a domain, and takes the return. */
import { Type } from "typebox";
import type { DomainConnect } from "../../domain-connect/domain-connect.ts";
import type { Http } from "../../http/http.ts";
import { Body, Defaulted, Instant, Text } from "../../http/schemas.ts";
import { endConnect, startConnect } from "./commands.ts";
import type { CheckedThrough } from "../custom-domains/records/checked-through.ts";
import { DomainSchema } from "../custom-domains/domain-views.ts";
import { tag } from "../custom-domains/group-routes.ts";
import { acceptDomain } from "../custom-domains/show.ts";

const WRITE = { role: "developer", scope: "domains", tag } as const;

const StartedSchema = Type.Object(
  {
    applyUrl: Text(
      "The address at the provider where the owner agrees, in a browser. It is signed, and valid until `expiresAt`.",
      "https://dns.example/v2/domainTemplates/providers/slipway.example/services/custom-domain/apply?domain=example.com&host=www&sig=…&key=_dck1",
    ),
    providerName: Text("The provider, as its settings name it.", "Cloudflare"),
    expiresAt: Instant("When the attempt expires.", "2026-11-23T10:30:12.000Z"),
  },
  { title: "DomainConnectStart", description: "An attempt to have a DNS provider set a domain's records." },
);

export function registerConnectRoutes(
  http: Http,
  {
    domainConnect,
    publicUrl,
    checkedThrough,
  }: {
    readonly domainConnect: DomainConnect | null;
    readonly publicUrl: string;
    readonly checkedThrough: CheckedThrough;
  },
): void {
  http.write({
    method: "POST",
    path: "/v1/domains/:domainId/domain-connect",
    ...WRITE,
    operationId: "startDomainConnect",
    sdk: "domains.startConnect",
    summary: "Start Domain Connect for a domain",
    description:
      "If `dnsProvider.supports.domainConnect` is true, the owner agrees at `applyUrl`, and the DNS provider sets the domain's records. Afterwards the provider sends the browser back to the console, which ends the attempt. A new attempt ends an earlier attempt of the same user.",
    body: Body({
      verificationOnly: Defaulted(
        Type.Boolean({
          default: false,
          description:
            "True: the provider sets only the record for the certificate, and the name keeps its present target. False: the provider also sets the record that leads the name to the service, which answers once the certificate is issued.",
        }),
      ),
    }),
    responses: { 201: StartedSchema },
    commit: async ({ tx, actor, params: { domainId }, body }) => {
      const startedBy = actor.userId;
      const isVerificationOnly = body.verificationOnly;
      const redirectUri = `${publicUrl}/domain-connect/return/${domainId}`;
      const started = await startConnect(tx, domainConnect, actor, domainId, {
        startedBy,
        redirectUri,
        isVerificationOnly,
      });
      return {
        status: 201,
        location: `/v1/domains/${domainId}`,
        body: { ...started, expiresAt: started.expiresAt.toISOString() },
      };
    },
  });

  http.write({
    method: "POST",
    path: "/v1/domains/:domainId/domain-connect/return",
    ...WRITE,
    operationId: "endDomainConnect",
    sdk: "domains.endConnect",
    summary: "End Domain Connect for a domain",
    description:
      "Takes the `state` that the DNS provider returned. It is valid once, and only for the user who started the attempt. Slipway then checks the domain's records at once, because only the DNS shows whether they are set.",
    body: Body({
      state: Type.String({
        minLength: 1,
        maxLength: 200,
        description: "The `state` in the address that the provider returned to.",
        examples: ["q3dW0bJt0uJb6zBq9Q2m8xk1VYw5l7sT4n6e2r8c0Aa"],
      }),
      error: Type.Optional(
        Type.String({
          maxLength: 200,
          description: "Its `error`, if it has one: `access_denied` if the owner did not agree.",
          examples: ["access_denied"],
        }),
      ),
    }),
    responses: { 202: DomainSchema },
    commit: async ({ tx, actor, params, body: { state, error = null } }) => {
      const back = { startedBy: actor.userId, state, error };
      const domain = await endConnect(tx, actor, params.domainId, back);
      return await acceptDomain(tx, domain, checkedThrough);
    },
  });
}
