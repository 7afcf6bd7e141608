/** Registers every endpoint of the API. */
import type { FastifyInstance } from "fastify";
import type { OwnServerState } from "../../sandbox/src/host/server-state.ts";
import type { CloudKind } from "../cloud/cloud.ts";
import { registerAwsAccountRoutes, registerStackCallbackRoute } from "../features/cloud-accounts/routes.ts";
import { registerDomainRoutes } from "../features/custom-domains/domain-routes.ts";
import { registerConnectRoutes } from "../features/domain-connect/routes.ts";
import { createCheckedThrough } from "../features/custom-domains/records/checked-through.ts";
import { registerRecordRoute } from "../features/custom-domains/records/record-routes.ts";
import { registerImportRoute } from "../features/domain-import/routes.ts";
import { registerGroupRoutes } from "../features/custom-domains/group-routes.ts";
import type { Changes } from "../db/changes.ts";
import { registerLogRoutes } from "../features/deployments/log-routes.ts";
import { registerDeploymentRoutes } from "../features/deployments/routes.ts";
import { registerGitHookReceiptRoute, registerGitHookRoute } from "../features/git-hooks/routes.ts";
import { registerPreviewAccessRoutes } from "../features/previews/access-routes.ts";
import { readPreviewsAgain } from "../features/previews/commands.ts";
import { registerPreviewRoutes } from "../features/previews/routes.ts";
import { registerGitIntegrationRoutes } from "../features/git-integrations/routes.ts";
import { registerEventRoutes } from "../features/events/routes.ts";
import { createAdmission } from "../http/admission.ts";
import type { Authentication } from "../http/auth.ts";
import type { Holds } from "../http/limits/holds.ts";
import type { HostCookie } from "../http/session-cookie.ts";
import { createHttp } from "../http/create-http.ts";
import { registerApiKeyRoutes } from "../features/api-keys/routes.ts";
import { registerUserRoutes } from "../features/users/routes.ts";
import { registerAuditRoutes } from "../features/audit/routes.ts";
import { registerSessionRoutes } from "../features/sessions/routes.ts";
import type { SessionLimits } from "../features/sessions/session.ts";
import type { Retention } from "../features/organizations/views.ts";
import { registerLogoRoute } from "../features/branding/logo-routes.ts";
import { registerBrandingRoutes } from "../features/branding/routes.ts";
import { registerOrganizationRoutes } from "../features/organizations/routes.ts";
import { registerAccountRemovalRoutes } from "../features/account-removal/routes.ts";
import { registerSchemaRoute } from "../features/configuration/routes.ts";
import { registerServiceRoutes } from "../features/environments/routes.ts";
import { registerProjectChangeRoutes } from "../features/project-changes/routes.ts";
import { registerFlightcontrolImportRoute } from "../features/flightcontrol-import/routes.ts";
import { registerRepositoryRoutes } from "../features/repositories/routes.ts";
import { hasProjects } from "../features/projects/queries.ts";
import { registerProjectAccessRoutes } from "../features/project-access/routes.ts";
import { registerProjectReadRoutes } from "../features/projects/routes.ts";
import type { Health } from "./health/health.ts";
import { makeRequireOperator, registerHealthRoutes } from "./health/routes.ts";
import { registerOwnServerRoutes } from "./own-server/routes.ts";
import { registerWorkloadRoutes } from "../features/workloads/routes.ts";
import { registerSignInRoutes, type SignInRouteDeps } from "../features/sign-in/routes.ts";
import { EVENT_CATALOGUE } from "./event-catalogue.ts";
import type { OpenCloud } from "./open/open-cloud.ts";
import type { Parts } from "./parts.ts";
import { createPlaces } from "./places.ts";
import { createTurns } from "../lib/pace/turns.ts";
import { registerVariableRoutes } from "../features/variables/routes.ts";
import type { SafeFetch } from "../egress/safe-fetch.ts";
import { registerNotificationRoutes } from "../features/notifications/routes.ts";
import { registerInvitationRoutes } from "../features/invitations/routes.ts";
import { registerWebhookRoutes } from "../features/webhooks/routes.ts";
import type { Brand } from "../features/branding/brand.ts";
import { registerSharePages } from "../features/share-links/page-routes.ts";
import { registerShareLinkRoutes } from "../features/share-links/routes.ts";
import { registerComparisonRoutes } from "../features/comparisons/routes.ts";
import { registerConsoleListRoutes } from "../features/console-lists/routes.ts";
import { registerGraphRoute } from "../features/graph/routes.ts";
import { registerMonitoringRoutes } from "../features/monitoring/routes.ts";
import { registerScheduledJobRoutes } from "../features/scheduled-jobs/routes.ts";
import { registerSnapshotRoutes } from "../features/data-stores/routes.ts";
import { registerRemovalRoutes } from "../features/releases/routes.ts";
import { registerExecutionRoutes } from "../features/executions/routes.ts";
import { registerInvalidationRoutes } from "../features/invalidations/routes.ts";
import { registerScalingRoutes } from "../features/scaling/routes.ts";
import { registerSearchRoute } from "../features/search/routes.ts";
import { registerStatisticsRoute } from "../features/statistics/routes.ts";

export type RouteDeps = Pick<
  Parts,
  "publicUrl" | "db" | "jobs" | "clock" | "sealing" | "domainConnect" | "webhookExchange" | "mailer"
> &
  Pick<OpenCloud, "git" | "cloud" | "platform"> & {
    readonly cloudName: CloudKind;
    readonly changes: Changes;
    /** Asks the issuers of workloads. */
    readonly issuerExchange: SafeFetch;
    /** Whether webhooks may be sent to this machine. */
    readonly allowsLoopbackWebhooks: boolean;
    readonly authentication: Authentication;
    readonly holds: Holds;
    readonly sessionCookie: HostCookie;
    readonly sessionLimits: SessionLimits;
    readonly signIn: Pick<SignInRouteDeps, "providers" | "attemptCookie" | "log">;
    /** How the pages of share links look. */
    readonly shareBrand: Brand;
    /** For how long records are kept. */
    readonly retention: Retention;
    readonly checkHealth: () => Promise<Health>;
    /** Null with another cloud. */
    readonly readOwnServer: (() => Promise<OwnServerState>) | null;
    /** Fires when the service begins to shut down. */
    readonly draining: AbortSignal;
  };

/** In the order of the reference. */
export function registerRoutes(app: FastifyInstance, deps: RouteDeps): void {
  const { db, changes, jobs, clock, sealing, git, cloud, platform, publicUrl, sessionCookie } = deps;
  const { atRest } = sealing;
  const places = createPlaces(db);
  const http = createHttp(app, createAdmission(places), deps);
  registerAwsAccountRoutes(http, { db, cloud, jobs });
  registerAccountRemovalRoutes(http, { cloud, platform });
  registerStackCallbackRoute(app, { db, jobs });
  registerGitIntegrationRoutes(http, { db, git, atRest, publicUrl });
  registerGitHookRoute(app, {
    db,
    jobs,
    git,
    atRest,
    nextTurn: createTurns(),
    onChange: (tx, change) => readPreviewsAgain(tx, jobs, change),
  });
  registerGitHookReceiptRoute(http, { db });
  registerFlightcontrolImportRoute(http, cloud);
  registerProjectChangeRoutes(http, { db, git, atRest, jobs, cloud, platform });
  registerRepositoryRoutes(http, { db, git, atRest, cloud });
  registerProjectReadRoutes(http, { db });
  registerProjectAccessRoutes(http, { db });
  registerServiceRoutes(http, { db });
  registerSchemaRoute(app, publicUrl);
  registerDeploymentRoutes(http, { db, git, atRest, jobs, clock });
  registerPreviewAccessRoutes(http, {
    db,
    atRest,
    jobs,
    clock,
    publicUrl,
    isLocal: cloud.kind === "sandbox",
  });
  registerPreviewRoutes(http, { db, git, atRest, jobs, clock, platform });
  registerLogRoutes(http, { db, changes, platform });
  const checkedThrough = createCheckedThrough(db);
  registerGroupRoutes(http, { db, jobs, checkedThrough });
  registerDomainRoutes(http, { db, jobs, checkedThrough });
  registerImportRoute(http, { db, jobs });
  registerRecordRoute(http, { db, checkedThrough });
  registerConnectRoutes(http, { domainConnect: deps.domainConnect, publicUrl, checkedThrough });
  registerShareLinkRoutes(http, { db, publicUrl });
  registerLogoRoute(app, { db });
  registerSharePages(app, { db, brand: deps.shareBrand, domainConnect: deps.domainConnect, publicUrl });
  registerVariableRoutes(http, { db, cloud, jobs, clock, sealing: sealing.runs });
  registerEventRoutes(http, { db, clock, changes, catalogue: EVENT_CATALOGUE, publicUrl });
  const receivers = {
    db,
    jobs,
    clock,
    atRest,
    exchange: deps.webhookExchange,
    catalogue: EVENT_CATALOGUE,
    allowsLoopback: deps.allowsLoopbackWebhooks,
  };
  registerWebhookRoutes(http, receivers);
  registerNotificationRoutes(http, { ...receivers, mailer: deps.mailer, publicUrl });
  registerSearchRoute(http, { db });
  registerConsoleListRoutes(http, { db, clock });
  registerStatisticsRoute(http, { db, clock });
  registerGraphRoute(http, { db });
  registerComparisonRoutes(http, { db, git, atRest });
  registerMonitoringRoutes(http, { db, cloud, platform, clock });
  registerExecutionRoutes(http, { db, changes, platform, jobs });
  registerScheduledJobRoutes(http, { jobs, clock });
  registerScalingRoutes(http, { db, cloud, platform, jobs });
  registerInvalidationRoutes(http, { cloud, jobs });
  registerSnapshotRoutes(http, { jobs });
  registerRemovalRoutes(http);
  // Of several with one issuer, the first is named.
  const labels = new Map(
    deps.signIn.providers.toReversed().map(({ settings }) => [settings.issuer, settings.label]),
  );
  const { cloudName, retention } = deps;
  const requireOperator = makeRequireOperator(db);
  registerOrganizationRoutes(http, {
    db,
    cloud: cloudName,
    hasProjects,
    findEnvironment: places.environmentId,
    labels,
    retention,
  });
  registerBrandingRoutes(http, { brand: deps.shareBrand, publicUrl });
  registerUserRoutes(http, { db, labels });
  const providers = deps.signIn.providers.map(({ settings }) => settings);
  registerInvitationRoutes(http, { db, jobs, providers, publicUrl, hasMailer: deps.mailer !== null });
  registerApiKeyRoutes(http, { db, hasProjects });
  registerSessionRoutes(http, { db, limits: deps.sessionLimits });
  registerSignInRoutes(app, http, {
    ...deps.signIn,
    db,
    atRest,
    publicUrl,
    sessionCookie,
    limits: deps.sessionLimits,
    requireOperator,
  });
  registerWorkloadRoutes(app, http, { db, exchange: deps.issuerExchange });
  registerAuditRoutes(http, { db });
  registerHealthRoutes(http, { check: deps.checkHealth, requireOperator });
  registerOwnServerRoutes(http, { read: deps.readOwnServer, requireOperator });
}
