/** Signs deliveries by the Standard Webhooks scheme (https://www.standardwebhooks.com): HMAC-SHA-256, version `v1`. */
import { createHmac, randomBytes } from "node:crypto";
import { Secret } from "../../sealing/secret.ts";

const PREFIX = "whsec_";
const SECRET_BYTES = 32;

export function newSecret(): Secret {
  return new Secret(PREFIX + randomBytes(SECRET_BYTES).toString("base64"));
}

/** The headers of one attempt. Each valid secret signs, so that a receiver may know either during a rotation. */
export function signatureHeaders(
  secrets: readonly Secret[],
  eventId: string,
  at: Date,
  body: string,
): {
  readonly "webhook-id": string;
  readonly "webhook-timestamp": string;
  readonly "webhook-signature": string;
} {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.reveal().slice(PREFIX.length), "base64");
    return `v1,${createHmac("sha256", key).update(`${eventId}.${timestamp}.${body}`).digest("base64")}`;
  });
  return { "webhook-id": eventId, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}
