import type { PoolClient } from "pg";
import type { SqlValue, Statement } from "../database.ts";
import { isBreaking } from "./driver-errors.ts";
import { connect, type Connections, disconnect, run } from "./pooled-database.ts";

export type GatheredReads = {
  /** @throws DatabaseError, DatabaseUnavailableError */
  query<Row>(statement: Statement<Row>, values: readonly SqlValue[]): Promise<Row[]>;
  /** How many wait for a connection. */
  waiting(): number;
};

/** The readers that share a connection, which is given back by the last. */
type Turn = { readonly client: PoolClient; readers: number; isBroken: boolean };

/**
 * Statements that only read, over a pool whose connections are few: all that wait for one share it when it is there, and
 * leave in one packet.
 */
export function createGatheredReads(pool: Connections, onError: (error: unknown) => void): GatheredReads {
  let waiting = 0;
  let next: Promise<Turn> | null = null;

  async function begin(): Promise<Turn> {
    try {
      const client = await connect(pool, onError);
      const { stream } = client.connection;
      stream.cork();
      // When all have said what they read.
      process.nextTick(() => stream.uncork());
      return { client, readers: waiting, isBroken: false };
    } finally {
      next = null;
      waiting = 0;
    }
  }

  return {
    async query(statement, values) {
      waiting += 1;
      next ??= begin();
      const turn = await next;
      try {
        return await run(turn.client, statement, values);
      } catch (error) {
        turn.isBroken ||= isBreaking(error);
        throw error;
      } finally {
        turn.readers -= 1;
        if (turn.readers === 0) disconnect(turn.client, onError, turn.isBroken);
      }
    },
    waiting: () => waiting,
  };
}
