import { declareErrors } from "../../lib/errors.ts";

export const WORKLOAD_ERRORS = declareErrors({
  WORKLOAD_TOKEN_INVALID: {
    status: 401,
    title: "The workload's token is not valid",
    cause:
      "A check of the token failed, and `detail` says which: its form, algorithm, signature, issuer, audience or time.",
    remedy:
      "Ask the platform for a new token, for the audience of the trust, and exchange it before it expires. `GET /v1/workload-trusts/{id}` shows what the trust requires.",
  },
  WORKLOAD_NOT_TRUSTED: {
    status: 403,
    title: "The trust is not for this workload",
    cause:
      "The token is valid, but one of its claims does not meet the conditions of the trust. `detail` names the claim.",
    remedy:
      "Run the workload in the repository, on the branch or in the environment that the trust names, or create another trust.",
  },
  WORKLOAD_ISSUER_UNAVAILABLE: {
    status: 503,
    title: "The issuer of the token does not answer",
    cause:
      "The issuer's keys could not be read: the issuer does not answer, has no OpenID configuration, or is inside the network and not allowed.",
    remedy:
      "Try again after `Retry-After`. An operator can allow an issuer inside the network with SLIPWAY_GIT_ALLOWED_HOSTS.",
  },
  WORKLOAD_NEEDS_SERVICE_ACCOUNT: {
    status: 409,
    title: "A workload acts as a service account",
    cause:
      "The field `userId` names a person. An action of a program must not look like an action of a person.",
    remedy:
      'Create a service account with `POST /v1/users` and `"kind": "service"`, and send its id as `userId`.',
  },
});
