/** One node: Patroni, its PostgreSQL, and the network between it and the rest. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { binaryFolder } from "../../helpers/processes/postgres-cluster.ts";
import { freePort } from "../../helpers/free-port.ts";
import { type StallingProxy, startStallingProxy } from "../../helpers/processes/stalling-proxy.ts";
import { createProgram, type Program } from "../../helpers/processes/program.ts";

/** `loop_wait` + 2 × `retry_timeout` ≤ `ttl`, as Patroni asks for. */
const DCS = { ttl: 20, loop_wait: 5, retry_timeout: 5 };

export type Node = {
  readonly name: string;
  readonly patroni: Program;
  /** Where PostgreSQL listens, past the network that can be cut. */
  readonly port: number;
  /** Where Patroni answers. */
  readonly restUrl: string;
  /** Of the database that it has, as superuser. */
  urlOf(database: string): string;
  /** Of PostgreSQL's first process; null when it does not run. */
  postmaster(): number | null;
  /** The machine dies: Patroni and PostgreSQL, with all its processes, at once. */
  die(): Promise<void>;
  /** Its way to etcd, and the standbys' way to it. Clients still reach it. */
  readonly network: { block(): void; heal(): void };
  /** Ends all that runs. */
  stop(): Promise<void>;
};

export async function createNode(name: string, folder: string, etcdPorts: readonly number[]): Promise<Node> {
  const [port, restPort] = [await freePort(), await freePort()];
  const data = path.join(folder, name);
  const etcd = await Promise.all(etcdPorts.map(startStallingProxy));
  const replication = await startStallingProxy(port);
  const ways: readonly StallingProxy[] = [...etcd, replication];
  // YAML reads JSON.
  const config = {
    scope: "slipway",
    name,
    restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` },
    // Proxies, or Patroni would ask etcd for its addresses and pass them by.
    etcd3: { hosts: etcd.map((proxy) => `127.0.0.1:${proxy.port}`), use_proxies: true },
    bootstrap: {
      dcs: {
        ...DCS,
        maximum_lag_on_failover: 1_048_576,
        synchronous_mode: true,
        synchronous_mode_strict: true,
        postgresql: {
          use_pg_rewind: true,
          parameters: { max_connections: 200, shared_buffers: "64MB", wal_keep_size: "256MB" },
        },
      },
      initdb: [{ encoding: "UTF8" }, { locale: "C.UTF-8" }, "data-checksums"],
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${replication.port}`,
      data_dir: data,
      bin_dir: binaryFolder(),
      pgpass: path.join(folder, `${name}.pgpass`),
      pg_hba: [
        "local all all trust",
        "host all all 127.0.0.1/32 trust",
        "host replication all 127.0.0.1/32 trust",
      ],
      authentication: { superuser: { username: "postgres" }, replication: { username: "replicator" } },
      parameters: { unix_socket_directories: folder },
    },
  };
  const file = path.join(folder, `${name}.yml`);
  writeFileSync(file, JSON.stringify(config, null, 2));
  const patroni = createProgram(`patroni-${name}`, "patroni", [file], folder);

  const postmaster = (): number | null => {
    try {
      const [pid = ""] = readFileSync(path.join(data, "postmaster.pid"), "utf8").split("\n", 1);
      return isAlive(Number(pid)) ? Number(pid) : null;
    } catch {
      return null;
    }
  };
  /** Kills all its processes: otherwise they would end only when they notice that the first has ended. */
  const killServer = (pid: number): void => [pid, ...childrenOf(pid)].forEach((one) => send(one, "SIGKILL"));
  const die = async (): Promise<void> => {
    const pid = postmaster();
    const gone = patroni.kill();
    if (pid !== null) {
      killServer(pid);
      while (isAlive(pid)) await sleep(20);
    }
    await gone;
  };
  // A run that breaks off must not leave it behind.
  process.once("exit", () => {
    const pid = postmaster();
    if (pid !== null) killServer(pid);
  });
  return {
    name,
    patroni,
    port,
    restUrl: `http://127.0.0.1:${restPort}`,
    urlOf: (database) => `postgresql://postgres@127.0.0.1:${port}/${database}`,
    postmaster,
    die,
    network: {
      block: () => ways.forEach((way) => way.block()),
      heal: () => ways.forEach((way) => way.heal()),
    },
    async stop() {
      await die();
      for (const way of ways) way.close();
    },
  };
}

/** Sends a signal to a process that may have ended. */
export function send(pid: number, signal: NodeJS.Signals): void {
  // 0 would be the group of the test itself: there is no process yet.
  if (!(pid > 0)) return;
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended already.
  }
}

function childrenOf(pid: number): readonly number[] {
  const listed = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return listed === "" ? [] : listed.split(" ").map(Number);
}

/** A process that has ended and was not waited for yet is not alive. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
