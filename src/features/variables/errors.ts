import type { CloudErrorCode } from "../../cloud/cloud.ts";
import { AppError, declareErrors, declareFaults } from "../../lib/errors.ts";
import { CLOUD_ACCOUNT_ERRORS } from "../cloud-accounts/errors.ts";

export const VARIABLE_FAULTS = declareFaults({
  UNKNOWN_SERVICE: "The environment has no such service to link to. Use the id of one of its services.",
  SELF_REFERENCE: "A service cannot link to itself.",
  UNKNOWN_VARIABLE: "No variable of this name was set with the API here. Check the name.",
});

export const VARIABLE_ERRORS = declareErrors({
  VERSION_NOT_RESTORABLE: {
    status: 409,
    title: "The version cannot be restored",
    cause:
      "The version of the variable is a managed value, which only the cloud account has; a deletion; or a link to a service that no longer exists.",
    remedy: "Set the variable again, or delete it.",
  },
  SERVICE_TAKES_NO_VARIABLES: {
    status: 422,
    title: "The service takes no variables",
    cause: "The service is a data store: no program of it reads variables.",
    remedy:
      "Set the variable of the service or the environment that uses the data store. Variables that a data store has from before can be deleted.",
  },
  VARIABLE_SCOPE_FIXED: {
    status: 409,
    title: "The variable was set with another scope",
    cause:
      "The managed value is stored, or is being removed, with another `availableInPreviews`, which decides who may read it in the cloud account.",
    remedy:
      "Delete the variable, wait until the list no longer shows it, and set it again. If the list does not show it, a call to the cloud may still arrive: try again in a few minutes.",
  },
});

/** The value of this name is in the cloud account, where previews may read it, or must not. */
export function hasOtherScope(name: string, inPreviews: boolean): AppError {
  return new AppError(
    VARIABLE_ERRORS.VARIABLE_SCOPE_FIXED,
    `The value of ${name} was stored ${inPreviews ? "without" : "with"} availableInPreviews, and cannot change that. Delete the variable, wait until the list no longer shows it, and set it again.`,
  );
}

/** A data store has no program that reads variables. */
export function takesNoVariables(): AppError {
  return new AppError(
    VARIABLE_ERRORS.SERVICE_TAKES_NO_VARIABLES,
    "The service is a data store, so nothing would read its variables. Set them of the service that uses it, or of its environment.",
  );
}

/** Why a managed value is not in the cloud, or not removed from it. */
export type Failure = { readonly code: string; readonly message: string };

export const SUPERSEDED: Failure = {
  code: "SUPERSEDED",
  message: "A newer write or deletion of this variable was accepted before this value took effect.",
};
export const EXPIRED: Failure = {
  code: "EXPIRED",
  message: "The cloud did not accept the value within 24 hours. Send it again.",
};
export const KEY_DESTROYED: Failure = {
  code: "KEY_DESTROYED",
  message: "The key that the value was sealed with no longer exists. Send the value again.",
};
export const TAMPERED: Failure = {
  code: "TAMPERED",
  message: "The sealed value cannot be opened. Send the value again.",
};
export const NOT_CONNECTED: Failure = {
  code: CLOUD_ACCOUNT_ERRORS.AWS_ACCOUNT_NOT_CONNECTED.code,
  message: "The cloud account is no longer connected. Fix its stack, then send the value again.",
};
/** For a value that has to be removed. */
export const UNREACHABLE: Failure = {
  code: CLOUD_ACCOUNT_ERRORS.AWS_ACCOUNT_NOT_CONNECTED.code,
  message: "The cloud account is not connected, so the value cannot be removed from it yet.",
};

/** What a refusal of the cloud means for a value. */
const CLOUD_REFUSALS: Partial<Readonly<Record<CloudErrorCode, string>>> = {
  ACCESS_DENIED:
    "The account's role does not let Slipway write it. Fix the stack, then send the value again.",
  NOT_OURS:
    "The account has a parameter or secret of this name that Slipway did not create. Remove it, or choose another name.",
  TOO_MANY_PARAMETERS: "The account's quota of parameters is used up. Raise the quota, or remove some.",
  VALUE_TOO_LARGE: "The store does not accept values of this size.",
  REGION_UNAVAILABLE:
    "The account has not enabled the environment's region. Enable it, then send the value again.",
  INVALID_REQUEST: "The store refuses the value. The message says why.",
  UNKNOWN: "The store failed with an error unknown to Slipway. See the message.",
};

/** For the page of all error codes. */
export const FAILED_VARIABLES = {
  title: "Entries of `failedEnvVariables`",
  says: "Why the value of a run was not stored, by the variable's name. The other values of the run are not affected. After `TAMPERED`, an operator should check who writes to the database.",
  meanings: {
    ...Object.fromEntries(
      [SUPERSEDED, EXPIRED, KEY_DESTROYED, TAMPERED, NOT_CONNECTED].map(({ code, message }) => [
        code,
        message,
      ]),
    ),
    ...CLOUD_REFUSALS,
  },
};
