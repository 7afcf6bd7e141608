import type { FastifyRequest } from "fastify";
/** Names the organization of a request. The sandbox trusts every caller with its secret. */
export const ORGANIZATION_HEADER = "x-slipway-organization";
/** The ids of the organization's connections that the request is about, separated by commas. */
export const CLAIMS_HEADER = "x-slipway-connections";

/**
 * The organization of the request, and its connections whose stacks have no organization yet because an earlier
 * release did not record it. A request with only the sandbox's secret has no organization and may do everything.
 */
export function callerOf({ headers }: FastifyRequest): {
  readonly organizationId: string | null;
  readonly claims: readonly string[];
} {
  const [organizationId, claims] = [headers[ORGANIZATION_HEADER], headers[CLAIMS_HEADER]];
  return {
    organizationId: typeof organizationId === "string" ? organizationId : null,
    claims: typeof claims === "string" ? claims.split(",") : [],
  };
}
