import type { Transaction } from "../../../db/database.ts";
import { recordAudit, slipwayOf } from "../../audit/record-audit.ts";
import { emit } from "../../events/emit.ts";
import { WEBHOOK_EVENTS } from "../events.ts";
import type { Health, WebhookEndpoint } from "../webhook-endpoint.ts";

/** The data of an endpoint's events. */
export function dataOf({ url, status }: Pick<WebhookEndpoint, "url" | "status">) {
  return { host: new URL(url).host, status };
}

/** Emits a change of an endpoint's health, in the transaction that records it. */
export function notifyNewEvents(
  tx: Transaction,
  endpoint: WebhookEndpoint,
  health: Health,
  news: "disabled" | "failing" | "recovered",
): void {
  const actor = slipwayOf(endpoint.organizationId);
  const data = dataOf({ url: endpoint.url, status: health.status });
  const subjectId = endpoint.id;
  if (news === "disabled") {
    const reason = health.disabledReason ?? "FAILING";
    recordAudit(tx, actor, "webhook-endpoint.disabled", subjectId, { after: { reason } });
    emit(tx, actor, {
      type: WEBHOOK_EVENTS["webhook_endpoint.disabled"],
      subjectId,
      data: { ...data, reason },
    });
  } else {
    emit(tx, actor, { type: WEBHOOK_EVENTS[`webhook_endpoint.${news}`], subjectId, data });
  }
}
