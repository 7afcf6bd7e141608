import type { Sql } from "../../../db/database.ts";
import type { AtRestSealing } from "../../../sealing/at-rest.ts";
import { endpoints } from "../endpoint-store.ts";
import type { Target } from "./send-attempt.ts";
import { headersIdentity, secretIdentity, type WebhookEndpoint } from "../webhook-endpoint.ts";

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
