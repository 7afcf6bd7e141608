/** The sandbox cloud in a separate process, with ports that stay the same when it is killed and restarted. */
import { ISOLATION_KINDS } from "../../sandbox/src/platform/commands/confine.ts";
import { startSandbox } from "../../sandbox/src/server.ts";
import { instantTuning } from "../../sandbox/src/tuning.ts";
import { createRandom } from "./random.ts";

const [dataDir = "", callbackUrl = "", secret = "", seed = "0", ...ports] = process.argv.slice(2);
const [httpPort = 0, dnsPort = 0, edgePort = 0] = ports.map(Number);
const random = createRandom(Number(seed));
/** More than the five minutes after which previews sleep: as Slipway sees it, none was used since. */
const BEHIND_MS = 6 * 60_000;
const behindMs = Number(process.env["CRASH_BEHIND_MS"] ?? BEHIND_MS);
const isolation = ISOLATION_KINDS.find((kind) => kind === process.env["SLIPWAY_SANDBOX_ISOLATION"]);
const server = await startSandbox({
  isolation: isolation ?? "auto",
  dataDir,
  httpPort,
  dnsPort,
  edgePort,
  secret,
  publicUrl: null,
  callbackUrl: (connectionId) => `${callbackUrl}/${connectionId}`,
  tuning: instantTuning,
  clock: { now: () => new Date(Date.now() - behindMs) },
  random: () => random.next(),
  log: { info: () => undefined, warn: () => undefined },
});
process.stderr.write(`The sandbox is at ${server.url}\n`);
