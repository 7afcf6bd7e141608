/** What projects with previews cost the git host while nothing changes. */
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { Client } from "pg";
import { createApiClient } from "../helpers/api-client.ts";
import { countGitRequests, type GitRequests } from "../helpers/count-git-requests.ts";
import { startPreviewTeam, templateOf } from "../helpers/customers/previews.ts";
import { connectAccount, integrateGit } from "../helpers/customers/scenario.ts";
import { freePort } from "../helpers/free-port.ts";
import { ADMIN_KEY } from "../helpers/instance.ts";
import { startProcess, startSandboxProcess } from "../helpers/processes/service-process.ts";
import { createPostgresCopy, makeTempDir } from "../helpers/template.ts";
import { until } from "../helpers/until.ts";

const PROJECTS = 8;
const SECRET = "a-secret-of-the-sandbox";

const needsPostgres = process.env["SLIPWAY_TEST_POSTGRES"] === undefined && "part of npm run test:postgres";

describe("projects with previews", { skip: needsPostgres }, () => {
  const undo: (() => void | Promise<unknown>)[] = [];
  let database: Client;
  let requests: GitRequests;
  before(async () => {
    const dataDir = await makeTempDir("polling");
    undo.push(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }));
    const { url: databaseUrl, drop } = await createPostgresCopy(process.env["SLIPWAY_TEST_POSTGRES"] ?? "");
    undo.push(drop);
    database = new Client({ connectionString: databaseUrl });
    await database.connect();
    undo.push(() => database.end());
    const port = String(await freePort());
    const shared = {
      SLIPWAY_DATA_DIR: dataDir,
      SLIPWAY_SANDBOX_SECRET: SECRET,
      SLIPWAY_PUBLIC_URL: `http://127.0.0.1:${port}`,
    };
    const sandbox = await startSandboxProcess({ ...shared, SLIPWAY_SANDBOX_URL: "http://127.0.0.1:0" });
    undo.push(async () => {
      sandbox.process.kill("SIGKILL");
      await sandbox.ended;
    });
    requests = await countGitRequests(sandbox.url);
    undo.push(() => requests.close());
    const service = await startProcess({
      ...shared,
      DATABASE_URL: databaseUrl,
      SLIPWAY_SANDBOX_URL: requests.url,
      SLIPWAY_API_KEY: ADMIN_KEY,
      PORT: port,
    });
    undo.push(async () => {
      service.process.kill("SIGTERM");
      await service.ended;
    });
    const admin = createApiClient(service.url, ADMIN_KEY);
    await connectAccount(admin, "main");
    await integrateGit(admin);
    for (let number = 1; number <= PROJECTS; number += 1) {
      const template = templateOf("preview", { filter: { labels: ["preview"] } });
      const team = await startPreviewTeam({ admin, dataDir: path.resolve(dataDir) }, `shop-${number}`, [
        template,
      ]);
      await team.commit("cart", "cart");
      await team.putPullRequest(1, "cart");
    }
  });
  after(async () => {
    for (const step of undo.toReversed()) await step();
  });

  /** Until each project's pull requests were read, and are read again in more than four minutes. */
  const untilQuiet = () =>
    until(async () => {
      const { rows } = await database.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM reconciliations
          WHERE kind = 'previews' AND state = 'waiting' AND due_at > now() + interval '4 minutes'`,
      );
      return rows[0]?.count === PROJECTS;
    }, "all wait for the interval");

  it("cost one conditional request for each project and interval, and no other", async () => {
    await untilQuiet();
    for (const interval of [1, 2, 3]) {
      requests.reset();
      await database.query(
        "UPDATE reconciliations SET state = 'ready', due_at = now() WHERE kind = 'previews'",
      );
      await until(() => requests.conditional + requests.others.length >= PROJECTS, "all are read");
      await untilQuiet();
      assert.deepEqual([requests.conditional, requests.others], [PROJECTS, []], `interval ${interval}`);
    }
  });
});
