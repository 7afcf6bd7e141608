import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { AbortedError, SlipwayError } from "../../../sdk/src/errors.ts";
import type { WebhookDelivery } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";

/** Follows the newest delivery that is under way, because its end emits no event. Then the list is read again. */
export function usePendingDelivery(
  endpointId: string,
  deliveries: readonly WebhookDelivery[] | undefined,
): void {
  const client = useQueryClient();
  const pending = deliveries?.find(({ status }) => status === "PENDING");
  const deliveryId = pending?.id;
  const attempts = pending?.attempts;
  useEffect(() => {
    if (deliveryId === undefined) return;
    const end = new AbortController();
    const run = async () => {
      const watching = slipway.webhookEndpoints.watchDelivery(endpointId, deliveryId, { signal: end.signal });
      for await (const news of watching)
        if (news.status !== "PENDING" || news.attempts !== attempts)
          return await client.invalidateQueries({ queryKey: ["webhookEndpoints"] });
    };
    run().catch((error: unknown) => {
      // The list itself says what is wrong.
      if (!(error instanceof AbortedError) && !(error instanceof SlipwayError)) throw error;
    });
    return () => end.abort();
  }, [client, endpointId, deliveryId, attempts]);
}
