/**
 * One order, step by step (RFC 8555, 7.1.6). Everything that a later step needs is on the disk before the CA is asked,
 * so that a process that is killed at any point continues with the same order.
 */
import { createPrivateKey, generateKeyPairSync, randomInt, X509Certificate } from "node:crypto";
import { AcmeError, type Problem } from "./acme-error.ts";
import type { Answers } from "./answers.ts";
import type { AcmeChallenge, AcmeOrder } from "./client.ts";
import { explainClock, type Directory, type Seal } from "./directories.ts";
import type { NameCertificate, NameOrder, NameState } from "./name-state.ts";
import type { Names } from "./names.ts";
import { renewalIdOf } from "./renewal.ts";

/** The end of a step: the next one is due at a time, or the order is done. */
export type Step =
  | { readonly kind: "again"; readonly at: number }
  | { readonly kind: "issued"; readonly certificate: NameCertificate }
  /** The order ended without a certificate. */
  | { readonly kind: "failed"; readonly problem: Problem }
  /** The CA does not know the order any more: begin anew. */
  | { readonly kind: "lost" };

export type OrderParts = {
  readonly names: Names;
  readonly answers: Answers;
  readonly seal: Seal;
  readonly now: () => number;
  /** Where the text of dns-01 is for a name of an account. */
  readonly textNameOf: (accountId: string, name: string) => string;
  /** The challenge of each name that this process has reported as answered. */
  readonly reported: Map<string, string>;
};

const FIRST_POLL_MS = 100;
const LONGEST_POLL_MS = 15_000;

export function keySealOf(id: string): string {
  return `acme key ${id}`;
}

/** Does one step. @throws AcmeError when the CA could not be asked, or refused */
export async function advanceOrder(
  parts: OrderParts,
  directory: Directory,
  state: NameState,
  order: NameOrder & { readonly url: string },
): Promise<Step> {
  const { client } = directory;
  const { name } = state;
  const seen = await askAbout(directory, state, order.url);
  if (seen === null) return { kind: "lost" };
  switch (seen.status) {
    case "pending":
      return advanceAuthorization(parts, directory, state, order, seen);
    case "ready":
      await client.finalize(name, seen, ensureKey(parts, state, order));
      return again(parts, 0);
    case "processing":
      return poll(parts, order, seen.retryAt);
    case "valid": {
      if (order.sealedKey === null || seen.certificate === null) return { kind: "lost" };
      const chain = await client.certificate(name, seen);
      return {
        kind: "issued",
        certificate: readCertificate(parts, directory, state, order.sealedKey, chain),
      };
    }
    case "invalid":
      return {
        kind: "failed",
        problem: seen.error ?? (await findAuthorizationProblem(directory, name, seen)),
      };
  }
}

async function askAbout(directory: Directory, state: NameState, url: string): Promise<AcmeOrder | null> {
  try {
    return await directory.client.order(state.name, url);
  } catch (error) {
    const isGone =
      error instanceof AcmeError &&
      error.scope === "name" &&
      ["notFound", "malformed", "unauthorized"].includes(error.type);
    if (isGone) return null;
    throw error;
  }
}

async function advanceAuthorization(
  parts: OrderParts,
  { client }: Directory,
  state: NameState,
  order: NameOrder,
  seen: AcmeOrder,
): Promise<Step> {
  const { name, id } = state;
  const authorization = await client.authorization(name, seen);
  const challenge = authorization.challenges.find(({ type }) => type === order.method);
  switch (authorization.status) {
    case "valid":
      return again(parts, FIRST_POLL_MS);
    case "pending":
      break;
    default:
      return { kind: "failed", problem: problemOf(authorization.challenges) };
  }
  if (challenge === undefined)
    return {
      kind: "failed",
      problem: { type: "unsupportedChallenge", detail: `the CA does not offer ${order.method}` },
    };
  if (order.challenge?.token !== challenge.token) {
    const keyAuthorization = await client.keyAuthorization(challenge);
    const kept = { type: order.method, token: challenge.token, keyAuthorization };
    await parts.answers.put(id, name, parts.textNameOf(state.accountId, name), kept);
    const changed = { ...order, challenge: kept };
    if (parts.names.change(id, { order: changed }) === undefined) return { kind: "lost" };
    await client.complete(name, challenge);
    parts.reported.set(id, challenge.url);
    return poll(parts, changed, null);
  }
  // After a restart, the CA may never have heard that the answer is in place.
  if (challenge.status === "pending" && parts.reported.get(id) !== challenge.url)
    await tell(client, name, challenge);
  parts.reported.set(id, challenge.url);
  return poll(parts, order, authorization.retryAt);
}

async function tell(client: Directory["client"], name: string, challenge: AcmeChallenge): Promise<void> {
  try {
    await client.complete(name, challenge);
  } catch (error) {
    // It has been checked meanwhile.
    if (!(error instanceof AcmeError) || error.type !== "malformed") throw error;
  }
}

function ensureKey({ names, seal }: OrderParts, state: NameState, order: NameOrder): string {
  const of = keySealOf(state.id);
  if (order.sealedKey !== null) return seal.open(order.sealedKey, of);
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = String(privateKey.export({ type: "pkcs8", format: "pem" }));
  names.change(state.id, { order: { ...order, sealedKey: seal.seal(pem, of) } });
  return pem;
}

/** @throws AcmeError when the CA's certificate is not as ordered */
function readCertificate(
  { seal, now }: OrderParts,
  directory: Directory,
  state: NameState,
  sealedKey: string,
  chain: string,
): NameCertificate {
  const wrong = (what: string) =>
    new AcmeError(
      "malformedAnswer",
      `The CA at ${directory.url} sent a certificate for ${state.name} that ${what}.${explainClock(directory.client.aheadMs())}`,
    );
  let leaf: X509Certificate;
  try {
    leaf = new X509Certificate(chain);
  } catch (cause) {
    throw new AcmeError("malformedAnswer", wrong("cannot be read").message, { cause });
  }
  const names = (leaf.subjectAltName ?? "").toLowerCase().split(", ");
  if (!names.includes(`dns:${state.name}`)) throw wrong("is not for this name");
  const key = createPrivateKey(seal.open(sealedKey, keySealOf(state.id)));
  if (!leaf.checkPrivateKey(key)) throw wrong("has another key");
  const [issuedAt, expiresAt] = [Date.parse(leaf.validFrom), Date.parse(leaf.validTo)];
  if (expiresAt <= now()) throw wrong("has already ended");
  const share = randomInt(1_000_000) / 1_000_000;
  return {
    directory: directory.url,
    certificatePem: chain,
    sealedKey,
    renewalId: renewalIdOf(chain),
    issuedAt,
    expiresAt,
    share,
    suggestion: null,
    askAt: now(),
    isRenewed: state.certificate !== null,
  };
}

async function findAuthorizationProblem(
  { client }: Directory,
  name: string,
  order: AcmeOrder,
): Promise<Problem> {
  return problemOf((await client.authorization(name, order)).challenges);
}

function problemOf(challenges: readonly AcmeChallenge[]): Problem {
  const found = challenges.find(({ error }) => error !== null)?.error;
  return found ?? { type: "orderEnded", detail: "the CA ended the order without saying why" };
}

function again({ now }: OrderParts, restMs: number): Step {
  return { kind: "again", at: now() + restMs };
}

/** The CA says when; otherwise a tenth of the order's age. */
function poll({ now }: OrderParts, { startedAt }: NameOrder, retryAt: number | null): Step {
  const at = now();
  const rest = Math.min(LONGEST_POLL_MS, Math.max(FIRST_POLL_MS, (at - startedAt) / 10));
  return { kind: "again", at: Math.max(retryAt ?? 0, at + rest) };
}
