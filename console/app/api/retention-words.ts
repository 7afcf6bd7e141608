/** For how long what is kept, in words. Pure. */
import type { Retention } from "../../../sdk/src/generated/types.ts";

export type Kept = { readonly what: string; readonly howLong: string };

/** The kinds of records, in the order in which a user searches for them. */
export function tellRetention(retention: Retention): readonly Kept[] {
  return [
    { what: "Audit entries", howLong: tellDays(retention.auditEntryDays) },
    { what: "Events", howLong: tellDays(retention.eventDays) },
    { what: "Deliveries of webhooks, with each attempt", howLong: tellDays(retention.webhookAttemptDays) },
    { what: "What receivers of webhooks answered", howLong: tellDays(retention.webhookBodyDays) },
    { what: "Deliveries of git hosts", howLong: tellDays(retention.gitDeliveryDays) },
    {
      what: "Versions of variables, after they were replaced",
      howLong: tellDays(retention.variableVersionDays),
    },
    {
      what: "How values were stored in the cloud account",
      howLong: tellDays(retention.variableRunDays),
    },
    { what: "Counts of domains, by day", howLong: tellDays(retention.domainCountDays) },
    {
      what: "Answers to requests that are sent again",
      howLong: count(retention.idempotencyHours, "hour"),
    },
  ];
}

function tellDays(days: number | null): string {
  return days === null ? "For ever" : count(days, "day");
}

function count(number: number, unit: string): string {
  return `${number} ${unit}${number === 1 ? "" : "s"}`;
}
