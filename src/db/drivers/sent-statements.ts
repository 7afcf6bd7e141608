import { DatabaseError } from "../database.ts";

/** The statements of a transaction that were sent and not waited for. */
export interface SentStatements {
  add(outcome: Promise<unknown>): void;
  /** Waits for all of them. @throws what the first one that failed failed with */
  settle(): Promise<void>;
  /** What went wrong when a statement that was waited for failed with `error`. */
  findCause(error: unknown): Promise<unknown>;
}

/** What every statement after the one that failed is answered with (`in_failed_sql_transaction`). (SQLSTATE) */
const ABORTED = "25P02";

export function createSentStatements(): SentStatements {
  const outcomes: Promise<unknown>[] = [];
  /** In the order of sending: whatever follows a failure fails too. */
  const settle = async (): Promise<void> => {
    for (const outcome of outcomes) await outcome;
  };
  return {
    add(outcome) {
      // Looked at later; until then it is not unhandled.
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
