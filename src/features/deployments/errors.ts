import { declareErrors } from "../../lib/errors.ts";

export const DEPLOYMENT_ERRORS = declareErrors({
  PROJECT_NOT_FOUND: {
    status: 404,
    title: "No project matches",
    cause: "No project of the organization uses this repository.",
    remedy: "Check repoUrl, or create the project first.",
  },
  SEVERAL_PROJECTS_MATCH: {
    status: 409,
    title: "Several projects match",
    cause: "More than one project of the organization uses this repository.",
    remedy: "Set `filter.projectId` to one of the projects that `detail` names.",
  },
  DEPLOYMENT_UNDER_WAY: {
    status: 409,
    title: "A deployment is running",
    cause:
      "A deployment is using what the request changes: the project's current repository and configuration, or the service to restart.",
    remedy: "Wait until the deployment that `detail` names has ended, or cancel it.",
  },
  DEPLOYMENT_ENDED: {
    status: 409,
    title: "The deployment has ended",
    cause: "Only a deployment that is waiting or running can be cancelled.",
    remedy: "Roll back to an earlier deployment, or deploy again.",
  },
  SERVICE_NOT_RESTARTABLE: {
    status: 409,
    title: "The service cannot be restarted",
    cause: "Nothing of the service is live, or it has no process: it is static or external.",
    remedy: "Deploy the service: a deployment also applies its variables.",
  },
  SERVICE_HAS_NO_LOGS: {
    status: 409,
    title: "The service has no logs here",
    cause: "The service is external: it does not run on the platform.",
    remedy: "Read the logs of an external service where it runs.",
  },
  NO_APPROVAL_AWAITED: {
    status: 409,
    title: "The deployment does not wait for an approval",
    cause:
      "The deployment was already approved or rejected, waits for something else, or its environment requires no approval.",
    remedy: "Read the deployment: `approvals` says what was decided.",
  },
  SECOND_PERSON_REQUIRED: {
    status: 403,
    title: "A second person must decide",
    cause: "The caller started the deployment, or is a program.",
    remedy:
      "Ask another person who may deploy there. In an emergency, an admin of the project may bypass the approval.",
  },
  DEPLOYMENT_NOT_RESTORABLE: {
    status: 409,
    title: "Cannot roll back to this deployment",
    cause: "The deployment did not end with SUCCESS, so it is not complete; or it only restarted a service.",
    remedy: "Choose a successful deployment: GET /v1/deployments?status=SUCCESS.",
  },
});

/** Why a deployment that waited did not begin. */
export const SUPERSEDED = {
  code: "SUPERSEDED",
  message: "A newer deployment replaced this one while it waited.",
};
/** Why a deployment, or its run in an environment, was cancelled before it did anything. */
export const CANCELLED_WAITING = { code: "CANCELLED", message: "Cancelled before it started." };
/** Why a deployment ended if it was deleted with its project. */
export const PROJECT_DELETED = {
  code: "PROJECT_DELETED",
  message: "The project was deleted before the deployment ended.",
};
export const CANCELLED_UNRELEASED = {
  code: "CANCELLED",
  message: "Cancelled before anything was released.",
};

/** Of a run. */
export const ENVIRONMENT_REMOVED = {
  code: "ENVIRONMENT_REMOVED",
  message: "The environment was removed before the deployment started there.",
};
