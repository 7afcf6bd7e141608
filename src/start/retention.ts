/** For how long records are kept, as those say who remove them. */
import { EVENTS_KEPT_DAYS } from "../features/events/sequence-events.ts";
import { RECEIPTS_KEPT_DAYS } from "../features/git-hooks/commands.ts";
import type { Retention } from "../features/organizations/views.ts";
import { DOMAIN_DAYS_KEPT } from "../features/statistics/queries.ts";
import { RUNS_KEPT_DAYS } from "../features/variables/commands.ts";
import { ATTEMPTS_KEPT_DAYS, BODIES_KEPT_DAYS } from "../features/webhooks/delivery-commands.ts";
import { ANSWERS_KEPT_HOURS } from "../http/requests/idempotency.ts";
import type { Config } from "./config/config.ts";

export function retentionOf({ auditKeptDays }: Pick<Config, "auditKeptDays">): Retention {
  return {
    auditEntryDays: auditKeptDays,
    // Who wrote a version is known as long as the audit knows it.
    variableVersionDays: auditKeptDays,
    variableRunDays: RUNS_KEPT_DAYS,
    eventDays: EVENTS_KEPT_DAYS,
    webhookAttemptDays: ATTEMPTS_KEPT_DAYS,
    webhookBodyDays: BODIES_KEPT_DAYS,
    gitDeliveryDays: RECEIPTS_KEPT_DAYS,
    domainCountDays: DOMAIN_DAYS_KEPT,
    idempotencyHours: ANSWERS_KEPT_HOURS,
  };
}
