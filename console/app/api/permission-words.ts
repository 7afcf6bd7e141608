/** Which operation an action is, and why the caller may not call it, for people. Pure. */
import type { Permissions } from "../../../sdk/src/generated/types.ts";

/** What people do in the console, as far as it needs more than reading. */
export type Action =
  | "deploy"
  | "cancel deployments"
  | "approve deployments"
  | "roll back"
  | "run commands"
  | "take snapshots"
  | "delete snapshots"
  | "manage projects"
  | "manage members"
  | "protect environments"
  | "set variables"
  | "manage domains"
  | "manage accounts"
  | "manage git"
  | "rename the organization"
  | "manage users"
  | "manage keys"
  | "manage workload trusts"
  | "manage webhooks"
  | "manage notifications"
  | "read audit";

/** What something is done to: there count the rights of the project and the protection of the environment. */
export type Target = {
  readonly projectId?: string | undefined;
  readonly environmentId?: string | undefined;
};

/** The operation of the API that stands for an action; the others of the action need the same. */
export const OPERATION_OF: Readonly<Record<Action, string>> = {
  deploy: "createDeployment",
  "cancel deployments": "cancelDeployment",
  "approve deployments": "approveDeployment",
  "roll back": "rollBackToDeployment",
  "run commands": "runCommand",
  "take snapshots": "createSnapshot",
  "delete snapshots": "deleteSnapshot",
  "manage projects": "createProject",
  "manage members": "setProjectMember",
  "protect environments": "updateEnvironment",
  "set variables": "setEnvironmentVariables",
  "manage domains": "createDomainCertificateGroup",
  "manage accounts": "createAwsAccount",
  "manage git": "createGitIntegration",
  "rename the organization": "updateOrganization",
  "manage users": "createUser",
  "manage keys": "createApiKey",
  "manage workload trusts": "createWorkloadTrust",
  "manage webhooks": "createWebhookEndpoint",
  "manage notifications": "createNotificationChannel",
  "read audit": "listAuditEntries",
};

/** By its `operationId`. */
export function operationOf(action: Action, { projectId }: Target): string {
  return action === "manage projects" && projectId !== undefined ? "updateProject" : OPERATION_OF[action];
}

/**
 * Why the caller must not call an operation; null: they may. A server that knows no such operation decides itself.
 * @param permissions in the target
 */
export function reasonAgainst(
  { operations, admins }: Pick<Permissions, "operations" | "admins">,
  operation: string,
  { projectId, environmentId }: Target,
): string | null {
  const permission = operations[operation];
  if (permission === undefined || permission.allowed) return null;
  const { refusedBy, neededRole, neededScope } = permission;
  switch (refusedBy) {
    case "scope":
      return `The key that you signed in with lacks the scope ${neededScope}. Sign in with a key that has it.`;
    case "projects":
      return "The key that you signed in with is limited to projects. Sign in with one of all projects.";
    case "protection":
      return `${environmentId === undefined ? "An environment of this project" : "This environment"} is protected: this needs the role ${neededRole} in this project. ${tellWhomToAsk(admins)}`;
    default:
      return `This needs the role ${neededRole} in ${projectId === undefined ? "your organization" : "this project"}. ${tellWhomToAsk(admins)}`;
  }
}

const NAMED_MOST = 3;

/** Whom to ask for what only admins may. */
function tellWhomToAsk(admins: Permissions["admins"]): string {
  const names = admins.map(({ name }) => isolate(name));
  const shown = names.length > NAMED_MOST ? [...names.slice(0, NAMED_MOST - 1), "another admin"] : names;
  if (shown.length === 0) return "Ask an admin of your organization.";
  return `Ask ${[shown.slice(0, -1).join(", "), shown.at(-1)].filter(Boolean).join(" or ")}.`;
}

/** A name that is written from right to left, so that it does not turn around what follows it. */
function isolate(name: string): string {
  return /\p{Script=Hebrew}|\p{Script=Arabic}/u.test(name) ? `\u2068${name}\u2069` : name;
}
