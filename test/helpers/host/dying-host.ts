/**
 * The small cloud of an own server in a process of its own, which may end itself like `kill -9` at one of its writes.
 * One argument: the settings as JSON. It writes its number of writes to standard output, one line each.
 */
import { writeSync } from "node:fs";
import { DatabaseSync, StatementSync } from "node:sqlite";
import { startHost } from "../../../sandbox/src/host/host-server.ts";
import { parseAllowedHosts } from "../../../src/egress/address-rules.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { openKeyFiles } from "../../../src/sealing/open-sealing.ts";
import { openHostVault } from "../../../src/sealing/vault.ts";
import { TEST_CERTIFICATE } from "../git/certificate.ts";

export type DyingHostSettings = {
  readonly dataDir: string;
  readonly keysDir: string;
  readonly hostname: string;
  readonly ports: {
    readonly api: number;
    readonly http: number;
    readonly https: number;
    readonly dns: number;
  };
  readonly directory: string;
  readonly caPem: string;
  readonly dns: { readonly host: string; readonly port: number };
  readonly secret: string;
  readonly callbackUrl: string;
  /** OpenBao or Vault with the managed values; null: the process has them itself. */
  readonly openBao: { readonly address: string; readonly token: string } | null;
  /** The write, counted from 1, at which it ends; null: none. */
  readonly death: Death | null;
};
/** `before` nothing of it is on the disk, `after` everything is, and no client heard of it. */
export type Death = { readonly at: number; readonly moment: "before" | "after" };

const settings = JSON.parse(process.argv[2] ?? "") as DyingHostSettings;

let writes = 0;
let isInTransaction = false;
function write<T>(work: () => T): T {
  writes += 1;
  const die = (moment: Death["moment"]): void => {
    if (settings.death?.at === writes && settings.death.moment === moment)
      process.kill(process.pid, "SIGKILL");
  };
  die("before");
  const result = work();
  die("after");
  writeSync(1, `${writes}\n`);
  return result;
}
/* oxlint-disable typescript/unbound-method -- called with their object below */
const { run } = StatementSync.prototype;
const { exec } = DatabaseSync.prototype;
/* oxlint-enable typescript/unbound-method */
StatementSync.prototype.run = function (this: StatementSync, ...values: Parameters<typeof run>) {
  const work = () => run.apply(this, values);
  return isInTransaction ? work() : write(work);
} as typeof run;
DatabaseSync.prototype.exec = function (this: DatabaseSync, sql: string) {
  if (sql === "begin immediate") isInTransaction = true;
  else if (sql === "rollback" || sql === "commit") isInTransaction = false;
  return sql === "commit" ? write(() => exec.call(this, sql)) : exec.call(this, sql);
};

const { openBao } = settings;
const files = await openKeyFiles({ folder: settings.keysDir, clock: systemClock });
await startHost({
  dataDir: settings.dataDir,
  hostname: settings.hostname,
  addresses: ["127.0.0.1"],
  httpPort: settings.ports.http,
  httpsPort: settings.ports.https,
  dnsPort: settings.ports.dns,
  acme: {
    directory: settings.directory,
    fallbackDirectory: null,
    caFile: settings.caPem,
    email: null,
    eab: null,
    profile: null,
  },
  dnsServers: [settings.dns],
  validationWindowMs: 72 * 3_600_000,
  vault: await openHostVault(files),
  ...(openBao === null
    ? {}
    : {
        openBao: {
          address: openBao.address,
          mount: "secret",
          login: { kind: "token", token: async () => openBao.token },
        },
      }),
  remoteSource: {
    allowedHosts: parseAllowedHosts(["127.0.0.1"]),
    resolve: async () => [{ address: "127.0.0.1", family: 4 }],
    trustedCa: TEST_CERTIFICATE,
  },
  api: { host: "127.0.0.1", port: settings.ports.api },
  secret: settings.secret,
  publicUrl: "https://slipway.example.com",
  callbackUrl: (id) => `${settings.callbackUrl}/${id}`,
  log: { info: () => undefined, warn: () => undefined },
});
