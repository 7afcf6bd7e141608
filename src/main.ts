import { stopOnSignal } from "./start/stop-on-signal.ts";
import { PRIVATE_UMASK } from "./start/open/close-folder.ts";
import { readConfig } from "./start/config/read-config.ts";
import { createLogger } from "./lib/log.ts";
import { explainToOperator } from "./start/operator-errors.ts";
import { protectMemory } from "./start/protect-memory.ts";
import { type Slipway, start } from "./start/start.ts";
import { boundYoungSpace, releaseStartMemory } from "./start/start-memory.ts";

async function main(): Promise<void> {
  process.umask(PRIVATE_UMASK);
  const config = readConfig();
  const log = createLogger(config.logLevel);
  protectMemory(log);
  const slipway = await start(config, { log });
  stopOnSignal(log, () => slipway.stop());
  const commands = slipway.sandbox?.describeCommands() ?? null;
  process.stderr.write(greeting(slipway, config.databaseUrl === null, commands));
  releaseStartMemory();
  boundYoungSpace();
  if (slipway.isInClear) log.warn(IN_CLEAR);
  log.info({ url: slipway.url, role: config.role, cloud: config.cloud, commands }, "Slipway serves");
}

function greeting(slipway: Slipway, isEmbedded: boolean, commands: string | null): string {
  const { url, listensAt, listensEverywhere, isInClear, newKey } = slipway;
  const key =
    newKey === null
      ? ""
      : `\n  Your admin API key (shown only once):\n\n    ${newKey}\n\n  Store it safely. To replace a lost key: npm run slipway -- key create ORGANIZATION_ID  (org list shows the id)\n`;
  const place =
    listensEverywhere !== null
      ? `  listening on every address of this machine (${listensEverywhere})`
      : url === listensAt
        ? ""
        : `  listening at ${listensAt}`;
  const database = isEmbedded ? "  on its embedded database" : "";
  const more = [commands, isInClear ? IN_CLEAR : null].flatMap((line) =>
    line === null ? [] : `  ${line}\n`,
  );
  return `\n  Slipway is at ${url}  (reference: ${url}/docs)${place}${database}\n${more.join("")}${key}\n`;
}

const IN_CLEAR =
  "Warning: it listens beyond this machine in clear text, where keys and secrets can be read. Set SLIPWAY_TLS_CERT and SLIPWAY_TLS_KEY, or listen on 127.0.0.1 behind a proxy with TLS (docs/how-to/harden.md).";

main().catch((error: unknown) => {
  process.stderr.write(`\nSlipway cannot start. ${explainToOperator(error)}\n\n`);
  process.exitCode = 1;
  // Anything that still holds the process open belongs to a start that failed.
  process.exit();
});
