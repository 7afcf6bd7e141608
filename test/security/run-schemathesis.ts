/**
 * `npm run test:schema -- [--seconds N] [--seed N] [--examples N]`: Schemathesis makes requests of every kind from
 * `/openapi.json`, valid and not, one after the other and in chains, and holds every answer to it. It is
 * installed, pinned, into a virtual environment that is kept between runs.
 */
import { spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { openPythonEnvironment } from "../helpers/processes/python-environment.ts";
import { copyPgliteTemplate, makeTempDir } from "../helpers/template.ts";
import { startLogged } from "./logged-process.ts";

const ADMIN_KEY = "schema-admin-key-0123456789abcdef";

const { values: options } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    // How many requests each operation gets in the fuzzing phase, at most.
    examples: { type: "string", default: "100" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});

async function main(): Promise<number> {
  const python = openPythonEnvironment("schemathesis");
  const folder = await makeTempDir("schemathesis");
  await copyPgliteTemplate(path.join(folder, "data/database"));
  const service = await startLogged({
    SLIPWAY_DATA_DIR: path.join(folder, "data"),
    SLIPWAY_API_KEY: ADMIN_KEY,
    SLIPWAY_RATE_LIMIT_PER_MINUTE: "0",
    SLIPWAY_LOG: "warn",
  });
  try {
    const run = spawn(
      python,
      [
        ..."-m schemathesis.cli --config-file".split(" "),
        path.join(import.meta.dirname, "schemathesis.toml"),
        ...`run ${service.url}/openapi.json --seed ${options.seed}`.split(" "),
        ...`--max-time ${options.seconds} --request-timeout 70 --workers 1`.split(" "),
        ...`--max-examples ${options.examples}`.split(" "),
        // Well-formed data may be refused: ids must exist, names must be free. And `Allow` has the methods of
        // every route that matches a path, but the check knows one route: `…/status` is a variable's name too.
        ..."--checks all --exclude-checks positive_data_acceptance,allow_header_conformance".split(" "),
        // A read is held for as long as its client asks: `Prefer: wait`, a minute at most.
        ..."--max-response-time 65".split(" "),
        // It would delete the key that it uses itself.
        ..."--exclude-operation-id deleteApiKey --exclude-operation-id deleteUser".split(" "),
        ..."--continue-on-failure --suppress-health-check all --no-color --warnings off".split(" "),
        "--header",
        `Authorization: Bearer ${ADMIN_KEY}`,
      ],
      { cwd: folder, stdio: "inherit", env: { PATH: process.env["PATH"] ?? "", HOME: folder } },
    );
    const code = await new Promise<number>((resolve) => {
      run.once("exit", (status) => resolve(status ?? 1));
    });
    const errors = service
      .output()
      .toString()
      .split("\n")
      .filter((line) => /"level":(?:50|60)/.test(line));
    for (const line of errors) console.log(line);
    return errors.length === 0 ? code : 1;
  } finally {
    await service.kill("SIGTERM");
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

process.exitCode = await main();
