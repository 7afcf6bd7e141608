/** What only the sandbox refuses with. Whatever any server refuses with is declared in `lib` and `http`. */
import { composeErrorCatalogue } from "../http/problems/error-catalogue.ts";
import { declareErrors, declareFaults } from "../lib/errors.ts";

const ADDRESS = "/sandbox/errors";

export const SANDBOX_ERRORS = declareErrors(
  {
    RECORD_CONFLICT: {
      status: 409,
      title: "The records may not stand beside each other",
      cause:
        "In the sandbox cloud's DNS the name has records that the DNS allows no others beside: a CNAME stands alone, and an ALIAS has no addresses beside it. Or another organization of this Slipway set records at the name.",
      remedy: "Remove the records that `detail` names by DELETE /sandbox/dns/records, then set this one.",
    },
    STACK_EXISTS: {
      status: 409,
      title: "The connection has a stack already",
      cause:
        "The stack was created in the sandbox cloud before, by this endpoint or by the button of its console.",
      remedy: "Go on with the stack that exists, or delete it first: DELETE /sandbox/stacks/{ServiceId}.",
    },
    TOO_MANY_STACKS: {
      status: 409,
      title: "The sandbox has its limit of stacks",
      cause: "The sandbox cloud keeps each stack with its account number for good, up to 20,000.",
      remedy:
        "Stop Slipway and remove the folder `sandbox` in its data folder, with all that the sandbox has.",
    },
  },
  ADDRESS,
);

export const SANDBOX_FAULTS = declareFaults({
  NOT_A_DOMAIN: "Write a full domain name such as www.example.com.",
  RESERVED_NAME: "The sandbox has this name for itself. Choose another.",
  SELF_REFERENCE: "A CNAME cannot point to its own name.",
});

export const SANDBOX_CATALOGUE = composeErrorCatalogue({
  address: ADDRESS,
  errors: [SANDBOX_ERRORS],
  faults: [SANDBOX_FAULTS],
});
