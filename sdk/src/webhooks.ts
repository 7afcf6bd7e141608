/** Deliveries of webhooks (Standard Webhooks, standardwebhooks.com): HMAC-SHA256 over id, time and body. */
import { SignatureError } from "./errors.ts";
import type { Event } from "./generated/types.ts";

/** A delivery that is older, or further in the future, is refused, so that an attacker cannot send it again later. */
const TOLERANCE_SECONDS = 300;
const PREFIX = "whsec_";

/** The headers of a request, from `fetch` or from Node. */
export type DeliveryHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Verifies a delivery and returns its event, also if its type is unknown.
 * @param rawBody the body as received, before parsing
 * @param secrets one or more secrets (`whsec_…`); two during a rotation
 * @throws SignatureError unless one of the secrets signed exactly this within the last five minutes
 * @throws TypeError for a parsed body or an invalid secret
 */
export async function unwrap(
  rawBody: string | Uint8Array,
  headers: DeliveryHeaders,
  secrets: string | readonly string[],
  options: { readonly toleranceSeconds?: number; readonly now?: Date } = {},
): Promise<Event> {
  const body = bytesOf(rawBody);
  const id = headerOf(headers, "webhook-id");
  const timestamp = headerOf(headers, "webhook-timestamp");
  const signatures = headerOf(headers, "webhook-signature").split(" ");
  const { toleranceSeconds = TOLERANCE_SECONDS, now = new Date() } = options;
  const ageSeconds = now.getTime() / 1_000 - Number(timestamp);
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(ageSeconds) > toleranceSeconds)
    throw new SignatureError(
      "The delivery was not signed within the last five minutes. Check this machine's clock.",
    );
  const given = signatures.flatMap((one) => (one.startsWith("v1,") ? [decode(one.slice(3))] : []));
  const signed = signedBytes(id, timestamp, body);
  for (const secret of [secrets].flat()) {
    const key = await keyOf(secret);
    for (const signature of given) {
      // It takes as long for every signature.
      if (signature !== null && (await crypto.subtle.verify("HMAC", key, signature, signed)))
        return JSON.parse(new TextDecoder().decode(body)) as Event;
    }
  }
  throw new SignatureError("None of the secrets signed this delivery.");
}

/** The headers of a delivery, for tests of a receiver. */
export async function sign(
  rawBody: string | Uint8Array,
  secret: string,
  options: { readonly id: string; readonly now?: Date },
): Promise<Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string>> {
  const timestamp = String(Math.floor((options.now ?? new Date()).getTime() / 1_000));
  const signed = signedBytes(options.id, timestamp, bytesOf(rawBody));
  const signature = await crypto.subtle.sign("HMAC", await keyOf(secret), signed);
  return {
    "webhook-id": options.id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${encode(new Uint8Array(signature))}`,
  };
}

function bytesOf(rawBody: string | Uint8Array): Uint8Array<ArrayBuffer> {
  if (typeof rawBody === "string") return new TextEncoder().encode(rawBody);
  if (rawBody instanceof Uint8Array) return new Uint8Array(rawBody);
  throw new TypeError(
    "The body was already parsed, so its signature cannot be verified. Give the raw body: in Express with express.raw({ type: 'application/json' }), with fetch as await request.text().",
  );
}

function signedBytes(id: string, timestamp: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const all = new Uint8Array(head.length + body.length);
  all.set(head);
  all.set(body, head.length);
  return all;
}

function headerOf(headers: DeliveryHeaders, name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1];
  if (typeof value !== "string" || value === "")
    throw new SignatureError(`The delivery has no header ${name}.`);
  return value;
}

async function keyOf(secret: string) {
  const bytes = decode(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret);
  if (bytes === null || bytes.length === 0)
    throw new TypeError(`A secret of a webhook endpoint begins with ${PREFIX} and continues in base64.`);
  return await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
    "verify",
  ]);
}

/** Base64; null for a text that is not. */
function decode(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.codePointAt(0) ?? 0);
  } catch {
    return null;
  }
}

function encode(bytes: Uint8Array): string {
  return btoa(String.fromCodePoint(...bytes));
}
