import assert from "node:assert/strict";
import { createServer, type Socket } from "node:net";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { describe, it } from "node:test";
import { DatabaseUnavailableError, statement } from "./database.ts";
import { createPostgresDatabase } from "./postgres.ts";

const ONE = statement("one", "SELECT 1");

describe("a database that takes connections and says nothing", () => {
  it("is told as one that does not answer", async () => {
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
