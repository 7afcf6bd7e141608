import { Type } from "typebox";
import type { Cloud } from "../../cloud/cloud.ts";
import type { Platform } from "../../cloud/platform.ts";
import type { Http } from "../../http/http.ts";
import { Id } from "../../http/schemas.ts";
import { lockAwsAccount } from "../cloud-accounts/commands.ts";
import { AWS_ACCOUNTS_TAG as tag } from "../cloud-accounts/routes.ts";
import {
  LeftInAccountSchema,
  NewAwsAccountSchema,
  viewAbandoned,
  viewNewAwsAccount,
  WAITING_EXAMPLE,
} from "../cloud-accounts/views.ts";
import { abandonAwsAccount, deleteAwsAccount, unbindAwsAccount } from "./commands.ts";

const ADMIN = { role: "admin", scope: "admin", reach: "organization", tag } as const;

const AbandonedAwsAccountSchema = Type.Object(
  { id: Id("aws", "Id of the deleted connection."), leftInAccount: LeftInAccountSchema },
  {
    title: "AbandonedAwsAccount",
    description: "The resources that an abandoned cloud account connection left behind.",
  },
);

/** The routes that end a connection. */
export function registerAccountRemovalRoutes(
  http: Http,
  { cloud, platform }: { readonly cloud: Cloud; readonly platform: Platform | null },
): void {
  http.write({
    method: "DELETE",
    path: "/v1/aws-accounts/:awsAccountId",
    precondition: {
      lock: ({ tx, actor, params }) => lockAwsAccount(tx, actor.organizationId, params.awsAccountId),
    },
    ...ADMIN,
    summary: "Delete a cloud account connection",
    description:
      "The stack in the customer's account stays; delete it there. The request is refused while a project is deployed to the account, while resources of a deleted project are still being removed, and while the account does not work but still has resources. In the last case, `leftInAccount` lists the resources.",
    responses: { 204: null },
    commit: async ({ tx, actor, params }) => {
      await deleteAwsAccount(tx, platform, actor, params.awsAccountId);
      return { status: 204 };
    },
  });

  http.write({
    method: "POST",
    path: "/v1/aws-accounts/:awsAccountId/unbind",
    ...ADMIN,
    summary: "Unbind a cloud account connection from its account",
    description:
      "Use this for a connection that belongs to the wrong account and that nothing uses. The connection waits for a stack again, under a **new** `id`, so the stack in the wrong account can no longer connect with the old one. Delete that stack in the wrong account.",
    responses: { 200: NewAwsAccountSchema },
    examples: { 200: WAITING_EXAMPLE },
    commit: async ({ tx, actor, params }) => {
      const account = await unbindAwsAccount(tx, platform, actor, params.awsAccountId);
      return {
        status: 200,
        location: `/v1/aws-accounts/${account.id}`,
        body: viewNewAwsAccount(account, cloud.stackFor(account.id)),
      };
    },
  });

  http.write({
    method: "POST",
    path: "/v1/aws-accounts/:awsAccountId/abandon",
    ...ADMIN,
    summary: "Delete a connection whose cloud account is lost",
    description:
      "Use this if the account is `DISCONNECTED` or lacks permissions. The connection is deleted at once, and the response lists what deleted projects left in the account. Delete or abandon its projects first.",
    responses: { 200: AbandonedAwsAccountSchema },
    commit: async ({ tx, actor, params }) => ({
      status: 200,
      body: viewAbandoned(await abandonAwsAccount(tx, platform, actor, params.awsAccountId)),
    }),
  });
}
