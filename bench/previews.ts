/**
 * `npm run bench:previews [-- --rounds 10 --previews 200 --projects 1000 --minutes 5.5 --apart]`: the time from a delivery of the
 * git host to a preview that answers, and how much of it is its build; what opening and closing many previews at once does
 * to requests of the environment next to them, and leaves in the account; and how often projects ask the git host while
 * nothing changes. PostgreSQL, the sandbox with its edge, an API and a worker, a process each. A measurement of 0 is left
 * out. With `--apart`, the environment next to the previews is also asked for at an edge in a process of its own.
 */
import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "node:tls";
import { parseArgs } from "node:util";
import pLimit from "p-limit";
import { countGitRequests, type GitRequests } from "../test/helpers/count-git-requests.ts";
import { cleanEnv } from "../test/helpers/processes/service-process.ts";
import { deploy, ended } from "../test/helpers/customers/deployments.ts";
import {
  type PreviewTeam,
  type ShownPreview,
  SITE,
  startPreviewTeam,
  templateOf,
} from "../test/helpers/customers/previews.ts";
import { stateOf } from "../test/helpers/customers/sandbox-account.ts";
import { connectAccount, integrateGit } from "../test/helpers/customers/scenario.ts";
import { freePort } from "../test/helpers/free-port.ts";
import { getFromEdge } from "../test/helpers/sandbox/edge-client.ts";
import { until } from "../test/helpers/until.ts";
import { percentile } from "./load/median.ts";
import { type Visited, visitDuring } from "./load/visitor.ts";
import { type Rig, startRig } from "./rig.ts";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "10" },
    previews: { type: "string", default: "200" },
    projects: { type: "string", default: "1000" },
    minutes: { type: "string", default: "5.5" },
    apart: { type: "boolean", default: false },
  },
});
const rounds = Number(options.rounds);
const previews = Number(options.previews);
const projects = Number(options.projects);
/** The most previews that a template may have. */
const MAX = 50;
/** Requests a second to the environment next to the previews. */
const RATE = 20;
const ALONE_MS = 30_000;
const PATIENCE_MS = 600_000;
const CLIENTS = 8;
const TEMPLATES = ["a", "b", "c", "d"];
const EDGE_SECRET = "a-secret-of-edges-that-is-long-enough";
const PROGRAM = path.join(import.meta.dirname, "../bin/slipway.js");

type Place = {
  readonly rig: Rig;
  readonly edge: { readonly edgePort: number; readonly caCertificatePem: string };
  readonly requests: GitRequests;
  readonly awsAccountId: string;
};

async function main(): Promise<void> {
  const edgePort = await freePort();
  const proxies: GitRequests[] = [];
  const env = {
    SLIPWAY_SANDBOX_EDGE_PORT: String(edgePort),
    SLIPWAY_LOG: "error",
    SLIPWAY_EDGE_SECRET: EDGE_SECRET,
  };
  const rig = await startRig(env, {}, async (url) => {
    const proxy = await countGitRequests(url);
    proxies.push(proxy);
    return proxy.url;
  });
  try {
    const [requests] = proxies;
    if (requests === undefined) throw new Error("There is no proxy.");
    const caCertificatePem = await (await fetch(`${rig.sandbox.url}/sandbox/ca.pem`)).text();
    const awsAccountId = await connectAccount(rig.client, "main");
    await integrateGit(rig.client);
    const place = { rig, edge: { edgePort, caCertificatePem }, requests, awsAccountId };
    const team = await startTeam(place);
    if (rounds > 0) await measureDelivery(place, team);
    if (previews > 0) await measureMany(place, team);
    if (projects > 0) await measurePolling(place);
  } finally {
    for (const proxy of proxies) proxy.close();
    await rig.dispose();
  }
}

const startTeam = ({ rig }: Place): Promise<PreviewTeam> =>
  startPreviewTeam({ admin: rig.client, dataDir: rig.dataDir }, "shop", [
    { id: "production", region: "us-west-2", source: { branch: "main" }, services: [SITE] },
    ...TEMPLATES.map((label) =>
      templateOf(label, { filter: { labels: [label] }, previews: { max: MAX, access: "public" } }),
    ),
  ]);

async function measureDelivery({ rig, edge }: Place, team: PreviewTeam): Promise<void> {
  const totals: number[] = [];
  const builds: number[] = [];
  for (let number = 1; number <= rounds; number += 1) {
    const text = `delivered ${number}`;
    await team.commit(`delivered-${number}`, text);
    const startedAt = performance.now();
    await team.putPullRequest(number, `delivered-${number}`, { labels: ["a"] });
    const preview = await until(async () => {
      const found = await team.find(`pr-${number}`);
      return found?.environmentId === null ? null : found;
    }, "its environment");
    const host = await team.hostOf(preview);
    await until(
      async () => (await getFromEdge(edge, host)).body.includes(text),
      `${host} answers`,
      PATIENCE_MS,
    );
    totals.push(performance.now() - startedAt);
    builds.push(await buildMsOf(rig, preview));
  }
  const rest = totals.map((total, index) => total - (builds[index] ?? 0));
  print(`From a delivery to a preview that answers, ${rounds} times (p50, longest):`);
  print(`  all            ${seconds(totals, 0.5)}  ${seconds(totals, 1)}`);
  print(`  its build      ${seconds(builds, 0.5)}  ${seconds(builds, 1)}`);
  print(`  without build  ${seconds(rest, 0.5)}  ${seconds(rest, 1)}   target at most 5 s`);
}

async function buildMsOf({ client }: Rig, { environmentId }: ShownPreview): Promise<number> {
  const { deployments } = (
    await client.get(`/v1/deployments?environmentId=${environmentId}&limit=1&order=desc`)
  ).body;
  const [service] = (await ended(client, deployments[0].id)).services;
  return Date.parse(service.buildEndedAt) - Date.parse(service.buildStartedAt);
}

async function measureMany({ rig, edge, awsAccountId }: Place, team: PreviewTeam): Promise<void> {
  const { client } = rig;
  const numbers = Array.from({ length: previews }, (_, index) => 1_000 + index);
  await ended(client, await deploy(client, "shop"));
  await closeAll(team, await openNumbers(team));
  const { services } = (await client.get(`/v1/environments/${team.environments["production"]}/services`))
    .body;
  const host: string = (await client.get(`/v1/services/${services[0].id}`)).body.cdnDomainName;
  const apart = options.apart ? await startEdgeApart(rig, edge, host) : null;
  const edges = [
    { name: "in the sandbox's process", edge },
    ...(apart === null ? [] : [{ name: "in a process of its own", edge: apart.edge }]),
  ];
  const visitAll = async (work: () => Promise<unknown>): Promise<readonly Visited[]> => {
    const working = work();
    return await Promise.all(
      edges.map((one) => visitDuring({ edge: one.edge, host, perSecond: RATE }, () => working)),
    );
  };
  for (const number of numbers) await team.commit(`many-${number}`, `many ${number}`);
  const before = await contentOf(rig, awsAccountId);

  const alone = await visitAll(() => sleep(ALONE_MS));
  const startedAt = performance.now();
  let openedMs = 0;
  let certificates = 0;
  const during = await visitAll(async () => {
    const limit = pLimit(CLIENTS);
    const labelOf = (number: number) => TEMPLATES[number % TEMPLATES.length];
    const open = (number: number) =>
      team.putPullRequest(number, `many-${number}`, { labels: [labelOf(number)] });
    await Promise.all(numbers.map((number) => limit(() => open(number))));
    const hosts = await untilAllAnswer(rig, edge, previews);
    openedMs = performance.now() - startedAt;
    certificates = new Set(await Promise.all(hosts.map((one) => limit(() => fingerprintOf(edge, one))))).size;
    await closeAll(team, numbers);
  });
  const allMs = performance.now() - startedAt;
  const again = await visitAll(() => sleep(ALONE_MS));
  const after = await contentOf(rig, awsAccountId);
  apart?.process.kill("SIGKILL");
  const left = Object.entries(after).filter(([kind, count]) => count !== before[kind]);
  const orphans = (await client.get("/v1/previews/orphans")).body.orphans.length;
  print(`\n${previews} previews opened and closed at once:`);
  print(
    `  all answer after ${(openedMs / 1_000).toFixed(0)} s, all are removed after ${(allMs / 1_000).toFixed(0)} s`,
  );
  print(
    `  left in the account: ${left.length === 0 ? "nothing" : JSON.stringify(left)}; orphans: ${orphans}`,
  );
  print(
    `  account certificates ${after["certificates"]} of ${before["certificates"]} before; the edge showed ${certificates}`,
  );
  print("  requests of the environment next to them, p95, target at most 1.2 times:");
  for (const [index, { name }] of edges.entries()) {
    const quiet = [alone, again].flatMap((visited) => visited[index]?.times ?? []);
    const { times = [], failed = 0 } = during[index] ?? {};
    const [quietMs, duringMs] = [percentile(quiet, 0.95), percentile(times, 0.95)];
    print(
      `  by the edge ${name}: ${quietMs.toFixed(1)} ms alone, ${duringMs.toFixed(1)} ms meanwhile, ${(duringMs / quietMs).toFixed(2)} times; ${failed} of ${times.length} failed`,
    );
  }
}

/** `slipway edge` beside the sandbox. Resolves when it serves the host. */
async function startEdgeApart(
  { sandbox, dataDir }: Rig,
  edge: Place["edge"],
  host: string,
): Promise<{ readonly process: ChildProcess; readonly edge: Place["edge"] }> {
  const edgePort = await freePort();
  const child = spawn(process.execPath, [PROGRAM, "edge"], {
    stdio: ["ignore", "ignore", "inherit"],
    detached: true,
    env: cleanEnv({
      SLIPWAY_DATA_DIR: path.join(dataDir, "apart"),
      SLIPWAY_EDGE_SECRET: EDGE_SECRET,
      SLIPWAY_EDGE_CONTROL_URL: sandbox.url,
      SLIPWAY_EDGE_HTTPS_PORT: String(edgePort),
      SLIPWAY_EDGE_HTTP_PORT: "0",
      SLIPWAY_LOG: "fatal",
    }),
  });
  process.once("exit", () => child.kill("SIGKILL"));
  const apart = { ...edge, edgePort };
  const isServing = async () => (await getFromEdge(apart, host).catch(() => null))?.status === 200;
  await until(isServing, "the edge in a process of its own serves");
  return { process: child, edge: apart };
}

/** Numbers of the pull requests whose previews exist. */
const openNumbers = async (team: PreviewTeam): Promise<readonly number[]> =>
  (await team.list()).map(({ key }) => Number(key.slice(3)));

async function closeAll(team: PreviewTeam, numbers: readonly number[]): Promise<void> {
  const limit = pLimit(CLIENTS);
  const close = (number: number) => team.putPullRequest(number, headOf(number), { state: "closed" });
  await Promise.all(numbers.map((number) => limit(() => close(number))));
  await until(async () => (await team.list()).length === 0, "all previews are deleted", PATIENCE_MS);
}
const headOf = (number: number) => `${number < 1_000 ? "delivered" : "many"}-${number}`;

/** @returns the hosts */
async function untilAllAnswer(
  { client }: Rig,
  edge: Place["edge"],
  count: number,
): Promise<readonly string[]> {
  const hosts = new Map<string, string>();
  await until(
    async () => {
      let cursor: string | null = null;
      do {
        const page: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
        const { body } = await client.get(`/v1/previews?state=ACTIVE&limit=100${page}`);
        cursor = body.nextCursor;
        for (const { id, environmentId, key } of body.previews as readonly ShownPreview[]) {
          if (hosts.has(id)) continue;
          const { services } = (await client.get(`/v1/environments/${environmentId}/services`)).body;
          const service = services?.[0]?.id;
          if (service === undefined) continue;
          const host = (await client.get(`/v1/services/${service}`)).body.cdnDomainName;
          if (host === null) continue;
          const { body: page } = await getFromEdge(edge, host);
          if (page.includes(`many ${key.slice(3)}`)) hosts.set(id, host);
        }
      } while (cursor !== null);
      return hosts.size === count;
    },
    "all previews answer",
    PATIENCE_MS,
  );
  return [...hosts.values()];
}

/** What an account has, by kind. */
async function contentOf({ client }: Rig, awsAccountId: string): Promise<Readonly<Record<string, number>>> {
  const state = (await stateOf(client, awsAccountId)) as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(state).flatMap(([kind, value]) => (Array.isArray(value) ? [[kind, value.length]] : [])),
  );
}

function fingerprintOf({ edgePort, caCertificatePem }: Place["edge"], servername: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port: edgePort, servername, ca: caCertificatePem }, () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.destroy();
    });
    socket.once("error", reject);
  });
}

async function measurePolling({ rig, requests }: Place): Promise<void> {
  const { client: admin, dataDir } = rig;
  const limit = pLimit(CLIENTS);
  const template = templateOf("preview", { filter: { labels: ["preview"] } });
  const start = (number: number) => startPreviewTeam({ admin, dataDir }, `polled-${number}`, [template]);
  const numbers = Array.from({ length: projects }, (_, index) => index + 1);
  await Promise.all(numbers.map((number) => limit(() => start(number))));
  // After their first reads, and the reads that follow a change.
  await sleep(30_000);
  requests.reset();
  const minutes = Number(options.minutes);
  await sleep(minutes * 60_000);
  const { conditional, others } = requests;
  print(`\n${projects} projects, ${minutes} minutes without a change:`);
  print(
    `  ${conditional} conditional requests, ${others.length} others; one for each project in five minutes would be`,
  );
  print(
    `  ${Math.round((projects * minutes) / 5)}: ratio ${((conditional + others.length) / ((projects * minutes) / 5)).toFixed(2)}`,
  );
}

const seconds = (times: readonly number[], share: number): string =>
  `${(percentile(times, share) / 1_000).toFixed(2)} s`;

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

await main();
