import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../lib/errors.ts";
import { HTTP_ERRORS } from "./errors.ts";
import { hasValidChecksum } from "../lib/api-key.ts";
import type { CredentialKind, Principal } from "../lib/actor.ts";
import { toOneLine } from "../lib/shown-text.ts";
import { hashSession, PAGE_KEY_HEADER, readToken } from "../lib/organization-token.ts";
import { sourceAddressOf } from "./limits/source-address.ts";
import type { HostCookie } from "./session-cookie.ts";

/** What a request identifies itself with, as it was sent. */
export type GivenCredential = {
  readonly kind: Exclude<CredentialKind, "none">;
  readonly hash: Uint8Array;
  /** What a token says; null for an API key, which does not say it. */
  readonly organizationId: string | null;
};

/**
 * Why a request was refused: nothing was sent, or something mistyped; it does not exist (or was revoked); it has
 * expired; or it is a cookie that another site had sent.
 */
export const REFUSAL_REASONS = ["missing", "malformed", "unknown", "expired", "cross-site"] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

/** Sets `request.actor`. @throws AppError `UNAUTHENTICATED`, `API_KEY_EXPIRED`, `WORKLOAD_TOKEN_ENDED`, `SESSION_ENDED`, `CROSS_SITE_REFUSED`, `RATE_LIMITED` */
export type Authenticate = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

export type Authentication = {
  readonly authenticate: Authenticate;
  /** Checks again whose a held request is. Takes nothing from the rate limit. @throws as `authenticate` */
  readonly authenticateAgain: (request: FastifyRequest) => Promise<Principal>;
};

/**
 * How long authentication is remembered. A revoked key, an ended session or a changed role takes effect in every process
 * within this time.
 */
const CACHED_MS = 3_000;
const CACHE_SIZE = 10_000;
/** Far longer than any key; a longer header is refused without hashing it. */
const MAX_HEADER_LENGTH = 512;
const MAX_USER_AGENT_LENGTH = 300;

/**
 * Checks `Authorization: Bearer KEY`, with a workload's token in place of the key too, or without it the cookie of a
 * session. The scheme ignores case, and `Bearer: KEY` is accepted too (specification, Authentication 1).
 */
export function createAuthentication(options: {
  /** `expired`: the credential exists, but has expired. */
  findPrincipal: (given: GivenCredential) => Promise<Principal | "expired" | null>;
  sessionCookie: HostCookie;
  publicOrigin: string;
  /** Called with the id of a valid credential; throws to refuse the request. */
  admit: (credentialId: string, reply: FastifyReply) => void;
  /** Called for each request that is not let in. */
  onRefused?: (request: FastifyRequest, reason: RefusalReason) => void;
  /** Called for each request that is let in. */
  onUsed?: (principal: Principal) => void;
  /** Called with the connection of a request whose credential is valid. */
  know: (request: IncomingMessage) => void;
}): Authentication {
  const cache = new Map<string, { principal: Principal; untilMs: number }>();

  const find = async (given: GivenCredential): Promise<Principal | "expired" | null> => {
    const cacheKey = Buffer.from(given.hash).toString("base64");
    const cached = cache.get(cacheKey);
    if (cached !== undefined && cached.untilMs > Date.now()) return cached.principal;
    const found = await options.findPrincipal(given);
    cache.delete(cacheKey);
    if (found === null || found === "expired") return found;
    if (cache.size >= CACHE_SIZE) cache.clear();
    cache.set(cacheKey, { principal: found, untilMs: Date.now() + CACHED_MS });
    return found;
  };

  const identify = async (request: FastifyRequest): Promise<Principal> => {
    const refused = (reason: RefusalReason, error: AppError): AppError => {
      options.onRefused?.(request, reason);
      return error;
    };
    const header = request.headers.authorization;
    const cookie = header === undefined ? options.sessionCookie.read(request) : null;
    if (cookie !== null) {
      try {
        requireSameOrigin(request, options.publicOrigin);
      } catch (error) {
        throw error instanceof AppError ? refused("cross-site", error) : error;
      }
      const given = readSession(cookie, request.headers[PAGE_KEY_HEADER]);
      if (given === null) throw refused("malformed", sessionEnded());
      const found = await find(given);
      if (found === null || found === "expired") throw refused("unknown", sessionEnded());
      return found;
    }
    const given = readBearer(header);
    if (given === null) throw refused(header === undefined ? "missing" : "malformed", unauthenticated());
    const found = await find(given);
    const isWorkload = given.kind === "workload";
    if (found === null) throw refused("unknown", isWorkload ? workloadEnded() : unauthenticated());
    if (found === "expired") throw refused("expired", isWorkload ? workloadEnded() : keyExpired());
    return found;
  };

  return {
    async authenticate(request, reply) {
      const principal = await identify(request);
      options.know(request.raw);
      options.admit(principal.credential.id, reply);
      options.onUsed?.(principal);
      const userAgent = toOneLine((request.headers["user-agent"] ?? "").slice(0, MAX_USER_AGENT_LENGTH));
      request.actor = {
        ...principal,
        requestId: request.id,
        sourceAddress: sourceAddressOf(request),
        ...(userAgent === "" ? {} : { userAgent }),
      };
    },
    authenticateAgain: identify,
  };
}

/** Null for a header that has no key or token, and for a mistyped one. */
function readBearer(header: string | undefined): GivenCredential | null {
  if (header === undefined || header.length > MAX_HEADER_LENGTH) return null;
  const text = /^bearer(?:\s*:\s*|\s+)([\x21-\x7e]+)\s*$/i.exec(header)?.[1];
  if (text === undefined || !hasValidChecksum(text)) return null;
  const token = readToken(text);
  // A session belongs in its cookie, which scripts cannot read.
  if (token?.kind === "session") return null;
  if (token !== null) return { ...token, hash: hashOf(text) };
  return { kind: "api-key", hash: hashOf(text), organizationId: null };
}

/** @param pageKey as it was sent; without it, the cookie may have come from a program on another port */
function readSession(cookie: string, pageKey: string | string[] | undefined): GivenCredential | null {
  const token = readToken(cookie);
  if (token?.kind !== "session" || typeof pageKey !== "string" || pageKey.length > MAX_HEADER_LENGTH)
    return null;
  return { ...token, hash: hashSession(cookie, pageKey) };
}

/** Methods that change nothing. */
const SAFE = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * A browser sends a cookie with requests of other sites too. So a write with a cookie must come from our own pages:
 * the browser says so in `Sec-Fetch-Site` (W3C Fetch Metadata), an old one in `Origin`. A read only must not come from
 * elsewhere. `publicOrigin` is what browsers call us; a direct request may use another name, which is in its Host.
 * @throws AppError `CROSS_SITE_REFUSED`
 */
function requireSameOrigin(request: FastifyRequest, publicOrigin: string): void {
  const site = request.headers["sec-fetch-site"];
  const isRead = SAFE.has(request.method);
  if (site === "same-origin" || (isRead && site === "none")) return;
  if (site === undefined) {
    const { origin } = request.headers;
    if (origin === undefined ? isRead : isOwn(origin, request, publicOrigin)) return;
  }
  throw new AppError(
    HTTP_ERRORS.CROSS_SITE_REFUSED,
    "A request with a session's cookie must come from Slipway's own pages. Programs send an API key: Authorization: Bearer <API_KEY>.",
  );
}

function isOwn(origin: string, request: FastifyRequest, publicOrigin: string): boolean {
  return origin === publicOrigin || origin === `${request.protocol}://${request.headers.host}`;
}

function hashOf(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}

function unauthenticated(): AppError {
  return new AppError(
    HTTP_ERRORS.UNAUTHENTICATED,
    "Send a valid API key: Authorization: Bearer <API_KEY>. It is missing, mistyped or revoked.",
  );
}

function keyExpired(): AppError {
  return new AppError(
    HTTP_ERRORS.API_KEY_EXPIRED,
    "This API key has expired. Use another key; an admin can create one.",
  );
}

function workloadEnded(): AppError {
  return new AppError(
    HTTP_ERRORS.WORKLOAD_TOKEN_ENDED,
    "This workload's token has expired after its 15 minutes, or its trust was deleted. Exchange a new one.",
  );
}

function sessionEnded(): AppError {
  return new AppError(
    HTTP_ERRORS.SESSION_ENDED,
    "The session has ended: it was signed out or revoked, or has expired. Sign in again.",
  );
}
