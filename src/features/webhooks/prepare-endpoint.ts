/** What a write of an endpoint needs before its transaction: its URL is checked, and its secrets are sealed. */
import { EgressError } from "../../egress/egress-error.ts";
import type { SafeFetch } from "../../egress/safe-fetch.ts";
import { AppError } from "../../lib/errors.ts";
import type { AtRestSealing } from "../../sealing/at-rest.ts";
import { Secret } from "../../sealing/secret.ts";
import { WEBHOOK_ERRORS } from "./errors.ts";
import { newSecret } from "./sign.ts";
import { headersIdentity, secretIdentity, type WebhookEndpoint } from "./webhook-endpoint.ts";

type Owner = Pick<WebhookEndpoint, "organizationId" | "id">;

/**
 * @throws AppError `WEBHOOK_URL_REFUSED`, in the same words for all reasons: different words would disclose what is
 * inside the network
 */
export async function checkUrl(exchange: SafeFetch, url: string): Promise<void> {
  try {
    await exchange.check(new URL(url));
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    throw new AppError(
      WEBHOOK_ERRORS.WEBHOOK_URL_REFUSED,
      `${new URL(url).hostname} cannot be used: it must resolve, and only to public addresses. The operator of this service can allow other hosts.`,
      { cause: error },
    );
  }
}

export async function sealNewSecret(
  atRest: AtRestSealing,
  owner: Owner,
): Promise<{ readonly secret: string; readonly sealed: Uint8Array }> {
  const secret = newSecret();
  return { secret: secret.reveal(), sealed: await atRest.seal(secretIdentity(owner), secret) };
}

/** Null if there are none. */
export async function sealHeaders(
  atRest: AtRestSealing,
  owner: Owner,
  headers: Readonly<Record<string, string>>,
): Promise<Uint8Array | null> {
  if (Object.keys(headers).length === 0) return null;
  const lowered = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return await atRest.seal(headersIdentity(owner), new Secret(JSON.stringify(Object.fromEntries(lowered))));
}

export function headerNamesOf(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.keys(headers)
    .map((name) => name.toLowerCase())
    .toSorted();
}
