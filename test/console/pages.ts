/** A case of the walk for each page of the console: where it is in the filled organization, and its heading. */
import type { Instance } from "../helpers/instance.ts";
import { type Filled, fillRuns, fillSnapshots } from "./filled.ts";

export type PageCase = {
  readonly address: (filled: Filled) => string;
  /** What only this page needs. These pages come last, because lists of others would show it. */
  readonly fillMore?: (instance: Instance, filled: Filled) => Promise<Filled>;
  /** The heading of its first level. */
  readonly heading: string;
  /**
   * Opens an overlay of it, which the walk looks at too: the name of the button and of the dialog. With `entry`, the
   * button opens a menu, whose entry opens the dialog.
   */
  readonly overlays?: readonly {
    readonly button: string | RegExp;
    readonly entry?: string;
    readonly dialog: string | RegExp;
  }[];
};

/** By their path in `routes/`. The sign-in has a test of its own. */
export const PAGES: Readonly<Record<string, PageCase>> = {
  "/": { address: () => "/", heading: "Home" },
  "/projects": { address: () => "/projects", heading: "Projects" },
  "/projects/new": {
    address: () => "/projects/new",
    heading: "New project",
    overlays: [{ button: "Import from Flightcontrol", dialog: "Import from Flightcontrol" }],
  },
  "/projects/$projectId": {
    address: ({ projectId }) => `/projects/${projectId}`,
    heading: "Shop",
    overlays: [
      { button: "Deploy", dialog: "Deploy Production" },
      { button: "Approve #12 Add a cart", dialog: "Approve a commit of #12 Add a cart?" },
      {
        button: "Actions for #12 Add a cart",
        entry: "Delete…",
        dialog: "Delete the preview #12 Add a cart?",
      },
    ],
  },
  "/projects/$projectId/members": {
    address: ({ projectId }) => `/projects/${projectId}/members`,
    heading: "Shop",
    overlays: [{ button: "Remove Vera Viewer", dialog: "Remove Vera Viewer from Shop?" }],
  },
  "/projects/$projectId/settings": {
    address: ({ projectId }) => `/projects/${projectId}/settings`,
    heading: "Shop",
    overlays: [{ button: "Delete the project", dialog: "Delete Shop?" }],
  },
  "/environments/$environmentId": {
    address: ({ environmentId }) => `/environments/${environmentId}`,
    heading: "Production",
  },
  "/environments/$environmentId/graph": {
    address: ({ environmentId }) => `/environments/${environmentId}/graph`,
    heading: "Production",
  },
  "/environments/$environmentId/protection": {
    address: ({ environmentId }) => `/environments/${environmentId}/protection`,
    heading: "Production",
  },
  "/environments/$environmentId/variables": {
    address: ({ environmentId }) => `/environments/${environmentId}/variables`,
    heading: "Production",
    overlays: [
      { button: "Copy as .env", dialog: "Copy as .env" },
      { button: "LOG_LEVEL", dialog: "LOG_LEVEL" },
    ],
  },
  "/environments/$environmentId/variables/set": {
    address: ({ environmentId }) => `/environments/${environmentId}/variables/set`,
    heading: "Set a variable",
  },
  "/environments/$environmentId/variables/import": {
    address: ({ environmentId }) => `/environments/${environmentId}/variables/import`,
    heading: "Paste a .env",
  },
  "/services/$serviceId": { address: ({ serviceId }) => `/services/${serviceId}`, heading: "Web" },
  "/services/$serviceId/deployments": {
    address: ({ serviceId }) => `/services/${serviceId}/deployments`,
    heading: "Web",
  },
  "/services/$serviceId/variables": {
    address: ({ serviceId }) => `/services/${serviceId}/variables`,
    heading: "Web",
    overlays: [
      { button: "Copy as .env", dialog: "Copy as .env" },
      { button: "LOG_LEVEL", dialog: "LOG_LEVEL" },
    ],
  },
  "/services/$serviceId/variables/set": {
    address: ({ serviceId }) => `/services/${serviceId}/variables/set?name=LOG_LEVEL`,
    heading: "Change a variable",
  },
  "/services/$serviceId/variables/import": {
    address: ({ serviceId }) => `/services/${serviceId}/variables/import`,
    heading: "Paste a .env",
  },
  "/services/$serviceId/domains": {
    address: ({ serviceId }) => `/services/${serviceId}/domains`,
    heading: "Web",
  },
  "/services/$serviceId/domains/new": {
    address: ({ serviceId }) => `/services/${serviceId}/domains/new`,
    heading: "Add domains",
  },
  "/services/$serviceId/domains/import": {
    address: ({ serviceId }) => `/services/${serviceId}/domains/import`,
    heading: "Import domains",
  },
  "/services/$serviceId/settings": {
    address: ({ serviceId }) => `/services/${serviceId}/settings`,
    heading: "Web",
  },
  "/services/$serviceId/logs": { address: ({ serviceId }) => `/services/${serviceId}/logs`, heading: "Web" },
  "/domains": {
    address: () => "/domains",
    heading: "Domains",
    overlays: [
      { button: "Add domains", dialog: "Add domains" },
      {
        button: "Actions for www.shop.example.com",
        entry: "Share with the owner…",
        dialog: "Share www.shop.example.com",
      },
    ],
  },
  "/groups/$groupId": {
    address: ({ groupId }) => `/groups/${groupId}`,
    heading: "www.shop.example.com",
    overlays: [
      {
        button: "Actions for www.shop.example.com",
        entry: "Delete…",
        dialog: "Delete www.shop.example.com?",
      },
    ],
  },
  "/groups/$groupId/share": {
    address: ({ groupId }) => `/groups/${groupId}/share`,
    heading: "www.shop.example.com",
    overlays: [{ button: "Revoke", dialog: "Revoke this link?" }],
  },
  "/groups/$groupId/redirects": {
    address: ({ groupId }) => `/groups/${groupId}/redirects`,
    heading: "www.shop.example.com",
  },
  "/groups/$groupId/settings": {
    address: ({ groupId }) => `/groups/${groupId}/settings`,
    heading: "www.shop.example.com",
    overlays: [{ button: "Delete group", dialog: /Delete the group/ }],
  },
  "/approvals": { address: () => "/approvals", heading: "Approvals" },
  "/deployments": { address: () => "/deployments", heading: "Deployments" },
  "/deployments/$deploymentId": {
    address: ({ deploymentId }) => `/deployments/${deploymentId}`,
    heading: "Deployment",
    overlays: [{ button: "Redeploy", dialog: /^Redeploy/ }],
  },
  "/accounts": { address: () => "/accounts", heading: "Cloud accounts" },
  "/accounts/new": { address: () => "/accounts/new", heading: "Connect a cloud account" },
  "/accounts/server": { address: () => "/accounts/server", heading: "This server" },
  "/accounts/$accountId": {
    address: ({ accountId }) => `/accounts/${accountId}`,
    heading: "main",
    overlays: [{ button: "Delete", dialog: "Delete main?" }],
  },
  "/git-integrations": { address: () => "/git-integrations", heading: "Git" },
  "/git-integrations/new": { address: () => "/git-integrations/new", heading: "Add a git integration" },
  "/git-integrations/$integrationId": {
    address: ({ gitIntegrationId }) => `/git-integrations/${gitIntegrationId}`,
    heading: "GitHub",
    overlays: [
      { button: "Actions for GitHub", entry: "Delete…", dialog: "Delete the integration with GitHub?" },
      { button: "Make a hook secret", dialog: "Make a hook secret?" },
    ],
  },
  "/webhooks": {
    address: () => "/webhooks",
    heading: "Webhooks",
    overlays: [{ button: "Actions for Chat", entry: "Disable…", dialog: "Disable this webhook?" }],
  },
  "/webhooks/new": { address: () => "/webhooks/new", heading: "Add a webhook" },
  "/webhooks/$endpointId": {
    address: ({ endpointId }) => `/webhooks/${endpointId}`,
    heading: "Chat",
    overlays: [
      { button: "Disable", dialog: "Disable this webhook?" },
      { button: "Replay", dialog: "Replay events" },
      { button: "Replace the secret", dialog: "Replace the secret?" },
      { button: "Delete the webhook", dialog: "Delete this webhook?" },
    ],
  },
  "/webhooks/$endpointId/deliveries/$deliveryId": {
    address: ({ endpointId, deliveryId }) => `/webhooks/${endpointId}/deliveries/${deliveryId}`,
    heading: "Delivery",
  },
  "/webhooks/$endpointId/edit": {
    address: ({ endpointId }) => `/webhooks/${endpointId}/edit`,
    heading: "Change the webhook",
  },
  "/notifications": {
    address: () => "/notifications",
    heading: "Notifications",
    overlays: [{ button: "Actions for Operations", entry: "Disable…", dialog: "Disable this channel?" }],
  },
  "/notifications/new": { address: () => "/notifications/new", heading: "Add a notification channel" },
  "/notifications/$channelId": {
    address: ({ channelId }) => `/notifications/${channelId}`,
    heading: "Operations",
    overlays: [
      { button: "Disable", dialog: "Disable this channel?" },
      { button: "Delete the channel", dialog: "Delete this channel?" },
    ],
  },
  "/notifications/$channelId/edit": {
    address: ({ channelId }) => `/notifications/${channelId}/edit`,
    heading: "Change the channel",
  },
  "/my-notifications": { address: () => "/my-notifications", heading: "My e-mail" },
  "/users/new": { address: () => "/users/new", heading: "Add a user" },
  "/users": {
    address: () => "/users",
    heading: "Users",
    overlays: [{ button: "Actions for Vera Viewer", entry: "Delete…", dialog: "Delete Vera Viewer?" }],
  },
  "/users/service-accounts": { address: () => "/users/service-accounts", heading: "Service accounts" },
  "/users/$userId": {
    address: ({ userId }) => `/users/${userId}`,
    heading: "Vera Viewer",
    overlays: [{ button: "Delete user", dialog: "Delete Vera Viewer?" }],
  },
  "/api-keys": {
    address: () => "/api-keys",
    heading: "API keys",
    overlays: [{ button: "Actions for viewer", entry: "Delete…", dialog: "Delete the key viewer?" }],
  },
  "/api-keys/new": { address: () => "/api-keys/new", heading: "Create a key" },
  "/workload-trusts": { address: () => "/workload-trusts", heading: "Workload trusts" },
  "/workload-trusts/new": { address: () => "/workload-trusts/new", heading: "Trust a job" },
  "/workload-trusts/$trustId": {
    address: ({ trustId }) => `/workload-trusts/${trustId}`,
    heading: "deploy shop",
    overlays: [{ button: "Delete the trust", dialog: "Delete the trust deploy shop?" }],
  },
  "/sessions": {
    address: () => "/sessions",
    heading: "Sessions",
    overlays: [{ button: "Sign out here", dialog: "Sign out of this browser?" }],
  },
  "/audit": { address: () => "/audit", heading: "Audit" },
  "/settings": { address: () => "/settings", heading: "Settings" },
  "/services/$serviceId/executions": {
    address: ({ workerId }) => `/services/${workerId}/executions`,
    fillMore: fillRuns,
    heading: "Worker",
    overlays: [{ button: "Run a command", dialog: "Run a command in Worker" }],
  },
  "/executions/$executionId": {
    address: ({ executionId }) => `/executions/${executionId}`,
    fillMore: fillRuns,
    heading: "Execution in Worker",
  },
  "/snapshots": {
    address: () => "/snapshots",
    fillMore: fillSnapshots,
    heading: "Snapshots",
    overlays: [{ button: /^Restore the snapshot of Database/, dialog: "Restore this snapshot of Database" }],
  },
};
