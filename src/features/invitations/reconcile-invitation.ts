/** Sends one invitation, and records what the mail server answered. */
import type { Database } from "../../db/database.ts";
import type { Reconcile, ReconcileResult } from "../../jobs/jobs.ts";
import type { Mailer } from "../notifications/mailer.ts";
import { shownAnswer } from "../notifications/send-message.ts";
import { findFirstOrganization } from "../organizations/queries.ts";
import { findShownUser } from "../users/queries.ts";
import { recordInvitation } from "./commands.ts";
import { decideNextStep } from "./decide-invitation.ts";
import type { Invitation, InvitationErrorCode } from "./invitation.ts";
import { draftInvitation, type InvitationSettings } from "./queries.ts";
import { invitations } from "./store.ts";

type Deps = InvitationSettings & {
  readonly db: Database;
  /** Null without a mail server. */
  readonly mailer: Mailer | null;
};

/** @returns a reconciler of invitations, by their ids */
export function reconcileInvitation(deps: Deps): Reconcile {
  const { db, mailer } = deps;
  return async ({ organizationId, id }) => {
    const invitation = await invitations.find(db, organizationId, id);
    if (invitation === null || invitation.status !== "PENDING") return "done";
    const { userId, email, invitedBy } = invitation;
    const user = await findShownUser(db, organizationId, userId);
    if (user?.email !== email) return await fail(db, invitation, "ADDRESS_CHANGED");
    const { mail } = await draftInvitation(
      db,
      { ...deps, firstOrganizationId: await findFirstOrganization(db) },
      user,
      invitedBy,
    );
    if (mail === null) return await fail(db, invitation, "NO_WAY_TO_SIGN_IN");
    if (mailer === null) return await fail(db, invitation, "MAIL_NOT_CONFIGURED");
    // If this process dies before the answer is recorded, the message is sent once more, with the same Message-ID.
    const answer = await mailer.send(id, [email], mail);
    const next = decideNextStep(invitation.attempts + 1, answer);
    const status = "status" in next ? next.status : "PENDING";
    await db.transaction((tx) =>
      recordInvitation(tx, invitation, {
        status,
        errorCode: answer.errorCode,
        answer: shownAnswer(answer.reply),
      }),
    );
    return "status" in next ? "done" : { runAfterMs: next.retryAfterMs };
  };
}

async function fail(
  db: Database,
  invitation: Invitation,
  errorCode: InvitationErrorCode,
): Promise<ReconcileResult> {
  await db.transaction((tx) =>
    recordInvitation(tx, invitation, { status: "FAILED", errorCode, answer: null }),
  );
  return "done";
}
