/**
 * The ACME engine and the answering part of an edge in a process of their own, which a test kills. One argument: the
 * settings as JSON. It requests one certificate for each name that has none, and writes `ISSUED` when all are.
 */
import { startAcme } from "../../../sandbox/src/acme/start-acme.ts";
import { openState } from "../../../sandbox/src/state.ts";
import { ACCOUNT, CHALLENGE_ZONE, createSeal, EDGE_HOST } from "./acme-fixture.ts";
import { startChallengeEdge } from "./challenge-edge.ts";

type Settings = {
  readonly folder: string;
  readonly directory: string;
  readonly caPem: string;
  readonly sealKey: string;
  readonly names: readonly string[];
  readonly dns: { readonly host: string; readonly port: number };
  readonly ports: { readonly http: number; readonly https: number };
};

const settings = JSON.parse(process.argv[2] ?? "") as Settings;
const edge = await startChallengeEdge(settings.ports);
const acme = await startAcme({
  state: openState(settings.folder),
  now: Date.now,
  log: { info: () => undefined, warn: () => undefined },
  isInUse: () => true,
  config: {
    directory: settings.directory,
    fallbackDirectory: null,
    caFile: settings.caPem,
    email: null,
    eab: null,
    profile: null,
  },
  edge: {
    addresses: ["127.0.0.1"],
    hostname: EDGE_HOST,
    httpPorts: [edge.httpPort],
    httpsPorts: [edge.httpsPort],
  },
  challengeZone: CHALLENGE_ZONE,
  dnsServers: [settings.dns],
  seal: createSeal(Buffer.from(settings.sealKey, "hex")),
  validationWindowMs: 72 * 3_600_000,
});
edge.use(acme.challenges);
const ids = settings.names.map((name) => acme.certificates.request(ACCOUNT, [name], name).id);
setInterval(() => {
  const { orders, waiting, directories } = acme.status();
  const issued = ids.filter((id) => acme.certificates.describe(ACCOUNT, id)?.status === "ISSUED").length;
  const faults = [...waiting, ...directories].flatMap(({ error }) => error?.message ?? []);
  process.stdout.write(`${issued} issued, ${orders.length} under way ${faults.join(" ")}\n`);
  if (issued === ids.length) process.stdout.write("ISSUED\n");
}, 200);
