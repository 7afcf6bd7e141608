/** What webhooks are called, and what their state and that of their deliveries permits. Pure. */
import type { WebhookDelivery, WebhookEndpoint, WebhookTrigger } from "../../../sdk/src/generated/types.ts";

/** A webhook's name: its description, or its address if it has none. */
export function webhookName({ description, url }: Pick<WebhookEndpoint, "description" | "url">): string {
  return description === "" ? url : description;
}

/** Why nothing can be sent to it (the server's `WEBHOOK_ENDPOINT_DISABLED`); null: it can. */
export function reasonAgainstSending({ status }: Pick<WebhookEndpoint, "status">): string | null {
  return status === "DISABLED" ? "It is disabled. Enable it first." : null;
}

/** Why no replay can begin (the server's `WEBHOOK_REPLAY_RUNNING`); null: it can. */
export function reasonAgainstReplay(
  endpoint: Pick<WebhookEndpoint, "status" | "isReplaying">,
): string | null {
  return reasonAgainstSending(endpoint) ?? (endpoint.isReplaying ? "A replay is running." : null);
}

/** The label of the button that sends a delivery again. The server sends a pending delivery immediately. */
export function redeliveryLabel({ status }: Pick<WebhookDelivery, "status">): string {
  return status === "PENDING" ? "Send now" : "Send again";
}

const DISABLED: Readonly<Record<string, string>> = {
  USER: "A user disabled it.",
  GONE: "Its receiver answered 410, which means that it expects no more events.",
  FAILING: "Nothing reached it for five days.",
};

/** The fault of an endpoint, in a sentence; null: none. */
export function describeHealth({
  status,
  disabledReason,
}: Pick<WebhookEndpoint, "status" | "disabledReason">): string | null {
  if (status === "DISABLED")
    return `${DISABLED[disabledReason ?? ""] ?? "It is disabled."} It receives nothing.`;
  if (status !== "FAILING") return null;
  return "Several deliveries in a row failed. One event at a time is tried; the others wait and are not lost.";
}

const TRIGGERS: Readonly<Record<WebhookTrigger, string>> = {
  auto: "Event",
  replay: "Replay",
  manual: "Sent again by a user",
  ping: "Test",
};

/** The cause of a delivery, in words. */
export function formatTrigger(trigger: WebhookTrigger): string {
  return TRIGGERS[trigger];
}

/** The answer to the last attempt of a delivery, in words. */
export function formatAnswer({
  attempts,
  lastStatus,
  lastError,
}: Pick<WebhookDelivery, "attempts" | "lastStatus" | "lastError">): string {
  if (attempts === 0) return "not sent yet";
  const answer = lastError?.message ?? (lastStatus === null ? "no answer yet" : `answer ${lastStatus}`);
  return attempts === 1 ? answer : `${answer.replace(/\.$/, "")} (${attempts} attempts)`;
}
