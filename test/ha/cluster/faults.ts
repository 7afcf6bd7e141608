/** Faults of the cluster. Each waits for its effect, and ends with all nodes back. */
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { until } from "../../helpers/until.ts";
import type { Random } from "../../crash/random.ts";
import type { HaCluster } from "./cluster.ts";
import { type Node, send } from "./node.ts";

export type Fault = {
  readonly name: string;
  /** Whether the primary is killed, and another one, or itself, is there again without help. */
  readonly killsPrimary: boolean;
  /** @returns what must not have happened */
  readonly run: (cluster: HaCluster, primary: Node, random: Random) => Promise<readonly string[]>;
};

/** Longer than the primary's lease, and than Patroni tries again. */
const LONG_MS = 25_000;
/** Longer than each of Slipway's limits for a connection that says nothing. */
const SILENT_MS = 20_000;
/** Writes that are acknowledged meanwhile are missing on a node that is down. */
const STALE_MS = 3_000;
const ELECTION_MS = 120_000;

export const FAULTS: readonly Fault[] = [
  {
    name: "the primary's machine dies",
    killsPrimary: true,
    async run(cluster, primary) {
      await primary.die();
      await successorOf(cluster, primary);
      primary.patroni.start();
      return [];
    },
  },
  {
    name: "kill -9 of the postmaster",
    killsPrimary: true,
    async run(cluster, primary) {
      const pid = primary.postmaster() ?? 0;
      send(pid, "SIGKILL");
      await until(
        async () => {
          const leader = await cluster.leader();
          return leader !== null && ![pid, null].includes(leader.postmaster());
        },
        "a primary",
        ELECTION_MS,
      );
      return [];
    },
  },
  {
    name: "kill -9 of the primary's Patroni",
    killsPrimary: false,
    async run(cluster, primary) {
      await primary.patroni.kill();
      await successorOf(cluster, primary);
      // There are two that take writes now, one of which can acknowledge none.
      await sleep(STALE_MS);
      primary.patroni.start();
      return [];
    },
  },
  {
    name: "STOP of the primary's Patroni",
    killsPrimary: false,
    async run(cluster, primary) {
      primary.patroni.signal("SIGSTOP");
      await successorOf(cluster, primary);
      await sleep(STALE_MS);
      primary.patroni.signal("SIGCONT");
      return [];
    },
  },
  {
    name: "STOP of the postmaster",
    killsPrimary: false,
    async run(_cluster, primary) {
      const pid = primary.postmaster() ?? 0;
      send(pid, "SIGSTOP");
      await sleep(SILENT_MS);
      send(pid, "SIGCONT");
      return [];
    },
  },
  {
    name: "STOP of one backend",
    killsPrimary: false,
    async run(_cluster, primary, random) {
      const pids = await backendsOf(primary);
      const pid = pids[random.below(pids.length)] ?? 0;
      send(pid, "SIGSTOP");
      await sleep(SILENT_MS);
      send(pid, "SIGCONT");
      return [];
    },
  },
  {
    name: "STOP of two etcd",
    killsPrimary: false,
    async run({ etcd }, _primary, random) {
      const stopped = random.shuffle(etcd).slice(0, 2);
      for (const one of stopped) one.signal("SIGSTOP");
      await sleep(LONG_MS);
      for (const one of stopped) one.signal("SIGCONT");
      return [];
    },
  },
  {
    name: "switchover",
    killsPrimary: false,
    async run(cluster, primary) {
      const body = JSON.stringify({ leader: primary.name });
      await fetch(`${primary.restUrl}/switchover`, { method: "POST", body }).then((answer) => answer.text());
      await successorOf(cluster, primary);
      return [];
    },
  },
  {
    name: "the primary is cut off from etcd and its standbys",
    killsPrimary: false,
    async run(cluster, primary) {
      primary.network.block();
      await successorOf(cluster, primary);
      await sleep(STALE_MS);
      primary.network.heal();
      return [];
    },
  },
  {
    name: "a stale standby comes back first",
    killsPrimary: false,
    async run(cluster, primary) {
      const seen = await cluster.members();
      const roleOf = ({ name }: Node) => seen.find((one) => one.name === name)?.role;
      const stale = cluster.nodes.find((node) => roleOf(node) === "replica");
      const others = cluster.nodes.filter((node) => node !== stale);
      if (stale === undefined || !others.includes(primary)) return ["There is no asynchronous standby."];
      await stale.die();
      await sleep(STALE_MS);
      await Promise.all(others.map((node) => node.die()));
      stale.patroni.start();
      await sleep(LONG_MS);
      const wrong =
        (await cluster.leader()) === stale ? [`${stale.name} was promoted without the last writes.`] : [];
      for (const { patroni } of others) patroni.start();
      return wrong;
    },
  },
];

async function successorOf(cluster: HaCluster, former: Node): Promise<Node> {
  return await until(
    async () => {
      const leader = await cluster.leader();
      return leader !== former && leader;
    },
    `another primary than ${former.name}`,
    ELECTION_MS,
  );
}

/** Slipway's connections. */
async function backendsOf(primary: Node): Promise<readonly number[]> {
  const client = new Client({ connectionString: primary.urlOf("postgres") });
  await client.connect();
  try {
    const { rows } = await client.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity
        WHERE backend_type = 'client backend' AND datname = 'postgres' AND application_name = ''
          AND pid <> pg_backend_pid() ORDER BY pid`,
    );
    return rows.map(({ pid }) => pid);
  } finally {
    await client.end();
  }
}
