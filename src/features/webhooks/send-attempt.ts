import type { IncomingHttpHeaders } from "node:http";
import type { Sql } from "../../db/database.ts";
import { EgressError } from "../../egress/egress-error.ts";
import type { SafeFetch } from "../../egress/safe-fetch.ts";
import type { Clock } from "../../lib/clock.ts";
import { decodeCut } from "../../lib/cut-text.ts";
import type { AtRestSealing } from "../../sealing/at-rest.ts";
import type { Secret } from "../../sealing/secret.ts";
import { viewEvent } from "../events/views.ts";
import { errorOfFault, errorOfStatus } from "./attempt-error.ts";
import { type Outcome, readRetryAfter } from "./decide-delivery.ts";
import type { Attempt } from "./delivery.ts";
import { endpoints } from "./endpoint-store.ts";
import type { Item } from "./gather-batch.ts";
import { signatureHeaders } from "./sign.ts";
import { headersIdentity, secretIdentity, type WebhookEndpoint } from "./webhook-endpoint.ts";

export const CONNECT_TIMEOUT_MS = 5_000;
export const TOTAL_TIMEOUT_MS = 15_000;
const BODY_BYTES_MAX = 16 * 1_024;
/** How many of an answer's headers are kept, and how many characters of each. */
const HEADERS_KEPT_MAX = 50;
const HEADER_LENGTH_MAX = 1_024;

/** What an endpoint's requests need, with its secrets opened. Use it at once and do not keep it. */
type Target = {
  readonly url: string;
  readonly secrets: readonly Secret[];
  readonly headers: Readonly<Record<string, string>>;
};

/**
 * The secrets that are valid now, the newest first, and the additional headers; null if the endpoint was deleted.
 * @throws SealingError `TAMPERED`
 */
export async function openTarget(
  { db, atRest }: { readonly db: Sql; readonly atRest: AtRestSealing },
  endpoint: WebhookEndpoint,
  now: Date,
): Promise<Target | null> {
  const sealed = await endpoints.findSealed(db, endpoint.organizationId, endpoint.id, now);
  if (sealed === null) return null;
  const valid = sealed.previousSecret === null ? [sealed.secret] : [sealed.secret, sealed.previousSecret];
  const secrets = await Promise.all(valid.map((one) => atRest.open(secretIdentity(endpoint), one)));
  const headers =
    sealed.headers === null ? null : await atRest.open(headersIdentity(endpoint), sealed.headers);
  return {
    url: endpoint.url,
    secrets,
    headers: headers === null ? {} : (JSON.parse(headers.reveal()) as Record<string, string>),
  };
}

export type Shown = Omit<Attempt, "url" | "trigger" | "nextAttemptAt">;
/** What a request showed. */
export type Answer = Omit<Shown, "deliveryId" | "number" | "startedAt">;

/** Makes one attempt. It never throws for what the receiver does. */
export async function sendAttempt(
  deps: { readonly exchange: SafeFetch; readonly clock: Clock; readonly publicUrl: string },
  { url, secrets, headers }: Target,
  { delivery, event }: Item,
): Promise<{ readonly outcome: Outcome; readonly shown: Shown }> {
  const startedAt = deps.clock.now();
  const body = JSON.stringify(viewEvent(event, deps.publicUrl));
  const { outcome, answer } = await postJson(deps, url, body, {
    ...headers,
    ...signatureHeaders(secrets, event.id, startedAt, body),
    "slipway-attempt": String(delivery.attempts),
    ...(delivery.previousSequence === null
      ? {}
      : { "slipway-previous-sequence": String(delivery.previousSequence) }),
  });
  return { outcome, shown: { deliveryId: delivery.id, number: delivery.attempts, startedAt, ...answer } };
}

/** Sends one request to an address that a user named. It never throws for what the receiver does. */
export async function postJson(
  { exchange, clock }: { readonly exchange: SafeFetch; readonly clock: Clock },
  url: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly outcome: Outcome; readonly answer: Answer }> {
  try {
    const response = await exchange.send({
      method: "POST",
      url: new URL(url),
      headers: { ...headers, "content-type": "application/json" },
      body: Buffer.from(body),
      bodyLimit: { bytesOf: () => BODY_BYTES_MAX, ifLarger: "cut" },
    });
    const errorCode = errorOfStatus(response.status);
    const answer = {
      endedAt: clock.now(),
      ...response.trace,
      status: response.status,
      responseHeaders: keptHeaders(response.headers),
      // PostgreSQL keeps no NUL in texts.
      responseBody: (response.isCut ? decodeCut(response.body) : response.body.toString()).replaceAll(
        "\u0000",
        "\uFFFD",
      ),
      isCut: response.isCut,
      errorCode,
    };
    if (errorCode === null) return { outcome: { kind: "delivered" }, answer };
    const retryAfterMs = readRetryAfter(response.headers["retry-after"], clock.now());
    return { outcome: { kind: "failed", isGone: response.status === 410, retryAfterMs }, answer };
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    const unmeasured = {
      address: null,
      dnsMs: null,
      connectMs: null,
      tlsMs: null,
      firstByteMs: null,
      totalMs: null,
    };
    const answer = {
      endedAt: clock.now(),
      ...(error.trace ?? unmeasured),
      status: null,
      responseHeaders: null,
      responseBody: null,
      isCut: null,
      errorCode: errorOfFault(error.fault),
    };
    return { outcome: { kind: "failed", isGone: false, retryAfterMs: null }, answer };
  }
}

function keptHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  const kept = Object.entries(headers).slice(0, HEADERS_KEPT_MAX);
  return Object.fromEntries(
    kept.map(([name, value]) => [name, [value ?? ""].flat().join(", ").slice(0, HEADER_LENGTH_MAX)]),
  );
}
