/** A sandbox in a separate process, for tests that kill it: `node sandbox-process.ts <folder> <callback URL>`. */
import { startSandbox } from "../../../sandbox/src/server.ts";
import { instantTuning } from "../../../sandbox/src/tuning.ts";

const [dataDir = "", callbackUrl = ""] = process.argv.slice(2);
const server = await startSandbox({
  dataDir,
  dnsPort: 0,
  edgePort: 0,
  secret: null,
  publicUrl: null,
  callbackUrl: (connectionId) => `${callbackUrl}/${connectionId}`,
  tuning: instantTuning,
  log: { info: () => undefined, warn: () => undefined },
});
const { url, dnsAddress, edgePort, caCertificatePem } = server;
process.stdout.write(`${JSON.stringify({ url, dnsAddress, edgePort, caCertificatePem })}\n`);
process.once("SIGTERM", () => void server.stop());
