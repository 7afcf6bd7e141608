/**
 * Plants a violation of each boundary (design, section 6) and expects the linter to refuse it, for a rule
 * that matches nothing guards nothing, and a later override silently replaces an earlier one's list.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFile, glob, mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { makeTempDir } from "../helpers/template.ts";

type Planted = {
  readonly file: string;
  /** What the file must not import, and what it may. */
  readonly refused: readonly string[];
  readonly allowed: readonly string[];
};

type PlantedText = { readonly file: string; readonly text: string; readonly rule: string };

const SDK = ["@aws-sdk/client-acm", "@smithy/types"];
/** Seen from a folder in `src`. */
const CLOUDS = ["../cloud/sandbox/adapter.ts", "../cloud/aws/adapter.ts"];
const DRIVERS = ["pg", "@electric-sql/pglite", "../db/pglite.ts", "../db/postgres.ts"];
const GIT_HOSTS = ["../git/hosts.ts", "../git/github.ts", "../git/gitlab.ts", "../git/sandbox.ts"];
const NAMED_BY_THE_ROOT = [...SDK, ...CLOUDS, ...DRIVERS, ...GIT_HOSTS];
const CONTRACTS = ["../cloud/cloud.ts", "../git/git.ts", "../errors.ts"];
const SERVER = ["fastify", "../http/http.ts", "../http/server.ts", "../http/auth.ts"];
const IMPURE = [
  ...NAMED_BY_THE_ROOT,
  ...SERVER,
  "../http/validation.ts",
  "../db/database.ts",
  "../jobs/jobs.ts",
  "../dns/resolver.ts",
  "../sealing/at-rest.ts",
  "../clock.ts",
  "../log.ts",
  "../ids.ts",
  "../config.ts",
  "./store.ts",
  "./commands.ts",
  "./reconcile-planted.ts",
  "node:fs/promises",
  "node:net",
  "node:crypto",
  "pino",
  "pg-boss",
];
const HELPERS = ["../helpers/api-client.ts", "../helpers/until.ts"];

/** By the rule. `FEATURE` stands for every feature there is, so that a new one is not forgotten. */
const PLANTED: Readonly<Record<string, readonly Planted[]>> = {
  "only the composition root names a cloud, a driver or a git host": [
    {
      file: "src/planted.ts",
      refused: [...SDK, "./cloud/sandbox/adapter.ts", "./db/pglite.ts", "./git/hosts.ts", "pg"],
      allowed: ["./cloud/cloud.ts", "./db/database.ts", "./git/git.ts"],
    },
    {
      file: "src/start/start.ts",
      refused: SDK,
      allowed: ["./cloud/sandbox/adapter.ts", "./cloud/aws/adapter.ts", "./db/pglite.ts", "./git/hosts.ts"],
    },
    ...["cli", "http", "dns", "sealing"].map((folder) => ({
      file: `src/${folder}/planted.ts`,
      refused: NAMED_BY_THE_ROOT,
      allowed: CONTRACTS,
    })),
    {
      file: "src/db/planted.ts",
      refused: [...SDK, ...CLOUDS, ...GIT_HOSTS],
      allowed: ["pg", "@electric-sql/pglite", "./pglite.ts", "./postgres.ts"],
    },
    {
      file: "src/jobs/boss.ts",
      refused: [...SDK, ...CLOUDS, ...GIT_HOSTS],
      allowed: ["../db/pglite.ts", "pg-boss"],
    },
    {
      file: "src/git/planted.ts",
      refused: [...SDK, ...CLOUDS, ...DRIVERS],
      allowed: ["./github.ts", "./sandbox.ts", "isomorphic-git/http/node"],
    },
    { file: "src/planted.test.ts", refused: SDK, allowed: ["./cloud/sandbox/adapter.ts", "pg"] },
    { file: "test/api/planted.test.ts", refused: SDK, allowed: ["../../src/cloud/sandbox/server.ts", "pg"] },
  ],
  "SDK types never leave src/cloud/aws, and a cloud knows no other": [
    {
      file: "src/cloud/aws/planted.ts",
      refused: ["../sandbox/protocol.ts", "../../db/postgres.ts"],
      allowed: [...SDK, "../cloud.ts", "./sessions.ts", "../../clock.ts"],
    },
    {
      file: "src/cloud/sandbox/planted.ts",
      refused: [...SDK, "../aws/adapter.ts"],
      allowed: ["../cloud.ts", "./state.ts", "../../clock.ts"],
    },
    {
      file: "src/cloud/planted.ts",
      refused: [...SDK, "./aws/adapter.ts", "./sandbox/adapter.ts"],
      allowed: ["./cloud.ts"],
    },
  ],
  "what features use knows no feature": [
    ...["http", "db", "jobs", "dns", "sealing", "git"].map((folder) => ({
      file: `src/${folder}/planted-2.ts`,
      refused: ["../FEATURE/commands.ts", "../FEATURE/planted.ts"],
      allowed: ["../errors.ts"],
    })),
    ...["aws", "sandbox"].map((cloud) => ({
      file: `src/cloud/${cloud}/planted-2.ts`,
      refused: ["../../FEATURE/commands.ts", "../../FEATURE/planted.ts"],
      allowed: ["../cloud.ts"],
    })),
  ],
  "a feature never uses another's store, and only its routes.ts knows HTTP": [
    {
      file: "src/FEATURE/commands.ts",
      refused: [...NAMED_BY_THE_ROOT, ...SERVER, "../other/store.ts", "../FEATURE/store.ts"],
      allowed: [...CONTRACTS, "./store.ts", "../other/commands.ts", "../http/validation.ts", "node:crypto"],
    },
    {
      file: "src/FEATURE/routes.ts",
      refused: [...NAMED_BY_THE_ROOT, "../other/store.ts"],
      allowed: [...CONTRACTS, ...SERVER, "./store.ts", "./commands.ts"],
    },
    {
      file: "src/new-feature/reconcile-planted.ts",
      refused: [...NAMED_BY_THE_ROOT, ...SERVER, "../other/store.ts"],
      allowed: [...CONTRACTS, "./store.ts", "../jobs/jobs.ts", "../log.ts"],
    },
  ],
  "a store.ts holds SQL and types": [
    {
      file: "src/FEATURE/store.ts",
      refused: [
        ...NAMED_BY_THE_ROOT,
        ...SERVER,
        "../http/paging.ts",
        "../jobs/jobs.ts",
        "../other/store.ts",
        "./commands.ts",
        "./views.ts",
        "../clock.ts",
        "node:fs/promises",
      ],
      allowed: [
        "../db/database.ts",
        "../db/page.ts",
        "../cloud/cloud.ts",
        "./planted.ts",
        "../other/planted.ts",
      ],
    },
  ],
  "decide-*.ts and views.ts are pure": [
    {
      file: "src/FEATURE/decide-planted.ts",
      refused: [...IMPURE, "../http/schemas.ts"],
      allowed: [...CONTRACTS, "./planted.ts", "../other/planted.ts", "../json-pointer.ts", "node:util"],
    },
    {
      file: "src/FEATURE/views.ts",
      refused: IMPURE,
      allowed: [...CONTRACTS, "./planted.ts", "../http/schemas.ts", "typebox", "node:util"],
    },
  ],
  "the console is a client of the HTTP API, nothing else": [
    {
      file: "console/planted.js",
      refused: ["../src/errors.ts", "../../src/errors.ts", "node:fs"],
      allowed: ["./dom.js", "./views/accounts.js"],
    },
    {
      file: "console/views/planted.js",
      refused: ["../../src/errors.ts", "../../src/http/paging.ts"],
      allowed: ["../dom.js", "../api.js"],
    },
  ],
  "the acceptance tests know the service by its address alone, and so do their helpers": [
    {
      file: "test/acceptance/planted.test.ts",
      refused: ["../../src/errors.ts", "../helpers/instance.ts", "../helpers/scenario.ts"],
      allowed: [...HELPERS, "./target.ts", "node:crypto"],
    },
    ...["api-client", "until"].map((name) => ({
      file: `test/helpers/${name}.ts`,
      refused: ["../../src/errors.ts", "../helpers/instance.ts"],
      allowed: ["node:timers/promises"],
    })),
  ],
};

const IMPORTS = "eslint(no-restricted-imports)";

/** What no import shows. */
const PLANTED_TEXTS: Readonly<Record<string, PlantedText>> = {
  "a decision takes the instant as an argument": {
    file: "src/planted/decide-by-clock.ts",
    text: "export const at = Date.now();",
    rule: "eslint(no-restricted-properties)",
  },
  "a decision depends on no chance": {
    file: "src/planted/decide-by-chance.ts",
    text: "export const chance = Math.random();",
    rule: "eslint(no-restricted-properties)",
  },
  "a decision asks nobody": {
    file: "src/planted/decide-by-asking.ts",
    text: 'export const answer = fetch("http://localhost");',
    rule: "eslint(no-restricted-globals)",
  },
  "imports make no cycle": {
    file: "src/cycle/a.ts",
    text: 'import { b } from "../b.ts";\nexport const a = (): unknown => b;',
    rule: "import(no-cycle)",
  },
  "only config.ts reads the environment": {
    file: "src/planted/environment.ts",
    text: 'export const port = process.env["PORT"];',
    rule: "node(no-process-env)",
  },
  "nothing is exported by default": {
    file: "src/planted/by-default.ts",
    text: "export default 1;",
    rule: "import(no-default-export)",
  },
};

type Diagnostic = { filename: string; code: string; labels: readonly { span: { line: number } }[] };

describe("the architecture", () => {
  let folder: string;
  let features: readonly string[];
  let found: ReadonlyMap<string, readonly Diagnostic[]>;

  const root = path.join(import.meta.dirname, "..");
  const spread = (texts: readonly string[]) =>
    texts.flatMap((text) =>
      text.includes("FEATURE") ? features.map((feature) => text.replaceAll("FEATURE", feature)) : [text],
    );

  before(async () => {
    features = await listFeatures(root);
    folder = await makeTempDir("architecture");
    await copyFile(path.join(root, ".oxlintrc.json"), path.join(folder, ".oxlintrc.json"));
    const plant = async (file: string, text: string) => {
      await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
      await writeFile(path.join(folder, file), `${text}\n`, { flag: "wx" });
    };
    for (const { file, refused, allowed } of Object.values(PLANTED).flat()) {
      for (const one of spread([file])) await plant(one, importAll(spread([...refused, ...allowed])));
    }
    for (const { file, text } of Object.values(PLANTED_TEXTS)) await plant(file, text);
    await plant("src/cycle/b.ts", 'import { a } from "../a.ts";\nexport const b = (): unknown => a;');
    found = Map.groupBy(await lint(folder), ({ filename }) => filename);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it("has the features that these rules are about", () => {
    assert.ok(features.includes("custom-domains") && features.includes("variables"), features.join(", "));
  });

  for (const [rule, cases] of Object.entries(PLANTED)) {
    it(rule, () => {
      for (const { file, refused, allowed } of cases) {
        const specifiers = spread([...refused, ...allowed]);
        for (const one of spread([file])) {
          const lines = (found.get(one) ?? [])
            .filter(({ code }) => code === IMPORTS)
            .map(({ labels }) => labels[0]?.span.line ?? 0);
          const reported = specifiers.filter((_specifier, index) => lines.includes(index + 1));
          assert.deepEqual(reported, spread(refused), one);
        }
      }
    });
  }

  for (const [name, { file, rule }] of Object.entries(PLANTED_TEXTS)) {
    it(name, () => {
      const codes = (found.get(file) ?? []).map(({ code }) => code);
      assert.ok(codes.includes(rule), `${file}: ${codes.join(", ")}`);
    });
  }
});

/** A line for each. */
function importAll(specifiers: readonly string[]): string {
  return specifiers.map((specifier, index) => `import * as i${index} from "${specifier}";`).join("\n");
}

/** The folders of `src` that have one of the roles that only features have. */
async function listFeatures(root: string): Promise<readonly string[]> {
  const names = new Set<string>();
  for await (const file of glob("src/*/{store,routes,commands}.ts", { cwd: root })) {
    names.add(path.basename(path.dirname(file)));
  }
  return [...names].toSorted();
}

async function lint(folder: string): Promise<readonly Diagnostic[]> {
  const oxlint = path.join(import.meta.dirname, "../../node_modules/oxlint/bin/oxlint");
  const output = await new Promise<string>((resolve) => {
    // It ends with a failure, for there is much to refuse; what it found is in its output.
    execFile(
      process.execPath,
      [oxlint, "--format", "json"],
      { cwd: folder, maxBuffer: 64 << 20 },
      (_error, stdout) => resolve(stdout),
    );
  });
  return (JSON.parse(output) as { diagnostics: readonly Diagnostic[] }).diagnostics;
}
