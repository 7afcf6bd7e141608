/** Who calls the sandbox. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { HTTP_ERRORS } from "../../../src/http/errors.ts";
import { AppError, COMMON_ERRORS } from "../../../src/lib/errors.ts";
import type { Stack, Stacks } from "../accounts/stacks.ts";

/** Names the organization of a request. The sandbox trusts every caller with its secret. */
const ORGANIZATION_HEADER = "x-slipway-organization";
/** The ids of the organization's connections that the request is about, separated by commas. */
const CLAIMS_HEADER = "x-slipway-connections";

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

/** @throws AppError `NOT_FOUND` also if the stack belongs to another organization */
export function stackOf(stacks: Stacks, request: FastifyRequest, serviceId: string): Stack {
  const { organizationId, claims } = callerOf(request);
  const present = stacks.get(serviceId);
  if (present === undefined) throw noStack();
  if (organizationId === null) return present;
  const stack = claims.includes(serviceId) ? stacks.claim(present, organizationId) : present;
  if (stack.organizationId !== organizationId) throw noStack();
  return stack;
}

export function noStack(): AppError {
  return new AppError(COMMON_ERRORS.NOT_FOUND, "There is no stack for this connection.");
}

/** Refuses callers without the secret, compared in constant time. @param isGuarded by default all requests */
export function requireSecret(
  app: FastifyInstance,
  secret: string,
  isGuarded: (request: FastifyRequest) => boolean = () => true,
): void {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  const expected = digest(`Bearer ${secret}`);
  app.addHook("onRequest", async (request, reply) => {
    if (!isGuarded(request)) return;
    if (timingSafeEqual(digest(request.headers.authorization ?? ""), expected)) return;
    reply.header("www-authenticate", "Bearer");
    throw new AppError(HTTP_ERRORS.UNAUTHENTICATED, "The sandbox only accepts calls from its own Slipway.");
  });
}
