/** Informs one channel: fold new events into topics, decide a message, send it, record what the attempt showed. */
import { createHash } from "node:crypto";
import type { Database } from "../../db/database.ts";
import type { Reconcile, ReconcileResult } from "../../jobs/jobs.ts";
import type { EventCatalogue } from "../events/event-catalogue.ts";
import { boundsOfEvents, listEvents, readEvents } from "../events/queries.ts";
import { findEnvironment, findProject } from "../projects/queries.ts";
import type { Channel } from "./channel.ts";
import { recordAttempt, removeChannel } from "./commands.ts";
import {
  announceTopic,
  decideMessage,
  foldEvents,
  GROUP_KEPT_MS,
  type Topic,
  topicKeysOf,
  typesRead,
} from "./decide-notification.ts";
import { composeMessage, gatherSections, type Message } from "./message.ts";
import { findRecipient, type Recipient } from "./recipient.ts";
import { type SendDeps, sendMessage } from "./send-message.ts";
import { channels } from "./store.ts";
import { topics } from "./topic-store.ts";

/** How many events one step reads at most. */
const READ_MAX = 1_000;
/** How many topics one message is decided from. */
const PENDING_MAX = 10_000;

type Deps = SendDeps & {
  readonly db: Database;
  readonly catalogue: EventCatalogue;
};

export function reconcileChannel(deps: Deps): Reconcile {
  const { db, clock } = deps;
  return async ({ organizationId, id }) => {
    const channel = await channels.find(db, organizationId, id);
    if (channel === null || channel.status === "DISABLED") return "done";
    const recipient =
      channel.userId === null ? null : await findRecipient(db, deps.catalogue, channel, channel.userId);
    if (channel.userId !== null && recipient === null) {
      await db.transaction(async (tx) => {
        removeChannel(tx, channel);
        await Promise.resolve();
      });
      return "done";
    }
    if (recipient?.email === null) return "done";
    const hasMore = await readNew(deps, channel, recipient);
    if (hasMore) return { runAfterMs: 0 };
    const now = clock.now();
    if (channel.resumeAt !== null && channel.resumeAt > now) return restUntil(channel.resumeAt, now);
    const pending = await topics.listPending(db, channel, PENDING_MAX);
    const announced = await topics.listGroups(db, channel, new Date(now.getTime() - GROUP_KEPT_MS));
    const { due, nextAt } = decideMessage(pending, announced, now);
    if (due.length === 0) return nextAt === null ? "done" : restUntil(nextAt, now);
    if (recipient !== null && (await dropHidden(db, channel, recipient, due))) return { runAfterMs: 0 };
    const message = await compose(deps, channel, due);
    const recipients = recipient === null ? channel.recipients : [recipient.email];
    const sent = await sendMessage(deps, { ...channel, recipients }, message);
    if (sent === null) return "done";
    await db.transaction(async (tx) => {
      if (!(await recordAttempt(tx, channel, sent, clock.now()))) return;
      topics.put(
        tx,
        channel,
        due.flatMap((topic) => announceTopic(topic) ?? []),
      );
      const done = due.filter((topic) => announceTopic(topic) === null);
      topics.delete(
        tx,
        channel,
        done.map(({ key }) => key),
      );
      const groups = [...new Set(due.map(({ group }) => group))].map((group) => {
        const before = announced.get(group);
        return { group, repeats: before === undefined ? 0 : before.repeats + 1 };
      });
      topics.putGroups(tx, channel, groups, clock.now());
    });
    return { runAfterMs: 0 };
  };
}

const restUntil = (at: Date, now: Date): ReconcileResult => ({ runAfterMs: at.getTime() - now.getTime() });

/** Forgets topics that a user no longer sees, such as those of a project that the user lost. @returns whether there were any */
async function dropHidden(
  db: Database,
  channel: Channel,
  { reader, reads }: Recipient,
  due: readonly Topic[],
): Promise<boolean> {
  const sequences = due.flatMap(({ sequence }) => sequence ?? []);
  const events = await listEvents(db, channel.organizationId, sequences, reader);
  const seen = new Set(events.flatMap(({ sequence, type }) => (reads(type) ? [sequence] : [])));
  const hidden = due.filter(({ sequence }) => sequence === null || !seen.has(sequence));
  if (hidden.length === 0) return false;
  await db.transaction(async (tx) => {
    topics.delete(
      tx,
      channel,
      hidden.map(({ key }) => key),
    );
    await Promise.resolve();
  });
  return true;
}

/** Folds the next events after the cursor. @returns whether there may be more */
async function readNew(
  { db, catalogue, clock }: Deps,
  channel: Channel,
  recipient: Recipient | null,
): Promise<boolean> {
  const { organizationId, projectId, environmentId, cursor } = channel;
  const { last } = await boundsOfEvents(db, organizationId);
  if (cursor >= last) return false;
  const chosen = channel.types === null ? null : (catalogue.expand(channel.types).types ?? []);
  const wanted = typesRead(chosen);
  const types = recipient === null ? wanted : wanted.filter((type) => recipient.reads(type));
  const reader = recipient === null ? {} : { reader: recipient.reader };
  const filter = { types, projectId, environmentId, subjectId: null, ...reader };
  const read = await readEvents(db, organizationId, { after: cursor, last, limit: READ_MAX }, filter);
  // A channel does not report itself.
  const events = read.events.filter(({ subjectId }) => subjectId !== channel.id);
  const known = await topics.list(db, channel, topicKeysOf(events, chosen));
  const folded = foldEvents(new Map(known.map((topic) => [topic.key, topic])), events, chosen, clock.now());
  const isStill = ({ pending, announced: before }: Topic): boolean => pending === null && before === null;
  await db.transaction(async (tx) => {
    if (!(await channels.advance(tx, channel, read.through))) return;
    topics.put(
      tx,
      channel,
      folded.filter((topic) => !isStill(topic)),
    );
    topics.delete(
      tx,
      channel,
      folded.filter(isStill).map(({ key }) => key),
    );
  });
  return true;
}

async function compose(
  { db, catalogue, publicUrl }: Deps,
  { organizationId, id }: Channel,
  due: readonly Topic[],
): Promise<Message> {
  const sections = gatherSections(due);
  const sequences = sections.flatMap(({ listed }) => listed.flatMap(({ sequence }) => sequence ?? []));
  const events = await listEvents(db, organizationId, sequences);
  const names = new Map<string, string>();
  for (const projectId of new Set(events.flatMap((event) => event.projectId ?? []))) {
    const project = await findProject(db, organizationId, projectId);
    if (project !== null) names.set(projectId, project.name);
  }
  for (const environmentId of new Set(events.flatMap((event) => event.environmentId ?? []))) {
    const environment = await findEnvironment(db, organizationId, environmentId);
    if (environment !== null) names.set(environmentId, environment.configId);
  }
  const content = due.map(({ key, sequence }) => `${key} ${sequence}`).join("\n");
  const digest = createHash("sha256").update(content).digest("hex").slice(0, 32);
  return composeMessage(`${id}.${digest}`, sections, {
    events: new Map(events.map((event) => [event.sequence, event])),
    names,
    declared: catalogue.all,
    publicUrl,
  });
}
