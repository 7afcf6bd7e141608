/** The pages of an organization: accounts, git, webhooks, people, the audit. */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { WebhookDeliveryStatus } from "../../../sdk/src/generated/types.ts";
import { auditQueryOf, type AuditSearch } from "../api/audit-filter.ts";
import { AUDIT_NAMES } from "../api/audit-names.ts";
import { read, readAll, readPages } from "../api/query.ts";
import { shell, textsOf } from "./shell.tsx";

const accounts = createRoute({
  getParentRoute: () => shell,
  path: "/accounts",
  loader: ({ context }) => context.load(readPages("awsAccounts", "list", {})),
  component: lazyRouteComponent(() => import("../pages/accounts.tsx"), "AccountsPage"),
});

const newAccount = createRoute({
  getParentRoute: () => shell,
  path: "/accounts/new",
  component: lazyRouteComponent(() => import("../forms/new-account.tsx"), "NewAccountForm"),
});

const server = createRoute({
  getParentRoute: () => shell,
  path: "/accounts/server",
  loader: ({ context }) => context.begin(read("admin", "getOwnServer")),
  component: lazyRouteComponent(() => import("../pages/server.tsx"), "ServerPage"),
});

const account = createRoute({
  getParentRoute: () => shell,
  path: "/accounts/$accountId",
  loader: ({ context, params }) =>
    context.load(read("awsAccounts", "get", params.accountId), readAll("projects", "list", {})),
  component: lazyRouteComponent(() => import("../pages/account.tsx"), "AccountPage"),
});

const git = createRoute({
  getParentRoute: () => shell,
  path: "/git-integrations",
  component: lazyRouteComponent(() => import("../pages/git.tsx"), "GitPage"),
});

const newGit = createRoute({
  getParentRoute: () => shell,
  path: "/git-integrations/new",
  component: lazyRouteComponent(() => import("../forms/new-git.tsx"), "NewGitForm"),
});

const gitIntegration = createRoute({
  getParentRoute: () => shell,
  path: "/git-integrations/$integrationId",
  loader: ({ context, params }) =>
    context.load(
      read("gitIntegrations", "get", params.integrationId),
      readAll("projects", "list", {}),
      readPages("gitIntegrations", "listDeliveries", params.integrationId, { order: "desc" }),
    ),
  component: lazyRouteComponent(() => import("../pages/git-integration.tsx"), "GitIntegrationPage"),
});

const webhooks = createRoute({
  getParentRoute: () => shell,
  path: "/webhooks",
  component: lazyRouteComponent(() => import("../pages/webhooks.tsx"), "WebhooksPage"),
});

const newWebhook = createRoute({
  getParentRoute: () => shell,
  path: "/webhooks/new",
  loader: ({ context }) => context.load(readAll("projects", "list", {})),
  component: lazyRouteComponent(() => import("../forms/new-webhook.tsx"), "NewWebhookForm"),
});

/** Which deliveries of a webhook are shown. */
type DeliveriesSearch = { readonly status?: WebhookDeliveryStatus; readonly type?: string };
const DELIVERY_STATUSES: readonly unknown[] = ["PENDING", "DELIVERED", "FAILED"];

const webhook = createRoute({
  getParentRoute: () => shell,
  path: "/webhooks/$endpointId",
  validateSearch: ({ status, type }: Record<string, unknown>): DeliveriesSearch => ({
    ...(DELIVERY_STATUSES.includes(status) ? { status: status as WebhookDeliveryStatus } : {}),
    ...(typeof type === "string" && type !== "" ? { type } : {}),
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, params, deps }) =>
    context.load(
      read("webhookEndpoints", "get", params.endpointId),
      readPages("webhookEndpoints", "listDeliveries", params.endpointId, { order: "desc", ...deps }),
    ),
  component: lazyRouteComponent(() => import("../pages/webhook.tsx"), "WebhookPage"),
});

const editWebhook = createRoute({
  getParentRoute: () => shell,
  path: "/webhooks/$endpointId/edit",
  loader: ({ context, params }) =>
    context.load(read("webhookEndpoints", "get", params.endpointId), readAll("projects", "list", {})),
  component: lazyRouteComponent(() => import("../forms/edit-webhook.tsx"), "EditWebhookForm"),
});

const notifications = createRoute({
  getParentRoute: () => shell,
  path: "/notifications",
  // Only admins may read them. The page says so to others.
  component: lazyRouteComponent(() => import("../pages/notifications.tsx"), "NotificationsPage"),
});

const newNotification = createRoute({
  getParentRoute: () => shell,
  path: "/notifications/new",
  loader: ({ context }) => context.load(readAll("projects", "list", {})),
  component: lazyRouteComponent(() => import("../forms/new-notification.tsx"), "NewNotificationForm"),
});

const notification = createRoute({
  getParentRoute: () => shell,
  path: "/notifications/$channelId",
  loader: ({ context, params }) => context.load(read("notificationChannels", "get", params.channelId)),
  component: lazyRouteComponent(() => import("../pages/notification.tsx"), "NotificationPage"),
});

const editNotification = createRoute({
  getParentRoute: () => shell,
  path: "/notifications/$channelId/edit",
  loader: ({ context, params }) =>
    context.load(read("notificationChannels", "get", params.channelId), readAll("projects", "list", {})),
  component: lazyRouteComponent(() => import("../forms/edit-notification.tsx"), "EditNotificationForm"),
});

const delivery = createRoute({
  getParentRoute: () => shell,
  path: "/webhooks/$endpointId/deliveries/$deliveryId",
  loader: ({ context, params }) =>
    context.load(
      read("webhookEndpoints", "get", params.endpointId),
      read("webhookEndpoints", "getDelivery", params.endpointId, params.deliveryId),
    ),
  component: lazyRouteComponent(() => import("../pages/delivery.tsx"), "DeliveryPage"),
});

const users = createRoute({
  getParentRoute: () => shell,
  path: "/users",
  loader: ({ context }) => context.load(readAll("users", "list", {})),
  component: lazyRouteComponent(() => import("../pages/users.tsx"), "UsersPage"),
});

const serviceAccounts = createRoute({
  getParentRoute: () => shell,
  path: "/users/service-accounts",
  loader: ({ context }) => context.load(readAll("users", "list", {})),
  component: lazyRouteComponent(() => import("../pages/users.tsx"), "ServiceAccountsPage"),
});

const newUser = createRoute({
  getParentRoute: () => shell,
  path: "/users/new",
  /** The kind of the user, chosen by the page that leads here. */
  validateSearch: (search: Record<string, unknown>): { readonly kind?: string } => textsOf(search, ["kind"]),
  component: lazyRouteComponent(() => import("../forms/new-user.tsx"), "NewUserForm"),
});

const user = createRoute({
  getParentRoute: () => shell,
  path: "/users/$userId",
  loader: ({ context, params }) =>
    Promise.all([
      context.load(read("users", "get", params.userId), readAll("users", "list", {})),
      // Some users may not read these lists: they get the page without them.
      context
        .load(
          readPages("sessions", "list", { userId: params.userId, order: "desc" }),
          readAll("apiKeys", "list", {}),
          read("users", "getInvitation", params.userId),
        )
        .catch(() => undefined),
    ]),
  component: lazyRouteComponent(() => import("../pages/user.tsx"), "UserPage"),
});

const keys = createRoute({
  getParentRoute: () => shell,
  path: "/api-keys",
  component: lazyRouteComponent(() => import("../pages/api-keys.tsx"), "ApiKeysPage"),
});

const newKey = createRoute({
  getParentRoute: () => shell,
  path: "/api-keys/new",
  /** The user whose page leads here: the key is for them. */
  validateSearch: (search: Record<string, unknown>): { readonly userId?: string } =>
    textsOf(search, ["userId"]),
  loader: ({ context }) => context.load(readAll("users", "list", {}), readAll("projects", "list", {})),
  component: lazyRouteComponent(() => import("../forms/new-api-key.tsx"), "NewApiKeyForm"),
});

const trusts = createRoute({
  getParentRoute: () => shell,
  path: "/workload-trusts",
  component: lazyRouteComponent(() => import("../pages/workload-trusts.tsx"), "WorkloadTrustsPage"),
});

const newTrust = createRoute({
  getParentRoute: () => shell,
  path: "/workload-trusts/new",
  loader: ({ context }) =>
    context.load(readAll("users", "list", { kind: "service" }), readAll("projects", "list", {})),
  component: lazyRouteComponent(() => import("../forms/new-workload-trust.tsx"), "NewWorkloadTrustForm"),
});

const trust = createRoute({
  getParentRoute: () => shell,
  path: "/workload-trusts/$trustId",
  loader: ({ context, params }) => context.load(read("workloadTrusts", "get", params.trustId)),
  component: lazyRouteComponent(() => import("../pages/workload-trust.tsx"), "WorkloadTrustPage"),
});

const sessions = createRoute({
  getParentRoute: () => shell,
  path: "/sessions",
  component: lazyRouteComponent(() => import("../pages/sessions.tsx"), "SessionsPage"),
});

const audit = createRoute({
  getParentRoute: () => shell,
  path: "/audit",
  validateSearch: (search: Record<string, unknown>): AuditSearch =>
    textsOf(search, ["userId", "action", "resourceId", "from", "to"]),
  loaderDeps: ({ search }) => search,
  // Only admins may read them. The page does not wait for them, and shows its filters first.
  loader: ({ context, deps }) =>
    context.begin(
      readPages("auditEntries", "list", { order: "desc", ...auditQueryOf(deps) }),
      ...Object.values(AUDIT_NAMES),
    ),
  component: lazyRouteComponent(() => import("../pages/audit.tsx"), "AuditPage"),
});

const settings = createRoute({
  getParentRoute: () => shell,
  path: "/settings",
  loader: ({ context }) =>
    Promise.all([
      context.load(read("organization", "get"), read("organization", "getBranding")),
      // Only admins of the operator's organization may read it: other users get the page without it.
      context.load(read("admin", "getHealth")).catch(() => undefined),
    ]),
  component: lazyRouteComponent(() => import("../pages/settings.tsx"), "SettingsPage"),
});

const myNotifications = createRoute({
  getParentRoute: () => shell,
  path: "/my-notifications",
  loader: ({ context }) => context.load(read("me", "getNotifications"), readAll("projects", "list", {})),
  component: lazyRouteComponent(() => import("../pages/my-notifications.tsx"), "MyNotificationsPage"),
});

export const ORGANIZATION_ROUTES = [
  myNotifications,
  accounts,
  newAccount,
  server,
  account,
  git,
  newGit,
  gitIntegration,
  webhooks,
  newWebhook,
  webhook,
  editWebhook,
  delivery,
  notifications,
  newNotification,
  notification,
  editNotification,
  users,
  serviceAccounts,
  newUser,
  user,
  keys,
  newKey,
  trusts,
  newTrust,
  trust,
  sessions,
  audit,
  settings,
] as const;
