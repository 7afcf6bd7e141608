import { announceChange } from "../../db/changes.ts";
import type { Database, Sql, Transaction } from "../../db/database.ts";
import { isAdmin, requireUnlimited } from "../../lib/access.ts";
import type { Actor } from "../../lib/actor.ts";
import { AppError, notFound } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { hashSession, newPageKey, newToken } from "../../lib/organization-token.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { emit } from "../events/emit.ts";
import { findUser } from "../users/queries.ts";
import { SESSION_ERRORS } from "./errors.ts";
import { SESSION_EVENTS } from "./events.ts";
import type { Session, SessionLimits } from "./session.ts";
import { sessions } from "./store.ts";

/**
 * A further session ends the oldest session of the same key, or of the user's sign-ins at providers: a rate limit
 * counts by session.
 * A limited key must not end sessions that may do more.
 */
const SESSIONS_OF_A_KEY = 50;

export type NewSession = {
  readonly session: Session;
  /** For the cookie. */
  readonly token: string;
  /** For the page, which sends it with each request. */
  readonly pageKey: string;
};

/** Signs the user of an API key in. @throws AppError `SESSION_NEEDS_KEY`, `SERVICE_ACCOUNT_SIGN_IN` */
export async function exchangeKey(tx: Transaction, actor: Actor): Promise<NewSession> {
  if (actor.credential.kind !== "api-key") {
    throw new AppError(
      SESSION_ERRORS.SESSION_NEEDS_KEY,
      "Only an API key can be exchanged for a session. Send one: Authorization: Bearer <API_KEY>.",
    );
  }
  const user = await findUser(tx, actor.organizationId, actor.userId);
  if (user?.kind === "service") {
    throw new AppError(
      SESSION_ERRORS.SERVICE_ACCOUNT_SIGN_IN,
      "This key belongs to a service account, which does not sign in. Use a person's key.",
    );
  }
  return await beginSession(tx, actor, { apiKeyId: actor.credential.id, provider: null });
}

/** Signs the actor's user in. The token and the page key are only in the result. */
export async function beginSession(
  tx: Transaction,
  actor: Actor,
  by: Pick<Session, "apiKeyId" | "provider">,
): Promise<NewSession> {
  const { organizationId, userId, sourceAddress = null, userAgent = null } = actor;
  const id = newId("ses");
  const token = newToken("session", organizationId);
  const pageKey = newPageKey();
  const made = { organizationId, id, userId, ...by, sourceAddress, userAgent };
  const session = await sessions.insert(tx, made, hashSession(token, pageKey));
  if (session === undefined) throw notFound();
  sessions.deleteOldest(tx, session, SESSIONS_OF_A_KEY);
  recordAudit(tx, actor, "session.created", id, { after: { userId, provider: by.provider } });
  emitOf(tx, actor, "session.created", session);
  return { session, token, pageKey };
}

/**
 * Finds a session of the caller; for an admin, any session of the organization. `current` is the session that makes the
 * request.
 * @throws AppError `NOT_FOUND`
 */
export async function getSession(
  sql: Sql,
  actor: Actor,
  idOrCurrent: string,
  limits: SessionLimits,
): Promise<Session> {
  const session = await sessions.find(sql, actor.organizationId, idOf(actor, idOrCurrent), limits);
  if (session === null || !isSeenBy(actor, session)) throw notFound();
  return session;
}

/** Ends a session. @throws AppError `NOT_FOUND`, `SCOPE_MISSING`, `KEY_OF_PROJECTS` */
export async function endSession(tx: Transaction, actor: Actor, idOrCurrent: string): Promise<Session> {
  const session = await sessions.delete(tx, actor.organizationId, idOf(actor, idOrCurrent));
  // A refusal rolls the transaction back, so the session stays.
  if (session === null || !isSeenBy(actor, session)) throw notFound();
  if (!isOfSameKey(actor, session)) requireUnlimited(actor);
  announceEnd(tx, actor, session);
  return session;
}

export async function endSessionsOf(tx: Transaction, actor: Actor, userId: string): Promise<void> {
  for (const session of await sessions.deleteOfUser(tx, actor.organizationId, userId))
    announceEnd(tx, actor, session);
}

function announceEnd(tx: Transaction, actor: Actor, session: Session): void {
  announceChange(tx, session.id);
  recordAudit(tx, actor, "session.ended", session.id, { before: { userId: session.userId } });
  emitOf(tx, actor, "session.ended", session);
}

function idOf({ credential }: Actor, idOrCurrent: string): string {
  if (idOrCurrent !== "current") return idOrCurrent;
  if (credential.kind !== "session") throw notFound();
  return credential.id;
}

function isOfSameKey({ credential }: Actor, session: Session): boolean {
  return credential.id === session.id || credential.id === session.apiKeyId;
}

function isSeenBy(actor: Actor, session: Session): boolean {
  return session.userId === actor.userId || isAdmin(actor);
}

function emitOf(
  tx: Transaction,
  actor: Actor,
  type: "session.created" | "session.ended",
  { id, userId, provider }: Session,
): void {
  emit(tx, actor, { type: SESSION_EVENTS[type], subjectId: id, data: { userId, provider } });
}

/** Removes expired sessions. @returns whether there may be more */
export async function pruneSessions(db: Database, limits: SessionLimits): Promise<boolean> {
  return await sessions.prune(db, limits.idleMs);
}
