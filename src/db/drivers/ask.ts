/**
 * How a statement is sent to a server, and how long we wait for its answer. The server's own limits end statements that
 * it works on; our limits find a connection whose server is unreachable or stopped.
 *
 * The promise and the timer are our own. With those of `pg`, V8 kept nearly all rows over several collections of young
 * objects, so that a list of 20 domains cost a third more CPU (`docs/measurements/requests.md`).
 */
import { type Client, type CustomTypesConfig, Query, type QueryConfig, type QueryResult, types } from "pg";
import { readUtcInstant } from "../../lib/instants.ts";
import type { SqlValue, Statement } from "../database.ts";

/** A connection of `pg`, and how long it waits for an answer; without that, as long as it takes. */
type Answering = Client & { readonly answerMs?: number | null };

/** Why a statement was given up. */
class UnansweredError extends Error {
  override readonly name = "UnansweredError";
  readonly code = "ETIMEDOUT";
}

/**
 * Sends a statement. If it gets no answer in time, it is given up, and with it the connection, because everything behind
 * it waits too.
 * @param limitMs null: as long as it takes, as for a migration
 * @param change changes what is sent
 * @throws what `pg` throws, UnansweredError
 */
export function ask(
  client: Answering,
  config: QueryConfig,
  limitMs: number | null = client.answerMs ?? null,
  change?: (query: Query) => void,
): Promise<QueryResult> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      reject(new UnansweredError("A statement was not answered in time."));
      client.connection.stream.destroy();
    };
    const timer = limitMs === null ? undefined : setTimeout(giveUp, limitMs);
    const query = new Query(config, (error?: Error | null, result?: QueryResult | QueryResult[]) => {
      clearTimeout(timer);
      // Of several statements, the last one has the rows.
      const last = Array.isArray(result) ? result.at(-1) : result;
      if (last === undefined) reject(error ?? new Error("A statement has no result."));
      else resolve(last);
    });
    change?.(query);
    client.query(query);
  });
}

const { TIMESTAMPTZ } = types.builtins;
const parseAnyInstant = types.getTypeParser(TIMESTAMPTZ);
const parseInstant = (text: string): unknown => readUtcInstant(text) ?? parseAnyInstant(text);
/** As `pg` reads values, but instants in UTC faster. */
const TYPES: CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === TIMESTAMPTZ && format !== "binary" ? parseInstant : types.getTypeParser(oid, format),
};

/** A statement with its values, as `pg` takes it. */
export function named({ name, text }: Statement<unknown>, values: readonly SqlValue[]): QueryConfig {
  return { name, text, values: [...values], types: TYPES };
}

/** Whether a statement was given up for its limit. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof UnansweredError;
}
