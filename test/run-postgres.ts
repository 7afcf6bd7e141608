/** Runs the suites on a real PostgreSQL of their own. Arguments are passed on to `node --test`. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { startPostgresCluster } from "./helpers/processes/postgres-cluster.ts";

const SUITES = [
  "test/api/**/*.test.ts",
  "test/audit/row-security.test.ts",
  "test/jobs/**/*.test.ts",
  "test/postgres/**/*.test.ts",
  "test/security/*-postgres.test.ts",
];
/** The gate runs these on the embedded database, and `SLIPWAY_TEST_FULL=1` on both. */
const ALSO = [
  "test/audit/key-rotation.test.ts",
  "test/guards/authorization.test.ts",
  "test/security/http-attacks.test.ts",
];

async function main(): Promise<number> {
  // No test ends the machine, whose memory keeps what a killed server wrote.
  const cluster = await startPostgresCluster({ fsync: "off", full_page_writes: "off" });
  try {
    const suites = process.env["SLIPWAY_TEST_FULL"] === "1" ? [...SUITES, ...ALSO] : SUITES;
    const missing = [...SUITES, ...ALSO].filter((suite) => !existsSync(suite.split("/*", 1)[0] ?? ""));
    if (missing.length > 0) throw new Error(`There is no such suite: ${missing.join(", ")}`);
    const tests = spawn(
      process.execPath,
      ["--test", "--test-concurrency=2", "--test-timeout=240000", ...process.argv.slice(2), ...suites],
      {
        stdio: "inherit",
        env: { ...process.env, SLIPWAY_TEST_POSTGRES: cluster.url },
      },
    );
    // The tests hear a Ctrl-C themselves; stay until they end, to stop the server after them.
    process.on("SIGINT", () => undefined);
    process.on("SIGTERM", () => tests.kill("SIGTERM"));
    return await new Promise((resolve) => {
      tests.once("exit", (code) => resolve(code ?? 1));
    });
  } finally {
    cluster.dispose();
  }
}

process.exitCode = await main();
