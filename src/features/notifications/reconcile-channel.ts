/** Informs one channel: fold new events into topics, decide a message, send it, record what the attempt showed. */
import { createHash } from "node:crypto";
import type { Database } from "../../db/database.ts";
import type { Reconcile, ReconcileResult } from "../../jobs/jobs.ts";
import type { EventCatalogue } from "../events/event-catalogue.ts";
import { boundsOfEvents, listEvents, readEvents } from "../events/queries.ts";
import { findProject } from "../projects/queries.ts";
import type { Channel } from "./channel.ts";
import { recordAttempt } from "./commands.ts";
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
  readonly publicUrl: string;
};

export function reconcileChannel(deps: Deps): Reconcile {
  const { db, clock } = deps;
  return async ({ organizationId, id }) => {
    const channel = await channels.find(db, organizationId, id);
    if (channel === null || channel.status === "DISABLED") return "done";
    const hasMore = await readNew(deps, channel);
    if (hasMore) return { runAfterMs: 0 };
    const now = clock.now();
    if (channel.resumeAt !== null && channel.resumeAt > now) return restUntil(channel.resumeAt, now);
    const pending = await topics.listPending(db, channel, PENDING_MAX);
    const newSince = new Date(now.getTime() - GROUP_KEPT_MS);
    const announced = await topics.listGroups(db, channel, newSince);
    const { due, nextAt } = decideMessage(pending, announced, now);
    if (due.length === 0) return nextAt === null ? "done" : restUntil(nextAt, now);
    const message = await compose(deps, channel, due);
    const sent = await sendMessage(deps, channel, message);
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
      const groups = [...new Set(due.map(({ group }) => group))];
      topics.putGroups(tx, channel, groups, { at: clock.now(), newSince });
    });
    return { runAfterMs: 0 };
  };
}

const restUntil = (at: Date, now: Date): ReconcileResult => ({ runAfterMs: at.getTime() - now.getTime() });

/** Folds the next events after the cursor. @returns whether there may be more */
async function readNew({ db, catalogue, clock }: Deps, channel: Channel): Promise<boolean> {
  const { organizationId, projectId, environmentId, cursor } = channel;
  const { last } = await boundsOfEvents(db, organizationId);
  if (cursor >= last) return false;
  const types = typesRead(channel.types === null ? null : (catalogue.expand(channel.types).types ?? []));
  const filter = { types, projectId, environmentId, subjectId: null };
  const read = await readEvents(db, organizationId, { after: cursor, last, limit: READ_MAX }, filter);
  // A channel does not report itself.
  const events = read.events.filter(({ subjectId }) => subjectId !== channel.id);
  const known = await topics.list(db, channel, topicKeysOf(events));
  const folded = foldEvents(new Map(known.map((topic) => [topic.key, topic])), events, clock.now());
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
  const projectNames = new Map<string, string>();
  for (const projectId of new Set(events.flatMap((event) => event.projectId ?? []))) {
    const project = await findProject(db, organizationId, projectId);
    if (project !== null) projectNames.set(projectId, project.name);
  }
  const content = due.map(({ key, sequence }) => `${key} ${sequence}`).join("\n");
  const digest = createHash("sha256").update(content).digest("hex").slice(0, 32);
  return composeMessage(`${id}.${digest}`, sections, {
    events: new Map(events.map((event) => [event.sequence, event])),
    projectNames,
    declared: catalogue.all,
    publicUrl,
  });
}
