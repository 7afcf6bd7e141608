/** Data stores of the sandbox when it, their servers or their folders fail. It keeps what they acknowledged. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, it, type TestContext } from "node:test";
import type { CloudAccount } from "../../src/cloud/cloud.ts";
import type { ObservedStore } from "../../src/cloud/platform.ts";
import {
  connectKilledAccount,
  endSandbox,
  type KilledSandbox,
  startSandboxOn,
} from "../helpers/sandbox/killed-sandbox.ts";
import { listProcessesIn } from "../helpers/sandbox/processes-in.ts";
import { type AccountState, waitFor } from "../helpers/sandbox/sandbox-fixture.ts";
import { openStore, type StoreClient, urlOfStore } from "../helpers/sandbox/store-client.ts";

const TYPES = ["postgres", "redis"] as const;
type Type = (typeof TYPES)[number];
const MAX_CLIENTS = 50;
const place = (serviceId: string) => ({ serviceId, environmentId: "e", region: "us-west-2" });

describe("a data store of the sandbox", () => {
  let dataDir: string;
  let folder: string;
  let sandbox: KilledSandbox;
  let account: CloudAccount;
  const cleanups: (() => void)[] = [];
  const lasting = { after: (work: () => void) => cleanups.push(work) } as unknown as TestContext;
  /** What each store acknowledged. */
  const acknowledged = { postgres: new Array<string>(), redis: new Array<string>() };
  before(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), "slipway-stores-"));
    folder = path.join(dataDir, "platform/stores");
    sandbox = await startSandboxOn(lasting, dataDir);
    account = await connectKilledAccount(sandbox);
  });
  after(() => {
    for (const work of cleanups) work();
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  });

  const ensure = (type: Type, serviceId: string = type, token: string | null = null) =>
    sandbox.platform.stores.ensure(account, {
      service: place(serviceId),
      store: { type, deletionProtection: false },
      snapshot: token === null ? null : { serviceId: type, token },
    });
  const see = async (serviceId: string) =>
    (await sandbox.platform.stores.describe(account, place(serviceId))) ?? assert.fail("it is missing");
  const seeStatus = (serviceId: string, status: ObservedStore["status"]) =>
    waitFor(async () => {
      const seen = await see(serviceId);
      return seen.status === status ? seen : null;
    });
  const seeFailure = (serviceId: string, code: string) =>
    waitFor(async () => {
      const seen = await see(serviceId);
      return seen.failure?.code === code ? seen : null;
    });
  const listDown = () => {
    const of = [
      ...TYPES.map((type) => ({ ...place(type), type })),
      { ...place("missing"), type: "redis" as const },
    ];
    return sandbox.platform.stores.listDown(account, of);
  };
  const seeSnapshot = (type: Type, token: string) =>
    waitFor(async () => {
      const seen = await sandbox.platform.stores.snapshots.describe(account, place(type), token);
      return seen === null || seen.status === "CREATING" ? null : seen;
    });
  const remove = (serviceId: string, token: string | null) =>
    waitFor(async () =>
      (await sandbox.platform.stores.remove(account, place(serviceId), token)) === null ? true : null,
    );
  const readAccount = async (): Promise<AccountState> => {
    const answer = await fetch(`${sandbox.url}/sandbox/state`);
    return ((await answer.json()) as { accounts: AccountState[] }).accounts[0] ?? assert.fail();
  };
  const connect = async (serviceId: string): Promise<StoreClient> => {
    const { values } = await seeStatus(serviceId, "AVAILABLE");
    return await openStore(urlOfStore(values, (await readAccount()).secrets));
  };
  const portOf = ({ values }: ObservedStore): number => {
    const port = values["port"];
    return port?.kind === "plainText" ? Number(port.value) : assert.fail();
  };
  const dataOf = (type: Type) => path.join(folder, `${account.accountId}-${type}`, "data");

  /** Kills the sandbox, and starts another on its folder when nothing of the first runs. */
  async function killAndStart(between: () => Promise<void> | void = () => undefined): Promise<void> {
    await endSandbox(sandbox, "SIGKILL");
    await waitFor(() => (listProcessesIn(dataDir).length > 0 ? null : true));
    await between();
    sandbox = await startSandboxOn(lasting, dataDir);
  }

  /** Writes to both until their servers have ended. */
  async function writeDuring(work: () => Promise<void>): Promise<void> {
    const writers = await Promise.all(
      TYPES.map(async (type) => {
        const client = await connect(type);
        const before = acknowledged[type].length;
        const ended = (async () => {
          for (;;) {
            const text = `text-${acknowledged[type].length}`;
            const isAdded = await client.add(text).then(
              () => true,
              () => false,
            );
            if (!isAdded) return;
            acknowledged[type].push(text);
          }
        })();
        await waitFor(() => (acknowledged[type].length >= before + 10 ? true : null));
        return { ended };
      }),
    );
    await work();
    await Promise.all(writers.map(({ ended }) => ended));
  }

  /** The last write may have been done without an answer. */
  async function hasAll(type: Type, serviceId: string = type): Promise<void> {
    const client = await connect(serviceId);
    const texts = await client.list();
    await client.end();
    const expected = acknowledged[type];
    assert.deepEqual(texts.slice(0, expected.length), expected);
    assert.ok(texts.length <= expected.length + 1, `${texts.length} instead of ${expected.length}`);
    expected.splice(0, expected.length, ...texts);
  }
  const bothHaveAll = async () => void (await Promise.all(TYPES.map((type) => hasAll(type))));

  it("is created once although the sandbox is killed while its server is made", async () => {
    for (const type of TYPES) assert.equal((await ensure(type)).status, "CREATING");
    await waitFor(() => (listProcessesIn(folder).length > 0 ? true : null));
    await killAndStart();
    for (const type of TYPES) {
      const { failure, version } = await seeStatus(type, "AVAILABLE");
      assert.deepEqual([failure, /^\d+$/.test(version ?? "")], [null, true]);
    }
  });

  it("has every acknowledged write after the sandbox or its own server is killed", async () => {
    await writeDuring(() => killAndStart());
    await bothHaveAll();
    const ports = new Map(
      await Promise.all(TYPES.map(async (type) => [type, portOf(await see(type))] as const)),
    );
    await writeDuring(async () => {
      for (const port of ports.values()) process.kill(pidOfServer(port), "SIGKILL");
    });
    for (const type of TYPES) assert.equal(portOf(await seeStatus(type, "AVAILABLE")), ports.get(type));
    await bothHaveAll();
  });

  it("never stands for another process that has its port", async () => {
    const earlier = new Map(await Promise.all(TYPES.map(async (type) => [type, await see(type)] as const)));
    const others: Server[] = [];
    const said: string[] = [];
    await killAndStart(async () => {
      for (const store of earlier.values()) {
        const other = createServer((socket) => socket.on("data", (chunk) => said.push(chunk.toString())));
        other.listen(portOf(store), "127.0.0.1");
        await once(other, "listening");
        others.push(other);
      }
    });
    for (const type of TYPES) {
      const seen = await seeFailure(type, "PORT_TAKEN");
      assert.deepEqual([seen.status, seen.values], ["CHANGING", {}]);
      assert.match(seen.failure?.message ?? "", new RegExp(String(portOf(earlier.get(type) ?? seen))));
    }
    for (const other of others) other.close();
    for (const type of TYPES)
      assert.deepEqual((await seeStatus(type, "AVAILABLE")).values, earlier.get(type)?.values);
    assert.deepEqual(said, []);
    await bothHaveAll();
  });

  it("says that its data is missing, and makes no empty data in its place", async () => {
    const away = (type: Type) => path.join(dataDir, `away-${type}`);
    await killAndStart(() => {
      for (const type of TYPES) renameSync(dataOf(type), away(type));
    });
    for (const type of TYPES) {
      const { status, values, failure } = await seeFailure(type, "DATA_MISSING");
      assert.deepEqual([status, values], ["CHANGING", {}]);
      assert.match(failure?.message ?? "", /Put the folder back, or restore a snapshot/);
      assert.equal((await ensure(type)).failure?.code, "DATA_MISSING");
      assert.deepEqual((await listDown()).get(type), failure);
      const { snapshots } = sandbox.platform.stores;
      await snapshots.create(account, place(type), "of-nothing");
      const taken = await seeSnapshot(type, "of-nothing");
      assert.deepEqual([taken.status, taken.failure?.code], ["FAILED", "DATA_MISSING"]);
      await snapshots.remove(account, place(type), "of-nothing");
      assert.equal(existsSync(dataOf(type)), false);
      renameSync(away(type), dataOf(type));
      await seeStatus(type, "AVAILABLE");
      assert.equal((await listDown()).has(type), false);
    }
    await bothHaveAll();
  });

  it(`takes ${MAX_CLIENTS} clients, and refuses more`, async () => {
    for (const type of TYPES) {
      const clients = await Promise.all(Array.from({ length: MAX_CLIENTS }, () => connect(type)));
      await assert.rejects(connect(type), /too many clients|max number of clients/, type);
      assert.equal((await see(type)).status, "AVAILABLE");
      await Promise.all(clients.map((client) => client.end()));
      await waitFor(() =>
        hasAll(type).then(
          () => true,
          () => null,
        ),
      );
    }
  });

  it("has a snapshot although the sandbox is killed while it is taken, with clients that stay", async () => {
    const { accountId } = account;
    for (const [token, isReached] of [
      ["s-begun", () => true],
      [
        "s-copied",
        () => TYPES.some((type) => existsSync(path.join(folder, `snapshots/${accountId}-${type}-s-copied`))),
      ],
    ] as const) {
      await writeDuring(async () => {
        for (const type of TYPES) await sandbox.platform.stores.snapshots.create(account, place(type), token);
        await waitFor(() => (isReached() ? true : null));
        await killAndStart();
      });
      for (const type of TYPES) {
        const { status, failure, sizeBytes } = await seeSnapshot(type, token);
        assert.deepEqual([status, failure, (sizeBytes ?? 0) > 0], ["AVAILABLE", null, true]);
      }
      await bothHaveAll();
    }
  });

  it("is removed once although the sandbox is killed meanwhile; its last snapshot has everything", async () => {
    await Promise.all(
      TYPES.map(async (type) => await sandbox.platform.stores.remove(account, place(type), "last")),
    );
    await killAndStart();
    for (const type of TYPES) {
      await remove(type, "last");
      assert.equal((await seeSnapshot(type, "last")).status, "AVAILABLE");
      // A call from before the removal arrives after it, and the removal is repeated.
      await ensure(type);
      await seeStatus(type, "AVAILABLE");
      await remove(type, "last");
    }
    await Promise.all(TYPES.map((type) => ensure(type, `${type}-copy`, "last")));
    for (const type of TYPES) await hasAll(type, `${type}-copy`);
    await assert.rejects(ensure("redis", "postgres-copy"), /never change/);
    await sandbox.platform.stores.ensure(account, {
      service: place("other"),
      store: { type: "redis", deletionProtection: false },
      snapshot: { serviceId: "postgres", token: "last" },
    });
    assert.equal((await seeStatus("other", "FAILED")).failure?.code, "SNAPSHOT_DIFFERS");
  });

  it("leaves nothing", async () => {
    for (const serviceId of ["other", ...TYPES.map((type) => `${type}-copy`)]) await remove(serviceId, null);
    const { snapshots } = sandbox.platform.stores;
    for (const type of TYPES)
      for (const token of ["s-begun", "s-copied", "last"])
        await snapshots.remove(account, place(type), token);
    await killAndStart();
    await waitFor(() => (readdirSync(path.join(folder, "snapshots")).length > 0 ? null : true));
    assert.deepEqual(readdirSync(folder), ["snapshots"]);
    assert.deepEqual(listProcessesIn(folder), []);
    assert.deepEqual((await readAccount()).secrets, []);
  });

  it("fails to be created on a full or read-only disk, says so, and is tried again", async (t) => {
    const mount = (...options: string[]) => execFileSync("mount", options, { stdio: "ignore" });
    try {
      mount("-t", "tmpfs", "-o", "size=64k,mode=0711", "slipway-test", folder);
    } catch {
      return t.skip("needs the right to mount");
    }
    let isMounted = true;
    const unmount = () => {
      if (isMounted) execFileSync("umount", [folder]);
      isMounted = false;
    };
    t.after(unmount);
    assert.throws(() => writeFileSync(path.join(folder, "ballast"), Buffer.alloc(128 * 1024)), /ENOSPC/);
    const failing = async (code: string, pattern: RegExp) => {
      for (const type of TYPES) {
        await ensure(type);
        const { failure } = await seeStatus(type, "FAILED");
        assert.equal(failure?.code, code);
        assert.match(failure.message, pattern);
      }
    };
    await failing("DISK_FULL", /disk .+ is full/);
    mount("-o", "remount,ro", folder);
    await failing("NOT_WRITABLE", /cannot write .+platform\/stores/);
    unmount();
    for (const type of TYPES) {
      await waitFor(async () => ((await ensure(type)).status === "AVAILABLE" ? true : null));
      await remove(type, null);
    }
  });
});

/** The process of a server by the port in its command line. */
function pidOfServer(port: number): number {
  for (const pid of readdirSync("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      const isServer = /(postgres|redis-server|valkey-server)/.test(words[0] ?? "");
      if (isServer && words.join(" ").match(new RegExp(`(port=|127.0.0.1:)${port}\\b`)) !== null)
        return Number(pid);
    } catch (error) {
      // It has ended.
      if (!(error instanceof Error && "code" in error)) throw error;
    }
  }
  return assert.fail(`no server has the port ${port}`);
}
