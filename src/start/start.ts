/**
 * The composition root: configuration → database and cloud → API and worker. Only this file and the room `open` name
 * a concrete cloud, database or git host.
 */
import { existsSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setPriority } from "node:os";
import { createCallPolicy } from "../cloud/calls/policy.ts";
import { listenForChanges } from "../db/changes.ts";
import { lockDataDir } from "../db/drivers/data-dir-lock.ts";
import { migrate } from "../db/migrate.ts";
import { openTenantRole } from "../db/tenant-role.ts";
import { createDns } from "../dns/resolver.ts";
import { createFirstOrganization } from "../features/organizations/commands.ts";
import { countOrganizations } from "../features/organizations/queries.ts";
import { shedLoad } from "../http/limits/shed-load.ts";
import { makeAddressTest } from "../http/limits/source-address.ts";
import { listen } from "../http/listen/listen.ts";
import { registerDocsRoutes } from "../http/openapi/docs-routes.ts";
import { createServer } from "../http/server.ts";
import { registerSystemRoutes } from "../http/system-routes.ts";
import { followTlsFiles, readTlsFiles } from "../http/listen/tls-files.ts";
import { takeOverClaims } from "../jobs/claims.ts";
import { createJobs } from "../jobs/jobs.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import type { HostServer } from "../../sandbox/src/host/host-server.ts";
import type { SandboxServer } from "../../sandbox/src/server.ts";
import type { SandboxTuning } from "../../sandbox/src/tuning.ts";
import { openSealing } from "../sealing/open-sealing.ts";
import { accountOfWork } from "./account-of-work.ts";
import type { Config } from "./config/config.ts";
import { createMetrics } from "./metrics.ts";
import { closeFolders } from "./open/close-folder.ts";
import type { CloudMachinery, OpenCloud, OpenCloudOptions } from "./open/open-cloud.ts";
import { embeddedFolder, openDatabase } from "./open/open-database.ts";
import { openKeyWrap } from "./open/open-key-wrap.ts";
import { openTraced } from "./open/open-traced.ts";
import { openDomainConnect } from "./open/open-domain-connect.ts";
import { createMailer } from "../features/notifications/mailer.ts";
import { openWebhooks } from "./open/open-egress.ts";
import { ERROR_CATALOGUE } from "./error-catalogue.ts";
import { DESCRIBED_WEBHOOKS } from "./event-catalogue.ts";
import type { Parts } from "./parts.ts";
import { registerApi } from "./register-api.ts";
import { recordServiceAddress } from "./service-address.ts";
import { startWork } from "./start-work.ts";

/** A third of the weight of other processes that want the same core (`setpriority(2)`). */
const WORKER_NICENESS = 5;

export type Slipway = {
  /** The API's address for clients. */
  readonly url: string;
  /** Where this process listens; behind a proxy it differs from `url`. */
  readonly listensAt: string;
  /** The wildcard address and port, when it listens on every address of the machine. */
  readonly listensEverywhere: string | null;
  /** Whether keys and values can be read on a network. */
  readonly isInClear: boolean;
  /** The first organization's key, if this start created it and the operator did not choose it. Shown once. */
  readonly newKey: string | null;
  /** Only when the sandbox runs in this process. */
  readonly sandbox: SandboxServer | null;
  /** Only when the edge of an own server runs in this process. */
  readonly ownServer: HostServer | null;
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
  /** Gets what the start does from then on, as the end of a sentence. */
  readonly onStep?: (text: string) => void;
  /** Overrides the configured pace of the sandbox. */
  readonly sandboxTuning?: SandboxTuning;
};

/**
 * Starts what is configured. Resolves when it serves.
 * @throws ConfigError, TlsFilesError, ListenError, DataDirInUseError, FolderError, SandboxStartError,
 * DatabaseStartError, DatabaseUnavailableError, MigrationError, SealingError
 */
export async function start(config: Config, options: StartOptions): Promise<Slipway> {
  const { log } = options;
  const clock = options.clock ?? systemClock;
  const onStep = options.onStep ?? (() => undefined);
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
      undo.push(recordServiceAddress(config.dataDir, { publicUrl, listensAt: listener.url }));
    }
    const traced = config.tracing === null ? null : await openTraced(config.tracing);
    undo.push(() => traced?.close());
    const isNew = config.databaseUrl === null && !existsSync(embeddedFolder(config));
    onStep(isNew ? "creating the embedded database" : "opening the database and the cloud");
    const database = openDatabase(config, onError);
    const db = traced?.database(database.db) ?? database.db;
    undo.push(() => db.close());
    const stopping = new AbortController();
    const untraced = createCallPolicy({ nowMs: () => clock.now().getTime(), stopping: stopping.signal });
    const policy = traced?.calls(untraced) ?? untraced;
    const opened = await openCloud(config, {
      ...options,
      publicUrl,
      listensAt: listener.url,
      db,
      policy,
    });
    const { dnsServers, sandbox, ownServer } = opened;
    undo.push(() => (sandbox ?? ownServer)?.server?.stop());
    const dns = createDns({
      servers: dnsServers,
      ...(sandbox === null ? {} : { edge: { port: sandbox.edgePort, allowsLoopback: true } }),
      ...(ownServer === null ? {} : { edge: { port: ownServer.httpsPort, allowsLoopback: false } }),
    });
    undo.push(() => dns.close());

    await database.opened;
    const newer = await migrate(db, (number, count) =>
      onStep(`applying migration ${number} of ${count} to the database`),
    );
    onStep("opening the keys, the API and the worker");
    if (newer.length > 0)
      log.warn({ migrations: newer }, "A newer release has migrated the database; finish its upgrade");
    const wrap = await openKeyWrap(config);
    const sealing = await openSealing({ folder: config.sealingKeysDir, clock, wrap });

    const runsWorker = config.role !== "api";
    // Where it shares a machine with the API and the database, requests go first.
    if (config.role === "worker") setPriority(WORKER_NICENESS);
    const tenant = await openTenantRole(db);
    if (tenant.role !== null) db.restrict(tenant);
    else
      log.warn({ reason: tenant.reason }, "Row-level security is off; see docs/reference/configuration.md");
    // We hold the lock of the data folder, so no other process uses the embedded database.
    if (db.kind === "pglite") await db.acrossOrganizations(() => takeOverClaims(db));
    const jobs = createJobs(accountOfWork, traced?.tracing.currentTrace);

    const changes = await listenForChanges(db);
    undo.push(() => changes.close());
    const metrics = createMetrics({
      db,
      changes,
      readOwnServer: ownServer === null ? null : () => ownServer.readState({ isProbed: false }),
    });
    const parts: Parts = {
      config,
      publicUrl,
      log,
      clock,
      db,
      jobs,
      sealing,
      metrics,
      opened,
      domainConnect: openDomainConnect(config, dns),
      webhookExchange: openWebhooks(config),
      mailer: config.smtp === null ? null : createMailer(config.smtp, new URL(publicUrl).hostname),
    };
    const { trustedProxies } = config;
    const requests = traced?.requests(makeAddressTest(trustedProxies)) ?? null;
    const app = await createServer({
      log,
      publicUrl,
      catalogue: ERROR_CATALOGUE,
      webhooks: DESCRIBED_WEBHOOKS,
      trustedProxies,
      isSecure: tls !== null,
      onServed(request, status, seconds) {
        metrics.onServed(request, status, seconds);
        requests?.onServed(request, status);
      },
    });
    registerSystemRoutes(app, { db, metrics: metrics.page, draining: listener.draining });
    registerDocsRoutes(app, ERROR_CATALOGUE);
    if (config.role !== "worker") {
      await registerApi(app, { ...parts, changes, listener });
    }
    await app.ready();
    undo.push(() => app.close());
    // Late, because a start that fails after this could not show a generated key. Not in a worker, because an operator
    // looks at the output of the API process.
    const first = config.role === "worker" ? null : await createFirstOrganization(db, config.apiKey);
    // Before anything is built or released, and again whenever the number changes.
    const reportOrganizationCount = async () =>
      opened.reportOrganizationCount?.(await countOrganizations(db));
    await reportOrganizationCount();
    const route = (request: IncomingMessage, response: ServerResponse): void =>
      app.routing(request, response);
    listener.serve(
      shedLoad(requests?.around(route) ?? route, {
        isOverloaded: () => db.pool().waiting >= config.maxWaiting,
        onShed: metrics.onShed,
        log,
        isPatient: (path) => path.startsWith("/v1/git-hooks/"),
      }),
    );

    if (runsWorker) {
      const worker = await startWork({
        ...parts,
        dns,
        isAwaited: (id) => changes.isAwaited(id),
        tracing: traced?.tracing ?? null,
        reportOrganizationCount,
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
      ownServer: ownServer?.server ?? null,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Loads only the chosen cloud's code, because a cloud takes most of the time and memory of a start.
 * @throws ListenError, FolderError, SandboxStartError
 */
async function openCloud(config: Config, options: OpenCloudOptions & CloudMachinery): Promise<OpenCloud> {
  if (config.cloud === "aws") return (await import("./open/open-aws.ts")).openAws(config, options);
  if (config.ownServer !== null)
    return await (await import("./open/open-host.ts")).openHost(config, config.ownServer, options);
  return await (await import("./open/open-sandbox.ts")).openSandbox(config, options);
}
