import { ConfigError, readConfig } from "./config.ts";
import { DataDirInUseError } from "./db/data-dir-lock.ts";
import { DatabaseUnavailableError } from "./db/database.ts";
import { MigrationError } from "./db/migrate.ts";
import { PortInUseError } from "./http/listen.ts";
import { createLogger } from "./log.ts";
import { SealingError } from "./sealing/sealing-error.ts";
import { start } from "./start.ts";

/** What an operator can mend; told in a sentence, without a stack. */
const OPERATOR_ERRORS = [
  ConfigError,
  PortInUseError,
  DataDirInUseError,
  DatabaseUnavailableError,
  MigrationError,
  SealingError,
];

async function main(): Promise<void> {
  const config = readConfig();
  const log = createLogger(config.logLevel);
  const slipway = await start(config, { log });
  process.stderr.write(greeting(slipway.url, slipway.newKey, config.databaseUrl === null));
  let stopping = false;
  const stop = (signal: string): void => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, "Draining");
    slipway.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, "The end was not clean");
        process.exit(1);
      },
    );
  };
  process.on("SIGTERM", () => stop("SIGTERM"));
  process.on("SIGINT", () => stop("SIGINT"));
  log.info({ url: slipway.url, role: config.role, cloud: config.cloud }, "Slipway serves");
}

function greeting(url: string, newKey: string | null, isEmbedded: boolean): string {
  const key =
    newKey === null
      ? ""
      : `\n  Your admin API key, shown this once:\n\n    ${newKey}\n\n  Keep it safe; a lost one is replaced with: npm run slipway -- key create ORGANIZATION_ID\n`;
  return `\n  Slipway is at ${url}  (reference: ${url}/docs)${isEmbedded ? "  on its embedded database" : ""}\n${key}\n`;
}

main().catch((error: unknown) => {
  const isForOperator = OPERATOR_ERRORS.some((kind) => error instanceof kind);
  const text = error instanceof Error ? (isForOperator ? error.message : error.stack) : String(error);
  process.stderr.write(`\nSlipway cannot start. ${text}\n\n`);
  process.exitCode = 1;
  // Anything that still holds the process open belongs to a start that failed.
  process.exit();
});
