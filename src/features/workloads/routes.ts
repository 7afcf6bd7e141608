import type { FastifyInstance } from "fastify";
import { type Static, Type } from "typebox";
import type { Database } from "../../db/database.ts";
import type { SafeFetch } from "../../egress/safe-fetch.ts";
import type { Http } from "../../http/http.ts";
import { sourceAddressOf } from "../../http/limits/source-address.ts";
import type { Tag } from "../../http/openapi/openapi.ts";
import { ListOf, makePage, PAGE_QUERY, readPage } from "../../http/requests/paging.ts";
import { Body, Id } from "../../http/schemas.ts";
import { COMMON_FAULTS, escapePointer, type Fault } from "../../lib/errors.ts";
import { LOCKED } from "../users/commands.ts";
import { createTrust, deleteTrust, exchangeToken, getTrust } from "./commands.ts";
import { findConditionFaults } from "./decide-match.ts";
import { workloadTrusts } from "./store.ts";
import { createTokenVerifier } from "./verify-token.ts";
import { TrustBody, viewTrust, WorkloadTokenSchema, WorkloadTrustSchema } from "./views.ts";

const tag: Tag = {
  name: "Workloads",
  description:
    "CI jobs and other external programs, which authenticate with a token of their platform instead of an API key.",
};

const ADMIN = { role: "admin", scope: "admin", reach: "organization", tag } as const;

/** GitHub's tokens have about 2 KB, GitLab's about 1. */
const TOKEN_LENGTH = 16_384;
const EXCHANGE_BYTES = 32_768;

const ExchangeBody = Body({
  trustId: Id("trust", "The `id` of the trust."),
  token: Type.String({
    minLength: 1,
    maxLength: TOKEN_LENGTH,
    description: "The token that the platform has signed.",
    examples: ["eyJhbGciOiJSUzI1NiIs…"],
  }),
});

export function registerWorkloadRoutes(
  app: FastifyInstance,
  http: Http,
  { db, exchange }: { readonly db: Database; readonly exchange: SafeFetch },
): void {
  const verify = createTokenVerifier(exchange);

  app.post<{ Body: Static<typeof ExchangeBody> }>(
    "/v1/auth/workload-token",
    {
      bodyLimit: EXCHANGE_BYTES,
      schema: {
        operationId: "exchangeWorkloadToken",
        sdk: null,
        tag,
        needsKey: false,
        summary: "Exchange a workload's token for a token of Slipway",
        description:
          "Requires no API key. The token of the platform may be exchanged again while it is valid. The new token is valid for 15 minutes, has the scopes and projects of the trust, and ends with it.",
        body: ExchangeBody,
        response: { 200: WorkloadTokenSchema },
      },
    },
    async (request, reply) => {
      const from = { requestId: request.id, sourceAddress: sourceAddressOf(request) };
      const { token, expiresAt } = await exchangeToken(db, verify, request.body, from);
      reply.header("cache-control", "no-store");
      return await reply.send({ token, expiresAt: expiresAt.toISOString() });
    },
  );

  http.write({
    method: "POST",
    path: "/v1/workload-trusts",
    ...ADMIN,
    summary: "Create a workload trust",
    description:
      "Lets CI jobs deploy without a key. A trust cannot be changed: create a new one, and delete the old one.",
    body: TrustBody,
    findFaults: findTrustFaults,
    responses: { 201: WorkloadTrustSchema },
    commit: async ({ tx, actor, body }) => {
      const trust = await createTrust(tx, actor, body);
      return { status: 201, location: `/v1/workload-trusts/${trust.id}`, body: viewTrust(trust) };
    },
  });

  http.read({
    path: "/v1/workload-trusts",
    ...ADMIN,
    summary: "List workload trusts",
    query: Body(PAGE_QUERY),
    response: ListOf("workloadTrusts", WorkloadTrustSchema),
    handle: async ({ actor, query }) => {
      const page = readPage(query);
      const rows = await workloadTrusts.list(db, actor.organizationId, page);
      const { items, nextCursor } = makePage(rows, page, ({ id }) => id);
      return { workloadTrusts: items.map(viewTrust), nextCursor };
    },
  });

  http.read({
    path: "/v1/workload-trusts/:workloadTrustId",
    ...ADMIN,
    summary: "Get a workload trust",
    response: WorkloadTrustSchema,
    // Deleting a user deletes its trusts, too.
    watch: ({ body }) => [body.id, body.userId],
    handle: async ({ sql, actor, params }) =>
      viewTrust(await getTrust(sql, actor.organizationId, params.workloadTrustId)),
  });

  http.write({
    method: "DELETE",
    path: "/v1/workload-trusts/:workloadTrustId",
    precondition: LOCKED,
    ...ADMIN,
    summary: "Delete a workload trust",
    description: "Its tokens stop working everywhere within 5 s.",
    responses: { 204: null },
    commit: async ({ tx, actor, params }) => {
      await deleteTrust(tx, actor, params.workloadTrustId);
      return { status: 204 };
    },
  });
}

function findTrustFaults(body: unknown): readonly Fault[] {
  const { issuer, conditions } = (body ?? {}) as { readonly issuer?: unknown; readonly conditions?: unknown };
  const faults: Fault[] = [];
  const refuse = (path: string, message: string): void =>
    void faults.push({ path, code: COMMON_FAULTS.INVALID.code, message });
  if (typeof issuer === "string" && issuer !== "" && !isIssuer(issuer))
    refuse("/issuer", "must be an https URL without user, query and fragment");
  const at = typeof issuer === "string" ? issuer : "";
  if (typeof conditions === "object" && conditions !== null && !Array.isArray(conditions))
    for (const { claim, message } of findConditionFaults(conditions as Record<string, unknown>, at))
      refuse(claim === null ? "/conditions" : `/conditions/${escapePointer(claim)}`, message);
  return faults;
}

/** Plain HTTP is accepted only for this machine; `egress` decides whether requests to it are sent. */
function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  const isLocal = protocol === "http:" && ["127.0.0.1", "[::1]", "localhost"].includes(hostname);
  return (protocol === "https:" || isLocal) && username + password + search + hash === "";
}
