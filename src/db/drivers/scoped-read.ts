/** Reads in the scope of an organization (`tenant-scope.ts`), each in a transaction of its own. */
import { type Client, type Connection, Query } from "pg";
import type { SqlValue, Statement } from "../database.ts";
import type { Opening } from "../tenant-scope.ts";
import { ask, named } from "./ask.ts";
import { translateDriverError } from "./driver-errors.ts";

/** Sets the tenants' role and the organization. It returns no row, so that the rows of an answer are the read's. */
const PREPARE = `PREPARE tenant_scope (text, text) AS
  SELECT 1 WHERE set_config('role', $1, true) IS NULL OR set_config('slipway.organization_id', $2, true) IS NULL`;

const prepared = new WeakSet<Client>();

/**
 * Lets reads on a connection set their scope with one message. Not behind a pooler, which changes the connection. If it
 * fails, reads still have the other way.
 */
export async function prepareScope(client: Client): Promise<void> {
  await ask(client, { text: PREPARE });
  prepared.add(client);
}

type ScopedQuery = Query & { readonly settings: readonly string[] };

/**
 * Sends the statement that sets the scope in front of a read. All reads share this function: with one of its own for
 * each, V8 kept their rows over several collections of young objects (`docs/measurements/requests.md`).
 */
function submitInScope(this: ScopedQuery, connection: Connection): void {
  connection.bind({ statement: "tenant_scope", values: [...this.settings] }, true);
  connection.execute({}, true);
  return Query.prototype.submit.call(this, connection);
}

/**
 * Runs a read in its scope. If the connection is prepared, the statement that sets the scope and the read are sent with
 * one Sync: one transaction, one answer, and PostgreSQL does not run the second if the first fails (PostgreSQL's
 * protocol, "Pipelining"). Otherwise BEGIN, the read and COMMIT leave in one packet, which costs about four times as
 * much.
 * @throws DatabaseError, DatabaseUnavailableError
 */
export async function runInScope<Row>(
  client: Client,
  statement: Statement<Row>,
  values: readonly SqlValue[],
  { settings, begin }: Opening,
): Promise<Row[]> {
  const config = named(statement, values);
  try {
    if (settings !== null && prepared.has(client)) {
      const { rows } = await ask(client, config, undefined, (query) => {
        Object.assign(query, { settings, submit: submitInScope });
      });
      return rows as Row[];
    }
    const { stream } = client.connection;
    stream.cork();
    const asked = [
      ask(client, { text: begin }),
      ask(client, config),
      ask(client, { text: "COMMIT" }),
    ] as const;
    stream.uncork();
    // Rows that came although the beginning failed are not looked at: they may be another organization's.
    const [, result] = await Promise.all(asked);
    return result.rows as Row[];
  } catch (error) {
    throw translateDriverError(error, statement.name);
  }
}
