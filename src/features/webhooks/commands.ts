import { announceChange } from "../../db/changes.ts";
import type { Sql, Transaction } from "../../db/database.ts";
import { announceWork, type Jobs } from "../../jobs/jobs.ts";
import type { Actor } from "../../lib/actor.ts";
import { AppError, invalidRequest, notFound, orNotFound } from "../../lib/errors.ts";
import { changeOf, recordAudit } from "../audit/record-audit.ts";
import { emit } from "../events/emit.ts";
import { boundsOfEvents } from "../events/queries.ts";
import { getEnvironment, getProject } from "../projects/queries.ts";
import { endpoints, type Numbered } from "./endpoint-store.ts";
import { WEBHOOK_ERRORS, WEBHOOK_FAULTS } from "./errors.ts";
import { WEBHOOK_EVENTS } from "./events.ts";
import {
  dataOf,
  type DisabledReason,
  type EndpointFilter,
  ENDPOINTS_MAX,
  type EndpointSettings,
  type WebhookEndpoint,
} from "./webhook-endpoint.ts";

/** @throws AppError `NOT_FOUND` */
export async function getEndpoint(sql: Sql, organizationId: string, id: string): Promise<WebhookEndpoint> {
  return orNotFound(await endpoints.find(sql, organizationId, id));
}

/** Locked until the transaction ends. @throws AppError `NOT_FOUND` */
export async function lockEndpoint(
  tx: Transaction,
  organizationId: string,
  id: string,
): Promise<WebhookEndpoint> {
  return orNotFound(await endpoints.lock(tx, organizationId, id));
}

/** Gets the events from now on. @throws AppError `NOT_FOUND`, `INVALID_REQUEST`, `TOO_MANY_WEBHOOK_ENDPOINTS` */
export async function createEndpoint(
  tx: Transaction,
  actor: Actor,
  { id, ...settings }: EndpointSettings & { readonly id: string },
  sealed: { readonly secret: Uint8Array; readonly headers: Uint8Array | null },
): Promise<WebhookEndpoint> {
  const { organizationId } = actor;
  await requirePlace(tx, organizationId, settings);
  await endpoints.lockCount(tx, organizationId);
  if ((await endpoints.count(tx, organizationId)) >= ENDPOINTS_MAX) {
    throw new AppError(
      WEBHOOK_ERRORS.TOO_MANY_WEBHOOK_ENDPOINTS,
      `The organization has ${ENDPOINTS_MAX} webhook endpoints, the most that it can have. Delete one first.`,
    );
  }
  const { last: cursor } = await boundsOfEvents(tx, organizationId);
  const endpoint = orNotFound(
    await endpoints.insert(tx, { organizationId, id, cursor, ...settings }, sealed),
  );
  const type = WEBHOOK_EVENTS["webhook_endpoint.created"];
  emit(tx, actor, { type, subjectId: id, data: dataOf(endpoint) });
  recordAudit(tx, actor, "webhook-endpoint.created", id, { after: auditedFields(endpoint) });
  return endpoint;
}

/**
 * @param change fields that were not given stay as they are
 * @param sealedHeaders undefined to keep them
 * @throws AppError `NOT_FOUND`, `INVALID_REQUEST`
 */
export async function updateEndpoint(
  tx: Transaction,
  jobs: Jobs,
  actor: Actor,
  id: string,
  change: Partial<EndpointSettings>,
  sealedHeaders: Uint8Array | null | undefined,
): Promise<WebhookEndpoint> {
  const { organizationId } = actor;
  const before = await lockEndpoint(tx, organizationId, id);
  const settings = { ...before, ...change };
  await requirePlace(tx, organizationId, settings);
  let endpoint = await endpoints.update(tx, before, settings, sealedHeaders);
  // A new URL or new headers may have repaired the endpoint.
  const isNewTarget = endpoint !== null && (endpoint.url !== before.url || sealedHeaders !== undefined);
  if (isNewTarget && before.status !== "DISABLED") {
    const healthy = { status: "HEALTHY", disabledReason: null } as const;
    endpoint = await endpoints.setStatus(tx, organizationId, id, healthy, null);
    await jobs.enqueue(tx, "webhook-endpoint", { organizationId, id });
  }
  if (endpoint === null) throw notFound();
  changed(tx, actor, endpoint, "webhook_endpoint.updated");
  recordAudit(tx, actor, "webhook-endpoint.updated", id, {
    ...changeOf(auditedFields(before), auditedFields(endpoint)),
    ...(sealedHeaders === undefined ? {} : { names: endpoint.headerNames }),
  });
  return endpoint;
}

/** Its deliveries are no longer listed; their rows are removed when they are old. @throws AppError `NOT_FOUND` */
export async function deleteEndpoint(tx: Transaction, actor: Actor, id: string): Promise<void> {
  const endpoint = await lockEndpoint(tx, actor.organizationId, id);
  await endpoints.delete(tx, actor.organizationId, id);
  changed(tx, actor, endpoint, "webhook_endpoint.deleted");
  recordAudit(tx, actor, "webhook-endpoint.deleted", id);
}

/** @param from `now` skips what happened while it was disabled @throws AppError `NOT_FOUND` */
export async function enableEndpoint(
  tx: Transaction,
  jobs: Jobs,
  actor: Actor,
  id: string,
  from: "cursor" | "now",
): Promise<WebhookEndpoint> {
  const { organizationId } = actor;
  const before = await lockEndpoint(tx, organizationId, id);
  if (before.status !== "DISABLED") return before;
  const cursor = from === "now" ? (await boundsOfEvents(tx, organizationId)).last : null;
  const healthy = { status: "HEALTHY", disabledReason: null } as const;
  const endpoint = orNotFound(await endpoints.setStatus(tx, organizationId, id, healthy, cursor));
  await jobs.enqueue(tx, "webhook-endpoint", { organizationId, id });
  changed(tx, actor, endpoint, "webhook_endpoint.enabled");
  recordAudit(tx, actor, "webhook-endpoint.enabled", id, { after: { from } });
  return endpoint;
}

/** @throws AppError `NOT_FOUND` */
export async function disableEndpoint(tx: Transaction, actor: Actor, id: string): Promise<WebhookEndpoint> {
  const { organizationId } = actor;
  const before = await lockEndpoint(tx, organizationId, id);
  if (before.status === "DISABLED") return before;
  const disabled = { status: "DISABLED", disabledReason: "USER" } as const;
  const endpoint = orNotFound(await endpoints.setStatus(tx, organizationId, id, disabled, null));
  emitDisabled(tx, actor, endpoint, "USER");
  return endpoint;
}

export function emitDisabled(
  tx: Transaction,
  actor: Actor,
  endpoint: Pick<WebhookEndpoint, "id" | "url">,
  reason: DisabledReason,
): void {
  const { id: subjectId, url } = endpoint;
  const data = { ...dataOf({ url, status: "DISABLED" }), reason };
  emit(tx, actor, { type: WEBHOOK_EVENTS["webhook_endpoint.disabled"], subjectId, data });
  announceChange(tx, subjectId);
  recordAudit(tx, actor, "webhook-endpoint.disabled", subjectId, { after: { reason } });
}

const HOUR_MS = 3_600_000;

/** Activates a sealed secret. @throws AppError `NOT_FOUND`, `WEBHOOK_SECRET_OVERLAPS` */
export async function rotateSecret(
  tx: Transaction,
  actor: Actor,
  id: string,
  sealed: Uint8Array,
  {
    overlapHours,
    isForced,
    now,
  }: { readonly overlapHours: number; readonly isForced: boolean; readonly now: Date },
): Promise<WebhookEndpoint> {
  const { organizationId } = actor;
  const { previousSecretUntil } = await lockEndpoint(tx, organizationId, id);
  if (previousSecretUntil !== null && previousSecretUntil > now && !isForced) {
    throw new AppError(
      WEBHOOK_ERRORS.WEBHOOK_SECRET_OVERLAPS,
      `The previous secret is valid until ${previousSecretUntil.toISOString()}; another rotation would end it now. Send force: true to do so.`,
    );
  }
  const until = overlapHours === 0 ? null : new Date(now.getTime() + overlapHours * HOUR_MS);
  const endpoint = orNotFound(await endpoints.rotate(tx, organizationId, id, sealed, until));
  changed(tx, actor, endpoint, "webhook_endpoint.secret_rotated");
  recordAudit(tx, actor, "webhook-endpoint.secret-rotated", id, {
    after: { overlapHours: String(overlapHours) },
  });
  return endpoint;
}

/** @throws AppError `NOT_FOUND` */
export async function revokePreviousSecret(
  tx: Transaction,
  actor: Actor,
  id: string,
): Promise<WebhookEndpoint> {
  const endpoint = orNotFound(await endpoints.revokePrevious(tx, actor.organizationId, id));
  announceChange(tx, id);
  recordAudit(tx, actor, "webhook-endpoint.previous-secret-revoked", id);
  return endpoint;
}

function changed(
  tx: Transaction,
  actor: Actor,
  endpoint: WebhookEndpoint,
  type: `webhook_endpoint.${"updated" | "deleted" | "enabled" | "secret_rotated"}`,
): void {
  emit(tx, actor, { type: WEBHOOK_EVENTS[type], subjectId: endpoint.id, data: dataOf(endpoint) });
  announceChange(tx, endpoint.id);
}

/** Without what may be secret: of the URL, the host. */
function auditedFields(endpoint: WebhookEndpoint) {
  const { url, description, types, projectId, environmentId, maxPerSecond } = endpoint;
  return {
    host: new URL(url).host,
    description,
    types: types.join(","),
    projectId,
    environmentId,
    maxPerSecond: maxPerSecond === null ? null : String(maxPerSecond),
  };
}

/**
 * Checks that the project and the environment of a filter exist and belong together.
 * @throws AppError `NOT_FOUND`, `INVALID_REQUEST`
 */
export async function requirePlace(
  sql: Sql,
  organizationId: string,
  { projectId, environmentId }: Pick<EndpointFilter, "projectId" | "environmentId">,
): Promise<void> {
  if (projectId !== null) await getProject(sql, organizationId, projectId, "projectId");
  if (environmentId === null) return;
  const environment = await getEnvironment(sql, organizationId, environmentId, "environmentId");
  if (projectId === null || environment.projectId === projectId) return;
  const { code } = WEBHOOK_FAULTS.PROJECT_OF_ENVIRONMENT;
  throw invalidRequest([
    { path: "/environmentId", code, message: "does not belong to the project in projectId" },
  ]);
}

/** In the transaction that numbers events: enqueues the endpoints that may get one of them, and no others. */
export async function enqueueEndpoints(tx: Transaction, head: Numbered): Promise<void> {
  if ((await endpoints.enqueueMatching(tx, head)) > 0) announceWork(tx);
}
