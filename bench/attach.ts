/**
 * `npm run bench:attach [-- --groups 10000 --sample 200]`: with many groups waiting for their records, the time
 * from a record's being set in the DNS to `ATTACHED`, as a client sees it. One process with one worker on
 * PostgreSQL; the sandbox without its lags, for they are the provider's and not ours.
 */
import { rm } from "node:fs/promises";
import { parseArgs } from "node:util";
import { type ApiClient, createApiClient } from "../test/helpers/api-client.ts";
import { startPostgresCluster } from "../test/helpers/postgres-cluster.ts";
import { createProject } from "../test/helpers/scenario.ts";
import { startProcess } from "../test/helpers/service-process.ts";
import { makeTempDir } from "../test/helpers/template.ts";
import { until } from "../test/helpers/until.ts";

const KEY = "bench-admin-key-0123456789abcdef";
const CREATORS = 8;
/** Between two records of the sample, so that they do not queue behind each other. */
const PAUSE_MS = 100;
const MINUTE_MS = 60_000;

const { values: options } = parseArgs({
  options: {
    groups: { type: "string", default: "10000" },
    sample: { type: "string", default: "200" },
  },
});
const groups = Number(options.groups);
const sample = Number(options.sample);

async function main(): Promise<void> {
  const cluster = await startPostgresCluster({ max_wal_size: "4GB" });
  const dataDir = await makeTempDir("bench-attach");
  const service = await startProcess({
    DATABASE_URL: cluster.url,
    SLIPWAY_DATA_DIR: dataDir,
    SLIPWAY_API_KEY: KEY,
    SLIPWAY_LOG: "error",
  });
  try {
    const api = createApiClient(service.url, KEY);
    const { services } = await createProject(api, "bench");
    const startedAt = performance.now();
    const domainIds = await createGroups(api, services["web"] ?? "");
    print(`${groups} groups accepted in ${seconds(startedAt)} s`);
    await untilAllWait(api, domainIds);
    print(`all of them wait for their record after ${seconds(startedAt)} s`);

    const step = Math.max(1, Math.floor(domainIds.length / sample));
    const times: number[] = [];
    const running: Promise<void>[] = [];
    for (let index = 0; index < domainIds.length && running.length < sample; index += step) {
      running.push(attach(api, domainIds[index] ?? "", times));
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    await Promise.all(running);
    times.sort((a, b) => a - b);
    const at = (share: number): string =>
      `${((times[Math.ceil(times.length * share) - 1] ?? Number.NaN) / 1000).toFixed(2)} s`;
    print("");
    print(`| record set → ATTACHED, ${groups} groups waiting, ${times.length} measured | | reach |`);
    print("|---|---|---|");
    print(`| p50 | ${at(0.5)} | ≤ 2 s |`);
    print(`| p99 | ${at(0.99)} | ≤ 10 s |`);
    print(`| longest | ${at(1)} | |`);
  } finally {
    service.process.kill("SIGKILL");
    await service.ended;
    cluster.dispose();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function createGroups(api: ApiClient, serviceId: string): Promise<readonly string[]> {
  const ids: string[] = [];
  let next = 0;
  const create = async (): Promise<void> => {
    while (next < groups) {
      const name = `www.customer-${next++}.example.com`;
      const created = await api.post(`/v1/services/${serviceId}/domain-certificate-groups`, {
        domains: [name],
        useDefaultCdn: false,
      });
      if (created.status !== 201) throw new Error(JSON.stringify(created.body));
      ids.push(created.body.createdDomains[0].id);
    }
  };
  await Promise.all(Array.from({ length: CREATORS }, create));
  return ids;
}

async function untilAllWait(api: ApiClient, domainIds: readonly string[]): Promise<void> {
  for (const id of domainIds) {
    await until(
      async () => {
        const { body } = await api.get(`/v1/domains/${id}`);
        return body.status === "AWAITING_VERIFICATION_RECORDS_TO_BE_SET";
      },
      `${id} waits for its record`,
      30 * MINUTE_MS,
    );
  }
}

async function attach(api: ApiClient, id: string, times: number[]): Promise<void> {
  const { body } = await api.get(`/v1/domains/${id}`);
  const { name, type, value } = body.dnsRecords[0];
  const setAt = performance.now();
  await api.put("/sandbox/dns/records", { name, type, values: [value] });
  await until(
    async () => {
      const read = await api.get(`/v1/domains/${id}`, { prefer: "wait=10" });
      return read.body.status === "ATTACHED";
    },
    `${id} is attached`,
    5 * MINUTE_MS,
  );
  times.push(performance.now() - setAt);
}

function seconds(sinceMs: number): string {
  return ((performance.now() - sinceMs) / 1000).toFixed(0);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

await main();
