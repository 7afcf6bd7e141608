import { sealedColumns } from "../../db/sealed-columns.ts";
import { headersIdentity, secretIdentity } from "./webhook-endpoint.ts";

/** The secrets and additional headers of all endpoints, for re-sealing after a key rotation. */
export const sealedValuesOfWebhooks = sealedColumns("webhook_endpoints", {
  sealed_secret: secretIdentity,
  sealed_previous_secret: secretIdentity,
  sealed_headers: headersIdentity,
});
