/** A private PostgreSQL cluster in a temporary folder, reached over a free loopback port. */
import { execFileSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { freePort } from "../free-port.ts";

const INSTALLED = "/usr/lib/postgresql";

export type PostgresCluster = {
  /** Of its database `postgres`, as superuser. */
  readonly url: string;
  /** Contains PGDATA, the log, and what `run` writes there. */
  readonly folder: string;
  /** PGDATA. */
  readonly dataFolder: string;
  /** Everything that the server logged so far. */
  readonly logged: () => string;
  /** Of the postmaster; the server's other processes are its children. */
  readonly pid: () => number;
  /** Ends without a checkpoint, as a crash does. */
  stopImmediately(): void;
  start(): void;
  /** Runs one of PostgreSQL's own programs as the server's user. @returns what it printed */
  run(program: string, args: readonly string[]): Buffer;
  /** Stops it and removes its folder. */
  dispose(): void;
};

/**
 * @param settings of `postgresql.conf`, by name
 * @param restoredFrom a base backup to start from instead of an empty database
 * @param parent where its folder is made
 */
export async function startPostgresCluster(
  settings: Readonly<Record<string, string | number>> = {},
  restoredFrom: string | null = null,
  parent: string = tmpdir(),
): Promise<PostgresCluster> {
  const bin = binaryFolder();
  const user = runsAs();
  const folder = mkdtempSync(path.join(parent, "slipway-postgres-"));
  if (user !== null) chownSync(folder, user.uid, user.gid);
  const port = await freePort();
  const dataFolder = path.join(folder, "data");
  const log = path.join(folder, "log");
  const run = (program: string, args: readonly string[], output: "pipe" | "ignore" = "ignore"): Buffer =>
    execFileSync(path.join(bin, program), args, {
      cwd: folder,
      maxBuffer: 1 << 30,
      // The server that `pg_ctl` starts would keep a pipe open.
      stdio: ["ignore", output, "inherit"],
      ...user,
    });
  if (restoredFrom !== null) execFileSync("cp", ["-a", restoredFrom, dataFolder]);
  else run("initdb", ["-D", dataFolder, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8"]);
  const all = {
    port,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: folder,
    max_connections: 300,
    shared_buffers: "256MB",
    ...settings,
  };
  const options = Object.entries(all)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(" ");
  const start = (): void => void run("pg_ctl", ["-D", dataFolder, "-l", log, "-w", "-o", options, "start"]);
  const stopImmediately = (): void => void run("pg_ctl", ["-D", dataFolder, "-m", "immediate", "stop"]);
  start();
  return {
    url: `postgresql://postgres@127.0.0.1:${port}/postgres`,
    folder,
    dataFolder,
    run: (program, args) => run(program, args, "pipe"),
    logged: () => readFileSync(log, "utf8"),
    pid: () => Number(readFileSync(path.join(dataFolder, "postmaster.pid"), "utf8").split("\n", 1)[0]),
    stopImmediately,
    start,
    dispose() {
      if (existsSync(path.join(dataFolder, "postmaster.pid"))) stopImmediately();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The newest installed server's programs. */
export function binaryFolder(): string {
  const versions = existsSync(INSTALLED) ? readdirSync(INSTALLED).map(Number).filter(Number.isFinite) : [];
  const newest = Math.max(...versions);
  if (newest > 0) return path.join(INSTALLED, String(newest), "bin");
  return execFileSync("pg_config", ["--bindir"], { encoding: "utf8" }).trim();
}

/** PostgreSQL refuses to run as root; Debian's package brings a user for it. */
export function runsAs(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const id = (flag: string): number => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}
