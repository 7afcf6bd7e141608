import type { Database, Sql, SqlValue, Statement, Then, Transaction } from "../../db/database.ts";
import type { OpenSpan, Tracing } from "../../lib/tracing.ts";

/** The same database with a span for each transaction and each statement, by its name: its text and values are in none. */
export function traceDatabase(db: Database, tracing: Tracing): Database {
  return {
    ...db,
    ...traceQueries(db, tracing),
    transaction: (work) =>
      tracing.isTraced()
        ? tracing.within("transaction", "client", () =>
            db.transaction((tx) => work(traceTransaction(tx, tracing))),
          )
        : db.transaction(work),
  };
}

function traceQueries(sql: Sql, tracing: Tracing): Sql {
  return {
    // No promise of its own: nearly all statements belong to no sampled trace.
    query: <Row>(statement: Statement<Row>, values?: readonly SqlValue[]): Promise<Row[]> =>
      tracing.isTraced()
        ? tracing.within(statement.name, "client", () => sql.query(statement, values))
        : sql.query(statement, values),
  };
}

function traceTransaction(tx: Transaction, tracing: Tracing): Transaction {
  return {
    ...tx,
    ...traceQueries(tx, tracing),
    send(statement, values, then = {}) {
      tx.send(statement, values, untilAnswered(tracing.begin(statement.name, "client"), then));
    },
  };
}

/** The span of a sent statement ends when the answer comes, because the caller does not wait for it. */
function untilAnswered<Row>(span: OpenSpan | null, { onRows, onFailure }: Then<Row>): Then<Row> {
  return {
    onRows(rows) {
      span?.end();
      onRows?.(rows);
    },
    onFailure(error) {
      span?.end(error);
      if (onFailure !== undefined) return onFailure(error);
      throw error;
    },
  };
}
