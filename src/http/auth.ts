import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../lib/errors.ts";
import { HTTP_ERRORS } from "./errors.ts";
import { hasValidChecksum } from "../lib/api-key.ts";
import type { Actor } from "../lib/actor.ts";
import { sourceAddressOf } from "./limits/source-address.ts";

export type Principal = Omit<Actor, "requestId" | "sourceAddress">;

/** Why a request was refused: no key, a malformed key, or a key that does not exist (or was revoked). */
export const REFUSAL_REASONS = ["missing", "malformed", "unknown"] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

/** Sets `request.actor`. @throws AppError `UNAUTHENTICATED`, `RATE_LIMITED` */
export type Authenticate = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

export type Authentication = {
  readonly authenticate: Authenticate;
  /** Checks again whose a held request is. Takes nothing from the rate limit. @throws AppError `UNAUTHENTICATED` */
  readonly authenticateAgain: (request: FastifyRequest) => Promise<Principal>;
};

/**
 * How long authentication is remembered. A revoked key or a changed role takes effect in every process within this time
 * (design, section 4: 5 s).
 */
const CACHED_MS = 3_000;
const CACHE_SIZE = 10_000;
/** Far longer than any key; a longer header is refused without hashing it. */
const MAX_HEADER_LENGTH = 512;

/**
 * Checks `Authorization: Bearer KEY`. The scheme ignores case, and `Bearer: KEY` is accepted too
 * (specification, Authentication 1).
 */
export function createAuthentication(options: {
  findPrincipal: (keyHash: Uint8Array) => Promise<Principal | null>;
  /** Called with the id of a valid credential; throws to refuse the request. */
  admit: (credentialId: string, reply: FastifyReply) => void;
  /** Called for each request that is not let in. */
  onRefused?: (request: FastifyRequest, reason: RefusalReason) => void;
  /** Called with the connection of a request whose key is valid. */
  know: (request: IncomingMessage) => void;
}): Authentication {
  const cache = new Map<string, { principal: Principal; untilMs: number }>();

  const identify = async (request: FastifyRequest): Promise<Principal> => {
    const refused = (reason: RefusalReason): AppError => {
      options.onRefused?.(request, reason);
      return unauthenticated();
    };
    const key = readBearer(request.headers.authorization);
    if (key === null) throw refused(request.headers.authorization === undefined ? "missing" : "malformed");
    if (!hasValidChecksum(key)) throw refused("malformed");
    const hash = createHash("sha256").update(key).digest();
    const cacheKey = hash.toString("base64");
    const cached = cache.get(cacheKey);
    let principal = cached !== undefined && cached.untilMs > Date.now() ? cached.principal : null;
    if (principal === null) {
      principal = await options.findPrincipal(hash);
      cache.delete(cacheKey);
      if (principal === null) throw refused("unknown");
      if (cache.size >= CACHE_SIZE) cache.clear();
      cache.set(cacheKey, { principal, untilMs: Date.now() + CACHED_MS });
    }
    return principal;
  };

  return {
    async authenticate(request, reply) {
      const principal = await identify(request);
      options.know(request.raw);
      options.admit(principal.credential.id, reply);
      request.actor = { ...principal, requestId: request.id, sourceAddress: sourceAddressOf(request) };
    },
    authenticateAgain: identify,
  };
}

function readBearer(header: string | undefined): string | null {
  if (header === undefined || header.length > MAX_HEADER_LENGTH) return null;
  return /^bearer(?:\s*:\s*|\s+)([\x21-\x7e]+)\s*$/i.exec(header)?.[1] ?? null;
}

function unauthenticated(): AppError {
  return new AppError(
    HTTP_ERRORS.UNAUTHENTICATED,
    "Send a valid API key: Authorization: Bearer <API_KEY>. It is missing, mistyped or revoked.",
  );
}
