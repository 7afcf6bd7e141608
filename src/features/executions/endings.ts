import type { ExecutionError } from "./execution.ts";

/** How executions end that the platform does not end. */
export const ENDINGS = {
  cancelled: { code: "CANCELLED", message: "The execution was cancelled." },
  serviceDeleted: { code: "SERVICE_DELETED", message: "The service was deleted." },
  nothingLive: {
    code: "NOTHING_LIVE",
    message: "The service has no live release in which the command could run. Deploy the service.",
  },
  lost: {
    code: "LOST",
    message:
      "The cloud no longer knows the execution. Whether the command ended is unknown. It is not run again.",
  },
  accountLost: {
    code: "AWS_ACCOUNT_NOT_CONNECTED",
    message: "The cloud account was not connected for 24 hours. Connect it, and run the command again.",
  },
  timedOut: {
    code: "TIMED_OUT",
    message:
      "The command did not end within its time limit, and the cloud did not stop it in time. Check whether it still runs there.",
  },
} as const satisfies Readonly<Record<string, ExecutionError>>;
