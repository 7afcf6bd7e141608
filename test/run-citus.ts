/**
 * `SLIPWAY_TEST_CITUS_URL=postgresql://… npm run test:citus`: the PostgreSQL suites and a short crash run on a Citus
 * cluster, whose coordinator the URL names, as a superuser. Each test file has a database of its own on all nodes. The
 * coordinator lists their addresses, which must be reachable from here. Arguments are those of `run-tests.ts`.
 */
import { spawn } from "node:child_process";
import { Client } from "pg";
import { runTests } from "./run-tests.ts";

/** The suites that work on a distributed database, or on any. */
const SUITES = [
  "test/api/**/*.test.ts",
  "test/audit/key-rotation.test.ts",
  "test/citus/**/*.test.ts",
  "test/guards/authorization.test.ts",
  "test/jobs/**/*.test.ts",
  "test/postgres/{contention,deployment-takeover,event-numbers,first-key,held-rows,idempotency,key-rotation}.test.ts",
  "test/postgres/{killed-in-burst,processes,same-moment}.test.ts",
];

/** Of a node of the cluster. */
const WORKER_PROCESSES = 200;

const url = process.env["SLIPWAY_TEST_CITUS_URL"];
if (url === undefined) {
  process.stderr.write("SLIPWAY_TEST_CITUS_URL must name the coordinator of a Citus cluster.\n");
  process.exit(1);
}

const client = new Client({ connectionString: url });
await client.connect();
const { rows } = await client.query<{ count: number }>(
  "SELECT current_setting('max_worker_processes')::int AS count",
);
await client.end();
if ((rows[0]?.count ?? 0) < WORKER_PROCESSES) {
  process.stderr.write(
    `Each database has a process of Citus. Set max_worker_processes = ${WORKER_PROCESSES} on all nodes, and start them again.\n`,
  );
  process.exit(1);
}

const env = { ...process.env, SLIPWAY_TEST_POSTGRES: url };
const codes = [
  await runTests(2, [...process.argv.slice(2), ...SUITES], env),
  await run(["test/crash/crash.ts", "--database", "citus", "--kills", "6", "--seed", "1"]),
];
process.exitCode = codes.find((code) => code !== 0) ?? 0;

function run(args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, args, { stdio: "inherit", env });
  return new Promise((resolve) => {
    child.once("exit", (code) => resolve(code ?? 1));
  });
}
