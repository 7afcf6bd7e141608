import { declareErrors } from "../../lib/errors.ts";

export const CLOUD_ACCOUNT_ERRORS = declareErrors({
  GIVEN_ID_TAKEN: {
    status: 409,
    title: "The givenId is taken",
    cause: "Another cloud account connection of the organization has this givenId.",
    remedy: "Choose another, or use the existing connection.",
    example: { detail: "Another connection has the givenId acme-production. Choose another." },
  },
  AWS_ACCOUNT_NOT_CONNECTED: {
    status: 422,
    title: "The cloud account is not connected",
    cause: "The cloud account connection is not CONNECTED.",
    remedy: "Create the stack at its `cloudStack.consoleUrl` and wait for CONNECTED.",
    example: {
      detail: "The cloud account connection acme-production is not connected. Create its stack first.",
    },
  },
  AWS_ACCOUNT_BOUND: {
    status: 409,
    title: "The connection already belongs to an account",
    cause: "The connection is bound to a cloud account, so its expected account can no longer change.",
    remedy:
      "If nothing uses it, unbind it with `POST /v1/aws-accounts/{id}/unbind`; or create another connection.",
  },
  AWS_ACCOUNT_WORKS: {
    status: 409,
    title: "The cloud account works",
    cause:
      "The cloud account connection is CONNECTED, so Slipway can remove its resources. Nothing has to be abandoned.",
    remedy: "Delete the resource; Slipway removes what it created in the account.",
  },
  RESOURCES_WOULD_STAY: {
    status: 409,
    title: "Resources would stay in the cloud account",
    cause:
      "The cloud account does not work, so Slipway could not remove what `leftInAccount` lists. These resources would still cost money.",
    remedy:
      "Fix the account's stack and delete again, or abandon the listed resources with `POST …/abandon` and remove them by hand.",
  },
});
