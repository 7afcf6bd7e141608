/** Runs the suites on a real PostgreSQL of their own. Arguments are those of `run-tests.ts`. */
import { existsSync } from "node:fs";
import { startPostgresCluster } from "./helpers/processes/postgres-cluster.ts";
import { runTests } from "./run-tests.ts";

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
    const missing = ALSO.filter((suite) => !existsSync(suite));
    if (missing.length > 0) throw new Error(`There is no such suite: ${missing.join(", ")}`);
    const env = { ...process.env, SLIPWAY_TEST_POSTGRES: cluster.url };
    return await runTests(2, [...process.argv.slice(2), ...suites], env);
  } finally {
    cluster.dispose();
  }
}

process.exitCode = await main();
