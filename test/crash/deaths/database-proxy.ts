/** Stands between one process and PostgreSQL, and sees when it commits and what it claims. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** To drop is to cut the connection at that point; a promise holds what was sent until it is settled. */
type Verdict = "pass" | "drop";

export type DatabaseWatcher = {
  /**
   * `sent`: the client asked for a commit, which the server has not heard yet. `done`: the server has
   * committed, which the client has not heard yet.
   */
  onCommit(moment: "sent" | "done"): Verdict | Promise<Verdict>;
  /** It claims an entity, named by kind and id. `number`: how many claims of it there were, with this one. */
  onClaim(entity: string, number: number): void;
};

export type DatabaseProxy = { readonly url: string; close(): void };

/** A Query of COMMIT, or a Bind of the statement named `commit` (PostgreSQL 15, 55.7 "Message Formats"). */
const COMMIT_SENT = /Q\0\0\0[\s\S]COMMIT\0|B\0\0\0[\s\S]\0commit\0/i;
/** CommandComplete of a commit, or of a write that is its own transaction, and ReadyForQuery outside of any. */
const COMMIT_DONE = /C\0\0\0[\s\S](?:COMMIT|(?:INSERT 0|UPDATE|DELETE) [1-9]\d*)\0Z\0\0\0[\s\S]I/;
/**
 * A row of a claim (`reconciliations_take`): seven columns, each after its length: organization, kind, id, account or
 * null, number of the claim, pokes, attempts.
 */
const CLAIMED =
  /\0[^\0]\0\0\0[^\0]org_[0-9a-z]{26}\0\0\0[^\0]([a-z-]+)\0\0\0[^\0]([a-z]+_[0-9a-z]{26})(?:\xff{4}|\0\0\0[^\0][a-z]+_[0-9a-z]{26})\0\0\0[^\0](\d+)\0\0\0[^\0]\d+\0\0\0[^\0]\d+/g;
/** A row may be cut in two by the network. */
const CLAIMED_OCTETS = 300;

export async function startDatabaseProxy(
  targetUrl: string,
  watcher: DatabaseWatcher,
): Promise<DatabaseProxy> {
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
    let tail = "";
    forward(client, upstream, cut, (text) => (COMMIT_SENT.test(text) ? watcher.onCommit("sent") : "pass"));
    forward(upstream, client, cut, (text) => {
      const seen = tail + text;
      for (const { 0: row, 1: kind = "", 2: id = "", 3: number, index } of seen.matchAll(CLAIMED)) {
        const isNew = index + row.length > tail.length;
        if (isNew) watcher.onClaim(`${kind}:${id}`, Number(number));
      }
      tail = seen.slice(-CLAIMED_OCTETS);
      return COMMIT_DONE.test(text) ? watcher.onCommit("done") : "pass";
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

/** Passes on what one end says, in order, as far as the watcher lets it. */
function forward(
  from: Socket,
  to: Socket,
  cut: () => void,
  judge: (text: string) => Verdict | Promise<Verdict>,
): void {
  from.on("data", (bytes) => {
    const verdict = judge(bytes.toString("latin1"));
    const obey = (said: Verdict): void => void (said === "drop" ? cut() : to.write(bytes));
    if (typeof verdict === "string") return obey(verdict);
    from.pause();
    void verdict.then((said) => {
      obey(said);
      from.resume();
    });
  });
}
