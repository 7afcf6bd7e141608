/** Looks at one thing for each check. Nothing is changed; an error becomes the check's result. */
import { statfs } from "node:fs/promises";
import { Resolver } from "node:dns/promises";
import { type Database, DatabaseUnavailableError, readAsOwner } from "../../db/database.ts";
import { refuseUnusable, UnusableDatabaseError } from "../../db/facts.ts";
import { compareSchema } from "../../db/migrate.ts";
import { sealedValuesOfIntegrations } from "../../features/git-integrations/sealed-values.ts";
import { sealedValuesOfWebhooks } from "../../features/webhooks/sealed-values.ts";
import type { Clock } from "../../lib/clock.ts";
import { readRelease } from "../../lib/release.ts";
import type { AtRestSealing } from "../../sealing/at-rest.ts";
import { SealingError } from "../../sealing/sealing-error.ts";
import type { Config, HostPort } from "../config/config.ts";
import { readFigures, type Figures } from "../figures.ts";
import { findVerifiedBackup } from "../verified-backup.ts";
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

export type Looked = {
  readonly config: Pick<Config, "dataDir" | "sealingKeysDir" | "databaseUrl">;
  readonly clock: Clock;
  /** The database, or why it cannot be looked at from here. */
  readonly db: Database | Outcome;
  /** Opens sealed values, or why it cannot. */
  readonly atRest: AtRestSealing | Outcome;
  /** The DNS servers to ask; empty: the system's; null: none that this process knows. */
  readonly dnsServers: readonly HostPort[] | null;
};

/** How long DNS may take to answer. */
const DNS_TIMEOUT_MS = 2_000;

/** Makes all checks. Never throws because of what it finds. */
export async function checkHealth(looked: Looked): Promise<Health> {
  const { clock, db } = looked;
  const figures = isDatabase(db) ? readFigures(db) : Promise.resolve(null);
  figures.catch(() => undefined);
  const looks = looksOf(looked, async () => await figures);
  const checks = await Promise.all(
    CHECK_CODES.map(async (code): Promise<Check> => ({ code, ...(await attempt(looks[code])) })),
  );
  return { status: sumUp(checks), checkedAt: clock.now(), release: readRelease(), checks };
}

function looksOf(
  { config, clock, db, atRest, dnsServers }: Looked,
  readAll: () => Promise<Figures | null>,
): Readonly<Record<CheckCode, () => Promise<Outcome>>> {
  const inDatabase = (look: (db: Database) => Promise<Outcome>) => async (): Promise<Outcome> =>
    isDatabase(db) ? await look(db) : skipped("The database cannot be looked at.");
  const ofFigures = (decide: (figures: Figures) => Outcome) =>
    inDatabase(async () => {
      const figures = await readAll();
      return figures === null ? skipped("The database does not answer.") : decide(figures);
    });
  const lagOf = ({ due }: Figures): number | null =>
    due.length === 0 ? null : Math.max(...due.map(({ lagSeconds }) => lagSeconds));
  return {
    VERSIONS: async () => ok(`Slipway ${readRelease()}, Node ${process.versions.node}.`),
    DATABASE: async () => (isDatabase(db) ? await lookAtDatabase(db) : db),
    SCHEMA: inDatabase(async (db) => {
      const { pending, unknown } = await compareSchema(db);
      return decideSchema(pending, unknown);
    }),
    CLOCK: inDatabase((db) => lookAtClock(db, clock)),
    WRITABLE: inDatabase(lookWhetherWritable),
    COORDINATOR: inDatabase(lookAtCitus),
    SEALING_KEYS: async () => {
      if ("status" in atRest) return atRest;
      return isDatabase(db) ? await openSamples(db, atRest) : ok("The key folder has its keys.");
    },
    CLOUD_ACCOUNTS: inDatabase(async (db) => {
      const [seen] = await db.query(COUNT_ACCOUNTS);
      return decideCloudAccounts(seen ?? { connected: 0, failing: 0, disconnected: 0 });
    }),
    DNS: () => askDns(dnsServers),
    WORK: ofFigures((figures) => decideWork(lagOf(figures))),
    WORKERS: inDatabase(async (db) => {
      const [seen] = await db.query(COUNT_CLAIMS);
      const figures = await readAll();
      return decideWorkers(seen?.claimed ?? 0, figures === null ? null : lagOf(figures));
    }),
    EVENTS: ofFigures(({ eventLagSeconds }) => decideEvents(eventLagSeconds)),
    WEBHOOKS: ofFigures(({ webhooks }) => decideWebhooks(webhooks)),
    CERTIFICATES: ofFigures(({ certificateSecondsLeft }) => decideCertificates(certificateSecondsLeft)),
    DISK: async () =>
      decideDisk([
        await freeOf("SLIPWAY_DATA_DIR", config.dataDir),
        await freeOf("SLIPWAY_SEALING_KEYS", config.sealingKeysDir),
      ]),
    BACKUP: async () => {
      if (config.databaseUrl === null)
        return decideBackup(await findVerifiedBackup(config, null), clock.now());
      return await inDatabase(async (db) =>
        decideBackup(await findVerifiedBackup(config, db), clock.now()),
      )();
    },
  };
}

/** An error may quote the data that caused it, so only errors that are made for operators are shown. */
async function attempt(look: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await look();
  } catch (error) {
    const isForOperators =
      error instanceof DatabaseUnavailableError ||
      error instanceof SealingError ||
      error instanceof UnusableDatabaseError;
    return failed(
      isForOperators ? error.message : "This could not be looked at.",
      "The log of the service may say more.",
    );
  }
}

async function lookAtDatabase(db: Database): Promise<Outcome> {
  const [seen] = await db.query(LOOK_AT_SERVER);
  await refuseUnusable(db);
  const engine = db.kind === "pglite" ? "The embedded database" : "The server";
  return ok(`${engine} answers: PostgreSQL ${seen?.version ?? "of an unknown version"}.`);
}

/** The time of the round trip does not count as a difference of the clocks. */
async function lookAtClock(db: Database, clock: Clock): Promise<Outcome> {
  const before = clock.now().getTime();
  const [seen] = await db.query(LOOK_AT_CLOCK);
  const after = clock.now().getTime();
  const nowMs = seen?.now.getTime() ?? before;
  return decideClock(Math.max(0, before - nowMs, nowMs - after));
}

async function lookWhetherWritable(db: Database): Promise<Outcome> {
  const [seen] = await db.query(IS_READ_ONLY);
  if (seen?.isReadOnly !== true) return ok("The server takes writes.");
  return failed(
    "The server takes no writes: it is a standby, or was set to read only.",
    "Let DATABASE_URL lead to the primary, or name all servers in it.",
  );
}

async function lookAtCitus(db: Database): Promise<Outcome> {
  const [seen] = await db.query(HAS_CITUS);
  if (seen?.hasCitus !== true) return ok("The database is not distributed.");
  const [node] = await db.query(IS_COORDINATOR);
  if (node?.isCoordinator === true) return ok("The server is the coordinator of Citus.");
  return failed("The server is a worker node of Citus.", "Let DATABASE_URL lead to the coordinator.");
}

/** One of each kind is enough: a wrong key folder opens none. */
async function openSamples(db: Database, atRest: AtRestSealing): Promise<Outcome> {
  let opened = 0;
  for (const values of [sealedValuesOfIntegrations(db), sealedValuesOfWebhooks(db)]) {
    // No sealed value begins with it.
    for (const { associated, sealed } of await values.listOthers(Uint8Array.of(0), "", 1)) {
      await atRest.open(associated, sealed);
      opened += 1;
    }
  }
  return ok(opened === 0 ? "Nothing is sealed yet." : "What is sealed opens with the key folder's keys.");
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

const LOOK_AT_SERVER = readAsOwner<{ version: string }>(
  "health_look_at_server",
  `SELECT current_setting('server_version') AS version`,
);
const LOOK_AT_CLOCK = readAsOwner<{ now: Date }>("health_look_at_clock", "SELECT clock_timestamp() AS now");
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
