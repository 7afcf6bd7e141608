/**
 * A small cloud with many names, as a process of its own for `bench/edge-names.ts`. `seed FOLDER NAMES ORIGIN` writes
 * its folder, and `serve FOLDER SECRET CALLBACK` serves it. All names have the key of one certificate, and certificates of its size.
 */
import { startHost } from "../sandbox/src/host/host-server.ts";
import { nameId, newName } from "../sandbox/src/acme/name-state.ts";
import { createDistributions } from "../sandbox/src/cdn/distributions.ts";
import { openState } from "../sandbox/src/state.ts";
import { instantTuning } from "../sandbox/src/tuning.ts";
import { OPEN_VAULT } from "../sandbox/src/vault.ts";
import { issue } from "../edge/src/testing.ts";
import { parseAllowedHosts } from "../src/egress/address-rules.ts";
import { BENCH_SECRET, EDGE_HOSTNAME, FIRST_NAME } from "./edge-names.ts";

const ACCOUNT = "111111111111";
const PER_DISTRIBUTION = 100;
const MONTH_MS = 30 * 86_400_000;
/** Where no CA is: nothing is ordered. */
const DIRECTORY = "https://127.0.0.1:9/directory";

const [mode = "", folder = "", ...rest] = process.argv.slice(2);
if (mode === "seed") {
  seed(Number(rest[0]), rest[1] ?? "");
  process.disconnect();
} else await serve(rest[0] ?? "", rest[1] ?? "");

function seed(count: number, origin: string): void {
  const state = openState(folder);
  const now = Date.now();
  const distributions = createDistributions({
    state,
    tuning: { ...instantTuning, distributionsQuota: Number.MAX_SAFE_INTEGER },
    now: () => now,
    zone: EDGE_HOSTNAME,
    vault: OPEN_VAULT,
    isCertificateUsable: () => true,
  });
  const requests = state.collection("acme-requests");
  const names = state.collection("acme-names");
  const own = state.collection("own-certificates");
  const { certificatePem, privateKeyPem } = issue("*.names.example", FIRST_NAME);

  function keepCertificate(accountId: string, id: string, of: readonly string[]): void {
    const document = { id, accountId, token: id, names: of, requestedAt: now, completedAt: now };
    requests.put(id, { ...document, failureReason: null, failed: [] });
    for (const name of of) {
      // As long as a real one, and different for each name but the first, which is connected to.
      const text = name.replaceAll(/[^a-z\d]/g, "").padEnd(40, "x");
      const pem =
        name === FIRST_NAME ? certificatePem : certificatePem.replace(/^(-+BEGIN .*\n).{40}/, `$1${text}`);
      const certificate = {
        directory: DIRECTORY,
        certificatePem: pem,
        sealedKey: privateKeyPem,
        renewalId: null,
        share: 0,
        suggestion: null,
        issuedAt: now,
        expiresAt: now + 3 * MONTH_MS,
        askAt: now + MONTH_MS,
        isRenewed: false,
      };
      names.put(nameId(accountId, name), { ...newName(accountId, name, now), certificate });
    }
  }

  state.atomically(() => {
    for (let from = 0; from < count; from += PER_DISTRIBUTION) {
      const aliases = Array.from({ length: Math.min(PER_DISTRIBUTION, count - from) }, (_, i) =>
        from + i === 0 ? FIRST_NAME : `shop${from + i}.names.example`,
      );
      const certificateId = `arn:aws:acm:us-east-1:${ACCOUNT}:certificate/${from}`;
      keepCertificate(ACCOUNT, certificateId, aliases);
      const made = distributions.create(ACCOUNT, `token ${from}`, { kind: "host", hostname: origin });
      distributions.update(ACCOUNT, made.id, { aliases, certificateId, enabled: true, etag: made.etag });
      const ownId = `arn:aws:acm:us-east-1:own:certificate/${from}`;
      keepCertificate("own", ownId, [made.domainName]);
      own.put(made.domainName, { name: made.domainName, certificateId: ownId });
    }
  });
  state.close();
}

async function serve(secret: string, callbackUrl: string): Promise<void> {
  const log = { info: () => undefined, warn: () => undefined };
  const server = await startHost({
    dataDir: folder,
    hostname: EDGE_HOSTNAME,
    addresses: ["127.0.0.1"],
    httpPort: 0,
    httpsPort: 0,
    dnsPort: 0,
    acme: {
      directory: DIRECTORY,
      fallbackDirectory: null,
      caFile: null,
      email: null,
      eab: null,
      profile: null,
    },
    dnsServers: [{ host: "127.0.0.1", port: 9 }],
    validationWindowMs: MONTH_MS,
    vault: OPEN_VAULT,
    edgeSecret: secret,
    allowedOrigins: ["127.0.0.1"],
    remoteSource: { allowedHosts: parseAllowedHosts([]) },
    secret: BENCH_SECRET,
    publicUrl: "https://slipway.example.com",
    callbackUrl: () => callbackUrl,
    log,
  });
  process.on("disconnect", () => process.exit());
  process.send?.({ url: server.url, port: server.ports.https });
}
