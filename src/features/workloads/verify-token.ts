/**
 * Checks the token of a workload against the OpenID configuration that its issuer publishes, and the keys it names.
 * Users name the issuers, so they are asked through the guard of egress, and no redirect is followed.
 */
import { LRUCache } from "lru-cache";
import type * as Jose from "jose";
import { EgressError } from "../../egress/egress-error.ts";
import type { SafeFetch } from "../../egress/safe-fetch.ts";
import { AppError } from "../../lib/errors.ts";
import { WORKLOAD_ERRORS } from "./errors.ts";
import type { Claims, WorkloadTrust } from "./workload-trust.ts";

/** A shared secret proves nothing about who signed, so only these. */
const ALGORITHMS = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(" ");
/** An issuer's clock may differ this much from ours. */
const CLOCK_TOLERANCE_SECONDS = 30;
/** An older token is refused, whatever it says of its end. */
const OLDEST_TOKEN_SECONDS = 24 * 3_600;
/** A set of keys is a few kB. */
const ANSWER_BYTES = 256 * 1_024;
const KEYS_KEPT_MS = 600_000;
const FAILURE_KEPT_MS = 3_000;
/** More issuers than are in use at one time; the issuer asked longest ago is removed. */
const ISSUERS_KEPT = 200;
const RETRY_SECONDS = 5;

export type VerifyToken = (token: string, of: Pick<WorkloadTrust, "issuer" | "audience">) => Promise<Claims>;

type Keys = ReturnType<typeof Jose.createRemoteJWKSet>;

/**
 * @param refetchMs after the keys were read, an unknown key causes no new request for this time, so that clients cannot
 * make Slipway ask without end
 * @returns @throws AppError `WORKLOAD_TOKEN_INVALID`, `WORKLOAD_ISSUER_UNAVAILABLE`
 */
export function createTokenVerifier(exchange: SafeFetch, refetchMs = 30_000): VerifyToken {
  const issuers = new LRUCache<string, Promise<Keys>>({ max: ISSUERS_KEPT, ttl: KEYS_KEPT_MS });

  const ask = async (url: URL): Promise<Response> => {
    const bodyLimit = { bytesOf: () => ANSWER_BYTES, ifLarger: "refuse" } as const;
    const headers = { accept: "application/json" };
    const { status, body } = await exchange.send({ method: "GET", url, headers, bodyLimit });
    if (status !== 200) throw unavailable(`${url.host} answers with status ${status}.`);
    return new Response(new Uint8Array(body), { status });
  };
  const discover = async (issuer: string): Promise<Keys> => {
    const jose = await import("jose");
    const answer = await ask(new URL(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`));
    const { issuer: said, jwks_uri: address } = (await answer.json()) as Record<string, unknown>;
    if (said !== issuer)
      throw unavailable(
        `Its OpenID configuration is that of another issuer: it has ${JSON.stringify(said)?.slice(0, 300)}, and the trust has "${issuer}". Both must be equal, including a slash at the end.`,
      );
    if (typeof address !== "string" || !URL.canParse(address))
      throw unavailable("Its OpenID configuration names no keys.");
    return jose.createRemoteJWKSet(new URL(address), {
      [jose.customFetch]: (url) => ask(new URL(url)),
      cacheMaxAge: KEYS_KEPT_MS,
      cooldownDuration: refetchMs,
    });
  };
  const findKeys = async (issuer: string): Promise<Keys> => {
    const known = issuers.get(issuer);
    if (known !== undefined) return await known;
    const keys = discover(issuer);
    issuers.set(issuer, keys);
    keys.catch(() => issuers.set(issuer, keys, { ttl: FAILURE_KEPT_MS }));
    return await keys;
  };

  return async (token, { issuer, audience }) => {
    const jose = await import("jose");
    try {
      // Check this before asking the issuer, so that tokens of others cause no request to it.
      const { alg, kid } = jose.decodeProtectedHeader(token);
      const { iss } = jose.decodeJwt(token);
      if (iss !== issuer) throw invalid(`It is from another issuer.${describeSlash(iss, issuer)}`);
      if (alg === undefined || !ALGORITHMS.includes(alg))
        throw invalid("It is not signed with an asymmetric algorithm that Slipway accepts.");
      if (kid === undefined) throw invalid("It does not name the key that signed it.");
    } catch (error) {
      throw toAppError(error);
    }
    const keys = await findKeys(issuer).catch((error: unknown) => {
      throw toUnavailable(error);
    });
    try {
      const { payload } = await jose.jwtVerify(token, keys, {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        requiredClaims: ["sub", "exp"],
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        maxTokenAge: OLDEST_TOKEN_SECONDS,
      });
      return payload;
    } catch (error) {
      throw toAppError(error);
    }
  };
}

/** Translates jose's codes for the sender of the token. jose's messages may hold claims, so they are not shown. */
function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const { code, claim, payload } = error as {
    readonly code?: unknown;
    readonly claim?: unknown;
    readonly payload?: Claims;
  };
  switch (code) {
    case "ERR_JWT_EXPIRED":
      return invalid("It has expired.");
    case "ERR_JWT_CLAIM_VALIDATION_FAILED":
      if (isInFuture(claim, payload))
        return invalid(
          `The time in its claim ${String(claim)} is in the future. Compare the clock of its issuer with that of Slipway.`,
        );
      return invalid(`Its claim ${String(claim)} is missing, or not what the trust requires.`);
    case "ERR_JWKS_NO_MATCHING_KEY":
    case "ERR_JWKS_MULTIPLE_MATCHING_KEYS":
    case "ERR_JWS_SIGNATURE_VERIFICATION_FAILED":
      return invalid("None of the issuer's keys has signed it.");
    case "ERR_JOSE_ALG_NOT_ALLOWED":
    case "ERR_JOSE_NOT_SUPPORTED":
    case "ERR_JWS_INVALID":
    case "ERR_JWT_INVALID":
      return invalid("It is not a signed JSON Web Token.");
  }
  // `decodeProtectedHeader` throws an error without a code if the text is not a token.
  return error instanceof TypeError ? invalid("It is not a signed JSON Web Token.") : toUnavailable(error);
}

/** A slash is the most usual difference, and the caller knows the rest. Nothing else of the trust is disclosed. */
function describeSlash(found: unknown, expected: string): string {
  const isSlash = found === `${expected}/` || `${String(found)}/` === expected;
  return isSlash
    ? ` Its claim iss is "${String(found)}", and the issuer of the trust is "${expected}": they differ in the slash at the end.`
    : "";
}

function isInFuture(claim: unknown, payload: Claims | undefined): boolean {
  const time = claim === "nbf" || claim === "iat" ? payload?.[claim] : undefined;
  return typeof time === "number" && time * 1_000 > Date.now();
}

function toUnavailable(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return unavailable(
    error instanceof EgressError ? error.message : "It does not return an OpenID configuration and keys.",
  );
}

function invalid(why: string): AppError {
  return new AppError(WORKLOAD_ERRORS.WORKLOAD_TOKEN_INVALID, `The workload's token is refused. ${why}`);
}

function unavailable(why: string): AppError {
  return new AppError(
    WORKLOAD_ERRORS.WORKLOAD_ISSUER_UNAVAILABLE,
    `The keys of the token's issuer cannot be read. ${why}`,
    { retryAfterSeconds: RETRY_SECONDS },
  );
}
