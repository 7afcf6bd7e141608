import type { Database, Transaction } from "../../db/database.ts";
import { type Actor, FULL_ACCESS } from "../../lib/actor.ts";
import { newId } from "../../lib/ids.ts";
import type { AuditDetails } from "./audit-entry.ts";
import { auditEntries } from "./store.ts";

type Audited = {
  readonly actor: Actor;
  /** Noun and verb in the past. */
  readonly action: `${string}.${string}`;
  readonly resourceId: string;
  readonly details: AuditDetails | null;
};

/** Records who did what to which resource, in the transaction that does it; never a value that may be secret. */
export function recordAudit(
  tx: Transaction,
  actor: Actor,
  action: Audited["action"],
  resourceId: string,
  details: AuditDetails | null = null,
): void {
  recordAudits(tx, [{ actor, action, resourceId, details }]);
}

/** Records what several actors of one organization did, with one statement. */
export function recordAudits(tx: Transaction, all: readonly Audited[]): void {
  const [first] = all;
  if (first === undefined) return;
  const entries = all.map(({ actor, action, resourceId, details }) => {
    const { userId, credential, requestId, sourceAddress = null } = actor;
    const who = { userId, apiKeyId: credential.id, requestId, sourceAddress };
    const { workload } = credential;
    const shown = workload === undefined ? details : { ...details, workload };
    return { id: newId("audit"), ...who, action, resourceId, details: shown };
  });
  auditEntries.insert(tx, first.actor.organizationId, entries);
}

/** The fields that a change gives another value, before and after. For fields that hold no secret. */
export function changeOf<T extends Readonly<Record<string, string | null>>>(
  before: T,
  after: T,
): AuditDetails {
  const names = Object.keys(after).filter((name) => before[name] !== after[name]);
  const only = (fields: T) => Object.fromEntries(names.map((name) => [name, fields[name] ?? null]));
  return { before: only(before), after: only(after) };
}

/** An operator on the command line, or the set-up of the service: not a user of the organization. */
export function operatorOf(organizationId: string): Actor {
  return actorOf(organizationId, "operator", "command-line");
}

/** Slipway itself, for changes without a request, such as the results of its checks. */
export function slipwayOf(organizationId: string): Actor {
  return actorOf(organizationId, "slipway", "background");
}

function actorOf(organizationId: string, userId: "operator" | "slipway", requestId: string): Actor {
  const credential = { kind: "none", id: userId } as const;
  return { organizationId, userId, credential, role: "admin", access: FULL_ACCESS, requestId };
}

const DAY_MS = 24 * 60 * 60_000;

/** Removes expired entries. @returns whether there may be more */
export async function pruneAudit(db: Database, keptDays: number, now: Date): Promise<boolean> {
  return await auditEntries.prune(db, new Date(now.getTime() - keptDays * DAY_MS));
}
