/**
 * The at-rest key is rotated by the command line while the service runs: on PGlite, or on the PostgreSQL that
 * `SLIPWAY_TEST_POSTGRES` names.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { after, before, describe, it } from "node:test";
import { type Database, readStatement } from "../../src/db/database.ts";
import { openPgliteDatabase } from "../../src/db/drivers/pglite.ts";
import { createPostgresDatabase } from "../../src/db/drivers/postgres.ts";
import { atRestKeysIn } from "../../src/sealing/keys/at-rest-keys.ts";
import { CONFIG, connectAccount, createProjectIn } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { cleanEnv } from "../helpers/processes/service-process.ts";
import { until } from "../helpers/until.ts";

const ENTRY = path.join(import.meta.dirname, "../../bin/slipway.js");
const HOUR_MS = 3_600_000;

/** The effect of a key rotation on each column of bytes. */
const BYTES: Readonly<Record<string, string>> = {
  "api_keys.hash": "no secret: a hash of a random key",
  "brandings.logo": "no secret: a picture on public pages",
  "domain_connects.state_hash": "no secret: a hash of a random text",
  "env_variable_run_items.sealed": "under a key of its run, for a day at most",
  "env_variable_runs.wrapped_key": "under an epoch key, for a day at most",
  "git_integrations.sealed_hook_secret": "sealed anew (src/features/git-integrations/sealed-values.ts)",
  "git_integrations.sealed_token": "sealed anew (src/features/git-integrations/sealed-values.ts)",
  "idempotency_keys.answer": "kept for a day, and its key with it",
  "notification_channels.sealed_url": "sealed anew (src/features/notifications/sealed-values.ts)",
  "preview_access.sealed_key": "sealed anew (src/features/previews/sealed-values.ts)",
  "sessions.hash": "no secret: a hash of a random token",
  "share_links.hash": "no secret: a hash of a random token",
  "webhook_endpoints.sealed_headers": "sealed anew (src/features/webhooks/sealed-values.ts)",
  "webhook_endpoints.sealed_previous_secret": "sealed anew (src/features/webhooks/sealed-values.ts)",
  "webhook_endpoints.sealed_secret": "sealed anew (src/features/webhooks/sealed-values.ts)",
  "workload_tokens.hash": "no secret: a hash of a random token",
};

const LIST_BYTES = readStatement<{ name: string }>(
  "test_list_bytes",
  `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
    WHERE table_schema = current_schema() AND data_type = 'bytea' ORDER BY 1`,
);
const LIST_PREFIXES = readStatement<{ prefix: string }>(
  "test_list_prefixes",
  `SELECT encode(substring(sealed_token FROM 1 FOR 9), 'hex') AS prefix FROM git_integrations
   UNION ALL SELECT encode(substring(sealed_hook_secret FROM 1 FOR 9), 'hex') FROM git_integrations
   UNION ALL SELECT encode(substring(sealed_secret FROM 1 FOR 9), 'hex') FROM webhook_endpoints
   UNION ALL SELECT encode(substring(sealed_previous_secret FROM 1 FOR 9), 'hex') FROM webhook_endpoints
   UNION ALL SELECT encode(substring(sealed_headers FROM 1 FOR 9), 'hex') FROM webhook_endpoints
   UNION ALL SELECT encode(substring(sealed_url FROM 1 FOR 9), 'hex') FROM notification_channels
   UNION ALL SELECT encode(substring(sealed_key FROM 1 FOR 9), 'hex') FROM preview_access`,
);

describe("P7: rotating the at-rest key", () => {
  let instance: Instance;
  let aheadMs = 0;
  const clock = { now: () => new Date(Date.now() + aheadMs) };

  before(async () => {
    instance = await startInstance({ clock });
  });
  after(async () => {
    await instance.dispose();
  });

  async function run(...args: string[]): Promise<string> {
    const env = cleanEnv({ SLIPWAY_DATA_DIR: instance.dataDir });
    const { stdout } = await promisify(execFile)(process.execPath, [ENTRY, "keys", ...args], { env });
    return stdout;
  }
  const keysFolder = (): string => path.join(instance.dataDir, "keys");
  const keyFiles = async (): Promise<string[]> =>
    atRestKeysIn(await readdir(keysFolder())).map(({ file }) => file);
  /** The embedded database has one user: the service is stopped for this. */
  async function restart(work: (db: Database) => Promise<void>): Promise<void> {
    const { databaseUrl, dataDir } = instance;
    instance = await instance.restart(async () => {
      const db =
        databaseUrl === null
          ? await openPgliteDatabase({ folder: path.join(dataDir, "database") })
          : createPostgresDatabase({ connectionString: databaseUrl, poolSize: 1, onError: () => undefined });
      try {
        await work(db);
      } finally {
        await db.close();
      }
    });
  }

  it("S15: the at-rest key is rotated while the service runs: no sealed value is lost, and no request fails", async () => {
    const { admin } = instance;
    const awsAccountId = await connectAccount(admin, "rotated");
    const integration = await admin.post("/v1/git-integrations", { provider: "provider_a", token: "any" });
    assert.equal(integration.status, 201, integration.text);
    const hook = await admin.post(`/v1/git-integrations/${integration.body.id}/hook-secret`);
    assert.ok(hook.status < 300, hook.text);
    const webhook = await admin.post("/v1/webhook-endpoints", {
      url: "http://127.0.0.1:9/",
      types: ["api_key.*"],
      headers: { authorization: "Bearer of-the-receiver" },
    });
    assert.equal(webhook.status, 201, webhook.text);
    const channel = await admin.post("/v1/notification-channels", {
      kind: "slack",
      name: "Chat",
      url: "http://127.0.0.1:9/",
      types: ["api_key.*"],
    });
    assert.equal(channel.status, 201, channel.text);
    const newer = await admin.post(`/v1/webhook-endpoints/${webhook.body.id}/rotate-secret`, {});
    assert.equal(newer.status, 200, newer.text);
    await admin.post(`/v1/webhook-endpoints/${webhook.body.id}/disable`);
    const [place] = CONFIG.environments;
    const template = { ...place, source: { branch: "main", pr: true } };
    const projectId = await createProjectIn(admin, awsAccountId, "previews", { environments: [template] });
    const { environments } = (await admin.get(`/v1/projects/${projectId}/environments`)).body;
    const bypass = await admin.post(`/v1/environments/${environments[0].id}/preview-bypass`);
    assert.ok(bypass.status < 300, bypass.text);
    const once = { "idempotency-key": randomUUID() };
    const first = await admin.post("/v1/api-keys", { name: "sealed" }, once);
    assert.equal(first.status, 201, first.text);
    const cursor = encodeURIComponent((await admin.get("/v1/api-keys?limit=1")).body.nextCursor);
    assert.match(await run("status"), /At-rest key at-rest\.key {2}the first {2}seals and opens/);

    const printed = await run("rotate");
    const [, file = ""] = /new at-rest key is (\S+\.key)\./.exec(printed) ?? [];
    assert.deepEqual(await keyFiles(), ["at-rest.key", file]);
    assert.ok(
      !printed.includes((await readFile(path.join(keysFolder(), file), "utf8")).split("\n")[1] ?? ""),
    );
    // What needs a token, an answer from before, and a new one, all the while.
    await createProjectIn(admin, awsAccountId, "during", CONFIG);
    const replayed = await admin.post("/v1/api-keys", { name: "sealed" }, once);
    assert.equal(replayed.body.key, first.body.key);
    assert.equal((await admin.post("/v1/api-keys", { name: "another" }, once)).status, 422);

    await until(async () => / {2}done at /.test(await run("status")), "the re-sealing ends", 60_000);
    await createProjectIn(admin, awsAccountId, "after", CONFIG);
    const page = await admin.get(`/v1/api-keys?limit=1&cursor=${cursor}`);
    assert.equal(page.status, 200, page.text);
    const again = await admin.post("/v1/api-keys", { name: "sealed" }, once);
    assert.equal(again.body.key, first.body.key);
    const later = { "idempotency-key": randomUUID() };
    const second = await admin.post("/v1/api-keys", { name: "later" }, later);
    assert.equal((await admin.post("/v1/api-keys", { name: "later" }, later)).body.key, second.body.key);
    assert.deepEqual(await keyFiles(), ["at-rest.key", file], "the answer from before still needs its key");
  });

  it("P7: every value is under the new key, and no column of bytes was forgotten", async () => {
    const [, newest = ""] = await keyFiles();
    await restart(async (db) => {
      const prefixes = (await db.query(LIST_PREFIXES)).map(({ prefix }) => prefix);
      assert.deepEqual(new Set(prefixes), new Set([`02${newest.slice(-20, -4)}`]));
      assert.equal(prefixes.length, 7);
      const columns = (await db.query(LIST_BYTES)).map(({ name }) => name);
      assert.deepEqual(columns, Object.keys(BYTES), "a new one is sealed anew, or has its reason here");
    });
  });

  it("P7: the old key is destroyed when nothing needs it, and not before", async () => {
    const [, newest = ""] = await keyFiles();
    aheadMs = 26 * HOUR_MS;
    // The answer from before is in the database by the database's clock; another day has not passed there.
    await until(async () => (await run("status")).includes("opens only"), "it is still there", 20_000);
    // What a day of the database's own clock does.
    await restart((db) => db.execute("DELETE FROM idempotency_keys"));
    await until(async () => (await keyFiles()).length === 1, "the old key is destroyed", 60_000);
    assert.deepEqual(await keyFiles(), [newest]);
    assert.match(await run("status"), new RegExp(`At-rest key ${newest}.*seals and opens`));
    const accounts = await instance.admin.get("/v1/aws-accounts");
    await createProjectIn(instance.admin, accounts.body.awsAccounts[0].id, "only-new", CONFIG);
  });

  it("P7: a rotation without a key, and unknown commands, get a clear message", async () => {
    const folder = path.join(instance.dataDir, "elsewhere");
    const env = cleanEnv({ SLIPWAY_DATA_DIR: instance.dataDir, SLIPWAY_SEALING_KEYS: folder });
    for (const [args, env2, words] of [
      [["rotate"], {}, /There is no at-rest key in .*elsewhere to rotate/],
      [["unwrap"], {}, /Set SLIPWAY_KMS_KEY_ID to the service's value/],
      [
        ["rotate"],
        { SLIPWAY_KMS_KEY_ID: "not a key" },
        /SLIPWAY_KMS_KEY_ID must be the ARN or the id of a key/,
      ],
    ] as const) {
      const failed = await promisify(execFile)(process.execPath, [ENTRY, "keys", ...args], {
        env: { ...env, ...env2 },
      }).catch((error: { stderr: string }) => error);
      assert.match(failed.stderr, words);
      assert.ok(!failed.stderr.includes("    at "));
    }
    await rm(folder, { recursive: true, force: true });
  });

  it("P7: a key file is never incomplete: only complete ones have its name", async () => {
    const before = await keyFiles();
    await writeFile(path.join(keysFolder(), "tmp-20260301T120000000Z-0123456789abcdef"), "half a k");
    assert.deepEqual(await keyFiles(), before);
    assert.match(await run("status"), /Wrapped by {2}nothing/);
  });
});
