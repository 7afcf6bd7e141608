/** PgBouncer in front of a PostgreSQL server, as docs/how-to/high-availability.md has it. */
import { writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { once } from "node:events";
import path from "node:path";
import { freePort } from "../helpers/free-port.ts";
import type { PostgresCluster } from "../helpers/processes/postgres-cluster.ts";
import { createProgram, type Program } from "../helpers/processes/program.ts";
import { until } from "../helpers/until.ts";

/** Debian 12's release is too old, so another one may be named by its path. */
const PROGRAM = process.env["SLIPWAY_TEST_PGBOUNCER"] ?? "/usr/sbin/pgbouncer";

export type Pooler = {
  /** Of the server's database `postgres`, through PgBouncer. */
  readonly url: string;
  readonly program: Program;
};

/** Resolves when it listens. */
export async function startPooler(server: PostgresCluster): Promise<Pooler> {
  const port = await freePort();
  const target = new URL(server.url);
  for (const [setting, value] of [
    ["statement_timeout", "15s"],
    ["idle_in_transaction_session_timeout", "8s"],
  ])
    server.run("psql", [server.url, "-qc", `ALTER ROLE ${target.username} SET ${setting} = '${value}'`]);
  const users = path.join(server.folder, "pgbouncer-users");
  writeFileSync(users, `"${target.username}" ""\n`);
  const file = path.join(server.folder, "pgbouncer.ini");
  writeFileSync(
    file,
    `[databases]
* = host=${target.hostname} port=${target.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
max_prepared_statements = 500
`,
  );
  const program = createProgram("pgbouncer", PROGRAM, [file], server.folder);
  program.start();
  await until(() => listens(port), "PgBouncer listens");
  return { url: Object.assign(new URL(server.url), { port }).href, program };
}

async function listens(port: number): Promise<boolean> {
  const socket = createConnection(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
