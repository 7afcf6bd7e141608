/**
 * What a process lets out of its memory while secrets are in it. The memory itself cannot avoid holding them;
 * `docs/explanation/reliability.md` describes what was measured.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { createApiClient } from "../helpers/api-client.ts";
import { childrenOf } from "../helpers/processes/children.ts";
import { copyPgliteTemplate, makeTempDir } from "../helpers/template.ts";
import { until } from "../helpers/until.ts";
import { type LoggedProcess, startLogged } from "./logged-process.ts";
import { createCanaries, needlesOf, searchFolder } from "./needles.ts";
import { recordAnswers } from "./recording-client.ts";
import { beginStory, leaveWaiting } from "./secret-story.ts";

const isLinux = process.platform === "linux";
/** Where the kernel hands dumps to a program, or puts them in one place of the machine, none can be looked at. */
const dumpsHere = isLinux && /^[^|/]/.test(readFileSync("/proc/sys/kernel/core_pattern", "utf8"));
const PLANTED = "c0ffee5c0ffee5c0ffee5c0ffee5";

describe("a process with secrets in its memory", () => {
  const canaries = createCanaries();
  const needles = canaries.texts.flatMap(needlesOf);
  let folder: string;
  let service: LoggedProcess;
  const dumpsTo = () => path.join(folder, "dumps");

  before(async () => {
    folder = await makeTempDir("memory");
    await mkdir(dumpsTo());
    await copyPgliteTemplate(path.join(folder, "data/database"));
    const adminKey = `admin-${randomUUID()}`;
    service = await startLogged(
      { SLIPWAY_DATA_DIR: path.join(folder, "data"), SLIPWAY_API_KEY: adminKey },
      dumpsTo(),
    );
    const client = recordAnswers(createApiClient(service.url, adminKey), () => true);
    await leaveWaiting(await beginStory(client, canaries), "in-memory");
  });
  after(async () => {
    await service.kill("SIGKILL");
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  it("opens no inspector at SIGUSR1", async () => {
    service.process.kill("SIGUSR1");
    while (!service.output().includes("SIGUSR1 is ignored"))
      await once(service.process.stdout ?? service.process, "data");
    assert.ok(!service.output().includes("Debugger listening"));
    assert.equal((await fetch(`${service.url}/healthz`)).status, 200);
  });

  it(
    "leaves none of it in a core dump",
    { skip: !isLinux && "core dumps are looked at on Linux" },
    async () => {
      const pid = service.process.pid ?? 0;
      const [database = 0] = childrenOf(pid);
      for (const each of [pid, database]) {
        const filter = readFileSync(`/proc/${each}/coredump_filter`, "utf8");
        assert.equal(Number.parseInt(filter, 16), 0);
      }
      process.kill(database, "SIGABRT");
      await until(async () => (await fetch(`${service.url}/readyz`)).status === 200, "it runs again");
      await service.kill("SIGABRT");
      assert.equal(service.process.signalCode, "SIGABRT");
      const { hits, searchedBytes } = await searchFolder(dumpsTo(), needles);
      assert.deepEqual(hits, []);
      assert.ok(searchedBytes < 1_000_000, `${searchedBytes} bytes: threads and their registers, no memory`);
    },
  );

  it(
    "would have been found in one: an unprotected process's is",
    { skip: !dumpsHere && "dumps go elsewhere" },
    async () => {
      const script = "ulimit -c unlimited && kept=$1 && kill -ABRT $$";
      const child = spawn("/bin/sh", ["-c", script, "sh", PLANTED], { cwd: dumpsTo(), stdio: "ignore" });
      await once(child, "exit");
      assert.equal(child.signalCode, "SIGABRT");
      const { hits } = await searchFolder(dumpsTo(), needlesOf(PLANTED));
      assert.ok(hits.length > 0);
    },
  );
});
