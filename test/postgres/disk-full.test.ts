/**
 * No space left on the database's disk in the middle of a burst: nothing that was accepted is lost, and freeing space
 * is enough for the work to continue.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, it, type TestContext } from "node:test";
import { type ApiClient, createApiClient } from "../helpers/api-client.ts";
import { stateOf } from "../helpers/customers/sandbox-account.ts";
import { createProject, type Project, untilDomain } from "../helpers/customers/scenario.ts";
import { startPostgresCluster } from "../helpers/processes/postgres-cluster.ts";
import { type ServiceProcess, startProcess } from "../helpers/processes/service-process.ts";
import { mountSmallDisk, type SmallDisk } from "../helpers/processes/small-disk.ts";
import { makeTempDir } from "../helpers/template.ts";
import { until } from "../helpers/until.ts";

const ADMIN_KEY = "disk-admin-key-0123456789abcdef";
const hasPostgres = (process.env["SLIPWAY_TEST_POSTGRES"] ?? "") !== "";
const CLIENTS = 4;
/** Groups that are accepted before the disk is full. Their work is under way then. */
const BEFORE = 12;
/** Enough for the tables that are there to run out of room. */
const REFUSALS = 40;
const BACK_MS = 60_000;

describe("a burst of groups, and a disk without space", () => {
  it("under the embedded database: refuses writes until there is space again, and loses none", async (t) => {
    const disk = mountSmallDisk(160);
    if (disk === null) return t.skip("needs the right to mount a file system");
    const undo = undoAfter(t);
    undo.push(() => disk.dispose());
    const env = { SLIPWAY_DATA_DIR: path.join(disk.folder, "data"), SLIPWAY_API_KEY: ADMIN_KEY };
    const service = await start(undo, env);
    const burst = await fillAndRecover(disk, clientOf(service), () => undefined);

    // Accepted requests are on the disk, not only in the memory of the process that answered.
    service.process.kill("SIGKILL");
    await service.ended;
    await assertProvisioned(clientOf(await start(undo, env)), burst);
  });

  it("under PostgreSQL: refuses writes until there is space again, and loses none", async (t) => {
    if (!hasPostgres) return t.skip("part of npm run test:postgres");
    const disk = mountSmallDisk(160);
    if (disk === null) return t.skip("needs the right to mount a file system");
    const undo = undoAfter(t);
    undo.push(() => disk.dispose());
    const cluster = await startPostgresCluster({ shared_buffers: "32MB" }, null, disk.folder);
    undo.push(() => cluster.dispose());
    const service = await start(undo, {
      SLIPWAY_DATA_DIR: await makeTempDir("disk-full"),
      DATABASE_URL: cluster.url,
      SLIPWAY_API_KEY: ADMIN_KEY,
    });
    const burst = await fillAndRecover(disk, clientOf(service), () => {
      // Without space for its log PostgreSQL itself ends, and is its operator's to start.
      if (!existsSync(path.join(cluster.dataFolder, "postmaster.pid"))) cluster.start();
    });
    cluster.stopImmediately();
    cluster.start();
    await assertProvisioned(clientOf(service), burst);
  });
});

type Undo = (() => void | Promise<void>)[];

/** @returns steps that run in reverse order when the test has ended: a disk is in use until its users have ended */
function undoAfter(t: TestContext): Undo {
  const undo: Undo = [];
  t.after(async () => {
    for (const step of undo.toReversed()) await step();
  });
  return undo;
}

async function start(undo: Undo, env: Record<string, string>): Promise<ServiceProcess> {
  const service = await startProcess(env);
  undo.push(async () => {
    // An orderly stop, which ends the database's process too.
    service.process.kill("SIGTERM");
    await service.ended;
  });
  return service;
}

const clientOf = ({ url }: ServiceProcess): ApiClient => createApiClient(url, ADMIN_KEY);

type Burst = {
  readonly project: Project;
  /** By the name of the group's only domain. */
  readonly domainIds: ReadonlyMap<string, string>;
};

/** @returns what was accepted before, while and after there was no space, all of it provisioned */
async function fillAndRecover(disk: SmallDisk, client: ApiClient, revive: () => void): Promise<Burst> {
  const project = await createProject(client, "full");
  const path = `/v1/services/${project.services["web"]}/domain-certificate-groups`;
  const domainIds = new Map<string, string>();
  const refused: string[] = [];
  const reasons = new Set<string>();
  let number = 0;
  /** One write, which is either done or refused as what may be tried again. */
  const write = async (name: string): Promise<boolean> => {
    const body = { domains: [name], useDefaultCdn: false };
    const answer = await client.post(path, body, { "idempotency-key": name });
    if (answer.status === 201) {
      domainIds.set(name, answer.body.createdDomains[0].id);
      return true;
    }
    assert.equal(answer.status, 503, answer.text);
    assert.match(answer.body.code, /^(DATABASE_UNAVAILABLE|OUTCOME_UNKNOWN)$/);
    assert.ok(Number(answer.headers.get("retry-after")) > 0);
    reasons.add(answer.body.detail);
    return false;
  };
  const writeOn = async (): Promise<void> => {
    while (refused.length < REFUSALS) {
      number += 1;
      const name = `www.burst-${number}.example.com`;
      if (!(await write(name))) refused.push(name);
    }
  };
  const writing = Promise.all(Array.from({ length: CLIENTS }, writeOn));
  await Promise.race([writing, until(() => domainIds.size >= BEFORE, "the burst is under way")]);
  disk.fill();
  await writing;
  assert.match([...reasons].join(" "), /The database has no space left/);
  disk.clear();
  revive();
  for (const name of refused) await until(() => write(name), `${name} is accepted now`, BACK_MS);
  const burst = { project, domainIds };
  await assertProvisioned(client, burst);
  return burst;
}

/** Every group shows its records, and the cloud has one certificate and one distribution for it. */
async function assertProvisioned(client: ApiClient, { project, domainIds }: Burst): Promise<void> {
  for (const id of domainIds.values())
    await untilDomain(client, id, "AWAITING_VERIFICATION_RECORDS_TO_BE_SET", BACK_MS);
  // A group shows its records before it needs its distribution, which may still be tried again.
  const wanted = domainIds.size + 1;
  const { certificates, distributions } = await until(
    async () => {
      const state = await stateOf(client, project.awsAccountId);
      return state.distributions.length >= wanted ? state : null;
    },
    "all distributions are made",
    BACK_MS,
  );
  const names = certificates.flatMap((certificate: { names: readonly string[] }) => certificate.names);
  assert.deepEqual(names.toSorted(), [...domainIds.keys()].toSorted());
  assert.equal(distributions.length, wanted, "one each, and the service's own");
}
