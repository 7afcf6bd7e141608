/** The checks of an installation's health. Nothing is changed; an error becomes the check's result. */
import { statfs } from "node:fs/promises";
import { Resolver } from "node:dns/promises";
import { type Database, readAsOwner } from "../../db/database.ts";
import type { OwnServerState } from "../../../sandbox/src/host/server-state.ts";
import { refuseUnusable } from "../../db/facts.ts";
import { compareSchema } from "../../db/migrate.ts";
import { sealedValuesOfIntegrations } from "../../features/git-integrations/sealed-values.ts";
import { sealedValuesOfPreviews } from "../../features/previews/sealed-values.ts";
import { sealedValuesOfNotifications } from "../../features/notifications/sealed-values.ts";
import { sealedValuesOfWebhooks } from "../../features/webhooks/sealed-values.ts";
import type { Clock } from "../../lib/clock.ts";
import { AppError } from "../../lib/errors.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { readRelease } from "../../lib/release.ts";
import type { AtRestSealing } from "../../sealing/at-rest.ts";
import type { Config } from "../config/config.ts";
import type { HostPort } from "../config/values.ts";
import { type DatabaseMetrics, readDatabaseMetrics } from "../database-metrics.ts";
import { findVerifiedBackup } from "../verified-backup.ts";
import {
  decideAuthorities,
  decideBudgets,
  decideEdges,
  decideOrders,
  decidePorts,
  decideRenewals,
  decideValueStore,
} from "./decide-own-server.ts";
import {
  decideBackup,
  decideCertificates,
  decideClock,
  decideCloudAccounts,
  decideDisk,
  decideEvents,
  decideSchema,
  decideWebhooks,
  decideWork,
  decideWorkers,
  failed,
  ok,
  skipped,
  sumUp,
} from "./decide-health.ts";
import { type Check, CHECK_CODES, type CheckCode, type Health, type Outcome } from "./health.ts";

/** What the checks are made on. */
export type Installation = {
  readonly config: Pick<Config, "dataDir" | "sealingKeysDir" | "databaseUrl">;
  readonly clock: Clock;
  /** The database, or why it cannot be checked from here. */
  readonly db: Database | Outcome;
  /** Opens sealed values, or why it cannot. */
  readonly atRest: AtRestSealing | Outcome;
  /** The DNS servers to ask; empty: the system's; null: none that this process knows. */
  readonly dnsServers: readonly HostPort[] | null;
  /** Reads the state of the own server, or why it cannot be read from here; null with another cloud. */
  readonly ownServer: (() => Promise<OwnServerState>) | Outcome | null;
};

/** How long DNS may take to answer. */
const DNS_TIMEOUT_MS = 2_000;

/** Makes all checks. Never throws because of what it finds. */
export async function checkHealth(installation: Installation): Promise<Health> {
  const { clock, db } = installation;
  const metrics = isDatabase(db) ? readDatabaseMetrics(db) : Promise.resolve(null);
  metrics.catch(() => undefined);
  const made = checksOf(installation, metrics);
  const checks = await Promise.all(
    CHECK_CODES.flatMap((code) => {
      const check = made[code];
      return check === null ? [] : [attempt(check).then((outcome): Check => ({ code, ...outcome }))];
    }),
  );
  return { status: sumUp(checks), checkedAt: clock.now(), release: readRelease(), checks };
}

function checksOf(
  { config, clock, db, atRest, dnsServers, ownServer }: Installation,
  metrics: Promise<DatabaseMetrics | null>,
): Readonly<Record<CheckCode, (() => Promise<Outcome>) | null>> {
  const inDatabase = (check: (db: Database) => Promise<Outcome>) => async (): Promise<Outcome> =>
    isDatabase(db) ? await check(db) : skipped("The database cannot be checked.");
  const ofMetrics = (decide: (found: DatabaseMetrics) => Outcome) =>
    inDatabase(async () => {
      const found = await metrics;
      return found === null ? skipped("The database does not answer.") : decide(found);
    });
  const server = typeof ownServer === "function" ? readServer(ownServer) : ownServer;
  const ofServer = (decide: (state: OwnServerState) => Outcome) =>
    server === null
      ? null
      : async (): Promise<Outcome> => {
          const found = await server;
          return "edges" in found ? decide(found) : found;
        };
  const lagOf = ({ due }: DatabaseMetrics): number | null =>
    due.length === 0 ? null : Math.max(...due.map(({ lagSeconds }) => lagSeconds));
  const backup = async (from: Database | null): Promise<Outcome> =>
    decideBackup(await findVerifiedBackup(config, from), clock.now());
  return {
    VERSIONS: async () => ok(`Slipway ${readRelease()}, Node ${process.versions.node}.`),
    DATABASE: async () => (isDatabase(db) ? await checkDatabase(db) : db),
    SCHEMA: inDatabase(async (db) => {
      const { pending, unknown } = await compareSchema(db);
      return decideSchema(pending, unknown);
    }),
    CLOCK: inDatabase((db) => checkClock(db, clock)),
    WRITABLE: inDatabase(checkWritable),
    COORDINATOR: inDatabase(checkCitus),
    SEALING_KEYS: async () => {
      if ("status" in atRest) return atRest;
      return isDatabase(db) ? await openSamples(db, atRest) : ok("The key folder has its keys.");
    },
    CLOUD_ACCOUNTS: inDatabase(async (db) => {
      const [found] = await db.query(COUNT_ACCOUNTS);
      return decideCloudAccounts(found ?? { connected: 0, failing: 0, disconnected: 0 });
    }),
    DNS: () => askDns(dnsServers),
    WORK: ofMetrics((found) => decideWork(lagOf(found))),
    WORKERS: inDatabase(async (db) => {
      const [claims] = await db.query(COUNT_CLAIMS);
      const found = await metrics;
      return decideWorkers(claims?.claimed ?? 0, found === null ? null : lagOf(found));
    }),
    EVENTS: ofMetrics(({ eventLagSeconds }) => decideEvents(eventLagSeconds)),
    WEBHOOKS: ofMetrics(({ webhooks }) => decideWebhooks(webhooks)),
    CERTIFICATES:
      // A public CA's certificates live for days to months, so only the share that is left says something.
      ofServer(decideRenewals) ??
      ofMetrics(({ certificateSecondsLeft }) => decideCertificates(certificateSecondsLeft)),
    DISK: async () =>
      decideDisk([
        await freeOf("SLIPWAY_DATA_DIR", config.dataDir),
        await freeOf("SLIPWAY_SEALING_KEYS", config.sealingKeysDir),
      ]),
    BACKUP: config.databaseUrl === null ? () => backup(null) : inDatabase(backup),
    EDGES: ofServer(decideEdges),
    EDGE_PORTS: ofServer(decidePorts),
    CERTIFICATE_AUTHORITIES: ofServer(decideAuthorities),
    CERTIFICATE_BUDGETS: ofServer(decideBudgets),
    CERTIFICATE_ORDERS: ofServer(decideOrders),
    VALUE_STORE: ofServer(decideValueStore),
  };
}

async function readServer(read: () => Promise<OwnServerState>): Promise<OwnServerState | Outcome> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof AppError)
      return failed(error.message, "Check the log of the process that runs the edge.");
    throw error;
  }
}

/** An error may quote the data that caused it, so only errors that are made for operators are shown. */
async function attempt(check: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await check();
  } catch (error) {
    return failed(
      error instanceof OperatorError ? error.message : "This could not be checked.",
      "Check the log of the service.",
    );
  }
}

async function checkDatabase(db: Database): Promise<Outcome> {
  const [server] = await db.query(SERVER_VERSION);
  await refuseUnusable(db);
  const engine = db.kind === "pglite" ? "The embedded database" : "The server";
  return ok(`${engine} answers: PostgreSQL ${server?.version ?? "of an unknown version"}.`);
}

/** The time of the round trip does not count as a difference of the clocks. */
async function checkClock(db: Database, clock: Clock): Promise<Outcome> {
  const before = clock.now().getTime();
  const [found] = await db.query(DATABASE_CLOCK);
  const after = clock.now().getTime();
  const nowMs = found?.now.getTime() ?? before;
  return decideClock(Math.max(0, before - nowMs, nowMs - after));
}

async function checkWritable(db: Database): Promise<Outcome> {
  const [found] = await db.query(IS_READ_ONLY);
  if (found?.isReadOnly !== true) return ok("The server takes writes.");
  return failed(
    "The server takes no writes: it is a standby, or was set to read only.",
    "Set DATABASE_URL to the primary, or to all servers.",
  );
}

async function checkCitus(db: Database): Promise<Outcome> {
  const [found] = await db.query(HAS_CITUS);
  if (found?.hasCitus !== true) return ok("The database is not distributed.");
  const [node] = await db.query(IS_COORDINATOR);
  if (node?.isCoordinator === true) return ok("The server is the coordinator of Citus.");
  return failed("The server is a worker node of Citus.", "Set DATABASE_URL to the coordinator.");
}

/** One of each kind is enough: a wrong key folder opens none. */
async function openSamples(db: Database, atRest: AtRestSealing): Promise<Outcome> {
  let opened = 0;
  for (const values of [
    sealedValuesOfIntegrations(db),
    sealedValuesOfWebhooks(db),
    sealedValuesOfNotifications(db),
    sealedValuesOfPreviews(db),
  ]) {
    // No sealed value begins with it.
    for (const { associated, sealed } of await values.listOthers(Uint8Array.of(0), "", 1)) {
      await atRest.open(associated, sealed);
      opened += 1;
    }
  }
  return ok(opened === 0 ? "Nothing is sealed yet." : "Sealed values open with the key folder's keys.");
}

async function askDns(servers: readonly HostPort[] | null): Promise<Outcome> {
  if (servers === null) return skipped("The sandbox has its own DNS, which the service knows.");
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: 2 });
  if (servers.length > 0)
    resolver.setServers(
      servers.map(({ host, port }) => (host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`)),
    );
  try {
    await resolver.resolve4("amazonaws.com");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    // Also an answer, if one of few words.
    if (!["ENOTFOUND", "ENODATA"].includes(code)) {
      return failed(
        `No DNS server answers (${code}).`,
        "Allow UDP and TCP to port 53, or set SLIPWAY_DNS_SERVERS.",
      );
    }
  }
  return ok("A DNS server answers.");
}

async function freeOf(variable: string, folder: string) {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { variable, freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}

function isDatabase(db: Database | Outcome): db is Database {
  return "query" in db;
}

const SERVER_VERSION = readAsOwner<{ version: string }>(
  "health_look_at_server",
  `SELECT current_setting('server_version') AS version`,
);
const DATABASE_CLOCK = readAsOwner<{ now: Date }>("health_look_at_clock", "SELECT clock_timestamp() AS now");
const IS_READ_ONLY = readAsOwner<{ isReadOnly: boolean }>(
  "health_is_read_only",
  `SELECT current_setting('transaction_read_only') = 'on' AS "isReadOnly"`,
);
const HAS_CITUS = readAsOwner<{ hasCitus: boolean }>(
  "health_has_citus",
  `SELECT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') AS "hasCitus"`,
);
const IS_COORDINATOR = readAsOwner<{ isCoordinator: boolean }>(
  "health_is_coordinator",
  `SELECT citus_is_coordinator() AS "isCoordinator"`,
);
const COUNT_ACCOUNTS = readAsOwner<{ connected: number; failing: number; disconnected: number }>(
  "health_count_accounts",
  `SELECT count(*) FILTER (WHERE status = 'CONNECTED')::int AS connected,
          count(*) FILTER (WHERE status = 'CONNECTED' AND last_check_error IS NOT NULL)::int AS failing,
          count(*) FILTER (WHERE status = 'DISCONNECTED')::int AS disconnected
     FROM aws_accounts`,
);
const COUNT_CLAIMS = readAsOwner<{ claimed: number }>(
  "health_count_claims",
  `SELECT count(*)::int AS claimed FROM reconciliations WHERE state = 'claimed' AND due_at > now()`,
);
