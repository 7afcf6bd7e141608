import type { Failure } from "../env-variable.ts";

export const EXPIRED: Failure = {
  code: "EXPIRED",
  message: "The cloud did not take the value within 24 hours. Send it again.",
};
export const KEY_DESTROYED: Failure = {
  code: "KEY_DESTROYED",
  message: "The key that the value was sealed with no longer exists. Send it again.",
};
export const TAMPERED: Failure = {
  code: "TAMPERED",
  message: "The sealed value does not open. Send it again.",
};
export const NOT_CONNECTED: Failure = {
  code: "AWS_ACCOUNT_NOT_CONNECTED",
  message: "The cloud account is no longer connected. Fix its stack, then send the value again.",
};
export const UNREACHABLE: Failure = {
  code: "AWS_ACCOUNT_NOT_CONNECTED",
  message: "The cloud account is not connected, so the value cannot be removed from it yet.",
};
export const SUPERSEDED: Failure = {
  code: "SUPERSEDED",
  message: "A newer write or deletion of this variable was accepted before this value was in force.",
};
