import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../errors.ts";
import { hasValidChecksum } from "../api-key.ts";
import type { Actor } from "../actor.ts";

export type Principal = Omit<Actor, "requestId">;

/** Sets `request.actor`. @throws AppError `UNAUTHENTICATED`, `RATE_LIMITED` */
export type Authenticate = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** Within this time a revoked key, or a changed role, takes effect in every process (design, section 4: 5 s). */
const CACHED_MS = 3_000;
const CACHE_SIZE = 10_000;
/** Far beyond any key; what is longer is not worth hashing. */
const MAX_HEADER_LENGTH = 512;

/**
 * Checks `Authorization: Bearer KEY`. The scheme ignores case, and `Bearer: KEY` is accepted too
 * (specification, Authentication 1).
 */
export function createAuthenticate(options: {
  findPrincipal: (keyHash: Uint8Array) => Promise<Principal | null>;
  /** Called with the key's id once it is known to be valid; throws to refuse. */
  admit: (apiKeyId: string, reply: FastifyReply) => void;
}): Authenticate {
  const cache = new Map<string, { principal: Principal; untilMs: number }>();

  return async (request, reply) => {
    const key = readBearer(request.headers.authorization);
    if (key === null || !hasValidChecksum(key)) throw unauthenticated();
    const hash = createHash("sha256").update(key).digest();
    const cacheKey = hash.toString("base64");
    const cached = cache.get(cacheKey);
    let principal = cached !== undefined && cached.untilMs > Date.now() ? cached.principal : null;
    if (principal === null) {
      principal = await options.findPrincipal(hash);
      cache.delete(cacheKey);
      if (principal === null) throw unauthenticated();
      if (cache.size >= CACHE_SIZE) cache.clear();
      cache.set(cacheKey, { principal, untilMs: Date.now() + CACHED_MS });
    }
    options.admit(principal.apiKeyId, reply);
    request.actor = { ...principal, requestId: request.id };
  };
}

function readBearer(header: string | undefined): string | null {
  if (header === undefined || header.length > MAX_HEADER_LENGTH) return null;
  return /^bearer(?:\s*:\s*|\s+)([\x21-\x7e]+)\s*$/i.exec(header)?.[1] ?? null;
}

function unauthenticated(): AppError {
  return new AppError(
    "UNAUTHENTICATED",
    "Send a valid API key: Authorization: Bearer <API_KEY>. It is missing, mistyped or revoked.",
  );
}
