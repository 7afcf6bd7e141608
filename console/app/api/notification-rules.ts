/** What notification channels are called, and what their state means. Pure. */
import type { NotificationChannel, NotificationTest } from "../../../sdk/src/generated/types.ts";
import { formatTypes } from "./event-words.ts";

export const KIND_NAMES: Readonly<Record<NotificationChannel["kind"], string>> = {
  slack: "Slack",
  discord: "Discord",
  teams: "Microsoft Teams",
  email: "E-mail",
};

/** Where messages of a channel go: the host of a secret URL, or addresses. */
export function formatReceiver({
  host,
  recipients,
}: Pick<NotificationChannel, "host" | "recipients">): string {
  return host ?? recipients?.join(", ") ?? "";
}

/** Which events a channel reports, in words. */
export function formatReported({ types }: Pick<NotificationChannel, "types">): string {
  return types === null ? "Default set" : formatTypes(types);
}

const DISABLED: Readonly<Record<string, string>> = {
  USER: "A user disabled it.",
  GONE: "Its receiver answered 410, which means that it no longer exists.",
  FAILING: "Nothing reached it for five days.",
};

/** The fault of a channel, in a sentence; null: none. */
export function describeChannelHealth({
  status,
  disabledReason,
}: Pick<NotificationChannel, "status" | "disabledReason">): string | null {
  if (status === "DISABLED")
    return `${DISABLED[disabledReason ?? ""] ?? "It is disabled."} It receives nothing.`;
  return status === "FAILING"
    ? "Its receiver accepts no messages. Slipway retries at least every 15 minutes, and then sends the states of that time."
    : null;
}

/** The answer of a receiver, in a line: its status and the beginning of its text. */
export function formatReceiverAnswer({
  status,
  answer,
}: Pick<NotificationTest, "status" | "answer">): string | null {
  const parts = [status === null ? "" : String(status), answer ?? ""].filter((part) => part !== "");
  return parts.length === 0 ? null : parts.join(" ");
}
