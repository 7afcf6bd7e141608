/**
 * A sandbox in a separate process, for tests that kill it: `node sandbox-process.ts <folder> <callback URL>`. With a
 * third argument, it builds what git hosts of this machine have, which the test's certificate names.
 */
import { parseAllowedHosts } from "../../../src/egress/address-rules.ts";
import { TEST_CERTIFICATE } from "../git/certificate.ts";
import { startSandbox } from "../../../sandbox/src/server.ts";
import { instantTuning } from "../../../sandbox/src/tuning.ts";

const [dataDir = "", callbackUrl = "", hasRemoteSource] = process.argv.slice(2);
const remoteSource = { allowedHosts: parseAllowedHosts(["127.0.0.1"]), trustedCa: TEST_CERTIFICATE };
const server = await startSandbox({
  dataDir,
  dnsPort: 0,
  edgePort: 0,
  secret: null,
  publicUrl: null,
  callbackUrl: (connectionId) => `${callbackUrl}/${connectionId}`,
  tuning: instantTuning,
  ...(hasRemoteSource === undefined ? {} : { remoteSource }),
  log: { info: () => undefined, warn: () => undefined },
});
const { url, dnsAddress, edgePort, caCertificatePem } = server;
process.stdout.write(`${JSON.stringify({ url, dnsAddress, edgePort, caCertificatePem })}\n`);
process.once("SIGTERM", () => void server.stop());
