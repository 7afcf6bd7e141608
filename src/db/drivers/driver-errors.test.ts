import assert from "node:assert/strict";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { once } from "node:events";
import { describe, it } from "node:test";
import { DatabaseError, DatabaseUnavailableError, readStatement } from "../database.ts";
import { translateDriverError } from "./driver-errors.ts";
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
  const rows: readonly [string, Error, typeof DatabaseError | typeof DatabaseUnavailableError][] = [
    ["a write to a connection that the server closed", codedError("EPIPE"), DatabaseUnavailableError],
    ["one that it reset", codedError("ECONNRESET"), DatabaseUnavailableError],
    [
      "one to a stream that has ended here already",
      codedError("ERR_STREAM_WRITE_AFTER_END"),
      DatabaseUnavailableError,
    ],
    ["a server that starts", codedError("57P03"), DatabaseUnavailableError],
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

function codedError(code: string): Error {
  return Object.assign(new Error(`write ${code}`), { code });
}
