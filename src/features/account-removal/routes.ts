import type { Cloud } from "../../cloud/cloud.ts";
import type { Platform } from "../../cloud/platform.ts";
import type { Http } from "../../http/http.ts";
import { lockAwsAccount } from "../cloud-accounts/commands.ts";
import { AWS_ACCOUNTS_TAG as tag } from "../cloud-accounts/routes.ts";
import { NewAwsAccountSchema, viewNewAwsAccount, WAITING_EXAMPLE } from "../cloud-accounts/views.ts";
import { abandonAwsAccount, deleteAwsAccount } from "./delete-aws-account.ts";
import { unbindAwsAccount } from "./unbind-aws-account.ts";
import { AbandonedAwsAccountSchema, viewAbandonedAwsAccount } from "./views.ts";

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
    role: "admin",
    tag,
    summary: "Delete a cloud account connection",
    description:
      "The stack in the customer's account is not touched; delete it there. Refused while a project is deployed to it, while something of a deleted one is still being removed, and while the account does not work and has something that cannot be removed, which `leftInAccount` then lists.",
    responses: { 204: null },
    commit: async ({ tx, actor, params }) => {
      await deleteAwsAccount(tx, platform, actor, params.awsAccountId);
      return { status: 204 };
    },
  });

  http.write({
    method: "POST",
    path: "/v1/aws-accounts/:awsAccountId/unbind",
    role: "admin",
    tag,
    summary: "Take a cloud account connection from its account",
    description:
      "For a connection that the wrong account took, while nothing uses it. It waits for a stack again, under a **new** `id`: who knows the old one, such as the stack in the wrong account, can do nothing with it any more. Delete that stack there.",
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
    role: "admin",
    tag,
    summary: "Delete a connection whose cloud account does not come back",
    description:
      "For an account that is `DISCONNECTED` or lacks permissions: the connection is gone at once, and the answer names what deleted projects left in the account. Its projects have to be deleted or abandoned before.",
    responses: { 200: AbandonedAwsAccountSchema },
    commit: async ({ tx, actor, params }) => ({
      status: 200,
      body: viewAbandonedAwsAccount(await abandonAwsAccount(tx, platform, actor, params.awsAccountId)),
    }),
  });
}
