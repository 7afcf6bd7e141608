/**
 * One client for each PostgreSQL, past every proxy, which writes numbered rows whatever its node believes to be. So a
 * former primary is asked all the time whether it still acknowledges.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import type { HaCluster } from "../cluster/cluster.ts";
import type { Node } from "../cluster/node.ts";

const PAUSE_MS = 100;
const CONNECT_MS = 2_000;
const ANSWER_MS = 3_000;
const WARNING = "01000";

/** A row that a node acknowledged to its writer. */
type Acknowledged = {
  readonly number: number;
  readonly node: string;
  readonly timeline: number;
  readonly sentMs: number;
  readonly doneMs: number;
};

export type RowWriters = {
  /** Ends them. @returns what does not hold, and how many rows were acknowledged */
  check(): Promise<{
    readonly breaches: readonly string[];
    readonly count: number;
    readonly unknown: number;
  }>;
};

const DATABASE = "rows";
const INSERT = `INSERT INTO rows VALUES ($1, $2)
  RETURNING ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int AS timeline`;

export async function startRowWriters(cluster: HaCluster): Promise<RowWriters> {
  await ask(cluster.urlThrough("haproxy", "postgres"), `CREATE DATABASE ${DATABASE}`);
  const url = cluster.urlThrough("haproxy", DATABASE);
  await ask(url, "CREATE TABLE rows (number int PRIMARY KEY, node text)");
  const acknowledged: Acknowledged[] = [];
  const stopping = new AbortController();
  let last = 0;
  let unknown = 0;

  const write = async (node: Node): Promise<void> => {
    const client = await connect(node.urlOf(DATABASE));
    let hasDoubt = false;
    client.on("notice", ({ code }) => {
      hasDoubt ||= code === WARNING;
    });
    try {
      while (!stopping.signal.aborted) {
        last += 1;
        const number = last;
        const sentMs = performance.now();
        unknown += 1;
        const { rows } = await client.query<{ timeline: number }>(INSERT, [number, node.name]);
        if (hasDoubt) return;
        unknown -= 1;
        const timeline = rows[0]?.timeline ?? 0;
        acknowledged.push({ number, node: node.name, timeline, sentMs, doneMs: performance.now() });
        await sleep(PAUSE_MS);
      }
    } finally {
      client.connection.stream.destroy();
    }
  };
  const writing = cluster.nodes.map(async (node) => {
    while (!stopping.signal.aborted) {
      // It takes no writes, is down, or lost the connection: that is what is tried.
      await write(node).catch(() => undefined);
      await sleep(PAUSE_MS);
    }
  });
  return {
    async check() {
      stopping.abort();
      await Promise.all(writing);
      const kept = new Set(
        (await ask<{ number: number }>(url, "SELECT number FROM rows")).map((row) => row.number),
      );
      const lost = acknowledged.filter(({ number }) => !kept.has(number));
      return {
        breaches: [
          ...lost.map(
            ({ number, node, timeline }) => `Row ${number} of ${node} (timeline ${timeline}) is lost.`,
          ),
          ...findTwoPrimaries(acknowledged),
        ],
        count: acknowledged.length,
        unknown,
      };
    },
  };
}

/** Each promotion begins a timeline: an older one acknowledges nothing that was sent after the next one's first row. */
function findTwoPrimaries(acknowledged: readonly Acknowledged[]): readonly string[] {
  const nodes = new Map<number, string>();
  const firstMs = new Map<number, number>();
  const breaches: string[] = [];
  for (const { node, timeline, doneMs } of acknowledged) {
    const known = nodes.get(timeline) ?? node;
    if (known !== node) breaches.push(`${known} and ${node} both acknowledged on timeline ${timeline}.`);
    nodes.set(timeline, node);
    firstMs.set(timeline, Math.min(doneMs, firstMs.get(timeline) ?? Infinity));
  }
  for (const { number, node, timeline, sentMs } of acknowledged)
    for (const [later, beganMs] of firstMs)
      if (later > timeline && sentMs > beganMs)
        breaches.push(
          `${node} acknowledged row ${number} on timeline ${timeline}, and ${nodes.get(later)} was primary on ${later}.`,
        );
  return breaches;
}

async function ask<Row extends object>(url: string, text: string): Promise<readonly Row[]> {
  const client = await connect(url, 60_000);
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    client.connection.stream.destroy();
  }
}

async function connect(connectionString: string, answerMs = ANSWER_MS): Promise<Client> {
  const client = new Client({
    connectionString,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: answerMs,
    // So that a query that is given up destroys its connection.
    pipeline: true,
  });
  client.on("error", () => undefined);
  await client.connect();
  return client;
}
