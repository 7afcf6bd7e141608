/** The one table of commands. */
import { ACCESS } from "./commands/access.ts";
import { ACCOUNTS } from "./commands/accounts.ts";
import { API_KEYS } from "./commands/api-keys.ts";
import { DEPLOYMENTS } from "./commands/deployments.ts";
import { DOCTOR } from "./commands/doctor.ts";
import { DOMAINS } from "./commands/domains/domains.ts";
import { EVENTS } from "./commands/events.ts";
import { EXECUTIONS } from "./commands/executions.ts";
import { FLIGHTCONTROL } from "./commands/flightcontrol.ts";
import { GIT } from "./commands/git.ts";
import { JOBS } from "./commands/jobs.ts";
import { NOTIFICATIONS } from "./commands/notifications.ts";
import { ORGANIZATION } from "./commands/organization.ts";
import { PREVIEWS } from "./commands/previews.ts";
import { PROJECTS } from "./commands/projects.ts";
import { SERVICES } from "./commands/services.ts";
import { SESSION } from "./commands/session.ts";
import { SNAPSHOTS } from "./commands/snapshots.ts";
import { TOOLS } from "./commands/tools.ts";
import { USERS } from "./commands/users.ts";
import { VARIABLES } from "./commands/variables/variables.ts";
import { WEBHOOKS } from "./commands/webhooks.ts";
import { WORKLOAD_TRUSTS } from "./commands/workload-trusts.ts";
import type { Table } from "./command.ts";

export const TABLE: Table = {
  commands: [
    ...SESSION,
    ...DOCTOR,
    ...ACCOUNTS,
    ...PROJECTS,
    ...SERVICES,
    ...JOBS,
    ...SNAPSHOTS,
    ...FLIGHTCONTROL,
    ...VARIABLES,
    ...DOMAINS,
    ...DEPLOYMENTS,
    ...EXECUTIONS,
    ...PREVIEWS,
    ...EVENTS,
    ...WEBHOOKS,
    ...NOTIFICATIONS,
    ...ORGANIZATION,
    ...USERS,
    ...API_KEYS,
    ...GIT,
    ...WORKLOAD_TRUSTS,
    ...ACCESS,
    ...TOOLS,
  ],
  groups: [
    { word: "profile", says: "Stored keys and their servers" },
    { word: "accounts", says: "Connections to cloud accounts" },
    { word: "projects", says: "Repositories and what is deployed from them" },
    { word: "services", says: "Services of all projects" },
    { word: "jobs", says: "Commands that run on a schedule" },
    { word: "snapshots", says: "Copies of the data of data stores" },
    { word: "import", says: "Configurations of other products" },
    { word: "env", says: "Variables of environments and services" },
    { word: "domains", says: "Custom domains, their DNS records and problems" },
    { word: "deployments", says: "Deployments and their logs" },
    { word: "executions", says: "Commands that ran in services" },
    { word: "previews", says: "Environments for pull requests" },
    { word: "events", says: "List and stream events" },
    { word: "webhooks", says: "Endpoints that receive events" },
    { word: "notifications", says: "Messages to people in chats and by e-mail" },
    { word: "my-notifications", says: "E-mail to you about events" },
    { word: "organization", says: "The organization and its retention of records" },
    { word: "users", says: "Users of the organization" },
    { word: "keys", says: "API keys" },
    { word: "service-accounts", says: "Service accounts" },
    { word: "members", says: "Members of a project, and their roles in it" },
    { word: "protection", says: "Protection of environments" },
    { word: "sessions", says: "Sign-ins in browsers" },
    { word: "workload-trusts", says: "CI jobs that deploy without a stored key" },
    { word: "git", says: "Access to git hosts" },
    { word: "audit", says: "Audit entries" },
  ],
};
