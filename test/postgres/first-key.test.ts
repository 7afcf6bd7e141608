/** Which process prints the one-time admin key if several start on an empty database. */
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { createApiClient } from "../helpers/api-client.ts";
import {
  type ServiceProcess,
  startProcess,
  startSandboxProcess,
} from "../helpers/processes/service-process.ts";
import { createPostgresCopy, makeTempDir, type TestDatabase } from "../helpers/template.ts";

const adminUrl = process.env["SLIPWAY_TEST_POSTGRES"];
const PRINTED = /shown only once\):\s+(slw_\w+)/;

describe(
  "D4: the first admin key",
  { skip: adminUrl === undefined && "part of npm run test:postgres" },
  () => {
    let database: TestDatabase;
    let folder: string;
    const started: ServiceProcess[] = [];
    before(async () => {
      assert.ok(adminUrl !== undefined);
      database = await createPostgresCopy(adminUrl);
      folder = await makeTempDir("first-key");
    });
    after(async () => {
      for (const { process } of started) process.kill("SIGKILL");
      await Promise.all(started.map(({ ended }) => ended));
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    });

    it("D4: is printed by one API process, never by a worker that starts first", async () => {
      const shared = {
        DATABASE_URL: database.url,
        SLIPWAY_SEALING_KEYS: path.join(folder, "keys"),
        SLIPWAY_PUBLIC_URL: "http://127.0.0.1:4000",
        SLIPWAY_SANDBOX_SECRET: "a-secret-that-all-share",
      };
      const env = (name: string) => ({ ...shared, SLIPWAY_DATA_DIR: path.join(folder, name) });
      const sandbox = await startSandboxProcess({
        ...env("sandbox"),
        SLIPWAY_SANDBOX_URL: "http://127.0.0.1:0",
      });
      started.push(sandbox);
      const start = async (name: string, role: string): Promise<ServiceProcess> => {
        const at = { SLIPWAY_SANDBOX_URL: sandbox.url, SLIPWAY_ROLE: role };
        const service = await startProcess({ ...env(name), ...at });
        started.push(service);
        return service;
      };
      const worker = await start("worker", "worker");
      assert.doesNotMatch(worker.stderr(), PRINTED);

      const apis = await Promise.all([start("api-1", "api"), start("api-2", "api")]);
      const printed = apis.flatMap((api) => PRINTED.exec(api.stderr())?.[1] ?? []);
      assert.equal(printed.length, 1, "exactly one of two that start together");
      for (const { listensAt } of apis) {
        const me = await createApiClient(listensAt, printed[0] ?? "").get("/v1/me");
        assert.deepEqual([me.status, me.body.user.role], [200, "admin"]);
      }
      assert.doesNotMatch(worker.stderr(), PRINTED);
    });
  },
);
