/** How long each kind of record is kept, in words. Pure. */
import type { Retention } from "../../../sdk/src/generated/types.ts";

export type Kept = { readonly records: string; readonly duration: string };

/** The kinds of records, in the order in which a user searches for them. */
export function listRetention(retention: Retention): readonly Kept[] {
  return [
    { records: "Audit entries", duration: formatDays(retention.auditEntryDays) },
    { records: "Events", duration: formatDays(retention.eventDays) },
    {
      records: "Deliveries of webhooks and their attempts",
      duration: formatDays(retention.webhookAttemptDays),
    },
    { records: "Responses of webhook receivers", duration: formatDays(retention.webhookBodyDays) },
    { records: "Deliveries of git hosts", duration: formatDays(retention.gitDeliveryDays) },
    {
      records: "Replaced versions of variables",
      duration: formatDays(retention.variableVersionDays),
    },
    {
      records: "Records of storing values in the cloud account",
      duration: formatDays(retention.variableRunDays),
    },
    { records: "Daily counts of domains", duration: formatDays(retention.domainCountDays) },
    {
      records: "Responses to repeated requests",
      duration: count(retention.idempotencyHours, "hour"),
    },
  ];
}

function formatDays(days: number | null): string {
  return days === null ? "Forever" : count(days, "day");
}

function count(number: number, unit: string): string {
  return `${number} ${unit}${number === 1 ? "" : "s"}`;
}
