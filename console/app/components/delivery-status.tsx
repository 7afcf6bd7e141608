import type { WebhookDelivery } from "../../../sdk/src/generated/types.ts";
import { Status } from "./status.tsx";

/** How a delivery to a webhook ended. Elsewhere the API's words mean something else. */
export function DeliveryStatus({ of: { status } }: { readonly of: Pick<WebhookDelivery, "status"> }) {
  if (status === "DELIVERED") return <Status of={status} words="Delivered" tone="good" />;
  if (status === "FAILED") return <Status of={status} words="Failed" tone="bad" />;
  return <Status of={status} words="Waiting" tone="busy" />;
}
