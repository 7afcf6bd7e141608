import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { Client } from "pg";
import { readMigrations } from "../../src/db/migrate.ts";
import { cleanEnv } from "../helpers/processes/service-process.ts";
import { makeTempDir } from "../helpers/template.ts";

const ENTRY = path.join(import.meta.dirname, "../../bin/slipway.js");
const adminUrl = process.env["SLIPWAY_TEST_POSTGRES"];

describe("slipway migrate", { skip: adminUrl === undefined && "part of npm run test:postgres" }, () => {
  const name = `slipway_migrate_${randomUUID().replaceAll("-", "")}`;
  const user = `${name}_user`;
  let admin: Client;
  let dataDir: string;
  const urlOf = (database: string, userName: string) => {
    const url = new URL(adminUrl ?? "");
    url.pathname = `/${database}`;
    url.username = userName;
    return url.href;
  };
  const migrate = async (databaseUrl: string) =>
    await promisify(execFile)(process.execPath, [ENTRY, "migrate"], {
      env: cleanEnv({ DATABASE_URL: databaseUrl, SLIPWAY_DATA_DIR: dataDir }),
    }).then(
      ({ stdout }) => ({ code: 0, said: stdout }),
      (error: { code: number; stderr: string }) => ({ code: error.code, said: error.stderr }),
    );

  before(async () => {
    dataDir = await makeTempDir("migrate");
    admin = new Client({ connectionString: adminUrl });
    await admin.connect();
    await admin.query(`CREATE USER ${user}`);
    await admin.query(`CREATE DATABASE ${name}`);
  });
  after(async () => {
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.query(`DROP USER ${user}`);
    await admin.end();
    await rm(dataDir, { recursive: true, force: true });
  });

  it("says which permissions a user lacks, and what to run", async () => {
    const { code, said } = await migrate(urlOf(name, user));
    assert.equal(code, 1);
    assert.equal(
      said,
      `The user "${user}" may not create tables and schemas in the database "${name}". Make it the owner: ALTER DATABASE "${name}" OWNER TO "${user}"\n`,
    );
  });

  it("does each migration once when several processes start at once on an empty database", async () => {
    await admin.query(`ALTER DATABASE ${name} OWNER TO ${user}`);
    const url = urlOf(name, user);
    const ends = await Promise.all([migrate(url), migrate(url), migrate(url)]);
    for (const end of ends) assert.deepEqual(end, { code: 0, said: "The database is up to date.\n" });
    const client = new Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query("SELECT name FROM schema_migrations ORDER BY name");
    await client.end();
    assert.deepEqual(
      rows.map((row: { name: string }) => row.name),
      (await readMigrations()).map((migration) => migration.name),
    );
  });

  it("reports a database that does not exist", async () => {
    const { code, said } = await migrate(urlOf(`${name}_missing`, user));
    assert.equal(code, 1);
    assert.match(said, /^The database server at .* has no database ".*_missing"\. Create it/);
  });
});
