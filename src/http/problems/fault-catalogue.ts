import type { FaultCode } from "../../lib/errors.ts";

/** What each entry of `errors` may say. The `Record` makes a code without a meaning a type error. */
export const FAULT_CATALOGUE: Readonly<Record<FaultCode, string>> = {
  REQUIRED: "It is missing.",
  UNKNOWN_FIELD: "There is no field of this name here. Leave it out, or fix its spelling.",
  WRONG_TYPE: "It is of another JSON type than it must be.",
  WRONG_FORM: "It does not have the form that the message names.",
  NOT_ALLOWED: "It is none of the values that the message names.",
  TOO_SMALL: "It has less than the message says: characters, items or amount.",
  TOO_LARGE: "It has more than the message says: characters, bytes, items or amount.",
  DUPLICATE: "It is there twice. Keep one.",
  CANNOT_CHANGE: "It was settled when the resource was made. Make a new one for another value.",
  HAS_DOMAINS: "It has domain certificate groups. Delete those first, and wait until they are gone.",
  INVALID: "It breaks a rule that the message names.",
  UNKNOWN_SERVICE: "The environment has no such service to link to. Name one of its services by its id.",
  SELF_REFERENCE: "A service cannot link to itself.",
  CYCLE: "Services depend on one another in a circle. Take one of the dependencies out.",
  RESERVED_NAME: "The sandbox has this name for itself. Choose another.",
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
};

/** What `failedEnvVariables` of a run may say, and what to do. */
export const FAILED_VARIABLE_CODES: Readonly<Record<string, string>> = {
  SUPERSEDED:
    "A newer write or deletion of this name was accepted before this value was in force. That one counts.",
  EXPIRED: "The cloud did not take the value within 24 hours. Send it again.",
  KEY_DESTROYED: "The key that the value was sealed with no longer exists. Send it again.",
  TAMPERED: "The sealed value does not open. Send it again, and look at who writes to the database.",
  AWS_ACCOUNT_NOT_CONNECTED:
    "The cloud account is not connected any more. Fix its stack, then send the value again.",
  ACCESS_DENIED:
    "The account's role does not let Slipway write it. Fix the stack, then send the value again.",
  NOT_OURS:
    "The account has a parameter or secret of this name that Slipway did not make. Remove it, or choose another name.",
  TOO_MANY_PARAMETERS: "The account has as many parameters as it may. Raise the quota, or remove some.",
  VALUE_TOO_LARGE: "The store takes no value of this size.",
  REGION_UNAVAILABLE:
    "The account does not use the environment's region. Enable it there, then send the value again.",
  INVALID_REQUEST: "The store refuses the value. The message says why.",
  UNKNOWN: "The store failed in a way that Slipway does not know. The message says what is known.",
};
