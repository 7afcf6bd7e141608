/** Stands between one process and PostgreSQL, and sees when it commits. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/**
 * `sent`: the client asked for a commit, which the server has not heard yet. `done`: the server has
 * committed, which the client has not heard yet. To drop is to cut the connection at that point.
 */
export type CommitWatcher = (moment: "sent" | "done") => "pass" | "drop";

export type DatabaseProxy = { readonly url: string; close(): void };

/** A Query of COMMIT, or a Bind of the statement named `commit` (PostgreSQL 15, 55.7 "Message Formats"). */
const COMMIT_SENT = /Q\0\0\0[\s\S]COMMIT\0|B\0\0\0[\s\S]\0commit\0/i;
/** CommandComplete of a commit, or of a write that is its own transaction, and ReadyForQuery outside of any. */
const COMMIT_DONE = /C\0\0\0[\s\S](?:COMMIT|(?:INSERT 0|UPDATE|DELETE) [1-9]\d*)\0Z\0\0\0[\s\S]I/;

export async function startDatabaseProxy(targetUrl: string, watcher: CommitWatcher): Promise<DatabaseProxy> {
  const target = new URL(targetUrl);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    const cut = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      // Both ends are killed at will.
      socket.on("error", cut);
      socket.on("close", () => {
        sockets.delete(socket);
        cut();
      });
    }
    client.on("data", (bytes) => {
      if (COMMIT_SENT.test(bytes.toString("latin1")) && watcher("sent") === "drop") return cut();
      upstream.write(bytes);
    });
    upstream.on("data", (bytes) => {
      if (COMMIT_DONE.test(bytes.toString("latin1")) && watcher("done") === "drop") return cut();
      client.write(bytes);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(targetUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
