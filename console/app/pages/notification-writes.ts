/** Changes of a notification channel that its page and the list offer, with their questions and messages. */
import type { NotificationChannel } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";

const refreshes = ["notificationChannels"] as const;

export function enableChannel({ id }: Pick<NotificationChannel, "id">) {
  return {
    refreshes,
    work: () => slipway.notificationChannels.update(id, { enabled: true }),
    said: "Enabled. It reports events from now on.",
  };
}

export function disableChannel({ id }: Pick<NotificationChannel, "id">) {
  return {
    refreshes,
    work: () => slipway.notificationChannels.update(id, { enabled: false }),
    question: {
      title: "Disable this channel?",
      consequences: ["It reports nothing until it is enabled. Events of this time are not reported later."],
      action: "Disable",
    },
  };
}

export function deleteChannel({ id, name }: Pick<NotificationChannel, "id" | "name">) {
  return {
    refreshes,
    work: () => slipway.notificationChannels.delete(id),
    question: {
      title: "Delete this channel?",
      consequences: [`${name} receives no further messages.`],
      action: "Delete channel",
    },
  };
}
