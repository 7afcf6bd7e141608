/** What only the sandbox refuses with. Whatever any server refuses with is declared in `lib` and `http`. */
import { composeErrorCatalogue } from "../../src/http/problems/error-catalogue.ts";
import { declareErrors, declareFaults } from "../../src/lib/errors.ts";

const ADDRESS = "/sandbox/errors";

export const SANDBOX_ERRORS = declareErrors(
  {
    RECORD_CONFLICT: {
      status: 409,
      title: "The DNS records conflict",
      cause:
        "In the sandbox's DNS, the name has records that do not allow others beside them: a CNAME allows no other record, and an ALIAS no address records. Or another organization of this Slipway has set records at the name.",
      remedy: "Remove the records that `detail` names with DELETE /sandbox/dns/records, then set this one.",
    },
    STACK_EXISTS: {
      status: 409,
      title: "The connection already has a stack",
      cause: "The stack was already created in the sandbox, with this endpoint or the button of its console.",
      remedy: "Use the existing stack, or delete it first: DELETE /sandbox/stacks/{ServiceId}.",
    },
    TOO_MANY_STACKS: {
      status: 409,
      title: "The sandbox has reached its limit of stacks",
      cause: "The sandbox keeps every stack with its account number forever, up to 20,000.",
      remedy:
        "Stop Slipway and remove the folder `sandbox` in its data folder. This deletes everything in the sandbox.",
    },
    PULL_REQUEST_MERGED: {
      status: 409,
      title: "The pull request is merged",
      cause: "A merged pull request does not change any more.",
      remedy: "Open another one, under a new number.",
    },
    PULL_REQUEST_CONFLICT: {
      status: 409,
      title: "The pull request conflicts with its base branch",
      cause: "Both branches changed the same lines, so the sandbox cannot merge them.",
      remedy: "Merge the base branch into the pull request's branch, push it, and try again.",
    },
  },
  ADDRESS,
);

export const SANDBOX_FAULTS = declareFaults({
  NOT_A_DOMAIN: "Write a full domain name such as www.example.com.",
  RESERVED_NAME: "The sandbox uses this name itself. Choose another.",
  SELF_REFERENCE: "A CNAME cannot point to its own name.",
});

export const SANDBOX_CATALOGUE = composeErrorCatalogue({
  address: ADDRESS,
  errors: [SANDBOX_ERRORS],
  faults: [SANDBOX_FAULTS],
});
