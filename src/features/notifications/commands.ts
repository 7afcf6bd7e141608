import { announceChange } from "../../db/changes.ts";
import type { Sql, Transaction } from "../../db/database.ts";
import { announceWork, type Jobs } from "../../jobs/jobs.ts";
import type { Actor } from "../../lib/actor.ts";
import { requireSeen } from "../../lib/access.ts";
import { AppError, notFound, orNotFound } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { changeOf, recordAudit, slipwayOf } from "../audit/record-audit.ts";
import { emit } from "../events/emit.ts";
import { boundsOfEvents } from "../events/queries.ts";
import { hasProjects } from "../projects/queries.ts";
import { getUser } from "../users/queries.ts";
import { requirePlace } from "../webhooks/commands.ts";
import { decideHealth, decideNews } from "../webhooks/decide-delivery.ts";
import type { DisabledReason } from "../webhooks/webhook-endpoint.ts";
import { type Channel, CHANNELS_MAX, type ChannelSettings, dataOf, ownChannelOf } from "./channel.ts";
import { DEFAULT_TYPES, typesRead } from "./decide-notification.ts";
import { NOTIFICATION_ERRORS } from "./errors.ts";
import { NOTIFICATION_EVENTS } from "./events.ts";
import type { SentMessage } from "./send-message.ts";
import { channels } from "./store.ts";
import { topics } from "./topic-store.ts";

const KIND = "notification-channel";

/** A channel of the organization. @throws AppError `NOT_FOUND` */
export async function getChannel(sql: Sql, organizationId: string, id: string): Promise<Channel> {
  const channel = await channels.find(sql, organizationId, id);
  if (channel === null || channel.userId !== null) throw notFound();
  return channel;
}

async function lockChannel(tx: Transaction, { organizationId }: Actor, id: string): Promise<Channel> {
  const channel = await channels.lock(tx, organizationId, id);
  if (channel === null || channel.userId !== null) throw notFound();
  return channel;
}

/**
 * Reports the events from now on.
 * @throws AppError `NOT_FOUND`, `INVALID_REQUEST`, `TOO_MANY_NOTIFICATION_CHANNELS`
 */
export async function createChannel(
  tx: Transaction,
  actor: Actor,
  created: Omit<ChannelSettings, "projectIds"> & Pick<Channel, "id" | "kind">,
  sealedUrl: Uint8Array | null,
): Promise<Channel> {
  const { organizationId } = actor;
  await requirePlace(tx, organizationId, created);
  await channels.lockCount(tx, organizationId);
  if ((await channels.count(tx, organizationId)) >= CHANNELS_MAX) {
    throw new AppError(
      NOTIFICATION_ERRORS.TOO_MANY_NOTIFICATION_CHANNELS,
      `The organization has ${CHANNELS_MAX} notification channels, the most that it can have. Delete one first.`,
    );
  }
  return await insertChannel(tx, actor, { ...created, userId: null, projectIds: null }, sealedUrl);
}

async function insertChannel(
  tx: Transaction,
  actor: Actor,
  created: ChannelSettings & Pick<Channel, "id" | "kind" | "userId">,
  sealedUrl: Uint8Array | null,
): Promise<Channel> {
  const { organizationId } = actor;
  const { last: cursor } = await boundsOfEvents(tx, organizationId);
  const channel = orNotFound(await channels.insert(tx, { ...created, organizationId, cursor }, sealedUrl));
  changed(tx, actor, channel, "notification_channel.created");
  recordAudit(tx, actor, "notification-channel.created", channel.id, { after: auditedFields(channel) });
  return channel;
}

export type ChannelChange = Partial<ChannelSettings> & { readonly enabled?: boolean | undefined };

/**
 * @param change fields that were not given stay as they are
 * @param sealedUrl null to keep it
 * @throws AppError `NOT_FOUND`, `INVALID_REQUEST`
 */
export async function updateChannel(
  tx: Transaction,
  jobs: Jobs,
  actor: Actor,
  id: string,
  change: ChannelChange,
  sealedUrl: Uint8Array | null,
): Promise<Channel> {
  return await changeChannel(tx, jobs, actor, await lockChannel(tx, actor, id), change, sealedUrl);
}

/** What a user chooses for its own channel. */
export type OwnChange = Pick<ChannelChange, "enabled" | "types" | "projectIds">;

/**
 * Changes the caller's own channel, or makes it. It is disabled until its user enables it.
 * @throws AppError `NOT_FOUND` for a project, `NO_EMAIL_ADDRESS`
 */
export async function updateOwnChannel(
  tx: Transaction,
  jobs: Jobs,
  actor: Actor,
  { enabled, ...change }: OwnChange,
): Promise<Channel> {
  const { organizationId, userId } = actor;
  const projectIds = change.projectIds ?? [];
  for (const projectId of projectIds) requireSeen(actor, projectId, "projectIds");
  if (!(await hasProjects(tx, organizationId, projectIds))) throw notFound("projectIds");
  if (enabled === true && (await getUser(tx, organizationId, userId)).email === null) {
    throw new AppError(
      NOTIFICATION_ERRORS.NO_EMAIL_ADDRESS,
      "Your account has no email address. Ask an admin to set one.",
    );
  }
  await channels.lockCount(tx, organizationId);
  const found = await channels.findOfUser(tx, organizationId, userId);
  if (found !== null) return await changeChannel(tx, jobs, actor, found, { enabled, ...change }, null);
  const created = { ...NEW_OWN, ...change, id: newId("nch"), kind: "email", userId } as const;
  const channel = await insertChannel(tx, actor, created, null);
  return await changeChannel(tx, jobs, actor, channel, { enabled: enabled ?? false }, null);
}

const NEW_OWN: ChannelSettings = {
  name: "Own e-mail",
  host: null,
  recipients: null,
  types: null,
  projectId: null,
  environmentId: null,
  projectIds: null,
};

async function changeChannel(
  tx: Transaction,
  jobs: Jobs,
  actor: Actor,
  before: Channel,
  { enabled, ...change }: ChannelChange,
  sealedUrl: Uint8Array | null,
): Promise<Channel> {
  const { organizationId, id } = before;
  const settings = { ...before, ...change };
  await requirePlace(tx, organizationId, settings);
  let channel = await channels.update(tx, before, settings, sealedUrl);
  const isDisabled = before.status === "DISABLED";
  // A new receiver may work where the earlier one failed.
  const isNewTarget = sealedUrl !== null || change.recipients !== undefined;
  if (enabled === false && !isDisabled) {
    channel = await channels.setStatus(tx, before, { status: "DISABLED", disabledReason: "USER" }, null);
    emitDisabled(tx, actor, before, "USER");
  } else if (isDisabled ? enabled === true : isNewTarget) {
    // Events of the time when it was disabled are not reported.
    const cursor = isDisabled ? (await boundsOfEvents(tx, organizationId)).last : null;
    channel = await channels.setStatus(tx, before, { status: "HEALTHY", disabledReason: null }, cursor);
  }
  if (channel === null) throw notFound();
  await jobs.enqueue(tx, KIND, { organizationId, id });
  const changes = changeOf(auditedFields(before), auditedFields(channel));
  if (isDisabled && channel.status === "HEALTHY") {
    changed(tx, actor, channel, "notification_channel.enabled");
    recordAudit(tx, actor, "notification-channel.enabled", id);
  }
  if (Object.keys(change).length > 0 || sealedUrl !== null) {
    changed(tx, actor, channel, "notification_channel.updated");
    recordAudit(tx, actor, "notification-channel.updated", id, changes);
  }
  return channel;
}

/** @throws AppError `NOT_FOUND` */
export async function deleteChannel(tx: Transaction, actor: Actor, id: string): Promise<void> {
  const channel = await lockChannel(tx, actor, id);
  removeChannel(tx, channel);
  changed(tx, actor, channel, "notification_channel.deleted");
  recordAudit(tx, actor, "notification-channel.deleted", id);
}

/** Removes a channel and what it knows. */
export function removeChannel(tx: Transaction, channel: Channel): void {
  channels.delete(tx, channel);
  topics.deleteAll(tx, channel);
}

/** Records that a user requested a test. */
export function recordTest(tx: Transaction, actor: Actor, { id }: Channel): void {
  recordAudit(tx, actor, "notification-channel.tested", id);
}

/**
 * Records what an attempt showed, and emits the change of the channel's health.
 * @returns whether the receiver accepted the message
 */
export async function recordAttempt(
  tx: Transaction,
  channel: Channel,
  { outcome, errorCode, answer }: SentMessage,
  now: Date,
): Promise<boolean> {
  // The channel rests before each further attempt: it has one message at a time.
  const health = decideHealth(channel, outcome, now, Math.random(), 1);
  const isDelivered = outcome.kind === "delivered";
  const lastSentAt = isDelivered ? now : null;
  const shown = isDelivered ? { errorCode: null, answer: null } : { errorCode, answer };
  const isCurrent = await channels.setHealth(tx, channel, { ...health, ...shown, lastSentAt });
  announceChange(tx, channel.userId === null ? channel.id : ownChannelOf(channel.userId));
  const news = isCurrent ? decideNews(channel, health) : null;
  if (news === null) return isDelivered;
  const actor = slipwayOf(channel.organizationId);
  const after = { ...channel, ...health };
  if (news === "disabled") emitDisabled(tx, actor, after, health.disabledReason ?? "FAILING");
  else changed(tx, actor, after, `notification_channel.${news}`);
  return isDelivered;
}

function emitDisabled(tx: Transaction, actor: Actor, channel: Channel, reason: DisabledReason): void {
  if (isOfOrganization(tx, channel)) {
    const data = { ...dataOf({ ...channel, status: "DISABLED" }), reason };
    const type = NOTIFICATION_EVENTS["notification_channel.disabled"];
    emit(tx, actor, { type, subjectId: channel.id, data });
  }
  recordAudit(tx, actor, "notification-channel.disabled", channel.id, { after: { reason } });
}

function changed(
  tx: Transaction,
  actor: Actor,
  channel: Channel,
  type: `notification_channel.${"created" | "updated" | "deleted" | "enabled" | "failing" | "recovered"}`,
): void {
  if (!isOfOrganization(tx, channel)) return;
  emit(tx, actor, { type: NOTIFICATION_EVENTS[type], subjectId: channel.id, data: dataOf(channel) });
}

/** Ends waiting reads of a channel. Events are only about channels of the organization: only its user reads another. */
function isOfOrganization(tx: Transaction, { id, userId }: Channel): boolean {
  announceChange(tx, userId === null ? id : ownChannelOf(userId));
  return userId === null;
}

/** Without what is secret: of the URL, the host. */
function auditedFields(channel: Channel) {
  const { kind, name, host, recipients, types, projectId, environmentId, projectIds } = channel;
  return {
    kind,
    name,
    host,
    recipients: recipients === null ? null : recipients.join(","),
    types: types === null ? null : types.join(","),
    projectId,
    environmentId,
    ...(projectIds === null ? {} : { projectIds: projectIds.join(",") }),
  };
}

/** The newly numbered events of an organization, by their kinds. */
type Numbered = {
  readonly organizationId: string;
  readonly kinds: readonly {
    readonly type: string;
    readonly projectId: string | null;
    readonly environmentId: string | null;
  }[];
};

/** In the transaction that numbers events: enqueues the channels that may report one of them, and no others. */
export async function enqueueChannels(tx: Transaction, { organizationId, kinds }: Numbered): Promise<void> {
  const numbered = kinds.map(({ type, projectId, environmentId }) => ({
    patterns: patternsOf(type),
    isDefault: DEFAULT_TYPES.includes(type),
    projectId,
    environmentId,
  }));
  if ((await channels.enqueueMatching(tx, organizationId, numbered)) > 0) announceWork(tx);
}

/** What a channel may have chosen to read a type. */
function patternsOf(type: string): readonly string[] {
  const readFor = DEFAULT_TYPES.filter((chosen) => typesRead([chosen]).includes(type));
  return ["*", ...new Set([type, ...readFor].flatMap((one) => [one, `${one.split(".")[0]}.*`]))];
}

const DAY_MS = 86_400_000;
/** A problem that lasts longer is forgotten: its resource may be deleted. */
const TOPICS_KEPT_DAYS = 90;

/** @returns whether there is more to remove at once */
export async function pruneNotifications(sql: Sql, now: Date): Promise<boolean> {
  const hasTopics = await topics.prune(sql, new Date(now.getTime() - TOPICS_KEPT_DAYS * DAY_MS));
  return (await topics.pruneGroups(sql, new Date(now.getTime() - DAY_MS))) || hasTopics;
}
