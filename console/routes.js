/** @import { View } from "./api-types.ts" */
import { showAccount } from "./views/account.js";
import { showAccounts } from "./views/accounts.js";
import { showApiKeys } from "./views/api-keys.js";
import { showAudit } from "./views/audit.js";
import { showDeployment } from "./views/deployment.js";
import { showDeployments } from "./views/deployments.js";
import { showEnvironment } from "./views/environment.js";
import { showGitIntegrations } from "./views/git-integrations.js";
import { showGroup } from "./views/group.js";
import { showNewProject } from "./views/new-project.js";
import { pageHead } from "./parts/page.js";
import { showProject } from "./views/project.js";
import { showProjects } from "./views/projects.js";
import { showService } from "./views/service.js";
import { showUsers } from "./views/users.js";

/** @typedef {(view: View) => Promise<readonly HTMLElement[]>} Show */

/** Addresses after the `#`. @type {readonly (readonly [string, Show])[]} */
const ROUTES = [
  ["/projects", showProjects],
  ["/projects/new", showNewProject],
  ["/projects/:id", showProject],
  ["/environments/:id", showEnvironment],
  ["/services/:id", showService],
  ["/groups/:id", showGroup],
  ["/deployments", showDeployments],
  ["/deployments/:id", showDeployment],
  ["/accounts", showAccounts],
  ["/accounts/:id", showAccount],
  ["/git-integrations", showGitIntegrations],
  ["/users", showUsers],
  ["/api-keys", showApiKeys],
  ["/audit", showAudit],
];

/**
 * @param {string} path
 * @returns {{ view: Show, params: Readonly<Record<string, string>> }}
 */
export function findView(path) {
  for (const [pattern, view] of ROUTES) {
    const params = match(pattern.split("/"), path.split("/"));
    if (params !== null) return { view, params };
  }
  return { view: showNothing, params: {} };
}

/**
 * @param {readonly string[]} pattern
 * @param {readonly string[]} parts
 */
function match(pattern, parts) {
  if (pattern.length !== parts.length) return null;
  /** @type {Record<string, string>} */
  const params = {};
  for (const [index, wanted] of pattern.entries()) {
    const part = parts[index] ?? "";
    if (wanted.startsWith(":") && /^[\w-]+$/.test(part)) params[wanted.slice(1)] = part;
    else if (wanted !== part) return null;
  }
  return params;
}

async function showNothing() {
  return [pageHead({ title: "Not found", lead: "The console has no such page." })];
}
