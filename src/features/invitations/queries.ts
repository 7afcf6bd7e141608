import type { Sql } from "../../db/database.ts";
import type { ProviderSettings } from "../../oidc/provider.ts";
import type { Mail } from "../notifications/payloads.ts";
import { getOrganization } from "../organizations/queries.ts";
import { findUser, getShownUser } from "../users/queries.ts";
import type { ShownUser } from "../users/user.ts";
import { decideWays, hasWay } from "./decide-invitation.ts";
import type { InvitationState, Refusal } from "./invitation-state.ts";
import { composeInvitation } from "./message.ts";
import { invitations } from "./store.ts";

/** What invitations depend on. */
export type InvitationSettings = {
  readonly providers: readonly ProviderSettings[];
  /** The address of the service. */
  readonly publicUrl: string;
};

/** The installation's first organization, which a transaction cannot read (`findFirstOrganization`). */
export type FirstOrganization = { readonly firstOrganizationId: string | null };

export const signInUrlOf = ({ publicUrl }: Pick<InvitationSettings, "publicUrl">): string =>
  `${publicUrl}/sign-in`;

/** The message that a user would get now; why there is none otherwise. @param inviterId the user who invites */
export async function draftInvitation(
  sql: Sql,
  settings: InvitationSettings & FirstOrganization,
  user: ShownUser,
  inviterId: string,
): Promise<{ readonly mail: Mail } | { readonly mail: null; readonly refusal: Refusal }> {
  const { organizationId, name, email } = user;
  if (email === null) return { mail: null, refusal: "NO_EMAIL_ADDRESS" };
  const ways = decideWays(settings.providers, user, settings.firstOrganizationId);
  if (!hasWay(ways)) return { mail: null, refusal: "NO_WAY_TO_SIGN_IN" };
  const inviter = await findUser(sql, organizationId, inviterId);
  const { name: organization } = await getOrganization(sql, organizationId);
  const signInUrl = signInUrlOf(settings);
  return {
    mail: composeInvitation({ name, email, inviter: inviter?.name ?? null, organization, signInUrl, ways }),
  };
}

/** @throws AppError `NOT_FOUND` */
export async function getInvitationState(
  sql: Sql,
  settings: InvitationSettings & FirstOrganization & { readonly hasMailer: boolean },
  organizationId: string,
  userId: string,
  inviterId: string,
): Promise<InvitationState> {
  const user = await getShownUser(sql, organizationId, userId);
  const draft = await draftInvitation(sql, settings, user, inviterId);
  const last = await invitations.findLast(sql, organizationId, userId);
  if (draft.mail === null) return { ...draft, last };
  return { mail: draft.mail, refusal: settings.hasMailer ? null : "EMAIL_NOT_CONFIGURED", last };
}
