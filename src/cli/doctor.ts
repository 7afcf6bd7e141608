/** `slipway doctor`: the checks of an installation's health, from its server's command line. */
import { chooseConnection } from "../../cli/src/connection.ts";
import { readCredentials } from "../../cli/src/credentials.ts";
import { CommandError } from "../../cli/src/failure.ts";
import { ApiError, type InstallationHealth, Slipway, SlipwayError } from "../../sdk/src/index.ts";
import type { Database } from "../db/database.ts";
import { DataDirInUseError } from "../db/drivers/data-dir-lock.ts";
import { systemClock } from "../lib/clock.ts";
import { createAtRestSealing } from "../sealing/at-rest.ts";
import { type Config, readConfig } from "../start/config/config.ts";
import { checkHealth, type Installation } from "../start/health/checks.ts";
import { failed, skipped } from "../start/health/decide-health.ts";
import { type Health, type Outcome, viewHealth } from "../start/health/health.ts";
import { explainToOperator } from "../lib/operator-error.ts";
import { findOwnServer } from "../start/own-server/find-own-server.ts";
import { findServiceAddress, type ServiceAddress } from "../start/service-address.ts";
import { openInstalled, withOpen } from "./open-database.ts";
import { findAtRestKeys } from "./open-keys.ts";

/** Prints what it finds. Sets the exit status to 1 if a check failed. @throws ConfigError */
export async function examine({ isJson }: { isJson: boolean }): Promise<void> {
  const config = readConfig();
  const health = await withDatabase(config, async (db) =>
    viewHealth(await checkHealth(await describeInstallation(config, db))),
  );
  process.stdout.write(isJson ? `${JSON.stringify(health, null, 2)}\n` : describe(health));
  if (health.status === "failed") process.exitCode = 1;
}

async function describeInstallation(config: Config, db: Database | Outcome): Promise<Installation> {
  const { cloud, dnsServers } = config;
  return {
    config,
    clock: systemClock,
    db,
    atRest: await openAtRest(config),
    dnsServers: dnsServers ?? (cloud === "sandbox" ? null : []),
    ownServer: findOwnServer(config),
  };
}

async function withDatabase(
  config: Config,
  work: (db: Database | Outcome) => Promise<Viewed>,
): Promise<Viewed> {
  let isOpen = false;
  try {
    return await withOpen(openInstalled(config), async (db) => {
      isOpen = true;
      return await work(db);
    });
  } catch (error) {
    if (isOpen) throw error;
    if (error instanceof DataDirInUseError) {
      // oxlint-disable-next-line node/no-process-env -- the command line's keys, which are not configuration
      const asked = await askService(config, process.env);
      if (typeof asked !== "string") return asked;
      return await work(skipped(`The running service has the embedded database. ${asked}`));
    }
    return await work(
      failed(firstLineOf(error), "Check DATABASE_URL or SLIPWAY_DATA_DIR, and that the database runs."),
    );
  }
}

async function openAtRest(config: Config): Promise<Installation["atRest"]> {
  const fix =
    "Set SLIPWAY_SEALING_KEYS to the service's value, or restore the at-rest keys (docs/how-to/back-up.md).";
  try {
    const keys = await findAtRestKeys(config);
    return keys === null ? failed("The key folder has no at-rest key.", fix) : createAtRestSealing(keys);
  } catch (error) {
    return failed(firstLineOf(error), fix);
  }
}

/**
 * Asks the running service for its health with an admin's key: the key of `SLIPWAY_TOKEN`, of `slipway login` for this
 * service, or of `SLIPWAY_API_KEY`.
 * @returns its health, or a sentence that says why it could not be asked
 */
async function askService(config: Config, env: NodeJS.ProcessEnv): Promise<InstallationHealth | string> {
  const address = findServiceAddress(config.dataDir);
  if (address === null) return "Its release does not publish the address where it can be asked.";
  const keys = findKeys(address, config, env);
  let refused = `Log in as an admin, and run this again: slipway login --url ${address.publicUrl}`;
  for (const token of keys) {
    try {
      const slipway = new Slipway({ url: address.listensAt, token, maxRetries: 0 });
      return await slipway.request<InstallationHealth>("GET", "/v1/admin/health");
    } catch (error) {
      if (!(error instanceof SlipwayError)) throw error;
      const isKeys = error instanceof ApiError && [401, 403].includes(error.status);
      if (!isKeys) return `It could not be asked: ${error.message}`;
      refused = `It refuses the key that is known here: ${error.detail} ${refused}`;
    }
  }
  return refused;
}

/** A stored key goes to the address that the service records for clients, or to where it listens itself. */
function findKeys(
  { publicUrl, listensAt }: ServiceAddress,
  { apiKey }: Config,
  env: NodeJS.ProcessEnv,
): ReadonlySet<string> {
  const credentials = readCredentials(env);
  const keys = new Set<string>();
  for (const url of [publicUrl, listensAt]) {
    try {
      const { token } = chooseConnection({ url, profile: undefined }, env, null, credentials);
      if (token !== "") keys.add(token);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
    }
  }
  return apiKey === null ? keys : keys.add(apiKey);
}

function firstLineOf(error: unknown): string {
  return explainToOperator(error).split("\n", 1)[0] ?? "";
}

type Viewed = ReturnType<typeof viewHealth> | InstallationHealth;

function describe({ status, checks }: Viewed): string {
  const width = Math.max(...checks.map(({ code }) => code.length));
  const lines = checks.flatMap(({ code, status, says, fix }) => [
    `${status.padEnd(7)}  ${code.padEnd(width)}  ${says}`,
    ...(fix === null ? [] : [`${" ".repeat(width + 11)}${fix}`]),
  ]);
  return `${lines.join("\n")}\n\n${SUMMARY[status]}\n`;
}

const SUMMARY: Readonly<Record<Health["status"], string>> = {
  ok: "All checks passed.",
  warning: "No check failed, but there are warnings.",
  failed: "At least one check failed.",
};
