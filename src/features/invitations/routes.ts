import type { Database, Sql } from "../../db/database.ts";
import type { Http } from "../../http/http.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import type { Actor } from "../../lib/actor.ts";
import { findFirstOrganization } from "../organizations/queries.ts";
import { USERS_TAG as tag } from "../users/routes.ts";
import { inviteUser } from "./commands.ts";
import { getInvitationState, type InvitationSettings, signInUrlOf } from "./queries.ts";
import { UserInvitationSchema, viewUserInvitation } from "./views.ts";

const ADMIN = { role: "admin", scope: "admin", reach: "organization", tag } as const;

export function registerInvitationRoutes(
  http: Http,
  deps: InvitationSettings & { readonly db: Database; readonly jobs: Jobs; readonly hasMailer: boolean },
): void {
  const gather = async () => ({ ...deps, firstOrganizationId: await findFirstOrganization(deps.db) });
  const viewOf = async (
    sql: Sql,
    settings: Awaited<ReturnType<typeof gather>>,
    { organizationId, userId }: Actor,
    invitedId: string,
  ) =>
    viewUserInvitation(
      await getInvitationState(sql, settings, organizationId, invitedId, userId),
      signInUrlOf(deps),
    );

  http.read({
    ...ADMIN,
    path: "/v1/users/:userId/invitation",
    summary: "Get the invitation of a user",
    description:
      "Returns the text to copy if you send it yourself, and whether Slipway's last e-mail to the user was accepted. Slipway keeps invitations for 30 days.",
    response: UserInvitationSchema,
    watch: ({ params }) => [params.userId],
    handle: async ({ sql, actor, params }) => await viewOf(sql, await gather(), actor, params.userId),
  });

  http.write({
    ...ADMIN,
    method: "POST",
    path: "/v1/users/:userId/invitation",
    operationId: "inviteUser",
    sdk: "users.invite",
    summary: "Invite a user by e-mail",
    description:
      "Sends the user an e-mail that says who invites to which organization, and how to sign in. It has no secret. If an invitation is pending, it is sent again at once. In 24 hours, one address gets at most 3 invitations, and an organization sends at most 100.",
    responses: { 202: UserInvitationSchema },
    prepare: gather,
    commit: async ({ tx, actor, params: { userId }, prepared }) => {
      await inviteUser(tx, prepared, actor, userId);
      return {
        status: 202,
        location: `/v1/users/${userId}/invitation`,
        body: await viewOf(tx, prepared, actor, userId),
      };
    },
  });
}
