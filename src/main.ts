import { stopOnSignal } from "./cli/stop-on-signal.ts";
import { readConfig } from "./config.ts";
import { createLogger } from "./log.ts";
import { explainToOperator } from "./operator-errors.ts";
import { protectMemory } from "./protect-memory.ts";
import { type Slipway, start } from "./start.ts";
import { releaseStartMemory } from "./start-memory.ts";

async function main(): Promise<void> {
  const config = readConfig();
  const log = createLogger(config.logLevel);
  protectMemory(log);
  const slipway = await start(config, { log });
  stopOnSignal(log, () => slipway.stop());
  process.stderr.write(greeting(slipway, config.databaseUrl === null));
  releaseStartMemory();
  log.info({ url: slipway.url, role: config.role, cloud: config.cloud }, "Slipway serves");
}

function greeting({ url, listensAt, newKey }: Slipway, isEmbedded: boolean): string {
  const key =
    newKey === null
      ? ""
      : `\n  Your admin API key, shown this once:\n\n    ${newKey}\n\n  Keep it safe; a lost one is replaced with: npm run slipway -- key create ORGANIZATION_ID  (org list shows the id)\n`;
  const place = url === listensAt ? "" : `  listening at ${listensAt}`;
  const database = isEmbedded ? "  on its embedded database" : "";
  return `\n  Slipway is at ${url}  (reference: ${url}/docs)${place}${database}\n${key}\n`;
}

main().catch((error: unknown) => {
  process.stderr.write(`\nSlipway cannot start. ${explainToOperator(error)}\n\n`);
  process.exitCode = 1;
  // Anything that still holds the process open belongs to a start that failed.
  process.exit();
});
