/**
 * Runs the suites on a real PostgreSQL: a private cluster in a temporary folder, reached over a free
 * loopback port, and gone afterwards. Arguments are passed on to `node --test`.
 */
import { execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";

const SUITES = ["test/api/**/*.test.ts", "test/postgres/**/*.test.ts"];
const INSTALLED = "/usr/lib/postgresql";

/** The newest installed server's programs. */
function binaryFolder(): string {
  const versions = existsSync(INSTALLED) ? readdirSync(INSTALLED).map(Number).filter(Number.isFinite) : [];
  const newest = Math.max(...versions);
  if (newest > 0) return path.join(INSTALLED, String(newest), "bin");
  return execFileSync("pg_config", ["--bindir"], { encoding: "utf8" }).trim();
}

/** PostgreSQL refuses to run as root; Debian's package brings a user for it. */
function runsAs(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const id = (flag: string): number => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

async function main(): Promise<number> {
  const bin = binaryFolder();
  const user = runsAs();
  const folder = mkdtempSync(path.join(tmpdir(), "slipway-postgres-"));
  if (user !== null) chownSync(folder, user.uid, user.gid);
  const port = await freePort();
  const pgdata = path.join(folder, "data");
  const run = (program: string, args: readonly string[]): void => {
    execFileSync(path.join(bin, program), args, {
      cwd: folder,
      stdio: ["ignore", "ignore", "inherit"],
      ...user,
    });
  };
  run("initdb", ["-D", pgdata, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8"]);
  const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder} -c max_connections=300 -c shared_buffers=256MB`;
  run("pg_ctl", ["-D", pgdata, "-l", path.join(folder, "log"), "-w", "-o", settings, "start"]);
  try {
    const suites = SUITES.filter((suite) => existsSync(suite.split("/**", 1)[0] ?? ""));
    const tests = spawn(process.execPath, ["--test", ...process.argv.slice(2), ...suites], {
      stdio: "inherit",
      env: { ...process.env, SLIPWAY_TEST_POSTGRES: `postgresql://postgres@127.0.0.1:${port}/postgres` },
    });
    // The tests hear a Ctrl-C themselves; stay until they end, to stop the server after them.
    process.on("SIGINT", () => undefined);
    process.on("SIGTERM", () => tests.kill("SIGTERM"));
    return await new Promise((resolve) => {
      tests.once("exit", (code) => resolve(code ?? 1));
    });
  } finally {
    run("pg_ctl", ["-D", pgdata, "-m", "immediate", "stop"]);
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exitCode = await main();
