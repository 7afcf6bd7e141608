/**
 * An event says that something changed that matters to a user. It is written in the transaction of the change, and
 * numbered after its commit, for each organization without gaps. It holds enough to decide what to do, not the whole
 * resource, and never the value of a variable, a token or a key.
 *
 * Each feature declares its events in its `events.ts`. They only gain fields; a change that would break a reader is a
 * new type.
 */
import type { Static, TSchema } from "typebox";
import type { Visible } from "../../lib/access.ts";
import type { Role } from "../../lib/actor.ts";

export const SUBJECT_TYPES = [
  "domain",
  "certificate",
  "domain_group",
  "env_variables",
  "aws_account",
  "project",
  "environment",
  "service",
  "deployment",
  "preview",
  "organization",
  "user",
  "api_key",
  "session",
  "workload_trust",
  "git_integration",
  "webhook_endpoint",
  "notification_channel",
] as const;
/** What an event is about. */
export type SubjectType = (typeof SUBJECT_TYPES)[number];

export const ACTOR_KINDS = ["user", "git_integration", "operator", "slipway"] as const;
/** The actor: a user, a push to the host of a git integration, the operator on the command line, or Slipway itself. */
export type EventActor = { readonly kind: (typeof ACTOR_KINDS)[number]; readonly id: string };

/** An event with its number. `sequence` counts from 1 for each organization. */
export type Event = {
  readonly organizationId: string;
  readonly sequence: number;
  readonly id: string;
  readonly type: string;
  readonly occurredAt: Date;
  readonly subjectType: SubjectType;
  readonly subjectId: string;
  readonly projectId: string | null;
  readonly environmentId: string | null;
  readonly serviceId: string | null;
  readonly actorKind: EventActor["kind"];
  readonly actorId: string;
  readonly requestId: string;
  readonly data: Readonly<Record<string, unknown>>;
};

/** Which events of an organization. */
export type EventPlace = {
  /** Exact types; null for all. */
  readonly types: readonly string[] | null;
  readonly projectId: string | null;
  readonly environmentId: string | null;
};

/** `reader` is a caller who may not see all projects; without it, all events are read. */
export type EventFilter = EventPlace & { readonly subjectId: string | null; readonly reader?: EventReader };

/** Events of visible projects, and of deleted projects that the reader saw. */
export type EventReader = {
  readonly visible: Visible;
  /** A user; null for a reader who sees all events, such as an admin. */
  readonly userId: string | null;
};

/** A type of events. */
export type DeclaredEvent<Data extends TSchema = TSchema> = {
  readonly type: string;
  readonly subject: SubjectType;
  /** A sentence for the reference: when it is sent. */
  readonly description: string;
  readonly data: Data;
  /** The least role whose keys read such events. */
  readonly role: Role;
};

type Declaration = {
  readonly subject: SubjectType;
  readonly description: string;
  readonly data: TSchema;
  readonly role?: Role;
};

/** The events of a feature, by their types. @param role by default `viewer` */
export function declareEvents<const T extends Readonly<Record<string, Declaration>>>(
  declarations: T,
): { readonly [K in keyof T & string]: DeclaredEvent<T[K]["data"]> } {
  const entries = Object.entries(declarations);
  return Object.fromEntries(
    entries.map(([type, { role = "viewer", ...declaration }]) => [type, { type, role, ...declaration }]),
  ) as never;
}

/** An event that will be written. If the service's id is given, the project's and the environment's are optional. */
export type NewEvent<Data extends TSchema = TSchema> = {
  readonly type: DeclaredEvent<Data>;
  readonly subjectId: string;
  readonly projectId?: string | null;
  readonly environmentId?: string | null;
  readonly serviceId?: string | null;
  readonly data: Static<Data>;
};

/** Checks the data against its type. */
export function eventOf<Data extends TSchema>(event: NewEvent<Data>): NewEvent {
  return event;
}
