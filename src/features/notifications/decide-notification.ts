/** Which message follows from which events, and when. Pure. */
import { member } from "../../lib/json/is-object.ts";
import type { Event } from "../events/event.ts";

/** A message waits until its group was quiet for this time, to report together what has one cause. */
const QUIET_MS = 10_000;
/** A message waits at most this time. */
const COLLECT_MAX_MS = 60_000;
/** At most one message in this time about one group. */
export const COOLDOWN_MS = 600_000;
/** The same after the second message about a cause that spreads: checks of DNS find its domains over an hour. */
const SPREAD_COOLDOWN_MS = 3_600_000;
/** A group without a message for this time is new. */
export const GROUP_KEPT_MS = 2 * SPREAD_COOLDOWN_MS;

/** The state of a topic before its first event. A recovery leads to it. */
const GOOD = "good";
/** The states of a problem begin with it. */
const BAD = "bad ";

/** `bad` and `good` are states; `news` has no opposite. */
export type Tone = "bad" | "good" | "news";

type Rule = {
  /** Rules of one condition lead to its states. */
  readonly condition: string;
  readonly leadsTo: Tone;
  /** The resource that has the condition; by default, the subject. Null: as an event without a rule. */
  readonly of?: (event: Event) => string | null;
  /** Distinguishes bad states: another bad state is reported again. */
  readonly detail?: (event: Event) => string;
  /** Events of one cause make one message. */
  readonly cause?: (event: Event) => string;
  /** Whether ever more resources may get the same cause. */
  readonly spreads?: boolean;
  /** False for an event that changes nothing. */
  readonly isMeant?: (event: Event) => boolean;
};

/** A text or a number of an event's data; empty for anything else. */
export const textOf = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";
export const field = (value: unknown, name: string): string => textOf(member(value, name));
const errorCode = ({ data }: Event): string => field(data["error"], "code");
const warningCode = ({ data }: Event): string => field(data["warning"], "code");
const subject = ({ subjectId }: Event): string => subjectId;
const environment = ({ environmentId }: Event): string | null => environmentId;

const warning = {
  condition: "domain warning",
  of: (event: Event) => `${event.subjectId} ${warningCode(event)}`,
  cause: warningCode,
  spreads: true,
};
const certificate = {
  condition: "certificate",
  of: ({ data }: Event) => field(data, "groupId"),
} as const;
/** One environment does not delay another. */
const ofEnvironment = (event: Event): string => environment(event) ?? "";
const deployment = { condition: "deployment", of: environment, cause: ofEnvironment } as const;
const job = {
  condition: "job",
  of: ({ subjectId, data }: Event) =>
    textOf(data["jobId"]) === "" ? null : `${subjectId} ${textOf(data["jobId"])}`,
} as const;
const approval = { condition: "approval", leadsTo: "news", cause: subject } as const;

/** The default set. An event of another type is news. */
const RULES: Readonly<Record<string, Rule>> = {
  // Each failed deployment is reported.
  "deployment.environment_failed": { ...deployment, leadsTo: "bad", detail: subject },
  "deployment.environment_succeeded": { ...deployment, leadsTo: "good" },
  "deployment.approval_requested": approval,
  "preview.approval_requested": approval,
  "preview.cleanup_failed": {
    condition: "preview cleanup",
    leadsTo: "bad",
    detail: ({ data }) => field(data, "code"),
    cause: ({ data }) => field(data, "code"),
  },
  "preview.ended": { condition: "preview cleanup", leadsTo: "good" },
  "preview.deleted": { condition: "preview cleanup", leadsTo: "good" },
  "data_store.stopped": { condition: "data store", leadsTo: "bad", detail: errorCode, cause: errorCode },
  "data_store.recovered": { condition: "data store", leadsTo: "good" },
  "data_store.deletion_failed": {
    condition: "data store deletion",
    leadsTo: "bad",
    detail: errorCode,
    cause: errorCode,
  },
  "data_store.deleted": { condition: "data store deletion", leadsTo: "good" },
  "job.failed": { ...job, leadsTo: "bad", cause: ofEnvironment },
  "job.missed": { ...job, leadsTo: "bad", detail: () => "missed" },
  "execution.succeeded": { ...job, leadsTo: "good", cause: ofEnvironment },
  "domain.attachment_failed": { condition: "domain", leadsTo: "bad", cause: errorCode, spreads: true },
  "domain.attached": { condition: "domain", leadsTo: "good", spreads: true },
  "domain.warning_raised": { ...warning, leadsTo: "bad" },
  "domain.warning_resolved": { ...warning, leadsTo: "good" },
  "certificate.failed": {
    ...certificate,
    leadsTo: "bad",
    detail: () => "failed",
    // A refused request is reported by its domains.
    isMeant: ({ data }) => data["reason"] === "renewal",
  },
  "certificate.expiring": { ...certificate, leadsTo: "bad", detail: ({ data }) => field(data, "days") },
  "certificate.issued": { ...certificate, leadsTo: "good" },
  "certificate.renewed": { ...certificate, leadsTo: "good" },
  "aws_account.disconnected": { condition: "account", leadsTo: "bad", cause: subject },
  "aws_account.connected": { condition: "account", leadsTo: "good", cause: subject },
  "aws_account.permissions_missing": { condition: "permissions", leadsTo: "bad", cause: subject },
  "aws_account.permissions_restored": { condition: "permissions", leadsTo: "good", cause: subject },
  "git_integration.token_refused": { condition: "git token", leadsTo: "bad" },
  "git_integration.token_accepted": { condition: "git token", leadsTo: "good" },
  "webhook_endpoint.failing": { condition: "webhook", leadsTo: "bad" },
  "webhook_endpoint.disabled": {
    condition: "webhook",
    leadsTo: "bad",
    detail: () => "disabled",
    isMeant: ({ data }) => data["reason"] !== "USER",
  },
  "webhook_endpoint.recovered": { condition: "webhook", leadsTo: "good" },
  "webhook_endpoint.enabled": { condition: "webhook", leadsTo: "good" },
  "notification_channel.failing": { condition: "channel", leadsTo: "bad" },
  "notification_channel.disabled": {
    condition: "channel",
    leadsTo: "bad",
    detail: () => "disabled",
    isMeant: ({ data }) => data["reason"] !== "USER",
  },
  "notification_channel.recovered": { condition: "channel", leadsTo: "good" },
};

export const DEFAULT_TYPES: readonly string[] = Object.keys(RULES);

/** What a topic's present state is to its readers. */
export function toneOf({ pending }: Topic): Tone {
  if (pending === GOOD) return "good";
  return pending?.startsWith(BAD) === true ? "bad" : "news";
}

/**
 * The types that a channel reads. With a type that reports a problem, it also reads its recovery: otherwise the next
 * problem would be no change.
 * @param chosen null for the default set
 */
export function typesRead(chosen: readonly string[] | null): readonly string[] {
  if (chosen === null) return DEFAULT_TYPES;
  const conditions = chosen.flatMap((type) => (RULES[type]?.leadsTo === "bad" ? RULES[type].condition : []));
  const recoveries = DEFAULT_TYPES.filter(
    (type) => RULES[type]?.leadsTo === "good" && conditions.includes(RULES[type].condition),
  );
  return [...new Set([...chosen, ...recoveries])];
}

/** One condition of one resource, for one channel. */
export type Topic = {
  readonly key: string;
  /** The state of the last message about it; null if there was none. */
  readonly announced: string | null;
  /** The present state, if the channel is not informed of it. */
  readonly pending: string | null;
  /** The event that led to it, and its type. */
  readonly sequence: number | null;
  readonly type: string | null;
  /** Topics of one group are reported together. */
  readonly group: string;
  /** When the first and the last event since the last message were read. */
  readonly pendingSince: Date | null;
  readonly pendingAt: Date | null;
};

/** Whether it has no condition: its user chose the events as such. */
export const isPlain = ({ key, type }: Topic): boolean => key.startsWith(`${type} `);

/** The keys of the topics that events are about. @param chosen as of `foldEvents` */
export function topicKeysOf(events: readonly Event[], chosen: readonly string[] | null): readonly string[] {
  return [...new Set(events.flatMap((event) => signalOf(event, chosen)?.key ?? []))];
}

/** A topic after its message was accepted; null if it is done: only a problem has a recovery. */
export function announceTopic(topic: Topic): Topic | null {
  if (topic.pending?.startsWith(BAD) !== true) return null;
  const none = { pending: null, sequence: null, type: null, pendingSince: null, pendingAt: null };
  return { ...topic, ...none, announced: topic.pending };
}

function signalOf(event: Event, chosen: readonly string[] | null) {
  const found = RULES[event.type];
  const condition = found?.of === undefined ? event.subjectId : found.of(event);
  const isOfCondition = found !== undefined && condition !== null;
  // Such as the success of a one-off command: only for channels that chose the type.
  if (!isOfCondition && chosen?.includes(event.type) !== true) return null;
  const rule: Rule = isOfCondition ? found : { condition: event.type, leadsTo: "news" };
  const of = condition ?? event.subjectId;
  if (rule.isMeant?.(event) === false) return null;
  const detail = rule.detail?.(event) ?? "";
  const state =
    rule.leadsTo === "good" ? GOOD : rule.leadsTo === "bad" ? `${BAD}${detail}` : `news ${event.id}`;
  return {
    key: `${rule.condition} ${of}`,
    state,
    group: [event.type, rule.cause?.(event) ?? ""].join(" "),
  };
}

/**
 * The topics that events change.
 * @param known the topics of these events that a channel has, by key
 * @param events in order
 * @param chosen the types that its user chose; null for the default set
 */
export function foldEvents(
  known: ReadonlyMap<string, Topic>,
  events: readonly Event[],
  chosen: readonly string[] | null,
  now: Date,
): readonly Topic[] {
  const changed = new Map<string, Topic>();
  for (const event of events) {
    const signal = signalOf(event, chosen);
    if (signal === null) continue;
    const before = changed.get(signal.key) ?? known.get(signal.key) ?? null;
    const announced = before?.announced ?? null;
    const isSettled = signal.state === (announced ?? GOOD);
    if (isSettled && before === null) continue;
    changed.set(signal.key, {
      key: signal.key,
      announced,
      group: signal.group,
      pending: isSettled ? null : signal.state,
      sequence: isSettled ? null : event.sequence,
      type: isSettled ? null : event.type,
      pendingSince: isSettled ? null : (before?.pendingSince ?? now),
      pendingAt: isSettled ? null : now,
    });
  }
  return [...changed.values()];
}

/** When the last message about a group was sent, and how many were before it. */
export type Announced = { readonly announcedAt: Date; readonly repeats: number };

/**
 * @param pending the topics of a channel whose state it is not informed of
 * @param announced the groups with a message in the last `GROUP_KEPT_MS`
 * @returns the topics that make a message now, and when to decide again; null for never
 */
export function decideMessage(
  pending: readonly Topic[],
  announced: ReadonlyMap<string, Announced>,
  now: Date,
): { readonly due: readonly Topic[]; readonly nextAt: Date | null } {
  const groups = [...Map.groupBy(pending, ({ group }) => group)].map(([group, topics]) => ({
    topics,
    readyAt: readyAt(topics, announced.get(group) ?? null),
  }));
  const due = groups.filter((one) => one.readyAt <= now.getTime()).flatMap(({ topics }) => topics);
  const later = groups.map((one) => one.readyAt).filter((at) => at > now.getTime());
  return { due, nextAt: later.length === 0 ? null : new Date(Math.min(...later)) };
}

function readyAt(topics: readonly Topic[], announced: Announced | null): number {
  const first = Math.min(...topics.map(({ pendingSince }) => pendingSince?.getTime() ?? 0));
  const last = Math.max(...topics.map(({ pendingAt }) => pendingAt?.getTime() ?? 0));
  const collected = Math.min(last + QUIET_MS, first + COLLECT_MAX_MS);
  if (announced === null) return collected;
  const spreads = topics.some(({ type }) => RULES[type ?? ""]?.spreads === true);
  const cooldown = spreads && announced.repeats > 0 ? SPREAD_COOLDOWN_MS : COOLDOWN_MS;
  return Math.max(collected, announced.announcedAt.getTime() + cooldown);
}
