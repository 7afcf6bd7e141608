/** A release is live only while its process runs, however slowly the machine starts it or notices its end. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { startProcessGroup, type ProcessGroup } from "../commands/process-group.ts";
import { defaultPlatformTuning } from "../tuning.ts";
import { freePort } from "../../../../test/helpers/free-port.ts";
import { Refusal } from "../../refusal.ts";
import { type HealthCheck, supervise, type Supervised } from "./supervise.ts";

const SETTLE: HealthCheck = { kind: "settle" };
const SETTLE_MS = 400;
/** Ends at once, but the shell that would notice it is stopped. */
const ENDS_UNNOTICED = "kill -STOP $PPID; exit 0";

function keep(
  command: string,
  check: HealthCheck,
  options: {
    healthTimeoutMs?: number;
    port?: number;
    startDelayMs?: number;
    isCheckedAfterEnd?: boolean;
    isFirst?: boolean;
    isAsleep?: boolean;
    /** How often its values cannot be read. */
    refusals?: number;
  } = {},
): Supervised {
  const { healthTimeoutMs = 60_000, port = 0, startDelayMs = 0, isCheckedAfterEnd = false } = options;
  let left = options.refusals ?? 0;
  return supervise({
    install: async () => null,
    start(run): ProcessGroup {
      const group = delay(startDelayMs).then(() =>
        startProcessGroup({
          ...run,
          isolation: {
            kind: "none",
            world: [],
            emptyFolder: "",
            containerRoot: "",
            self: { uid: 0, gid: 0 },
            strayDescriptors: [],
          },
          root: tmpdir(),
          folder: tmpdir(),
          user: null,
          limits: null,
          command,
        }),
      );
      return {
        begun: group.then(async (one) => {
          await one.begun;
          if (isCheckedAfterEnd) while (await one.isRunning()) await delay(10);
        }),
        isRunning: async () => (await group).isRunning(),
        ended: group.then(({ ended }) => ended),
        stop: async (graceMs) => (await group).stop(graceMs),
      };
    },
    async variables() {
      if (left === 0) return { env: { PATH: "/usr/bin:/bin" }, managed: [] };
      left -= 1;
      throw new Refusal("retryable", "UNAVAILABLE", "The store of managed values is away.");
    },
    check,
    isFirst: options.isFirst ?? true,
    isAsleep: options.isAsleep ?? false,
    ports: { pick: async () => port, keep: () => undefined, giveBack: () => true },
    log: {
      write: () => undefined,
      hide: () => undefined,
      note: () => undefined,
      flush: () => undefined,
      close: () => undefined,
    },
    tuning: {
      ...defaultPlatformTuning,
      workerSettleMs: SETTLE_MS,
      healthTimeoutMs,
      startAttempts: 1,
      stopGraceMs: 500,
    },
  });
}

const onLinux = { skip: process.platform !== "linux" && "needs /proc" };

test("the time in which a worker has to stay up begins when its command does", async (t) => {
  // A busy machine takes much longer to start it than it has to stay up.
  const kept = keep("exit 3", SETTLE, { startDelayMs: SETTLE_MS * 2 });
  t.after(() => kept.stop(0));
  const failure = await kept.started;
  assert.equal(failure?.code, "PROCESS_ENDED");
  assert.match(failure?.message ?? "", /ended with exit code 3/);
});

test("a worker that has ended is not live, although nothing has noticed its end yet", onLinux, async (t) => {
  const kept = keep(ENDS_UNNOTICED, SETTLE, { healthTimeoutMs: 2_000, isCheckedAfterEnd: true });
  t.after(() => kept.stop(0));
  assert.deepEqual(await kept.started, {
    code: "HEALTH_CHECK_FAILED",
    message: "The process did not succeed within 2 s: it has ended.",
  });
  assert.equal(kept.health().isRunning, false);
});

test(
  "a server that has ended is not live, although another program answers on its port",
  onLinux,
  async (t) => {
    const other = createServer((_request, response) => response.end("another program")).listen(
      0,
      "127.0.0.1",
    );
    await once(other, "listening");
    t.after(() => other.close());
    const { port } = other.address() as AddressInfo;
    const check: HealthCheck = { kind: "http", path: "/health" };
    const kept = keep(ENDS_UNNOTICED, check, { port, healthTimeoutMs: 2_000, isCheckedAfterEnd: true });
    t.after(() => kept.stop(0));
    assert.equal((await kept.started)?.code, "HEALTH_CHECK_FAILED");
  },
);

test("a server has the grace period of its service", async (t) => {
  const check: HealthCheck = { kind: "http", path: "/", healthCheckGracePeriodSeconds: 1 };
  const kept = keep("exec sleep 600", check, { port: await freePort() });
  t.after(() => kept.stop(0));
  const failure = await kept.started;
  assert.equal(failure?.code, "HEALTH_CHECK_FAILED");
  assert.match(failure?.message ?? "", /within 1 s: nothing answered/);
});

test("a process that runs is live", async (t) => {
  const kept = keep("exec sleep 600", SETTLE);
  t.after(() => kept.stop(0));
  assert.equal(await kept.started, null);
  assert.deepEqual(kept.health(), { isRunning: true, isAsleep: false, problem: null });
});

test("a process sleeps until it is woken, also if that happens while it is being ended", async (t) => {
  const dir = await mkdtemp(path.join(tmpdir(), "slipway-sleep-"));
  t.after(() => rm(dir, { recursive: true }));
  const starts = path.join(dir, "starts");
  const count = async () => (await readFile(starts, "utf8")).length;
  // It takes its time to end.
  const kept = keep(`printf . >> ${starts}; trap 'sleep 0.3; exit 0' TERM; sleep 600 & wait`, SETTLE);
  t.after(() => kept.stop(0));
  assert.equal(await kept.started, null);
  await kept.sleep(5_000);
  assert.deepEqual(kept.health(), { isRunning: false, isAsleep: true, problem: null });
  assert.equal(await count(), 1);
  kept.wake();
  assert.notEqual(await kept.whenUp(), null);
  assert.deepEqual([kept.health().isRunning, await count()], [true, 2]);
  const ending = kept.sleep(5_000);
  kept.wake();
  assert.notEqual(await kept.whenUp(), null);
  assert.deepEqual([kept.health().isRunning, await count()], [true, 3]);
  await ending;
});

test("a process that is to be asleep is not started, and can be stopped", async () => {
  const kept = keep("exit 1", SETTLE, { isAsleep: true });
  assert.deepEqual(kept.health(), { isRunning: false, isAsleep: true, problem: null });
  await kept.stop(0);
  assert.equal(await kept.started, null);
});

test("a new release whose values cannot be read fails and says why; a live one is started again", async (t) => {
  assert.deepEqual(await keep("exec sleep 600", SETTLE, { refusals: 1 }).started, {
    code: "PROCESS_ENDED",
    message:
      "The process cannot be started: The store of managed values is away. (once) before it was healthy; the log says why.",
  });
  const kept = keep("exec sleep 600", SETTLE, { refusals: 2, isFirst: false });
  t.after(() => kept.stop(0));
  assert.equal(await kept.started, null);
});
