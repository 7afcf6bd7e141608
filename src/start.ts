/**
 * The composition root: configuration → database and cloud → API and worker. With `open-cloud.ts` the only
 * place that names a concrete cloud, database or git host.
 */
import path from "node:path";
import { accountOfWork } from "./account-of-work.ts";
import { type Clock, systemClock } from "./clock.ts";
import { registerAwsAccountRoutes, registerStackCallbackRoute } from "./cloud-accounts/routes.ts";
import { reconcileAwsAccount } from "./cloud-accounts/reconcile-aws-account.ts";
import { registerTemplateRoute } from "./cloud/aws/stack/template.ts";
import { createRetrying } from "./cloud/retrying.ts";
import type { SandboxServer } from "./cloud/sandbox/server.ts";
import type { SandboxTuning } from "./cloud/sandbox/tuning.ts";
import type { Config } from "./config.ts";
import { pruneCallBuckets } from "./db/call-buckets.ts";
import { listenForChanges } from "./db/changes.ts";
import { lockDataDir } from "./db/data-dir-lock.ts";
import type { Database } from "./db/database.ts";
import { migrate } from "./db/migrate.ts";
import { createPostgresDatabase } from "./db/postgres.ts";
import { checkPostgresServer } from "./db/postgres-server.ts";
import { createDnsThread } from "./dns/thread.ts";
import { pokeGroupsOfDistribution, resumeGroupsOfAccount } from "./custom-domains/commands.ts";
import { reconcileGroup } from "./custom-domains/reconcile-group.ts";
import { registerCustomDomainRoutes } from "./custom-domains/routes.ts";
import { sweepDnsRecords } from "./custom-domains/sweep-dns-records.ts";
import { reconcileDeployment } from "./deployments/reconcile-deployment.ts";
import { reconcileEnvironment } from "./deployments/reconcile-environment.ts";
import { reconcileEnvironmentRemoval } from "./deployments/reconcile-environment-removal.ts";
import { reconcileServiceRemoval } from "./deployments/reconcile-service-removal.ts";
import { registerDeploymentRoutes } from "./deployments/routes.ts";
import { reconcileDistribution } from "./distributions/reconcile-distribution.ts";
import { pruneDeliveries } from "./git-hooks/commands.ts";
import { registerGitHookRoute } from "./git-hooks/routes.ts";
import { registerGitIntegrationRoutes } from "./git-integrations/routes.ts";
import { createConfigurationParser } from "./projects/configuration.ts";
import { registerProjectRoutes, registerSchemaRoute } from "./projects/routes.ts";
import { createAuthenticate } from "./http/auth.ts";
import { registerConsoleRoutes } from "./http/console-routes.ts";
import { registerDocsRoutes } from "./http/docs-routes.ts";
import { createHttp } from "./http/http.ts";
import { pruneIdempotencyKeys } from "./http/idempotency.ts";
import { listen } from "./http/listen.ts";
import { createRateLimit } from "./http/rate-limit.ts";
import { registerSandboxRoutes } from "./http/sandbox-routes.ts";
import { createServer } from "./http/server.ts";
import { shedLoad } from "./http/shed-load.ts";
import { registerSystemRoutes } from "./http/system-routes.ts";
import { createBoss, createJobs, ensureQueue, takeOverJobs } from "./jobs/boss.ts";
import { resumeAccount } from "./jobs/resume-account.ts";
import { startWorker, type Sweep } from "./jobs/worker.ts";
import type { Logger } from "./log.ts";
import { createMetrics } from "./metrics.ts";
import { openCloud } from "./open-cloud.ts";
import { pruneAudit } from "./organizations/audit.ts";
import { createFirstOrganization, findPrincipal } from "./organizations/commands.ts";
import { registerOrganizationRoutes } from "./organizations/routes.ts";
import { pruneVariableRuns, resumeRemovalsOfAccount } from "./variables/commands.ts";
import { reconcileVariableScope } from "./variables/reconcile-variables.ts";
import { registerVariableRoutes } from "./variables/routes.ts";
import { openSealing } from "./sealing/open-sealing.ts";

export type Slipway = {
  /** Where the API answers, as clients reach it. */
  readonly url: string;
  /** Where this process listens; another address than `url` behind a proxy. */
  readonly listensAt: string;
  /** The first organization's key, if this start created it and nobody chose it. Shown once. */
  readonly newKey: string | null;
  /** Only where the sandbox runs in this process. */
  readonly sandbox: SandboxServer | null;
  /** Drains: what is in flight is answered, what runs ends or is left in a state that another continues. */
  stop(): Promise<void>;
};

export type StartOptions = {
  readonly log: Logger;
  readonly clock?: Clock;
  /** For how long a connection without a request is kept at the end; 1 s unless told. */
  readonly idleGraceMs?: number;
  /** Overrides what the configuration says of the sandbox's pace. */
  readonly sandboxTuning?: SandboxTuning;
};

const PRUNE_EVERY_MS = 5 * 60_000;

/**
 * Starts what the configuration asks for and resolves when it serves.
 * @throws ConfigError, ListenError, DataDirInUseError, FolderError, SandboxStartError, DatabaseStartError,
 * DatabaseUnavailableError, MigrationError, SealingError
 */
export async function start(config: Config, options: StartOptions): Promise<Slipway> {
  const { log } = options;
  const clock = options.clock ?? systemClock;
  /** In reverse, what undoes the start. */
  const undo: (() => Promise<void> | void)[] = [];
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0).toReversed()) await step();
  };
  let hasStarted = false;
  // Before, it ends the start, which tells it in a sentence.
  const onError = (error: unknown): void =>
    log[hasStarted ? "warn" : "debug"]({ err: error }, "A background connection failed; it is made anew");

  try {
    const listener = await listen(config.host, config.port, options.idleGraceMs);
    undo.push(() => listener.drain());
    const publicUrl = config.publicUrl ?? listener.url;

    if (config.databaseUrl === null) {
      const lock = lockDataDir(config.dataDir);
      undo.push(() => lock.release());
    }
    const db = await openDatabase(config, undo, onError);
    const opened = await openCloud(config, { ...options, publicUrl, db });
    const { git, dnsServers, sandbox, connectionTemplate } = opened;
    undo.push(() => sandbox?.server?.stop());
    const stopping = new AbortController();
    const retrying = createRetrying({ stopping: stopping.signal });
    const cloud = retrying.each(opened.cloud);
    const platform = opened.platform && retrying.each(opened.platform);
    const dns = createDnsThread({ servers: dnsServers });
    undo.push(() => dns.close());

    await migrate(db);
    const sealing = await openSealing({ folder: config.sealingKeysDir, clock });

    const runsWorker = config.role !== "api";
    const boss = createBoss({ db, connectionString: config.databaseUrl, supervise: runsWorker, onError });
    await boss.start();
    undo.push(() => boss.stop({ graceful: false, close: true }));
    await ensureQueue(boss);
    // The lock of the data folder says that nobody else works on the embedded database.
    if (db.kind === "pglite") await takeOverJobs(boss);
    const jobs = createJobs(boss, accountOfWork);

    const changes = await listenForChanges(db);
    undo.push(() => changes.close());
    const metrics = createMetrics({ db, changes, dns });
    const app = await createServer({ log, publicUrl, onServed: metrics.onServed });
    registerSystemRoutes(app, { db, metrics, draining: listener.draining });
    registerDocsRoutes(app);
    if (config.role !== "worker") {
      const rateLimit =
        config.rateLimitPerMinute === null ? null : createRateLimit(config.rateLimitPerMinute);
      const authenticate = createAuthenticate({
        findPrincipal: (hash) => findPrincipal(db, hash),
        admit: (apiKeyId, reply) => rateLimit?.take(apiKeyId, reply),
      });
      const http = createHttp({
        app,
        db,
        changes,
        sealing,
        authenticate,
        draining: listener.draining,
      });
      registerOrganizationRoutes(http, { db, cloud: config.cloud });
      registerAwsAccountRoutes(http, { db, cloud, jobs });
      const { atRest } = sealing;
      registerGitIntegrationRoutes(http, { db, git, atRest, publicUrl });
      registerProjectRoutes(http, { db, git, atRest, jobs });
      registerDeploymentRoutes(http, { db, git, atRest, jobs, changes, platform });
      registerGitHookRoute(app, { db, jobs, atRest });
      registerCustomDomainRoutes(http, { db, jobs });
      registerVariableRoutes(http, { db, jobs, clock, sealing: sealing.runs });
      registerSchemaRoute(app, publicUrl);
      registerStackCallbackRoute(app, { db, jobs });
      if (connectionTemplate !== null) registerTemplateRoute(app, connectionTemplate);
      await registerConsoleRoutes(app);
      if (sandbox !== null) {
        const { url: sandboxUrl, secret } = sandbox;
        await registerSandboxRoutes(app, { sandboxUrl, secret, authenticate });
      }
    }
    await app.ready();
    undo.push(() => app.close());
    // Late: a start that fails after it could not show a generated key.
    const first = await createFirstOrganization(db, config.apiKey);
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
          "service-removal": reconcileServiceRemoval({ db, platform, clock }),
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
    // First of all that ends: requests in flight still need all the rest.
    undo.push(() => listener.drain());
    hasStarted = true;
    return {
      url: publicUrl,
      listensAt: listener.url,
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
  // Loaded only where it runs: it is a whole PostgreSQL.
  const { openPgliteDatabase } = await import("./db/pglite.ts");
  const db = await openPgliteDatabase({ folder: path.join(config.dataDir, "database"), onError });
  undo.push(() => db.close());
  return db;
}

/** `prune` says whether it left something for at once. */
function pruning(name: string, prune: () => Promise<boolean>): Sweep {
  return { name, run: async () => ((await prune()) ? 0 : PRUNE_EVERY_MS) };
}
