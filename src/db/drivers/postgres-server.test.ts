import assert from "node:assert/strict";
import { createServer } from "node:net";
import { once } from "node:events";
import { describe, it } from "node:test";
import { DatabaseError, DatabaseUnavailableError } from "../database.ts";
import { createPostgresDatabase } from "./postgres.ts";
import { checkPostgresServer, explainFailure, refuseServer } from "./postgres-server.ts";

const TARGET = { at: "db.example:5432", database: "slipway", user: "app" };
const USABLE = {
  version: 150_000,
  isMigrated: true,
  mayCreateTable: true,
  mayCreateSchema: true,
  hasCitus: false,
  hasLimits: true,
};

describe("a PostgreSQL server", () => {
  for (const [version, isRefused] of [
    [90_624, true],
    [140_011, true],
    [149_999, true],
    [150_000, false],
    [150_004, false],
    [170_002, false],
  ] as const) {
    it(`of version ${version} is ${isRefused ? "refused" : "taken"}`, () => {
      const refusal = refuseServer({ ...USABLE, version }, TARGET);
      assert.equal(refusal !== null, isRefused);
    });
  }

  it("that is too old is reported with its version and the required one", () => {
    assert.equal(
      refuseServer({ ...USABLE, version: 140_011 }, TARGET),
      "The server of DATABASE_URL is PostgreSQL 14; Slipway needs 15 or later.",
    );
  });

  it("whose user may not create tables is refused before the first migration, and accepted after it", () => {
    const seen = { ...USABLE, mayCreateTable: false };
    assert.match(
      refuseServer({ ...seen, isMigrated: false }, TARGET) ?? "",
      /ALTER DATABASE "slipway" OWNER TO "app"/,
    );
    assert.equal(refuseServer(seen, TARGET), null);
  });

  it("whose user has no limits is refused, with what gives it some", () => {
    assert.match(
      refuseServer({ ...USABLE, hasLimits: false }, TARGET) ?? "",
      /ALTER ROLE "app" SET statement_timeout/,
    );
  });

  it("that is a pooler gets an error that says what else to set", () => {
    const refused = new DatabaseUnavailableError(
      "The database does not answer (unsupported startup parameter: statement_timeout).",
    );
    assert.match(explainFailure(refused, TARGET), /PgBouncer.* Set SLIPWAY_DATABASE_DIRECT_URL/);
  });

  for (const [code, sentence] of [
    ["28P01", /at db\.example:5432 refuses the user "app" or its password/],
    ["28000", /refuses the user "app"/],
    ["3D000", /has no database "slipway"/],
    ["42501", /may not use the database/],
  ] as const) {
    it(`that answers ${code} is explained in a sentence`, () => {
      assert.match(explainFailure(new DatabaseError(code, null, "look", "secret words"), TARGET), sentence);
    });
  }

  it("that goes away is reported as not answering", () => {
    const away = new DatabaseUnavailableError("The database does not answer (57P03).");
    assert.match(
      explainFailure(away, TARGET),
      /^The database does not answer \(57P03\)\. DATABASE_URL leads to db/,
    );
  });

  it("that does not run is reported at once, without the password", async () => {
    const probe = createServer().listen(0, "127.0.0.1");
    await once(probe, "listening");
    const address = probe.address();
    const port = typeof address === "object" ? address?.port : 0;
    probe.close();
    await once(probe, "close");
    const refusal = await check(`postgresql://app:hidden-word@127.0.0.1:${port}/slipway`);
    assert.match(refusal, /does not answer \(ECONNREFUSED\)/);
    assert.ok(refusal.includes(`DATABASE_URL leads to 127.0.0.1:${port};`), refusal);
    assert.doesNotMatch(refusal, /hidden-word/);
  });

  it("that accepts connections but does not answer is reported after a while, and asked again until then", async () => {
    let connections = 0;
    const silent = createServer(() => void (connections += 1)).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const address = silent.address();
    const port = typeof address === "object" ? address?.port : 0;
    try {
      assert.match(await check(`postgresql://app@127.0.0.1:${port}/slipway`, 2_500), /does not answer/);
      assert.ok(connections >= 2, String(connections));
    } finally {
      silent.close();
    }
  });
});

async function check(connectionString: string, patienceMs?: number): Promise<string> {
  const db = createPostgresDatabase({ connectionString, poolSize: 1, onError: () => undefined });
  try {
    await checkPostgresServer(db, connectionString, patienceMs);
  } catch (error) {
    assert.ok(error instanceof Error);
    assert.equal(error.name, "DatabaseStartError");
    return error.message;
  } finally {
    await db.close();
  }
  throw new Error("The server was taken.");
}
