/**
 * The composition root: configuration → database and cloud → API and worker. The only place that names
 * a concrete cloud, database or git host.
 */
import { randomBytes } from "node:crypto";
import path from "node:path";
import { type Clock, systemClock } from "./clock.ts";
import { registerAwsAccountRoutes, registerStackCallbackRoute } from "./cloud-accounts/routes.ts";
import { reconcileAwsAccount } from "./cloud-accounts/reconcile-aws-account.ts";
import type { Cloud } from "./cloud/cloud.ts";
import { retrying } from "./cloud/retrying.ts";
import { createSandboxCloud } from "./cloud/sandbox/adapter.ts";
import { createSandboxPlatform } from "./cloud/sandbox/platform-adapter.ts";
import { type SandboxServer, startSandbox } from "./cloud/sandbox/server.ts";
import { defaultTuning, instantTuning, type SandboxTuning } from "./cloud/sandbox/tuning.ts";
import { type Config, type HostPort } from "./config.ts";
import { listenForChanges } from "./db/changes.ts";
import { lockDataDir } from "./db/data-dir-lock.ts";
import type { Database } from "./db/database.ts";
import { migrate } from "./db/migrate.ts";
import { openPgliteDatabase } from "./db/pglite.ts";
import { createPostgresDatabase } from "./db/postgres.ts";
import { createDns } from "./dns/resolver.ts";
import { systemServers } from "./dns/servers.ts";
import { pokeGroupsOfDistribution, resumeGroupsOfAccount } from "./custom-domains/commands.ts";
import { reconcileGroup } from "./custom-domains/reconcile-group.ts";
import { registerCustomDomainRoutes } from "./custom-domains/routes.ts";
import { sweepDnsRecords } from "./custom-domains/sweep-dns-records.ts";
import { reconcileDeployment } from "./deployments/reconcile-deployment.ts";
import { reconcileEnvironment } from "./deployments/reconcile-environment.ts";
import { reconcileServiceRemoval } from "./deployments/reconcile-service-removal.ts";
import { registerDeploymentRoutes } from "./deployments/routes.ts";
import { reconcileDistribution } from "./distributions/reconcile-distribution.ts";
import { registerGitIntegrationRoutes } from "./git-integrations/routes.ts";
import { createGit } from "./git/hosts.ts";
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
import { registerSystemRoutes } from "./http/system-routes.ts";
import { createBoss, createJobs, ensureQueue } from "./jobs/boss.ts";
import { startWorker, type Sweep } from "./jobs/worker.ts";
import type { Logger } from "./log.ts";
import { createMetrics } from "./metrics.ts";
import { createFirstOrganization, findPrincipal } from "./organizations/commands.ts";
import { registerOrganizationRoutes } from "./organizations/routes.ts";
import { pruneVariableRuns } from "./variables/commands.ts";
import { reconcileVariableScope } from "./variables/reconcile-variables.ts";
import { registerVariableRoutes } from "./variables/routes.ts";
import { openSealing } from "./sealing/open-sealing.ts";

export type Slipway = {
  /** Where the API answers, as clients reach it. */
  readonly url: string;
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
  /** Overrides what the configuration says of the sandbox's pace. */
  readonly sandboxTuning?: SandboxTuning;
};

const HOURLY_MS = 3_600_000;

/**
 * Starts what the configuration asks for and resolves when it serves.
 * @throws ConfigError, PortInUseError, DataDirInUseError, DatabaseUnavailableError, MigrationError, SealingError
 */
export async function start(config: Config, options: StartOptions): Promise<Slipway> {
  const { log } = options;
  const clock = options.clock ?? systemClock;
  /** In reverse, what undoes the start. */
  const undo: (() => Promise<void> | void)[] = [];
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0).toReversed()) await step();
  };
  const onError = (error: unknown): void =>
    log.warn({ err: error }, "A background connection failed; it is made anew");

  try {
    const listener = await listen(config.host, config.port);
    undo.push(() => listener.drain());
    const publicUrl = config.publicUrl ?? listener.url;

    const db = await openDatabase(config, undo, onError);
    await migrate(db);
    const sealing = await openSealing({ folder: config.sealingKeysDir, clock });
    const first = await createFirstOrganization(db, config.apiKey);

    const runsWorker = config.role !== "api";
    const boss = createBoss({ db, connectionString: config.databaseUrl, supervise: runsWorker, onError });
    await boss.start();
    undo.push(() => boss.stop({ graceful: false, close: true }));
    await ensureQueue(boss);
    const jobs = createJobs(boss);

    const sandbox = await openSandbox(config, options, publicUrl, undo);
    const cloud = retrying(createCloud(config, sandbox, publicUrl));
    const platform =
      sandbox === null ? null : createSandboxPlatform({ url: sandbox.sandboxUrl, secret: sandbox.secret });
    const dns = createDns({ servers: dnsServers(config, sandbox) });
    undo.push(() => dns.close());
    const git = createGit(
      sandbox === null
        ? { mode: "hosts", allowedHosts: [...config.gitAllowedHosts] }
        : { mode: "sandbox", sandboxUrl: sandbox.sandboxUrl },
    );

    const changes = await listenForChanges(db);
    undo.push(() => changes.close());
    const metrics = createMetrics({ db, changes });
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
      registerOrganizationRoutes(http, { db });
      registerAwsAccountRoutes(http, { db, cloud, jobs });
      const { atRest } = sealing;
      registerGitIntegrationRoutes(http, { db, git, atRest });
      registerProjectRoutes(http, { db, git, atRest, jobs });
      registerDeploymentRoutes(http, { db, git, atRest, jobs, changes, platform });
      registerCustomDomainRoutes(http, { db, jobs });
      registerVariableRoutes(http, { db, jobs, clock, sealing: sealing.runs });
      registerSchemaRoute(app, publicUrl);
      registerStackCallbackRoute(app, { db, jobs });
      await registerConsoleRoutes(app);
      if (sandbox !== null) await registerSandboxRoutes(app, { ...sandbox, authenticate });
    }
    await app.ready();
    undo.push(() => app.close());
    listener.serve((request, response) => app.routing(request, response));

    if (runsWorker) {
      const parseConfiguration = createConfigurationParser();
      const worker = await startWorker({
        boss,
        db,
        log,
        concurrency: db.kind === "pglite" ? 8 : 16,
        reconcilers: {
          "aws-account": reconcileAwsAccount({
            db,
            cloud,
            clock,
            onReconnected: (tx, account) => resumeGroupsOfAccount(tx, jobs, account),
          }),
          distribution: reconcileDistribution({
            db,
            cloud,
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
          "environment-deployments": reconcileEnvironment({ db, parseConfiguration, platform, clock, jobs }),
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
          sweepDnsRecords({ db, dns, clock, jobs, caaIssuers: cloud.caaIssuers }),
          hourly("expired sealing keys", async () => void (await sealing.keys.destroyExpired())),
          hourly("old variable runs", () => pruneVariableRuns(db, clock.now())),
          hourly("old idempotency keys", () => pruneIdempotencyKeys(db)),
        ],
      });
      undo.push(() => worker.drain());
    }
    // First of all that ends: requests in flight still need all the rest.
    undo.push(() => listener.drain());
    return {
      url: publicUrl,
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
    return db;
  }
  const lock = lockDataDir(config.dataDir);
  undo.push(() => lock.release());
  const db = await openPgliteDatabase({ folder: path.join(config.dataDir, "database") });
  undo.push(() => db.close());
  return db;
}

type OpenSandbox = {
  readonly sandboxUrl: string;
  readonly secret: string | null;
  readonly server: SandboxServer | null;
};

async function openSandbox(
  config: Config,
  options: StartOptions,
  publicUrl: string,
  undo: Undo,
): Promise<OpenSandbox | null> {
  if (config.cloud !== "sandbox") return null;
  if (config.sandbox.url !== null) {
    return { sandboxUrl: config.sandbox.url, secret: config.sandbox.secret, server: null };
  }
  const secret = config.sandbox.secret ?? randomBytes(24).toString("base64url");
  const server = await startSandbox({
    dataDir: path.join(config.dataDir, "sandbox"),
    dnsPort: config.sandbox.dnsPort,
    edgePort: config.sandbox.edgePort,
    commandPath: config.sandbox.commandPath,
    secret,
    publicUrl,
    callbackUrl: (connectionId) => `${publicUrl}/cloud-callbacks/${connectionId}`,
    tuning: options.sandboxTuning ?? tuningOf(config),
    log: options.log,
    ...(options.clock === undefined ? {} : { clock: options.clock }),
  });
  undo.push(() => server.stop());
  return { sandboxUrl: server.url, secret, server };
}

/** The sandbox's rules at the pace that the configuration asks for. */
function tuningOf(config: Config): SandboxTuning {
  const tuning = config.sandbox.instant ? instantTuning : defaultTuning;
  return { ...tuning, validationWindowMs: config.validationWindowMs };
}

function createCloud(config: Config, sandbox: OpenSandbox | null, publicUrl: string): Cloud {
  if (sandbox !== null)
    return createSandboxCloud({ url: sandbox.sandboxUrl, secret: sandbox.secret, publicUrl });
  throw new Error(`SLIPWAY_CLOUD=${config.cloud} is not part of this release; the sandbox is.`);
}

function dnsServers(config: Config, sandbox: OpenSandbox | null): readonly HostPort[] {
  if (config.dnsServers !== null) return config.dnsServers;
  if (sandbox === null) return systemServers();
  return [sandbox.server?.dnsAddress ?? { host: "127.0.0.1", port: config.sandbox.dnsPort }];
}

function hourly(name: string, work: () => Promise<void>): Sweep {
  return {
    name,
    run: async () => {
      await work();
      return HOURLY_MS;
    },
  };
}
