/** The README's commands for several processes on PostgreSQL, run as they stand there, on other ports. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { readBlocks, runShell } from "../docs/shell-blocks.ts";
import { freePort } from "../helpers/free-port.ts";
import { createPostgresCopy, makeTempDir, type TestDatabase } from "../helpers/template.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const adminUrl = process.env["SLIPWAY_TEST_POSTGRES"];
const TIMEOUT_MS = 180_000;

describe(
  "P10: the README's section on PostgreSQL",
  { skip: adminUrl === undefined && "part of npm run test:postgres" },
  () => {
    let database: TestDatabase;
    let folder: string;
    before(async () => {
      assert.ok(adminUrl !== undefined);
      database = await createPostgresCopy(adminUrl);
      folder = await makeTempDir("readme");
    });
    after(async () => {
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    });

    it("P10, D4: starts a sandbox, an API and two workers, whose admin key is SLIPWAY_API_KEY", async () => {
      const page = readFileSync(path.join(ROOT, "README.md"), "utf8");
      const block = readBlocks(page).find(({ text }) => text.includes("SLIPWAY_ROLE=worker PORT="));
      assert.ok(block !== undefined);
      assert.match(block.text, /SLIPWAY_API_KEY=/);
      const [api = 0, sandbox = 0, first = 0, second = 0] = await Promise.all(
        Array.from({ length: 4 }, freePort),
      );
      const here = block.text
        .replaceAll("postgres://user:password@host/slipway", database.url)
        .replaceAll("127.0.0.1:4000", `127.0.0.1:${api}`)
        .replaceAll("127.0.0.1:4100", `127.0.0.1:${sandbox}`)
        .replaceAll("PORT=4001", `PORT=${first}`)
        .replaceAll("PORT=4002", `PORT=${second}`);
      const ready = [api, first, second]
        .map((port) => `until curl -fsS http://127.0.0.1:${port}/readyz; do sleep 0.2; done`)
        .join("\n");
      // npm runs in the checkout; the data goes elsewhere.
      const script = `PORT=${api}; export PORT\n${here}\n${ready}
        curl -fsS http://127.0.0.1:${api}/v1/me -H "Authorization: Bearer $SLIPWAY_API_KEY"`;
      const env = {
        HOME: folder,
        SLIPWAY_DATA_DIR: folder,
        SLIPWAY_SANDBOX_DNS_PORT: "0",
        SLIPWAY_SANDBOX_EDGE_PORT: "0",
        SLIPWAY_LOG: "warn",
      };
      const { code, output } = await runShell(script, { cwd: ROOT, env, timeoutMs: TIMEOUT_MS });
      assert.equal(code, 0, output);
      assert.match(output, /"role":"admin"/);
      assert.doesNotMatch(output, /shown only once/);
    });

    it("P10, D6: of docs/how-to/back-up.md bring everything into an empty database", async () => {
      const page = readFileSync(path.join(ROOT, "docs/how-to/back-up.md"), "utf8");
      // Slipway's own are run by test/processes/backup.test.ts.
      const commands = readBlocks(page).filter(
        ({ language, text }) => language === "sh" && text.startsWith("pg_"),
      );
      assert.equal(commands.length, 2);
      const restored = new URL(database.url);
      restored.pathname = `${restored.pathname}_restored`;
      const name = restored.pathname.slice(1);
      const count = (url: string) =>
        `psql -qAt "${url}" -c "SELECT count(*), md5(max(o::text)) FROM organizations o"`;
      const script = `psql -q "${database.url}" -c 'CREATE DATABASE "${name}"'
        ${commands.map(({ text }) => text).join("\n")}
        echo "before $(${count(database.url)})"; echo "after $(${count(restored.href)})"
        psql -q "${database.url}" -c 'DROP DATABASE "${name}"'`;
      const env = { DATABASE_URL: database.url, RESTORED_URL: restored.href };
      const { code, output } = await runShell(script, { cwd: folder, env, timeoutMs: TIMEOUT_MS });
      assert.equal(code, 0, output);
      const [, before, after] = /before (1\|\S+)\nafter (\S+)/.exec(output) ?? [];
      assert.ok(before !== undefined && before === after, output);
    });
  },
);
