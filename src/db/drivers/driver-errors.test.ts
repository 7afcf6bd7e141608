import assert from "node:assert/strict";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { once } from "node:events";
import { describe, it } from "node:test";
import { DatabaseError, DatabaseUnavailableError, isNotNullViolation, readStatement } from "../database.ts";
import { isDoubt, mayHaveBeenDone, repeatOnDeadlock, translateDriverError } from "./driver-errors.ts";
import { createPostgresDatabase } from "./postgres.ts";

const ONE = readStatement("one", "SELECT 1");

describe("a database that accepts connections but does not answer", () => {
  it("is reported as not answering", async () => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => sockets.push(socket)).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const db = createPostgresDatabase({
      connectionString: `postgresql://nobody@127.0.0.1:${port}/none`,
      poolSize: 2,
      onError: () => undefined,
    });
    try {
      await assert.rejects(db.query(ONE), DatabaseUnavailableError);
      await assert.rejects(
        db.transaction((tx) => tx.query(ONE)),
        DatabaseUnavailableError,
      );
    } finally {
      for (const socket of sockets) socket.destroy();
      server.close();
      await db.close();
    }
  });
});

describe("what a driver throws", () => {
  it("names the column of a missing value, and no other's", () => {
    const error = translateDriverError(Object.assign(codedError("23502"), { column: "name" }), "save");
    assert.ok(isNotNullViolation(error, "name"));
    assert.ok(!isNotNullViolation(error, "environment_id"));
  });

  const rows: readonly [string, Error, typeof DatabaseError | typeof DatabaseUnavailableError][] = [
    ["a write to a connection that the server closed", codedError("EPIPE"), DatabaseUnavailableError],
    ["a connection that it reset", codedError("ECONNRESET"), DatabaseUnavailableError],
    [
      "one to a stream that has ended here already",
      codedError("ERR_STREAM_WRITE_AFTER_END"),
      DatabaseUnavailableError,
    ],
    ["a server that starts", codedError("57P03"), DatabaseUnavailableError],
    ["a server that takes no writes", codedError("25006"), DatabaseUnavailableError],
    ["a pooler", codedError("08P01"), DatabaseUnavailableError],
    ["a statement without an answer", codedError("ETIMEDOUT"), DatabaseUnavailableError],
    ["a transaction that stood still", codedError("25P03"), DatabaseUnavailableError],
    [
      "a connection that said only that",
      new Error("Connection terminated unexpectedly"),
      DatabaseUnavailableError,
    ],
    ["a value that is there already", codedError("23505"), DatabaseError],
    ["an error of a function", codedError("P0001"), DatabaseError],
    ["a defect of the server", codedError("XX000"), DatabaseError],
  ];
  for (const [what, error, expected] of rows) {
    it(`of ${what} is a ${expected.name}`, () => {
      assert.ok(translateDriverError(error, "test") instanceof expected);
    });
  }
});

for (const [what, error] of [
  ["moves a table's part", codedError("CIINF")],
  ["splits it", Object.assign(new Error("could not find valid entry for shard 102080"), { code: "XX000" })],
] as const)
  it(`the transaction is worth another try when Citus ${what}`, async () => {
    let tries = 0;
    await repeatOnDeadlock(async () => {
      tries += 1;
      if (tries === 1) throw translateDriverError(error, "test");
    });
    assert.equal(tries, 2);
  });

describe("a write", () => {
  for (const [what, error, isUnknown] of [
    ["whose connection was lost", new Error("Connection terminated unexpectedly"), true],
    ["without an answer", codedError("ETIMEDOUT"), true],
    ["whose session was ended", codedError("57P01"), true],
    ["whose pooler lost the server", codedError("08P01"), true],
    ["that never left", new Error("Client has encountered a connection error and is not queryable"), false],
    ["to a server that takes none", codedError("25006"), false],
    ["without space", codedError("53100"), false],
    ["that was refused", codedError("23505"), false],
  ] as const) {
    it(`${what} ${isUnknown ? "may" : "cannot"} have been done`, () => {
      assert.equal(mayHaveBeenDone(error), isUnknown);
    });
  }
});

function codedError(code: string): Error {
  return Object.assign(new Error(`write ${code}`), { code });
}

it("doubts a commit for a warning, but not when Citus has no process for its upkeep", () => {
  assert.ok(isDoubt({ code: "01000", routine: "SyncRepWaitForLSN" }));
  assert.ok(isDoubt({ code: "01000", routine: "ThrowFromNode" }));
  assert.ok(!isDoubt({ code: "01000", routine: "WarnMaintenanceDaemonNotStarted" }));
  assert.ok(!isDoubt({ code: "25001", routine: "BeginTransactionBlock" }));
});
