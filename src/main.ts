import { stopOnSignal } from "./start/stop-on-signal.ts";
import { PRIVATE_UMASK } from "./start/open/close-folder.ts";
import { type Config, readConfig } from "./start/config/config.ts";
import { createProgramLogger } from "./lib/log.ts";
import { explainToOperator } from "./lib/operator-error.ts";
import { protectMemory } from "./start/protect-memory.ts";
import { reportSlowStart } from "./start/slow-start.ts";
import { type Slipway, start } from "./start/start.ts";
import { boundYoungSpace, releaseStartMemory } from "./start/start-memory.ts";

async function main(): Promise<void> {
  process.umask(PRIVATE_UMASK);
  const config = readConfig();
  const log = createProgramLogger(config);
  protectMemory(log);
  const slow = reportSlowStart(log);
  const slipway = await start(config, { log, onStep: slow.step }).finally(slow.end);
  stopOnSignal(log, () => slipway.stop());
  const commands = (slipway.sandbox ?? slipway.ownServer)?.describeCommands() ?? null;
  if (slipway.isInClear) log.warn(IN_CLEAR);
  log.info({ url: slipway.url, role: config.role, cloud: config.cloud, commands }, "Slipway serves");
  // Last, so that nothing pushes the addresses off the screen. The key is never in the log.
  process.stderr.write(greeting(slipway, config, commands));
  releaseStartMemory();
  boundYoungSpace();
}

function greeting(slipway: Slipway, { databaseUrl, role }: Config, commands: string | null): string {
  const { url, listensAt, listensEverywhere, isInClear, newKey } = slipway;
  const key =
    newKey === null
      ? ""
      : `\n  Your admin API key (shown only once):\n\n    ${newKey}\n\n  Store it safely. To replace a lost key: npm run slipway -- key create ORGANIZATION_ID  (org list shows the id)\n`;
  const what =
    role === "worker" ? "(a worker: /readyz and /metrics)" : `(console; API reference: ${url}/docs)`;
  const place =
    listensEverywhere !== null
      ? `  listening on every address of this machine (${listensEverywhere})`
      : url === listensAt
        ? ""
        : `  listening at ${listensAt}`;
  const database = databaseUrl === null ? "  on its embedded database" : "";
  const more = [commands, isInClear ? IN_CLEAR : null].flatMap((line) =>
    line === null ? [] : `  ${line}\n`,
  );
  return `${key}\n${more.join("")}  Slipway is at ${url}  ${what}${place}${database}\n\n`;
}

const IN_CLEAR =
  "Warning: it listens beyond this machine in clear text, where keys and secrets can be read. Set SLIPWAY_TLS_CERT and SLIPWAY_TLS_KEY, or listen on 127.0.0.1 behind a proxy with TLS (docs/how-to/harden.md).";

main().catch((error: unknown) => {
  process.stderr.write(`\nSlipway cannot start. ${explainToOperator(error)}\n\n`);
  process.exitCode = 1;
  // Anything that still holds the process open belongs to a start that failed.
  process.exit();
});
