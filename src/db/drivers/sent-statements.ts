import { DatabaseError } from "../database.ts";

/** The statements of a transaction that were sent without waiting for their results. */
export interface SentStatements {
  add(outcome: Promise<unknown>): void;
  /** Waits for all statements. @throws the error of the first failed statement */
  settle(): Promise<void>;
  /** The actual cause when an awaited statement failed with `error`. */
  findCause(error: unknown): Promise<unknown>;
}

/** The error of every statement after a failed one (`in_failed_sql_transaction`). (SQLSTATE) */
const ABORTED = "25P02";

export function createSentStatements(): SentStatements {
  const outcomes: Promise<unknown>[] = [];
  /** In the order of sending: everything after a failure fails too. */
  const settle = async (): Promise<void> => {
    for (const outcome of outcomes) await outcome;
  };
  return {
    add(outcome) {
      // Handled later; until then it must not count as unhandled.
      outcome.catch(() => undefined);
      outcomes.push(outcome);
    },
    settle,
    async findCause(error) {
      if (!(error instanceof DatabaseError) || error.code !== ABORTED) return error;
      try {
        await settle();
        return error;
      } catch (cause) {
        return cause;
      }
    },
  };
}
