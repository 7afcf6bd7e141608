/**
 * Databases on every node of a cluster: a test gets one of its own on Citus as it does on a single server. On Citus,
 * the coordinator lists the nodes; a single server is the only node.
 */
import { Client } from "pg";
import { createPostgresDatabase } from "../../../src/db/drivers/postgres.ts";
import { distribute } from "../../../src/db/distribute.ts";

/** Few, because a test's database has that many tables for each of ours. */
const SHARDS = 4;

/** The URLs of all nodes, the given one first. */
export async function listNodes(url: string): Promise<readonly string[]> {
  const rows = await ask(
    url,
    "SELECT nodename || ':' || nodeport AS at FROM pg_dist_node WHERE groupid <> 0 ORDER BY groupid",
  ).catch((error: unknown) => {
    // A server without Citus.
    if (error instanceof Error && /pg_dist_node/.test(error.message)) return [];
    throw error;
  });
  return [url, ...rows.map(({ at }) => Object.assign(new URL(url), { host: String(at) }).href)];
}

/** Runs SQL on every node, on each in its own time. */
export async function onAllNodes(nodes: readonly string[], ...commands: readonly string[]): Promise<void> {
  await Promise.all(
    nodes.map(async (url) => {
      for (const command of commands) await ask(url, command);
    }),
  );
}

/** Makes one cluster of the databases of a name on all nodes. */
export async function joinNodes(nodes: readonly string[], database: string): Promise<void> {
  const [coordinator = "", ...workers] = nodes.map((url) => urlOf(url, database));
  await onAllNodes([coordinator, ...workers], "CREATE EXTENSION IF NOT EXISTS citus");
  const { hostname, port } = new URL(coordinator);
  await ask(coordinator, `SELECT citus_set_coordinator_host('${hostname}', ${port || "5432"})`);
  for (const worker of workers) {
    const at = new URL(worker);
    await ask(coordinator, `SELECT citus_add_node('${at.hostname}', ${at.port || "5432"})`);
  }
  await ask(coordinator, `ALTER DATABASE ${database} SET citus.shard_count TO ${SHARDS}`);
}

/** The same, and distributes the tables that the first one has. */
export async function distributeOver(nodes: readonly string[], database: string): Promise<void> {
  await joinNodes(nodes, database);
  const coordinator = urlOf(nodes[0] ?? "", database);
  const db = createPostgresDatabase({ connectionString: coordinator, poolSize: 2, onError: () => undefined });
  try {
    await distribute(db);
  } finally {
    await db.close();
  }
}

export function urlOf(adminUrl: string, database: string): string {
  return Object.assign(new URL(adminUrl), { pathname: `/${database}` }).href;
}

async function ask(url: string, text: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}
