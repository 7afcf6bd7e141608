/** The at-rest key is rotated with several processes, which are killed while they re-seal. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { after, before, describe, it } from "node:test";
import { Client } from "pg";
import { systemClock } from "../../src/lib/clock.ts";
import { tokenIdentity } from "../../src/features/git-integrations/git-integration.ts";
import { atRestKeysIn } from "../../src/sealing/keys/at-rest-keys.ts";
import { openSealing, type Sealing } from "../../src/sealing/open-sealing.ts";
import { Secret } from "../../src/sealing/secret.ts";
import { type ApiAnswer, createApiClient } from "../helpers/api-client.ts";
import { ADMIN_KEY } from "../helpers/instance.ts";
import { type Installation, startInstallation } from "../helpers/processes/installation.ts";
import { cleanEnv, type ServiceProcess } from "../helpers/processes/service-process.ts";
import { createPostgresCopy, type TestDatabase } from "../helpers/template.ts";
import { until } from "../helpers/until.ts";

const adminUrl = process.env["SLIPWAY_TEST_POSTGRES"];
const ENTRY = path.join(import.meta.dirname, "../../bin/slipway.js");
const TOKENS = 4_000;

describe(
  "P7: rotating the at-rest key under several processes",
  { skip: adminUrl === undefined && "part of npm run test:postgres" },
  () => {
    let database: TestDatabase;
    let installation: Installation;
    let apis: ServiceProcess[];
    let sql: Client;
    let folder: string;
    let sealing: Sealing;

    before(async () => {
      assert.ok(adminUrl !== undefined);
      database = await createPostgresCopy(adminUrl);
      installation = await startInstallation("key-rotation", database);
      apis = await Promise.all([installation.startRole("api"), installation.startRole("api")]);
      installation.balancer.use(apis.map(({ listensAt }) => listensAt));
      folder = path.join(installation.folder, "keys");
      sealing = await openSealing({ folder, clock: systemClock });
      sql = new Client({ connectionString: database.url });
      await sql.connect();
      const { rows } = await sql.query("SELECT organization_id AS id FROM organizations");
      const organizationId = rows[0].id as string;
      const ids: string[] = [];
      const sealed: Uint8Array[] = [];
      for (let index = 0; index < TOKENS; index++) {
        const id = `git_${String(index).padStart(6, "0")}`;
        ids.push(id);
        sealed.push(
          await sealing.atRest.seal(tokenIdentity({ organizationId, id }), new Secret(`token ${id}`)),
        );
      }
      await sql.query(
        `INSERT INTO git_integrations (organization_id, id, provider, host, sealed_token)
         SELECT $1, id, 'provider_b_self_hosted', id || '.example.com', sealed
           FROM unnest($2::text[], $3::bytea[]) AS given(id, sealed)`,
        [organizationId, ids, sealed.map((bytes) => Buffer.from(bytes))],
      );
    });
    after(async () => {
      await sql.end();
      await installation.stop();
    });

    async function rotate(): Promise<string> {
      const env = cleanEnv({
        SLIPWAY_DATA_DIR: path.join(installation.folder, "operator"),
        SLIPWAY_SEALING_KEYS: folder,
        DATABASE_URL: database.url,
      });
      await promisify(execFile)(process.execPath, [ENTRY, "keys", "rotate"], { env });
      return atRestKeysIn(await readdir(folder)).at(-1)?.id ?? assert.fail("there is no new key");
    }
    /** How many tokens are sealed by the key of this id. */
    async function sealedBy(id: string): Promise<number> {
      const { rows } = await sql.query(
        "SELECT count(*)::int AS count FROM git_integrations WHERE substring(sealed_token FROM 1 FOR 9) = $1",
        [Buffer.from(`02${id}`, "hex")],
      );
      return rows[0].count;
    }
    async function assertAllReadable(): Promise<void> {
      const { rows } = await sql.query(
        `SELECT organization_id AS "organizationId", id, sealed_token AS sealed FROM git_integrations`,
      );
      assert.equal(rows.length, TOKENS);
      for (const { organizationId, id, sealed } of rows) {
        const opened = await sealing.atRest.open(tokenIdentity({ organizationId, id }), sealed);
        assert.equal(opened.reveal(), `token ${id}`);
      }
    }

    it("P7: one process's answer is replayed by another, whichever of them has seen the new key", async () => {
      const [one, other] = apis.map(({ listensAt }) => createApiClient(listensAt, ADMIN_KEY));
      assert.ok(one && other);
      for (let round = 0; round < 5; round++) {
        const once = { "idempotency-key": randomUUID() };
        const first: ApiAnswer = await one.post("/v1/api-keys", { name: "replayed" }, once);
        assert.equal(first.status, 201, first.text);
        // Right after it, and before either looked at the folder.
        if (round % 2 === 0) await rotate();
        const next = { "idempotency-key": randomUUID() };
        const later = await one.post("/v1/api-keys", { name: "later" }, next);
        for (const [key, made] of [
          [once, first],
          [next, later],
        ] as const) {
          const name = made === first ? "replayed" : "later";
          const replayed: ApiAnswer = await other.post("/v1/api-keys", { name }, key);
          assert.equal(replayed.status, 201, replayed.text);
          assert.equal(replayed.body.key, made.body.key);
          assert.equal((await other.post("/v1/api-keys", { name: "else" }, key)).status, 422);
        }
      }
    });

    it("P7: workers that are killed while re-sealing lose nothing, and another one finishes", async () => {
      await assertAllReadable();
      const id = await rotate();
      let killed = 0;
      for (let done = 0; done < TOKENS && killed < 5; killed += 1) {
        const worker = await installation.startRole("worker");
        const target = Math.min(TOKENS, done + 300);
        await until(async () => (await sealedBy(id)) >= target, `${target} are sealed anew`, 60_000);
        worker.process.kill("SIGKILL");
        await worker.ended;
        done = await sealedBy(id);
        await assertAllReadable();
      }
      assert.ok(killed > 1, "it went faster than a worker can be killed: take more tokens");
      await Promise.all([installation.startRole("worker"), installation.startRole("worker")]);
      await until(async () => (await sealedBy(id)) === TOKENS, "all is sealed anew", 60_000);
      await assertAllReadable();
    });

    it("P7: a rotation that is killed at any moment leaves only complete keys", async () => {
      const before = atRestKeysIn(await readdir(folder)).length;
      const env = cleanEnv({ SLIPWAY_DATA_DIR: folder, SLIPWAY_SEALING_KEYS: folder });
      const script = `
        const { openKeyFiles } = await import(process.argv[1]);
        const { rotateAtRestKey } = await import(process.argv[2]);
        const clock = { now: () => new Date() };
        const files = await openKeyFiles({ folder: process.argv[3], clock });
        console.log("ready");
        for (;;) await rotateAtRestKey(files, clock);`;
      const modules = ["open-sealing.ts", "keys/at-rest-keys.ts"].map(
        (file) => new URL(`../../src/sealing/${file}`, import.meta.url).href,
      );
      for (let round = 0; round < 4; round++) {
        const child = execFile(
          process.execPath,
          ["--input-type=module", "--eval", script, ...modules, folder],
          { env },
        );
        const count = atRestKeysIn(await readdir(folder)).length;
        await until(async () => atRestKeysIn(await readdir(folder)).length > count + round, "it rotates");
        child.kill("SIGKILL");
        await new Promise((resolve) => child.once("exit", resolve));
      }
      const { atRestKeys } = await openSealing({ folder, clock: systemClock });
      assert.equal((await atRestKeys.list()).length, atRestKeysIn(await readdir(folder)).length);
      assert.ok((await atRestKeys.list()).length > before);
      await assertAllReadable();
    });
  },
);
