/** Three nodes of Patroni with synchronous replication, three of etcd, and HAProxy in front of the primary. */
import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { freePort } from "../../helpers/free-port.ts";
import { runsAs } from "../../helpers/processes/postgres-cluster.ts";
import { until } from "../../helpers/until.ts";
import { createNode, type Node } from "./node.ts";
import { createProgram, type Program } from "../../helpers/processes/program.ts";

/** The longest that a cluster needs until all its nodes replicate again, on a busy machine. */
const HEALTHY_MS = 240_000;
/** Patroni's answer when it has time. */
const ANSWER_MS = 2_000;

export type Member = {
  readonly name: string;
  readonly role: "leader" | "sync_standby" | "replica";
  readonly state: string;
  readonly timeline?: number;
};

export type HaCluster = {
  readonly nodes: readonly Node[];
  readonly etcd: readonly Program[];
  /** Through HAProxy; and of all servers at once. */
  urlThrough(way: "haproxy" | "hosts", database: string): string;
  /** As the nodes see it; empty if none answers. */
  members(): Promise<readonly Member[]>;
  /** The node that is the primary for all that can say so; null if there is none. */
  leader(): Promise<Node | null>;
  /** Resolves with the primary when it is there and both others replicate, one of them synchronously. */
  healthy(): Promise<Node>;
  stop(): Promise<void>;
};

export async function startHaCluster(): Promise<HaCluster> {
  const folder = mkdtempSync(path.join(tmpdir(), "slipway-ha-"));
  const user = runsAs();
  if (user !== null) chownSync(folder, user.uid, user.gid);
  const etcdPorts = await Promise.all([1, 2, 3].map(freePort));
  const etcd = await createEtcd(folder, etcdPorts);
  const nodes = await Promise.all(["one", "two", "three"].map((name) => createNode(name, folder, etcdPorts)));
  const proxyPort = await freePort();
  const proxy = createHaproxy(folder, proxyPort, nodes);

  const members = async (): Promise<readonly Member[]> => {
    const answers = await Promise.all(nodes.map(({ restUrl }) => readJson(`${restUrl}/cluster`)));
    const seen = answers.flatMap((answer) => (answer === null ? [] : [answer as { members: Member[] }]));
    return seen[0]?.members ?? [];
  };
  const leader = async (): Promise<Node | null> => {
    const found = (await members()).find(({ role }) => role === "leader");
    const node = nodes.find(({ name }) => name === found?.name);
    if (node === undefined) return null;
    return (await isPrimary(node)) ? node : null;
  };
  const stop = async (): Promise<void> => {
    await proxy.kill();
    await Promise.all(nodes.map((node) => node.stop()));
    await Promise.all(etcd.map((one) => one.kill()));
    rmSync(folder, { recursive: true, force: true });
  };
  const healthy = async (): Promise<Node> =>
    await until(
      async () => {
        const seen = await members();
        const [first] = seen;
        const isWhole =
          seen.length === nodes.length &&
          seen.every(
            ({ state, timeline }) => /^(running|streaming)$/.test(state) && timeline === first?.timeline,
          ) &&
          seen.some(({ role }) => role === "sync_standby");
        return isWhole && (await leader());
      },
      "three nodes replicate",
      HEALTHY_MS,
    );
  try {
    for (const one of etcd) one.start();
    // Patroni ends when etcd has no leader yet.
    await until(async () => {
      const seen = await Promise.all(etcdPorts.map((port) => readJson(`http://127.0.0.1:${port}/version`)));
      return seen.every((one) => /^\d/.test(String((one as { etcdcluster?: string } | null)?.etcdcluster)));
    }, "etcd has a leader");
    // The first becomes the primary, and the others copy it.
    for (const { patroni } of nodes) patroni.start();
    proxy.start();
    await healthy();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    nodes,
    etcd,
    urlThrough(way, database) {
      const ports = way === "haproxy" ? [proxyPort] : nodes.map(({ port }) => port);
      const hosts = ports.map((port) => `127.0.0.1:${port}`).join(",");
      return `postgresql://postgres@${hosts}/${database}?target_session_attrs=read-write`;
    },
    members,
    leader,
    healthy,
    stop,
  };
}

async function createEtcd(folder: string, ports: readonly number[]): Promise<readonly Program[]> {
  const peers = await Promise.all(ports.map(freePort));
  const urlOf = (port: number | undefined): string => `http://127.0.0.1:${String(port)}`;
  const all = peers.map((port, index) => `etcd-${index}=${urlOf(port)}`).join(",");
  return ports.map((port, index) => {
    const args = {
      name: `etcd-${index}`,
      "data-dir": path.join(folder, `etcd-${index}`),
      "listen-client-urls": urlOf(port),
      "advertise-client-urls": urlOf(port),
      "listen-peer-urls": urlOf(peers[index]),
      "initial-advertise-peer-urls": urlOf(peers[index]),
      "initial-cluster": all,
      "heartbeat-interval": "250",
      "election-timeout": "2500",
    };
    return createProgram(
      `etcd-${index}`,
      "etcd",
      Object.entries(args).flatMap(([name, value]) => [`--${name}`, value]),
      folder,
    );
  });
}

/** As docs/how-to/high-availability.md has it. */
function createHaproxy(folder: string, port: number, nodes: readonly Node[]): Program {
  const own = path.join(folder, "haproxy");
  mkdirSync(own);
  const servers = nodes.map(
    ({ name, port: target, restUrl }) =>
      `  server ${name} 127.0.0.1:${target} maxconn 150 check port ${new URL(restUrl).port}`,
  );
  const file = path.join(own, "haproxy.cfg");
  writeFileSync(
    file,
    [
      "defaults",
      "  mode tcp",
      "  timeout connect 2s",
      "  timeout client 1h",
      "  timeout server 1h",
      "  timeout check 2s",
      "listen primary",
      `  bind 127.0.0.1:${port}`,
      "  option httpchk OPTIONS /primary",
      "  http-check expect status 200",
      "  default-server inter 1s fall 3 rise 2 on-marked-down shutdown-sessions",
      ...servers,
      "",
    ].join("\n"),
  );
  return createProgram("haproxy", "haproxy", ["-f", file, "-db"], folder);
}

async function isPrimary({ restUrl }: Node): Promise<boolean> {
  try {
    return (await fetch(`${restUrl}/primary`, { signal: AbortSignal.timeout(ANSWER_MS) })).status === 200;
  } catch {
    return false;
  }
}

async function readJson(url: string): Promise<unknown> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) });
    return answer.ok ? await answer.json() : null;
  } catch {
    return null;
  }
}
