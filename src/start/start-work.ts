/** What a worker does: the reconciler of each kind, and the sweeps. */
import { isAbsence } from "../cloud/cloud.ts";
import { pruneCallBuckets } from "../db/call-buckets.ts";
import { analyzeGrownTables, vacuumWornTables } from "../db/upkeep.ts";
import { reconcileAwsAccount } from "../features/cloud-accounts/reconcile-aws-account.ts";
import { createConfigurationParser } from "../features/configuration/configuration.ts";
import { enqueueGroupsOfDistribution, resumeGroupsOfAccount } from "../features/custom-domains/commands.ts";
import { pruneConnects } from "../features/domain-connect/commands.ts";
import { reconcileGroup } from "../features/custom-domains/reconcile/reconcile-group.ts";
import { scheduleDnsChecks } from "../features/dns-checks/check-scheduler.ts";
import { reconcileDeployment } from "../features/deployments/reconcile-deployment.ts";
import { reconcileEnvironment } from "../features/deployments/reconcile-environment.ts";
import { findAccess } from "../features/previews/preview-access.ts";
import { reconcilePreviewDomain } from "../features/previews/reconcile-preview-domain.ts";
import { reconcilePreviews } from "../features/previews/reconcile-previews.ts";
import { reconcilePreviewSleep } from "../features/previews/reconcile-preview-sleep.ts";
import { reconcilePreviewRemoval } from "../features/previews/reconcile-preview-removal.ts";
import { reconcileDistribution } from "../features/distributions/reconcile-distribution.ts";
import { sequenceEvents, pruneEvents } from "../features/events/sequence-events.ts";
import { countDomainsOfDay, pruneDomainDays } from "../features/statistics/queries.ts";
import { reconcileGitReport } from "../features/git-reports/reconcile-git-report.ts";
import { pruneDeliveries } from "../features/git-hooks/commands.ts";
import { checkDueTokens } from "../features/git-integrations/check-token.ts";
import { sealedValuesOfIntegrations } from "../features/git-integrations/sealed-values.ts";
import { pruneShareLinks } from "../features/share-links/commands.ts";
import { pruneWorkloadTokens } from "../features/workloads/commands.ts";
import { pruneSessions } from "../features/sessions/commands.ts";
import { pruneAudit } from "../features/audit/record-audit.ts";
import { reconcileProjectRemoval } from "../features/project-changes/reconcile-project-removal.ts";
import {
  reconcileEnvironmentRemoval,
  reconcileServiceRemoval,
} from "../features/releases/reconcile-removals.ts";
import { pruneVariableRuns, resumeRemovalsOfAccount, pruneVersions } from "../features/variables/commands.ts";
import { reconcileVariableScope } from "../features/variables/reconcile-variables.ts";
import { pruneExecutions, startPostDeploy } from "../features/executions/commands.ts";
import { mayResume } from "../features/scheduled-jobs/commands.ts";
import { reconcileSchedule } from "../features/scheduled-jobs/reconcile-schedule.ts";
import { reconcileDataStore } from "../features/data-stores/reconcile-data-stores.ts";
import { reconcileStoreChecks } from "../features/data-stores/reconcile-checks.ts";
import { reconcileSnapshot } from "../features/data-stores/reconcile-snapshot.ts";
import { reconcileExecution } from "../features/executions/reconcile-execution.ts";
import { pruneInvalidations } from "../features/invalidations/commands.ts";
import { reconcileInvalidation } from "../features/invalidations/reconcile-invalidation.ts";
import { reconcileScaling } from "../features/scaling/reconcile-scaling.ts";
import { enqueueChannels, pruneNotifications } from "../features/notifications/commands.ts";
import { reconcileChannel } from "../features/notifications/reconcile-channel.ts";
import { pruneInvitations } from "../features/invitations/commands.ts";
import { reconcileInvitation } from "../features/invitations/reconcile-invitation.ts";
import { sealedValuesOfNotifications } from "../features/notifications/sealed-values.ts";
import { enqueueEndpoints } from "../features/webhooks/commands.ts";
import { pruneWebhooks } from "../features/webhooks/delivery-commands.ts";
import { reconcileEndpoint } from "../features/webhooks/reconcile-endpoint.ts";
import { sealedValuesOfPreviews } from "../features/previews/sealed-values.ts";
import { sealedValuesOfWebhooks } from "../features/webhooks/sealed-values.ts";
import type { accountOfWork } from "./account-of-work.ts";
import { EVENT_CATALOGUE } from "./event-catalogue.ts";
import type { Parts } from "./parts.ts";
import { hasAnswersSealedWith, pruneIdempotencyKeys } from "../http/requests/idempotency.ts";
import type { Sweep } from "../jobs/sweep.ts";
import { startWorker, type Worker } from "../jobs/worker.ts";
import { createResealing } from "../sealing/reseal.ts";
import type { Tracing } from "../lib/tracing.ts";
import type { Database } from "../db/database.ts";
import { type Reconcile, resumeAccount } from "../jobs/jobs.ts";
import type { Dns } from "../dns/dns.ts";

const PRUNE_EVERY_MS = 5 * 60_000;
const REPORT_EVERY_MS = 2_000;
const ANALYZE_EVERY_MS = 5_000;
const VACUUM_EVERY_MS = 60_000;

/**
 * Checks of waiting DNS records per second. A worker in a process of its own (`alone`) needs two thirds of a processor
 * for them (`docs/measurements/waiting-groups.md`). In a process that also answers requests (`beside`), the checks must
 * leave most of the processor to the requests.
 */
const CHECKS_PER_SECOND = { alone: 6_000, beside: 2_000 } as const;

/** Starts the worker. Returns it, to be drained at the end. */
export async function startWork(
  deps: Parts & {
    readonly dns: Dns;
    /** Whether a client waits for a change of a resource, or did a moment ago. */
    readonly isAwaited: (resourceId: string) => boolean;
    readonly tracing: Tracing | null;
    readonly reportOrganizationCount: () => Promise<void>;
  },
): Promise<Worker> {
  const { config, db, log, clock, dns, jobs, sealing, metrics } = deps;
  const { cloud, platform, git } = deps.opened;
  const parseConfiguration = createConfigurationParser(cloud);
  const { atRest } = sealing;
  const work = { db, jobs, clock };
  const repository = { ...work, git, atRest, parseConfiguration };
  const receivers = {
    db,
    clock,
    atRest,
    exchange: deps.webhookExchange,
    catalogue: EVENT_CATALOGUE,
    publicUrl: deps.publicUrl,
  };
  return await startWorker({
    db,
    log,
    onStep: metrics.onStep,
    tracing: deps.tracing,
    isAbsence,
    concurrency: db.kind === "pglite" ? { work: 8, deliveries: 32 } : { work: 16, deliveries: 128 },
    reconcilers: {
      "aws-account": reconcileAwsAccount({
        db,
        cloud,
        clock,
        onReconnected: async (tx, account) => {
          await resumeGroupsOfAccount(tx, jobs, account);
          await resumeRemovalsOfAccount(tx, account);
          await resumeAccount(tx, account);
        },
      }),
      distribution: reconcileDistribution({
        ...work,
        cloud,
        findAccess: (...template) => findAccess({ db, atRest, publicUrl: deps.publicUrl }, ...template),
        onChanged: (tx, distribution) => enqueueGroupsOfDistribution(tx, jobs, distribution),
      }),
      deployment: reconcileDeployment({ ...repository, platform }),
      "environment-deployments": reconcileEnvironment({
        ...repository,
        platform,
        limits: { buildMs: config.buildLimitMs, releaseMs: config.releaseLimitMs },
        startPostDeploy: (tx, ...of) => startPostDeploy(tx, jobs, ...of),
      }),
      previews: reconcilePreviews({ ...repository, publicUrl: deps.publicUrl }),
      "preview-removal": reconcilePreviewRemoval({ db, clock, jobs }),
      "preview-sleep": reconcilePreviewSleep({ db, platform, clock }),
      "preview-domain": reconcilePreviewDomain({ db, jobs }),
      "git-report": reconcileGitReport({ ...work, git, atRest, publicUrl: deps.publicUrl }),
      "environment-removal": reconcileEnvironmentRemoval({ db, platform, jobs }),
      "project-removal": reconcileProjectRemoval({ db, clock }),
      "service-removal": reconcileServiceRemoval({ db, platform, clock, jobs }),
      "service-scaling": reconcileScaling({ db, platform, jobs }),
      execution: reconcileExecution({ db, platform, clock, jobs, mayResume }),
      "data-store": reconcileDataStore({ db, platform, clock, jobs }),
      "data-store-checks": reconcileStoreChecks({ db, platform, jobs }),
      snapshot: reconcileSnapshot({ db, platform, clock, jobs }),
      "job-schedule": reconcileSchedule({ db, jobs, clock }),
      invalidation: reconcileInvalidation({ db, cloud, clock, jobs }),
      "domain-certificate-group": reconcileGroup({
        ...work,
        cloud,
        dns,
        validationWindowMs: config.validationWindowMs,
      }),
      "variable-scope": reconcileVariableScope({ db, cloud, clock, jobs, log, sealing: sealing.runs }),
      "webhook-endpoint": reconcileEndpoint({ ...receivers, onAttempt: metrics.onWebhookAttempt }),
      "notification-channel": reconcileChannel({ ...receivers, mailer: deps.mailer }),
      invitation: reconcileInvitation({
        db,
        mailer: deps.mailer,
        providers: config.oidc,
        publicUrl: deps.publicUrl,
      }),
    } satisfies Record<keyof typeof accountOfWork, Reconcile>,
    sweeps: [
      ...scheduleDnsChecks({
        ...work,
        dns,
        domainConnect: deps.domainConnect,
        caaIssuers: cloud.caaIssuers,
        onCheck: metrics.onCheck,
        isAwaited: deps.isAwaited,
        checksPerSecond: config.role === "all" ? CHECKS_PER_SECOND.beside : CHECKS_PER_SECOND.alone,
        onLate: metrics.onLate,
      }),
      sequenceEvents(db, async (tx, head) => {
        await enqueueEndpoints(tx, head);
        await enqueueChannels(tx, head);
      }),
      {
        name: "values sealed by older keys",
        run: createResealing({
          keys: sealing.atRestKeys,
          atRest,
          folder: sealing.files.folder,
          clock,
          values: [
            sealedValuesOfIntegrations(db),
            sealedValuesOfWebhooks(db),
            sealedValuesOfNotifications(db),
            sealedValuesOfPreviews(db),
          ],
          aging: [(prefix) => hasAnswersSealedWith(db, prefix)],
        }),
      },
      {
        name: "git tokens that are due",
        run: (signal) => checkDueTokens({ db, git, atRest }, signal),
      },
      {
        name: "organizations that the sandbox knows of",
        async run() {
          await deps.reportOrganizationCount();
          return REPORT_EVERY_MS;
        },
      },
      {
        name: "statistics of tables that grow",
        async run() {
          await analyzeGrownTables(db);
          return ANALYZE_EVERY_MS;
        },
      },
      { name: "domains of the day", run: () => countDomainsOfDay(db, clock.now()) },
      ...(db.kind === "pglite" ? [vacuuming(db)] : []),
      pruning("expired sealing keys", async () => {
        await sealing.keys.destroyExpired();
        return false;
      }),
      pruning("old audit entries", async () =>
        config.auditKeptDays === null ? false : await pruneAudit(db, config.auditKeptDays, clock.now()),
      ),
      pruning("old events", () => pruneEvents(db, clock.now())),
      pruning("old versions of variables", async () =>
        config.auditKeptDays === null ? false : await pruneVersions(db, config.auditKeptDays, clock.now()),
      ),
      pruning("old variable runs", () => pruneVariableRuns(db, clock.now())),
      pruning("old deliveries of webhooks", () => pruneWebhooks(db, clock.now())),
      pruning("old topics of notifications", () => pruneNotifications(db, clock.now())),
      pruning("old counts of domains", () => pruneDomainDays(db, clock.now())),
      pruning("old git hook deliveries", () => pruneDeliveries(db)),
      pruning("full buckets of calls", () => pruneCallBuckets(db)),
      pruning("ended sessions", () => pruneSessions(db, config.session)),
      pruning("expired tokens of workloads", () => pruneWorkloadTokens(db)),
      pruning("expired visits to DNS providers", () => pruneConnects(db)),
      pruning("old executions", () => pruneExecutions(db)),
      pruning("old invitations", () => pruneInvitations(db)),
      pruning("old invalidations", () => pruneInvalidations(db)),
      pruning("expired share links", () => pruneShareLinks(db)),
      pruning("old idempotency keys", () => pruneIdempotencyKeys(db)),
    ],
  });
}

/** Only for the embedded database: a PostgreSQL server vacuums automatically. */
function vacuuming(db: Database): Sweep {
  return {
    name: "dead rows",
    async run() {
      await vacuumWornTables(db);
      return VACUUM_EVERY_MS;
    },
  };
}

/** `prune` returns whether there is more to remove at once. */
function pruning(name: string, prune: () => Promise<boolean>): Sweep {
  return { name, run: async () => ((await prune()) ? 0 : PRUNE_EVERY_MS) };
}
