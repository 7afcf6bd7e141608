import { declareErrors, declareFaults } from "../../lib/errors.ts";

export const CUSTOM_DOMAIN_ERRORS = declareErrors({
  DOMAIN_TAKEN: {
    status: 409,
    title: "The domain is in another group",
    cause: "A domain can be in only one group of an organization.",
    remedy:
      "Delete it from its group, or leave it out. `detail` names the group if you can see it; an admin sees all groups. If it is already being deleted, wait as long as Retry-After says.",
  },
  DEFAULT_GROUP_EXISTS: {
    status: 409,
    title: "The default distribution already has a group",
    cause: "A service's default distribution can have only one domain certificate group.",
    remedy: "Add the domains to that group, or create the new one with `useDefaultCdn: false`.",
  },
  GROUP_DELETING: {
    status: 409,
    title: "The group is being deleted",
    cause:
      "A group that is being deleted cannot be changed, and a default distribution can have only one group at a time.",
    remedy: "Wait as long as Retry-After says, until it is deleted, and create a new group.",
  },
  DOMAIN_DELETING: {
    status: 409,
    title: "The domain is being deleted",
    cause: "A domain that is being deleted, or whose group is being deleted, cannot be changed.",
    remedy: "Wait as long as Retry-After says, until it is deleted, and add it again.",
  },
  REDIRECT_TARGET: {
    status: 409,
    title: "Other domains redirect to this one",
    cause: "Visitors of the domains that `detail` names would be redirected to a name that is not served.",
    remedy: "Change those domains first: with `redirectTo: null`, with another name, or by deleting them.",
  },
  TOO_MANY_REDIRECTS: {
    status: 409,
    title: "The group has too many redirects",
    cause:
      "The redirects of a distribution must fit into one edge function of the provider, whose size is limited.",
    remedy: "Remove some redirects, or move some domains to another group.",
  },
  NOTHING_TO_RETRY: {
    status: 409,
    title: "No domain is in error",
    cause: "No domain of the group is ERROR_ATTACHING or ERROR_DETACHING.",
    remedy: "There is nothing to do. Read the domains for their status.",
  },
  SERVICE_TAKES_NO_DOMAINS: {
    status: 422,
    title: "The service takes no domains",
    cause:
      "Only services that visitors reach take custom domains: static, web and external services. The names of previews below `source.previews.domain` follow from the configuration.",
    remedy: "Choose a static, web or external service that has no name below the domain of previews.",
  },
});

export const CUSTOM_DOMAIN_FAULTS = declareFaults({
  NOT_A_DOMAIN: "Write a bare domain name such as www.example.com, without scheme, port or path.",
  TOO_LONG: "A domain name has at most 253 characters.",
  LABEL_TOO_LONG: "A label, the part between two dots of a domain name, has at most 63 characters.",
  WILDCARD_MISPLACED: "A wildcard must be the whole first label, as in *.example.com.",
  UNDERSCORE: "Certificates do not allow domains with an underscore.",
  IP_ADDRESS: "A custom domain is a name, not an address.",
  SINGLE_LABEL: "Write the full name, with its dots.",
  SPECIAL_USE:
    "The name is not in the public DNS (for example under `.local` or `.internal`), so it cannot have a public certificate. Use a domain that you registered.",
  UNKNOWN_TOP_LEVEL_DOMAIN:
    "The name ends in a top-level domain that does not exist, so it cannot be registered. Check the spelling.",
  NOT_IN_GROUP: "Name a domain of the same group. Add it first, if it is not there.",
  REDIRECT_TO_ITSELF: "Name another domain of the group, or null for no redirect.",
  REDIRECT_CHAIN: "Let each domain redirect directly to its final target.",
  REDIRECT_WILDCARD:
    "A wildcard is not a single name. Add the name to the group, and redirect from or to that.",
  PUBLIC_SUFFIX: "Anyone can register names under it. Use a domain that you registered below it.",
});
