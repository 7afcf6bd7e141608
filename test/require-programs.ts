/**
 * `node test/require-programs.ts SUITE`: ends with 1 before a suite starts anything, if a program that it needs is
 * missing, and says which package of Debian brings it.
 */
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";

/** Each program, and Debian's package. */
const PACKAGES = {
  bash: "bash",
  bwrap: "bubblewrap",
  caddy: "caddy",
  chromium: "chromium",
  etcd: "etcd-server",
  git: "git",
  haproxy: "haproxy",
  initdb: "postgresql",
  patroni: "patroni",
  pebble: "pebble",
  promtool: "prometheus",
  python3: "python3-venv",
  "redis-server": "redis-server",
  script: "bsdutils",
  "systemd-analyze": "systemd",
} as const;
type Program = keyof typeof PACKAGES;

const SUITES: Readonly<Record<string, readonly Program[]>> = {
  browser: ["chromium", "git", "initdb"],
  ha: ["etcd", "haproxy", "initdb", "patroni"],
  host: ["bwrap", "caddy", "git", "initdb", "pebble"],
  install: ["git", "promtool", "python3", "systemd-analyze"],
  postgres: ["git", "initdb"],
  python: ["python3"],
  stores: ["git", "initdb", "redis-server"],
  unit: ["bash", "git", "script"],
};

/** Programs that a test names by their path. */
const PATHS: Partial<Readonly<Record<Program, string>>> = {
  chromium: process.env["SLIPWAY_TEST_CHROMIUM"] ?? "/usr/bin/chromium",
};
/** Debian keeps a server's programs beside each other by version, and some only in the administrator's path. */
const POSTGRESQL = "/usr/lib/postgresql";
const FOLDERS = [
  ...(process.env["PATH"] ?? "").split(path.delimiter),
  "/usr/sbin",
  "/sbin",
  ...(existsSync(POSTGRESQL) ? readdirSync(POSTGRESQL).map((version) => `${POSTGRESQL}/${version}/bin`) : []),
];

function isInstalled(program: Program): boolean {
  const known = PATHS[program];
  if (known !== undefined) return existsSync(known);
  return FOLDERS.some((folder) => existsSync(path.join(folder, program)));
}

const [suite = ""] = process.argv.slice(2);
const needed = SUITES[suite];
if (needed === undefined)
  throw new Error(`There is no suite "${suite}". Give one of ${Object.keys(SUITES).join(", ")}.`);
const missing = needed.filter((program) => !isInstalled(program));
if (missing.length > 0) {
  const packages = [...new Set(missing.map((program) => PACKAGES[program]))].join(" ");
  process.stderr.write(
    `This suite needs ${missing.join(", ")}, which this machine does not have. On Debian: apt-get install ${packages}\n`,
  );
  process.exitCode = 1;
}
