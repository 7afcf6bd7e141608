/** Changes of a webhook that its page and the list of webhooks offer, with their questions and messages. */
import type { WebhookEndpoint } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";

const refreshes = ["webhookEndpoints"] as const;

export function enableWebhook({ id }: Pick<WebhookEndpoint, "id">) {
  return {
    refreshes,
    work: () => slipway.webhookEndpoints.enable(id, {}),
    said: "Enabled. It receives the events of the time it was disabled, as far as they are kept.",
  };
}

export function disableWebhook({ id }: Pick<WebhookEndpoint, "id">) {
  return {
    refreshes,
    work: () => slipway.webhookEndpoints.disable(id),
    question: {
      title: "Disable this webhook?",
      consequences: ["It receives nothing until it is enabled. Its events are kept for 30 days."],
      action: "Disable",
    },
  };
}

export function deleteWebhook({ id, url }: Pick<WebhookEndpoint, "id" | "url">) {
  return {
    refreshes,
    work: () => slipway.webhookEndpoints.delete(id),
    question: {
      title: "Delete this webhook?",
      consequences: [`${url} receives no further events.`, "The log of its deliveries is deleted."],
      action: "Delete webhook",
    },
  };
}
