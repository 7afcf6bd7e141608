import { ACCOUNT_REMOVAL_ERRORS } from "../features/account-removal/errors.ts";
import { BRANDING_FAULTS } from "../features/branding/errors.ts";
import { CLOUD_ACCOUNT_ERRORS } from "../features/cloud-accounts/errors.ts";
import { LEFT_IN_PROBLEM } from "../features/cloud-accounts/views.ts";
import { CONFIGURATION_ERRORS, CONFIGURATION_FAULTS } from "../features/configuration/errors.ts";
import { CUSTOM_DOMAIN_ERRORS, CUSTOM_DOMAIN_FAULTS } from "../features/custom-domains/errors.ts";
import { DATA_STORE_ERRORS, DATA_STORE_FAULTS } from "../features/data-stores/errors.ts";
import { DOMAIN_CONNECT_ERRORS } from "../features/domain-connect/errors.ts";
import { DOMAIN_IMPORT_FAULTS } from "../features/domain-import/errors.ts";
import { PREVIEW_ERRORS } from "../features/previews/errors.ts";
import { DEPLOYMENT_ERRORS, DEPLOYMENT_FAILURES } from "../features/deployments/errors.ts";
import { EVENT_ERRORS, EVENT_FAULTS } from "../features/events/errors.ts";
import { OLDEST_IN_PROBLEM } from "../features/events/views.ts";
import { GIT_HOOK_ERRORS } from "../features/git-hooks/errors.ts";
import { GIT_INTEGRATION_ERRORS } from "../features/git-integrations/errors.ts";
import { API_KEY_ERRORS } from "../features/api-keys/errors.ts";
import { SESSION_ERRORS } from "../features/sessions/errors.ts";
import { USER_ERRORS } from "../features/users/errors.ts";
import { PROJECT_CHANGE_ERRORS, PROJECT_CHANGE_FAULTS } from "../features/project-changes/errors.ts";
import { IMPORT_ERRORS } from "../features/flightcontrol-import/errors.ts";
import { SCHEDULED_JOB_ERRORS } from "../features/scheduled-jobs/errors.ts";
import { EXECUTION_ERRORS } from "../features/executions/errors.ts";
import { INVITATION_ERRORS } from "../features/invitations/errors.ts";
import { INVALIDATION_ERRORS } from "../features/invalidations/errors.ts";
import { SCALING_ERRORS } from "../features/scaling/errors.ts";
import { REPOSITORY_ERRORS } from "../features/repositories/errors.ts";
import { PROJECT_ERRORS } from "../features/projects/errors.ts";
import { FAILED_VARIABLES, VARIABLE_ERRORS, VARIABLE_FAULTS } from "../features/variables/errors.ts";
import { SIGN_IN_ERRORS } from "../features/sign-in/errors.ts";
import { GIT_ERRORS } from "../git/errors.ts";
import { HTTP_ERRORS } from "../http/errors.ts";
import { NOTIFICATION_ERRORS, NOTIFICATION_FAULTS } from "../features/notifications/errors.ts";
import { WEBHOOK_ERRORS, WEBHOOK_FAULTS } from "../features/webhooks/errors.ts";
import { WORKLOAD_ERRORS } from "../features/workloads/errors.ts";
import { composeErrorCatalogue } from "../http/problems/error-catalogue.ts";
import { COMMON_ERRORS, COMMON_FAULTS } from "../lib/errors.ts";
import { HEALTH_ERRORS } from "./health/errors.ts";

/** Everything that Slipway refuses with. The sandbox, a program of its own, has its own. */
export const ERROR_CATALOGUE = composeErrorCatalogue({
  address: "/docs/errors",
  errors: [
    COMMON_ERRORS,
    HTTP_ERRORS,
    GIT_ERRORS,
    EVENT_ERRORS,
    USER_ERRORS,
    INVITATION_ERRORS,
    API_KEY_ERRORS,
    SESSION_ERRORS,
    SIGN_IN_ERRORS,
    WORKLOAD_ERRORS,
    CLOUD_ACCOUNT_ERRORS,
    PROJECT_ERRORS,
    GIT_INTEGRATION_ERRORS,
    CONFIGURATION_ERRORS,
    IMPORT_ERRORS,
    CUSTOM_DOMAIN_ERRORS,
    DOMAIN_CONNECT_ERRORS,
    DEPLOYMENT_ERRORS,
    PREVIEW_ERRORS,
    VARIABLE_ERRORS,
    GIT_HOOK_ERRORS,
    WEBHOOK_ERRORS,
    NOTIFICATION_ERRORS,
    ACCOUNT_REMOVAL_ERRORS,
    PROJECT_CHANGE_ERRORS,
    REPOSITORY_ERRORS,
    DATA_STORE_ERRORS,
    EXECUTION_ERRORS,
    SCHEDULED_JOB_ERRORS,
    SCALING_ERRORS,
    INVALIDATION_ERRORS,
    HEALTH_ERRORS,
  ],
  faults: [
    COMMON_FAULTS,
    BRANDING_FAULTS,
    EVENT_FAULTS,
    VARIABLE_FAULTS,
    CONFIGURATION_FAULTS,
    DATA_STORE_FAULTS,
    CUSTOM_DOMAIN_FAULTS,
    DOMAIN_IMPORT_FAULTS,
    WEBHOOK_FAULTS,
    NOTIFICATION_FAULTS,
    PROJECT_CHANGE_FAULTS,
  ],
  tables: [DEPLOYMENT_FAILURES, FAILED_VARIABLES],
  members: { leftInAccount: LEFT_IN_PROBLEM, oldest: OLDEST_IN_PROBLEM },
});
