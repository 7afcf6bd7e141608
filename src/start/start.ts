/**
 * The composition root: configuration → database and cloud → API and worker. Only this file and `open-cloud.ts` name a
 * concrete cloud, database or git host.
 */
import path from "node:path";
import { accountOfWork } from "./account-of-work.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import { closeFolders } from "./close-folder.ts";
import { findConnectionOwner, listConnectionIds } from "../features/cloud-accounts/commands.ts";
import { reconcileAwsAccount } from "../features/cloud-accounts/reconcile-aws-account.ts";
import { registerTemplateRoute } from "../cloud/aws/stack/template.ts";
import { createCallPolicy } from "../cloud/calls/policy.ts";
import type { SandboxServer } from "../sandbox/server.ts";
import type { SandboxTuning } from "../sandbox/tuning.ts";
import type { Config } from "./config.ts";
import { pruneCallBuckets } from "../db/call-buckets.ts";
import { listenForChanges } from "../db/changes.ts";
import { lockDataDir } from "../db/drivers/data-dir-lock.ts";
import type { Database } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { createPostgresDatabase } from "../db/drivers/postgres.ts";
import { checkPostgresServer } from "../db/drivers/postgres-server.ts";
import { openTenantRole } from "../db/tenant-role.ts";
import { createDnsThread } from "../dns/thread/thread.ts";
import { pokeGroupsOfDistribution, resumeGroupsOfAccount } from "../features/custom-domains/commands.ts";
import { reconcileGroup } from "../features/custom-domains/group/reconcile-group.ts";
import { sweepDnsRecords } from "../features/custom-domains/records/sweep-dns-records.ts";
import { reconcileDeployment } from "../features/deployments/reconcile-deployment.ts";
import { reconcileEnvironment } from "../features/deployments/run/reconcile-environment.ts";
import { reconcileEnvironmentRemoval } from "../features/releases/reconcile-environment-removal.ts";
import { reconcileServiceRemoval } from "../features/releases/reconcile-service-removal.ts";
import { reconcileDistribution } from "../features/distributions/reconcile-distribution.ts";
import { pruneDeliveries } from "../features/git-hooks/commands.ts";
import { sealedValuesOfIntegrations } from "../features/git-integrations/sealed-values.ts";
import { createConfigurationParser } from "../features/configuration/configuration.ts";
import { reconcileProjectRemoval } from "../features/project-changes/delete/reconcile-project-removal.ts";
import { createAuthentication } from "../http/auth.ts";
import { registerConsoleRoutes } from "../http/console-routes.ts";
import { registerDocsRoutes } from "../http/openapi/docs-routes.ts";
import { createHolds } from "../http/limits/holds.ts";
import { hasAnswersSealedWith, pruneIdempotencyKeys } from "../http/requests/idempotency.ts";
import { listen } from "../http/listen.ts";
import { createRateLimit } from "../http/limits/rate-limit.ts";
import { createRefusedSignIns } from "../http/limits/refused-sign-ins.ts";
import { registerSandboxRoutes } from "../http/sandbox-routes.ts";
import { createServer } from "../http/server.ts";
import { shedLoad } from "../http/limits/shed-load.ts";
import { registerSystemRoutes } from "../http/system-routes.ts";
import { createBoss, createJobs, ensureQueue, takeOverJobs } from "../jobs/boss.ts";
import { resumeAccount } from "../jobs/resume-account.ts";
import { startWorker, type Sweep } from "../jobs/worker.ts";
import type { Logger } from "../lib/log.ts";
import { followTlsFiles, readTlsFiles } from "../http/tls-files.ts";
import { isAbsence } from "../cloud/absence.ts";
import { createMetrics } from "./metrics.ts";
import { openCloud } from "./open-cloud.ts";
import { openKeyWrap } from "./open-key-wrap.ts";
import { pruneAudit, recordAudit } from "../features/organizations/audit.ts";
import {
  countOrganizations,
  createFirstOrganization,
  findPrincipal,
} from "../features/organizations/commands.ts";
import { pruneVariableRuns, resumeRemovalsOfAccount } from "../features/variables/commands.ts";
import { reconcileVariableScope } from "../features/variables/managed/reconcile-variables.ts";
import { ERROR_CATALOGUE } from "./error-catalogue.ts";
import { registerRoutes } from "./register-routes.ts";
import { openSealing } from "../sealing/open-sealing.ts";
import { createResealing } from "../sealing/reseal.ts";

export type Slipway = {
  /** The API's address for clients. */
  readonly url: string;
  /** Where this process listens; behind a proxy it differs from `url`. */
  readonly listensAt: string;
  /** The wildcard address and port, when it listens on every address of the machine. */
  readonly listensEverywhere: string | null;
  /** Whether keys and values can be read on a network. */
  readonly isInClear: boolean;
  /** The first organization's key, if this start created it and nobody chose it. Shown once. */
  readonly newKey: string | null;
  /** Only when the sandbox runs in this process. */
  readonly sandbox: SandboxServer | null;
  /**
   * Drains: requests in flight are answered. Running work ends, or is left in a state that another process continues.
   */
  stop(): Promise<void>;
};

export type StartOptions = {
  readonly log: Logger;
  readonly clock?: Clock;
  /** How long a connection without a request is kept at the end; 1 s by default. */
  readonly idleGraceMs?: number;
  /** Overrides the configured pace of the sandbox. */
  readonly sandboxTuning?: SandboxTuning;
};

const PRUNE_EVERY_MS = 5 * 60_000;
const TELL_EVERY_MS = 2_000;
/** The most that a header has room for. */
const LISTED_CONNECTIONS = 100;

/**
 * Starts what is configured. Resolves when it serves.
 * @throws ConfigError, TlsFilesError, ListenError, DataDirInUseError, FolderError, SandboxStartError,
 * DatabaseStartError, DatabaseUnavailableError, MigrationError, SealingError
 */
export async function start(config: Config, options: StartOptions): Promise<Slipway> {
  const { log } = options;
  const clock = options.clock ?? systemClock;
  /** What undoes the start, in reverse order. */
  const undo: (() => Promise<void> | void)[] = [];
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0).toReversed()) await step();
  };
  let hasStarted = false;
  // While starting, the error also ends the start, which prints it as a sentence.
  const onError = (error: unknown): void =>
    log[hasStarted ? "warn" : "debug"]({ err: error }, "A background connection failed; Slipway reconnects");

  try {
    const { host, port, tls } = config;
    const material = tls === null ? null : await readTlsFiles(tls, clock.now());
    const listener = await listen({ host, port, tls: material, idleGraceMs: options.idleGraceMs });
    undo.push(() => listener.drain());
    if (tls !== null) {
      undo.push(
        followTlsFiles(tls, {
          renewed({ validUntil, ...renewed }) {
            listener.renew(renewed);
            log.info({ validUntil }, "A renewed certificate is served");
          },
          refused: (problem) =>
            log.warn({ problem }, "The certificate was not renewed; the old one is served"),
        }),
      );
    }
    const publicUrl = config.publicUrl ?? listener.url;

    closeFolders(config);
    if (config.databaseUrl === null) {
      const lock = lockDataDir(config.dataDir);
      undo.push(() => lock.release());
    }
    const db = await openDatabase(config, undo, onError);
    const stopping = new AbortController();
    const policy = createCallPolicy({ nowMs: () => clock.now().getTime(), stopping: stopping.signal });
    const opened = await openCloud(config, { ...options, publicUrl, db, policy });
    const { cloud, platform, git, dnsServers, sandbox, connectionTemplate } = opened;
    undo.push(() => sandbox?.server?.stop());
    const dns = createDnsThread({ servers: dnsServers });
    undo.push(() => dns.close());

    await migrate(db);
    const wrap = await openKeyWrap(config);
    const sealing = await openSealing({ folder: config.sealingKeysDir, clock, wrap });

    const runsWorker = config.role !== "api";
    const boss = createBoss({ db, connectionString: config.databaseUrl, supervise: runsWorker, onError });
    await boss.start();
    undo.push(() => boss.stop({ graceful: false, close: true }));
    await ensureQueue(boss);
    const tenant = await openTenantRole(db);
    if (tenant.role !== null) db.restrictWrites(tenant.role);
    else
      log.warn({ reason: tenant.reason }, "Row-level security is off; see docs/reference/configuration.md");
    // We hold the lock of the data folder, so no other process uses the embedded database.
    if (db.kind === "pglite") await takeOverJobs(boss);
    const jobs = createJobs(boss, accountOfWork);

    const changes = await listenForChanges(db);
    undo.push(() => changes.close());
    const metrics = createMetrics({ db, changes, dns });
    const { trustedProxies } = config;
    const app = await createServer({
      log,
      publicUrl,
      catalogue: ERROR_CATALOGUE,
      trustedProxies,
      isSecure: tls !== null,
      onServed: metrics.onServed,
    });
    registerSystemRoutes(app, { db, metrics: metrics.page, draining: listener.draining });
    registerDocsRoutes(app, ERROR_CATALOGUE);
    if (config.role !== "worker") {
      const rateLimit =
        config.rateLimitPerMinute === null ? null : createRateLimit(config.rateLimitPerMinute);
      const tellRefusal = createRefusedSignIns({ log });
      const authentication = createAuthentication({
        onRefused(request, reason) {
          metrics.onRefusedSignIn(reason);
          tellRefusal(request, reason);
        },
        findPrincipal: (hash) => findPrincipal(db, hash),
        admit: (apiKeyId, reply) => rateLimit?.take(apiKeyId, reply),
        know: (request) => listener.know(request),
      });
      registerRoutes(app, {
        publicUrl,
        cloudName: config.cloud,
        db,
        changes,
        jobs,
        clock,
        sealing,
        git,
        cloud,
        platform,
        authentication,
        holds: createHolds(config.held),
        draining: listener.draining,
      });
      if (connectionTemplate !== null) registerTemplateRoute(app, connectionTemplate);
      await registerConsoleRoutes(app);
      if (sandbox !== null) {
        const { url: sandboxUrl, secret } = sandbox;
        const { authenticate } = authentication;
        await registerSandboxRoutes(app, {
          sandboxUrl,
          secret,
          authenticate,
          connections: {
            ownerOf: (id) => findConnectionOwner(db, id),
            list: (organizationId) => listConnectionIds(db, organizationId, LISTED_CONNECTIONS),
          },
          audit: (actor, method, path) =>
            db.within(actor.organizationId, () =>
              db.transaction(async (tx) => {
                recordAudit(tx, actor, "sandbox.change-requested", path, { after: { method } });
              }),
            ),
        });
      }
    }
    await app.ready();
    undo.push(() => app.close());
    // Late, because a start that fails after this could not show a generated key. Not in a worker, because an operator
    // looks at the output of the API process.
    const first = config.role === "worker" ? null : await createFirstOrganization(db, config.apiKey);
    // Before anything is built or released, and again whenever the number changes.
    const tellOrganizations = async () => opened.tellOrganizations?.(await countOrganizations(db));
    await tellOrganizations();
    listener.serve(
      shedLoad((request, response) => app.routing(request, response), {
        isOverloaded: () => db.pool().waiting >= config.maxWaiting,
        onShed: metrics.onShed,
        log,
      }),
    );

    if (runsWorker) {
      const parseConfiguration = createConfigurationParser();
      const worker = await startWorker({
        boss,
        db,
        log,
        onStep: metrics.onStep,
        isAbsence,
        concurrency: db.kind === "pglite" ? 8 : 16,
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
            db,
            cloud,
            clock,
            jobs,
            onChanged: (tx, distribution) => pokeGroupsOfDistribution(tx, jobs, distribution),
          }),
          deployment: reconcileDeployment({
            db,
            git,
            atRest: sealing.atRest,
            parseConfiguration,
            platform,
            clock,
            jobs,
          }),
          "environment-deployments": reconcileEnvironment({
            db,
            parseConfiguration,
            platform,
            clock,
            jobs,
            limits: { buildMs: config.buildLimitMs, releaseMs: config.releaseLimitMs },
          }),
          "environment-removal": reconcileEnvironmentRemoval({ db, platform }),
          "project-removal": reconcileProjectRemoval({ db, clock }),
          "service-removal": reconcileServiceRemoval({ db, platform, clock, jobs }),
          "domain-certificate-group": reconcileGroup({
            db,
            cloud,
            clock,
            jobs,
            validationWindowMs: config.validationWindowMs,
          }),
          "variable-scope": reconcileVariableScope({ db, cloud, clock, jobs, log, sealing: sealing.runs }),
        },
        sweeps: [
          sweepDnsRecords({ db, dns, clock, jobs, caaIssuers: cloud.caaIssuers, onLook: metrics.onLook }),
          {
            name: "values sealed by older keys",
            run: createResealing({
              keys: sealing.atRestKeys,
              atRest: sealing.atRest,
              folder: sealing.files.folder,
              clock,
              values: sealedValuesOfIntegrations(db),
              aging: [(prefix) => hasAnswersSealedWith(db, prefix)],
            }),
          },
          {
            name: "organizations that the sandbox knows of",
            async run() {
              await tellOrganizations();
              return TELL_EVERY_MS;
            },
          },
          pruning("expired sealing keys", async () => {
            await sealing.keys.destroyExpired();
            return false;
          }),
          pruning("old audit entries", async () =>
            config.auditKeptDays === null ? false : await pruneAudit(db, config.auditKeptDays, clock.now()),
          ),
          pruning("old variable runs", () => pruneVariableRuns(db, clock.now())),
          pruning("old git hook deliveries", () => pruneDeliveries(db)),
          pruning("full buckets of calls", () => pruneCallBuckets(db)),
          pruning("old idempotency keys", () => pruneIdempotencyKeys(db)),
        ],
      });
      undo.push(async () => {
        stopping.abort();
        await worker.drain();
      });
    }
    // First of all steps at the end, because requests in flight still need all other parts.
    undo.push(() => listener.drain());
    hasStarted = true;
    return {
      url: publicUrl,
      listensAt: listener.url,
      listensEverywhere: listener.everywhere,
      isInClear: listener.isInClear,
      newKey: first !== null && config.apiKey === null ? first.key : null,
      sandbox: sandbox?.server ?? null,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Undo = (() => Promise<void> | void)[];

async function openDatabase(
  config: Config,
  undo: Undo,
  onError: (error: unknown) => void,
): Promise<Database> {
  if (config.databaseUrl !== null) {
    const db = createPostgresDatabase({
      connectionString: config.databaseUrl,
      poolSize: config.databasePoolSize,
      onError,
    });
    undo.push(() => db.close());
    await checkPostgresServer(db, config.databaseUrl);
    return db;
  }
  // Loaded only when it runs: it is a whole PostgreSQL.
  const { openPgliteDatabase } = await import("../db/drivers/pglite.ts");
  const db = await openPgliteDatabase({ folder: path.join(config.dataDir, "database"), onError });
  undo.push(() => db.close());
  return db;
}

/** `prune` returns whether there is more to remove at once. */
function pruning(name: string, prune: () => Promise<boolean>): Sweep {
  return { name, run: async () => ((await prune()) ? 0 : PRUNE_EVERY_MS) };
}
