import { declareErrors, declareFaults } from "../../lib/errors.ts";

export const CUSTOM_DOMAIN_ERRORS = declareErrors({
  DOMAIN_TAKEN: {
    status: 409,
    title: "The domain is in another group",
    cause: "A domain belongs to one group of an organization.",
    remedy:
      "Delete it from the group that `detail` names, or leave it out. Where it is being deleted already, wait as long as Retry-After says.",
  },
  DEFAULT_GROUP_EXISTS: {
    status: 409,
    title: "The default distribution has a group",
    cause: "A service's default distribution carries one domain certificate group.",
    remedy: "Add the domains to that group, or create the new one with `useDefaultCdn: false`.",
  },
  GROUP_DELETING: {
    status: 409,
    title: "The group is being deleted",
    cause:
      "A group that is being deleted takes no changes, and a service's default distribution has one group at a time.",
    remedy: "Wait until it is gone, as long as Retry-After says, and create a new one.",
  },
  NOTHING_TO_RETRY: {
    status: 409,
    title: "No domain is in error",
    cause: "No domain of the group is ERROR_ATTACHING or ERROR_DETACHING.",
    remedy: "There is nothing to do; read the domains for their state.",
  },
  SERVICE_TAKES_NO_DOMAINS: {
    status: 422,
    title: "The service serves no HTTP",
    cause: "Custom domains need a service that serves HTTP; a worker does not.",
    remedy: "Choose a static, web or external service.",
  },
});

export const CUSTOM_DOMAIN_FAULTS = declareFaults({
  NOT_A_DOMAIN: "Write a bare domain name such as www.example.com, without scheme, port or path.",
  TOO_LONG: "A domain name has 253 characters at most.",
  LABEL_TOO_LONG: "What stands between two dots of a domain name has 63 characters at most.",
  WILDCARD_MISPLACED: "A wildcard is the whole first label, as in *.example.com.",
  UNDERSCORE: "No certificate may name a domain with an underscore.",
  IP_ADDRESS: "A custom domain is a name, not an address.",
  SINGLE_LABEL: "Write the whole name, with its dots.",
  SPECIAL_USE:
    "The name is not in the public DNS, such as those under `.local` or `.internal`, and cannot have a certificate. Name a domain that you registered.",
  PUBLIC_SUFFIX: "Others register names under it, so it belongs to nobody. Name a domain of yours below it.",
});
