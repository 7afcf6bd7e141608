import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { parseAllowedHosts } from "../../../src/egress/address-rules.ts";
import { keepSealed } from "../accounts/value-keeper.ts";
import { Refusal } from "../refusal.ts";
import { openState } from "../state.ts";
import { instantTuning } from "../tuning.ts";
import { createUndo } from "../undo.ts";
import { OPEN_VAULT } from "../vault.ts";
import { openWorkloads } from "../workloads.ts";

const ACCOUNT = "111122223333";
const REGION = "us-west-2";

test("work whose values cannot be read now is not begun, and can be repeated", async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), "slipway-values-away-"));
  const state = openState(folder);
  const undo = createUndo();
  t.after(async () => {
    await undo.run();
    state.close();
    await rm(folder, { recursive: true });
  });
  const kept = keepSealed(OPEN_VAULT);
  let isAway = false;
  const { platform, secrets } = await openWorkloads({
    dataDir: folder,
    commandPath: null,
    state,
    vault: OPEN_VAULT,
    keeper: {
      ...kept,
      async read(...at) {
        if (isAway) throw new Refusal("retryable", "UNAVAILABLE", "It is sealed. Unseal it.");
        return await kept.read(...at);
      },
    },
    sources: { kind: "git-hosts", egress: { allowedHosts: parseAllowedHosts([]) } },
    tuning: instantTuning,
    now: Date.now,
    log: { info: () => undefined, warn: () => undefined },
    undo,
    proxyName: "test",
    lookUpFirst: () => [],
    isolationFor: { isExposed: false, isolationRequired: false },
  });
  const name = "slipway/project/e/PASSWORD";
  const { reference } = await secrets.put(ACCOUNT, { region: REGION, name, value: "text", token: "1" });
  const work = {
    service: { serviceId: "s", environmentId: "e", region: REGION },
    variables: [{ name: "PASSWORD", kind: "fromSecretsManager" as const, reference }],
  };
  const size = { cpu: 0.25, memoryGb: 0.5, minInstances: 1, maxInstances: 1 };
  const worker = { type: "worker" as const, startCommand: "true", size };
  const source = { repoUrl: "https://git.example/a.git", commit: "a".repeat(40), branch: "main" };
  const release = { ...work, token: "r", workload: { ...worker, buildCommand: null }, artifact: "none" };
  const build = {
    ...work,
    token: "b",
    workload: { ...worker, buildCommand: "true" },
    source,
    timeLimitSeconds: 60,
  };
  const isSealed = (error: unknown) =>
    error instanceof Refusal && error.kind === "retryable" && /Unseal it/.test(error.message);

  isAway = true;
  await assert.rejects(platform.releases.start(ACCOUNT, release), isSealed);
  await assert.rejects(platform.builds.start(ACCOUNT, build, null), isSealed);
  assert.equal(platform.releases.describe(ACCOUNT, "r"), null);
  assert.equal(platform.builds.describe(ACCOUNT, "b"), null);

  isAway = false;
  assert.equal((await platform.releases.start(ACCOUNT, release)).status, "STARTING");
  const begun = await platform.builds.start(ACCOUNT, build, null);
  assert.equal(begun.status, "RUNNING");

  // The answer to a call that was made before does not depend on the store.
  isAway = true;
  assert.equal((await platform.releases.start(ACCOUNT, release)).token, "r");
  assert.equal((await platform.builds.start(ACCOUNT, build, null)).startedAt, begun.startedAt);
});
