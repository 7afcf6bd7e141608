import { announceChange } from "../../db/changes.ts";
import type { Database, Transaction } from "../../db/database.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import type { Actor } from "../../lib/actor.ts";
import { AppError } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { recordAudit, slipwayOf } from "../audit/record-audit.ts";
import { codedErrorOf } from "../events/error-views.ts";
import { emit } from "../events/emit.ts";
import { lockOrganization } from "../users/commands.ts";
import { findUser, getUser } from "../users/queries.ts";
import { INVITATION_ERRORS } from "./errors.ts";
import { INVITATION_EVENTS } from "./events.ts";
import { REFUSALS } from "./invitation-state.ts";
import { describeInvitationError } from "./invitation-error.ts";
import { type Invitation, KEPT_DAYS, PER_ADDRESS_MAX, PER_ORGANIZATION_MAX } from "./invitation.ts";
import { type FirstOrganization, getInvitationState, type InvitationSettings } from "./queries.ts";
import { invitations } from "./store.ts";

/**
 * Requests that a user gets an invitation. If one is pending, it is sent again at once.
 * @throws AppError `NOT_FOUND`, `NO_EMAIL_ADDRESS`, `NO_WAY_TO_SIGN_IN`, `EMAIL_NOT_CONFIGURED`, `TOO_MANY_INVITATIONS`
 */
export async function inviteUser(
  tx: Transaction,
  {
    jobs,
    ...settings
  }: InvitationSettings & FirstOrganization & { readonly jobs: Jobs; readonly hasMailer: boolean },
  actor: Actor,
  userId: string,
): Promise<void> {
  const { organizationId } = actor;
  // Invitations of an organization are counted, so they are requested one after another.
  await lockOrganization(tx, organizationId);
  const { refusal, last } = await getInvitationState(tx, settings, organizationId, userId, actor.userId);
  if (refusal !== null) throw new AppError(REFUSALS[refusal].error, REFUSALS[refusal].message);
  const { email } = await getUser(tx, organizationId, userId);
  if (last?.status === "PENDING" && last.email === email)
    return await jobs.enqueue(tx, "invitation", { organizationId, id: last.id });
  if (email === null) throw new AppError(REFUSALS.NO_EMAIL_ADDRESS.error, REFUSALS.NO_EMAIL_ADDRESS.message);
  await requireFewInvitations(tx, organizationId, email);
  const id = newId("invite");
  await invitations.insert(tx, { organizationId, id, userId, email, invitedBy: actor.userId });
  announceChange(tx, userId);
  recordAudit(tx, actor, "user.invited", userId, { after: { email } });
  await jobs.enqueue(tx, "invitation", { organizationId, id });
}

async function requireFewInvitations(tx: Transaction, organizationId: string, email: string): Promise<void> {
  const counted = await invitations.count(tx, organizationId, email);
  const { ofOrganization, toAddress, secondsOfOrganization, secondsOfAddress } = counted;
  if (toAddress >= PER_ADDRESS_MAX)
    throw tooMany(`${email} got ${toAddress} invitations in the last 24 hours, the most`, secondsOfAddress);
  if (ofOrganization >= PER_ORGANIZATION_MAX)
    throw tooMany(
      `The organization sent ${ofOrganization} invitations in the last 24 hours, the most`,
      secondsOfOrganization,
    );
}

function tooMany(what: string, seconds: number | null): AppError {
  return new AppError(
    INVITATION_ERRORS.TOO_MANY_INVITATIONS,
    `${what} that Slipway sends. Wait, or copy the text of the invitation and send it yourself.`,
    { retryAfterSeconds: Math.max(1, seconds ?? 1) },
  );
}

/** Records an attempt, and the end of an invitation. */
export async function recordInvitation(
  tx: Transaction,
  invitation: Invitation,
  result: Pick<Invitation, "status" | "errorCode" | "answer">,
): Promise<void> {
  const { organizationId, userId, id: invitationId } = invitation;
  if (!(await invitations.record(tx, invitation, result))) return;
  announceChange(tx, userId);
  const user = await findUser(tx, organizationId, userId);
  if (user === null || result.status === "PENDING") return;
  const data = { invitationId, name: user.name };
  const by = slipwayOf(organizationId);
  const error = describeInvitationError(result.errorCode);
  if (error === null)
    return emit(tx, by, { type: INVITATION_EVENTS["user.invited"], subjectId: userId, data });
  const type = INVITATION_EVENTS["user.invitation_failed"];
  emit(tx, by, { type, subjectId: userId, data: { ...data, error: codedErrorOf(error) } });
}

/** Removes old ones. @returns whether there may be more */
export async function pruneInvitations(db: Database): Promise<boolean> {
  return await invitations.prune(db, KEPT_DAYS);
}
