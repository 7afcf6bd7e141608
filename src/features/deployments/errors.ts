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
    cause: "The service has no live release or no process. Static and external services have no process.",
    remedy: "Deploy the service: a deployment also applies its variables.",
  },
  SERVICE_HAS_NO_LOGS: {
    status: 409,
    title: "The service has no logs here",
    cause: "The service is external or a data store. Slipway does not read its logs.",
    remedy: "Read the logs of the service where it runs.",
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

/** For the page of all error codes: what Slipway decides, and what every cloud has. A test compares it with the code. */
export const DEPLOYMENT_FAILURES = {
  title: "Codes of a deployment's `error`",
  says: "Why a deployment, its run in an environment or one of its services failed or was cancelled; `message` has the details. Other codes are those of the git host and of the configuration above, and those of the platform, which the pages about the sandbox's platform and AWS list.",
  meanings: {
    APPROVAL_REJECTED: "A person rejected the deployment in this environment. The message has the comment.",
    APPROVAL_TIMED_OUT: "The deployment was not approved in time. Deploy again.",
    ARTIFACT_NOT_FOUND: "The result of the build no longer exists. Deploy the commit again.",
    AWS_ACCOUNT_NOT_CONNECTED: "The cloud account is not connected. Fix its stack, then deploy again.",
    BUILD_COMMAND_FAILED:
      "`buildCommand` failed. Read the end of the build's log, correct the repository, and push.",
    BUILD_FAILED:
      "A service could not be built, so nothing was released. The error of the service has the cause.",
    BUILD_TIMED_OUT:
      "The build took longer than `SLIPWAY_BUILD_LIMIT`. Make it shorter, or find what it waits for.",
    CANCELLED: "A user cancelled the deployment. Services that it has released stay live.",
    DATA_STORE_FAILED:
      "A variable refers to a data store that is not available. Fix the data store, then deploy again.",
    DEPENDENCY_FAILED: "A service that it depends on was not released. Fix that service, then deploy again.",
    ENVIRONMENT_PROTECTED:
      "The protection of the environment does not allow the deployment. Ask a user who may deploy there.",
    ENVIRONMENT_REMOVED: "The environment was removed before the deployment started there.",
    HEALTH_CHECK_FAILED:
      "The new release did not become healthy, and the previous one stays live. Check that the server listens on its port and answers its health check.",
    HOST_REFUSED: "The git host's address is not allowed. Correct the git integration.",
    HOST_UNAVAILABLE: "The git host did not answer. Deploy again later.",
    INSTALL_COMMAND_FAILED:
      "`installCommand` failed. Read the end of the build's log, correct the repository, and push.",
    NO_ENVIRONMENT:
      "No environment of the configuration follows the branch. Correct `source.branch`, or deploy another branch.",
    OTHER_BUILD_FAILED: "The build of another service failed, so this one was not released.",
    PRE_DEPLOY_FAILED:
      "`preDeployCommand` failed, and the previous release stays live. Read its output in the log.",
    PRE_DEPLOY_TIMED_OUT:
      "`preDeployCommand` took more than 30 minutes, and the previous release stays live. Make it shorter.",
    PROCESS_ENDED: "The process ended before it was healthy. Read its output in the log.",
    PROJECT_DELETED: "The project was deleted before the deployment ended.",
    RELEASE_FAILED:
      "A service could not be released. Earlier releases stay live. The error of the service has the cause.",
    RELEASE_TIMED_OUT:
      "The release took longer than `SLIPWAY_RELEASE_LIMIT`. The message says what it waited for.",
    SERVICE_HAS_DOMAINS:
      "The configuration removes a service that has domain certificate groups. Delete the groups first, or keep the service.",
    SERVICE_HAS_NO_ADDRESS:
      "A variable refers to a private service without a live release. Release that service first.",
    SERVICE_IS_LINKED:
      "The configuration removes a service that variables link to. Change the variables first, or keep the service.",
    SUPERSEDED: "A newer deployment replaced this one while it waited.",
    TOKEN_REFUSED: "The git host refuses the token. Replace the token of the git integration.",
    UNHEALTHY:
      "On AWS, the new instances did not become healthy, and the previous release stays live. Check that the server listens on its port and answers its health check.",
    UNKNOWN: "No reason was recorded.",
    VARIABLE_NOT_FOUND:
      "A variable refers to a value that the cloud account does not have. Correct the reference.",
  },
};
