/**
 * Plants a violation of each boundary and expects it refused, for a rule that matches nothing guards nothing. The
 * imports are judged by `scripts/boundaries.ts`, the rest by the linter.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { FEATURES, findCircles, findMisplacement, findViolations } from "../../scripts/boundaries.ts";
import { importsOf } from "../../scripts/check-boundaries.ts";
import { makeTempDir } from "../helpers/template.ts";

const ROOT = path.join(import.meta.dirname, "../..");

type Planted = {
  readonly file: string;
  /** What the file must not import, and what it may. */
  readonly refused: readonly string[];
  readonly allowed: readonly string[];
};

const SDK = ["@aws-sdk/client-acm", "@smithy/types"];
const CLOUDS = ["src/cloud/sandbox/adapter.ts", "src/cloud/aws/adapter.ts", "sandbox/src/server.ts"];
const DRIVERS = ["pg", "@electric-sql/pglite", "src/db/drivers/pglite.ts", "src/db/drivers/postgres.ts"];
const GIT_HOSTS = ["src/git/hosts.ts", "src/git/github.ts", "src/git/gitlab.ts", "src/git/sandbox.ts"];
const NAMED_BY_THE_ROOT = [...SDK, ...CLOUDS, ...DRIVERS, ...GIT_HOSTS];
const CONTRACTS = ["src/cloud/cloud.ts", "src/git/git.ts", "src/lib/errors.ts"];
const SERVER = ["fastify", "src/http/http.ts", "src/http/server.ts", "src/http/auth.ts"];
/** For a file of the feature `variables`. */
const IMPURE = [
  ...NAMED_BY_THE_ROOT,
  ...SERVER,
  "src/db/database.ts",
  "src/jobs/jobs.ts",
  "src/dns/resolver.ts",
  "src/sealing/at-rest.ts",
  "src/lib/clock.ts",
  "src/lib/log.ts",
  "src/lib/ids.ts",
  "src/start/config/config.ts",
  "src/features/variables/store.ts",
  "src/features/variables/commands.ts",
  "src/features/variables/reconcile-planted.ts",
  "src/features/projects/queries.ts",
  "node:fs/promises",
  "node:net",
  "node:crypto",
  "pino",
];
const MACHINERY = ["lib", "db", "sealing", "dns", "git", "jobs", "http"];

const PLANTED: Readonly<Record<string, readonly Planted[]>> = {
  "only the composition root names a cloud, a driver or a git host": [
    {
      file: "src/start/planted.ts",
      refused: SDK,
      allowed: [...CLOUDS, ...GIT_HOSTS, "src/db/drivers/pglite.ts"],
    },
    ...["http", "dns", "sealing", "jobs", "cloud", "features/variables"].map((folder) => ({
      file: `src/${folder}/planted.ts`,
      refused: NAMED_BY_THE_ROOT,
      allowed: ["src/lib/errors.ts"],
    })),
    {
      file: "src/db/planted.ts",
      refused: [...SDK, ...CLOUDS, ...GIT_HOSTS],
      allowed: DRIVERS,
    },
    {
      file: "src/git/planted.ts",
      refused: [...SDK, ...CLOUDS, ...DRIVERS],
      allowed: [...GIT_HOSTS, "isomorphic-git/http/node"],
    },
  ],
  "SDK types never leave src/cloud/aws, and a cloud knows no other": [
    {
      file: "src/cloud/aws/planted.ts",
      refused: ["sandbox/src/protocol.ts", "src/cloud/sandbox/adapter.ts", "src/db/drivers/postgres.ts"],
      allowed: [...SDK, "src/cloud/cloud.ts", "src/cloud/aws/calls/sessions.ts", "src/lib/clock.ts"],
    },
    {
      file: "src/cloud/sandbox/planted.ts",
      refused: [...SDK, "src/cloud/aws/adapter.ts"],
      allowed: ["src/cloud/cloud.ts", "sandbox/src/protocol.ts"],
    },
    {
      file: "sandbox/src/planted.ts",
      refused: [...SDK, "src/cloud/aws/adapter.ts", "src/cloud/sandbox/adapter.ts", "src/db/database.ts"],
      allowed: ["src/cloud/cloud.ts", "sandbox/src/state.ts", "src/lib/clock.ts", "src/dns/wire/client.ts"],
    },
  ],
  "the sandbox is used by its adapter and the composition root, and the edge by both but not the other way round":
    [
      {
        file: "sandbox/src/certificates/planted.ts",
        refused: ["sandbox/src/state.ts", "sandbox/src/cdn/distributions.ts", "sandbox/src/dns/names.ts"],
        allowed: ["sandbox/src/certificates/x509.ts", "edge/src/key-pair.ts", "src/lib/clock.ts"],
      },
      {
        file: "edge/src/planted.ts",
        refused: ["sandbox/src/state.ts", "src/cloud/cloud.ts", "src/http/http.ts", "src/start/start.ts"],
        allowed: ["edge/src/site.ts", "src/lib/clock.ts", "src/egress/address-rules.ts"],
      },
      {
        file: "src/cli/planted.ts",
        refused: ["sandbox/src/server.ts"],
        allowed: ["src/start/start.ts"],
      },
      {
        file: "sandbox/src/api/planted.ts",
        refused: ["src/features/variables/commands.ts", "src/start/start.ts", "test/helpers/until.ts"],
        allowed: ["edge/src/edge.ts"],
      },
    ],
  "the machinery knows no feature, no cloud and no composition root": MACHINERY.map((room) => ({
    file: `src/${room}/planted.ts`,
    refused: [
      ...FEATURES.map((feature) => `src/features/${feature}/commands.ts`),
      "src/cloud/cloud.ts",
      "src/start/start.ts",
      "src/cli/commands.ts",
    ],
    allowed: [`src/${room}/other.ts`],
  })),
  "lib uses no other room": [
    {
      file: "src/lib/planted.ts",
      refused: MACHINERY.filter((room) => room !== "lib").map((room) => `src/${room}/planted.ts`),
      allowed: ["src/lib/errors.ts", "node:crypto"],
    },
  ],
  "nothing lies loose in src, and every folder is a room": [
    { file: "src/planted.ts", refused: ["src/lib/errors.ts"], allowed: ["node:crypto"] },
    { file: "src/planted/planted.ts", refused: ["src/lib/errors.ts"], allowed: ["node:crypto"] },
  ],
  "a feature uses only the features below it, and never their stores": FEATURES.map((feature, place) => ({
    file: `src/features/${feature}/planted.ts`,
    refused: [
      ...FEATURES.slice(place + 1).map((above) => `src/features/${above}/queries.ts`),
      ...FEATURES.slice(0, place).map((below) => `src/features/${below}/store.ts`),
      ...FEATURES.slice(0, place).map((below) => `src/features/${below}/room/planted-store.ts`),
      "src/features/unwritten/commands.ts",
    ],
    allowed: [
      ...FEATURES.slice(0, place).map((below) => `src/features/${below}/commands.ts`),
      `src/features/${feature}/store.ts`,
    ],
  })),
  "src needs no test, no tool and no console": [
    {
      file: "src/features/variables/planted.ts",
      refused: [
        "test/helpers/until.ts",
        "bench/bench.ts",
        "scripts/boundaries.ts",
        "console/app/paths.ts",
        "src/sealing/testing.ts",
        "src/features/variables/testing/rows.ts",
        "src/features/variables/store.test.ts",
      ],
      allowed: ["src/features/variables/store.ts"],
    },
  ],
  "only a feature's routes.ts knows HTTP": [
    ...["commands", "reconcile-planted", "room/planted"].map((name) => ({
      file: `src/features/variables/${name}.ts`,
      refused: [...SERVER, "src/http/schemas.ts", "src/http/requests/validation.ts"],
      allowed: [...CONTRACTS, "src/features/variables/store.ts", "node:crypto"],
    })),
    {
      file: "src/features/variables/routes.ts",
      refused: NAMED_BY_THE_ROOT,
      allowed: [...CONTRACTS, ...SERVER, "src/http/schemas.ts", "src/features/variables/store.ts"],
    },
  ],
  "an errors.ts holds declarations": ["features/variables", "git", "http"].map((room) => ({
    file: `src/${room}/errors.ts`,
    refused: [
      ...SERVER,
      "src/lib/clock.ts",
      "src/http/problems/error-catalogue.ts",
      "src/features/projects/commands.ts",
      "node:crypto",
      "pino",
    ],
    allowed: ["src/lib/errors.ts"],
  })),
  "a store.ts holds SQL and types": ["store", "room/planted-store"].map((name) => ({
    file: `src/features/variables/${name}.ts`,
    refused: [
      ...NAMED_BY_THE_ROOT,
      ...SERVER,
      "src/http/requests/paging.ts",
      "src/jobs/jobs.ts",
      "src/features/projects/store.ts",
      "src/features/variables/commands.ts",
      "src/features/variables/views.ts",
      "src/lib/clock.ts",
      "node:fs/promises",
    ],
    allowed: [
      "src/db/database.ts",
      "src/db/page.ts",
      "src/cloud/cloud.ts",
      "src/features/projects/project.ts",
    ],
  })),
  "decide-*.ts and views.ts are pure": [
    {
      file: "src/features/variables/room/decide-planted.ts",
      refused: [...IMPURE, "src/http/schemas.ts"],
      allowed: [...CONTRACTS, "src/features/projects/project.ts", "src/lib/errors.ts", "node:util"],
    },
    ...["views", "room/planted-views"].map((name) => ({
      file: `src/features/variables/${name}.ts`,
      refused: IMPURE,
      allowed: [
        ...CONTRACTS,
        "src/features/projects/project.ts",
        "src/http/schemas.ts",
        "typebox",
        "node:util",
      ],
    })),
  ],
  "the console is a client of the HTTP API, nothing else": ["ui", "api", "pages"].map((folder) => ({
    file: `console/app/${folder}/planted.ts`,
    refused: ["src/lib/errors.ts", "src/http/requests/paging.ts", "cli/src/main.ts", "node:fs"],
    allowed: [`console/app/${folder}/other.ts`],
  })),
  "the folders of the console point one way": [
    {
      file: "console/app/ui/planted.tsx",
      refused: [
        "@tanstack/react-router",
        "sdk/src/client.ts",
        "console/app/api/query.ts",
        "console/app/paths.ts",
      ],
      allowed: ["react", "@base-ui/react/menu", "console/app/ui/button.tsx"],
    },
    {
      file: "console/app/api/planted.ts",
      refused: ["console/app/ui/button.tsx", "console/app/components/page.tsx", "@tanstack/react-router"],
      allowed: ["sdk/src/client.ts", "@tanstack/react-query", "console/app/early/answers.ts"],
    },
    {
      file: "console/app/early/planted.ts",
      refused: ["console/app/api/query.ts", "console/app/paths.ts", "sdk/src/client.ts", "react"],
      allowed: ["console/app/early/reads.ts"],
    },
    {
      file: "console/app/live/planted.ts",
      refused: [
        "console/app/components/page.tsx",
        "console/app/pages/projects.tsx",
        "console/app/routes.tsx",
      ],
      allowed: ["console/app/api/query.ts", "console/app/ui/time.tsx"],
    },
    {
      file: "console/app/components/planted.tsx",
      refused: [
        "console/app/pages/projects.tsx",
        "console/app/forms/new-account.tsx",
        "console/app/routes.tsx",
      ],
      allowed: ["console/app/paths.ts", "console/app/api/query.ts", "sdk/src/errors.ts"],
    },
    {
      file: "console/app/forms/planted.tsx",
      refused: ["console/app/pages/projects.tsx", "console/app/routes.tsx", "console/app/routes/shell.tsx"],
      allowed: ["console/app/components/form.tsx"],
    },
  ],
  "the SDK needs nothing else, the command line the SDK and Node": [
    {
      file: "sdk/src/planted.ts",
      refused: ["src/lib/errors.ts", "cli/src/main.ts", "console/app/paths.ts", "node:crypto", "typebox"],
      allowed: ["sdk/src/client.ts"],
    },
    {
      file: "cli/src/planted.ts",
      refused: ["src/lib/errors.ts", "console/app/paths.ts", "commander"],
      allowed: ["sdk/src/index.ts", "cli/src/main.ts", "node:util"],
    },
    {
      file: "src/features/variables/planted.ts",
      refused: ["sdk/src/index.ts", "cli/src/main.ts"],
      allowed: ["src/features/variables/store.ts"],
    },
    { file: "src/cli/demo/planted.ts", refused: [], allowed: ["sdk/src/index.ts"] },
  ],
  "the acceptance tests know the service only by its address, and so do their helpers": [
    {
      file: "test/acceptance/planted.ts",
      refused: ["src/lib/errors.ts", "test/helpers/instance.ts", "test/helpers/customers/scenario.ts"],
      allowed: [
        "test/helpers/api-client.ts",
        "test/helpers/until.ts",
        "test/acceptance/target.ts",
        "node:crypto",
      ],
    },
    ...["api-client", "until"].map((name) => ({
      file: `test/helpers/${name}.ts`,
      refused: ["src/lib/errors.ts"],
      allowed: ["node:timers/promises"],
    })),
  ],
};

type PlantedText = { readonly file: string; readonly text: string; readonly rule: string };

/** What no import shows. */
const PLANTED_TEXTS: Readonly<Record<string, PlantedText>> = {
  "a decision takes the instant as an argument": {
    file: "src/features/planted/decide-by-clock.ts",
    text: "export const at = Date.now();",
    rule: "eslint(no-restricted-properties)",
  },
  "a decision depends on no chance": {
    file: "src/features/planted/decide-by-chance.ts",
    text: "export const chance = Math.random();",
    rule: "eslint(no-restricted-properties)",
  },
  "a decision asks no other program": {
    file: "src/features/planted/decide-by-asking.ts",
    text: 'export const answer = fetch("http://localhost");',
    rule: "eslint(no-restricted-globals)",
  },
  "imports make no cycle": {
    file: "src/cycle/a.ts",
    text: 'import { b } from "./b.ts";\nexport const a = (): unknown => b;',
    rule: "import(no-cycle)",
  },
  "only config.ts reads the environment": {
    file: "src/features/planted/environment.ts",
    text: 'export const port = process.env["PORT"];',
    rule: "node(no-process-env)",
  },
  "nothing is exported by default": {
    file: "src/features/planted/by-default.ts",
    text: "export default 1;",
    rule: "import(no-default-export)",
  },
};

type Diagnostic = { filename: string; code: string };

describe("the architecture", () => {
  it("lists exactly its features", async () => {
    const entries = await readdir(path.join(ROOT, "src/features"), { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    assert.deepEqual(folders.toSorted(), FEATURES.toSorted());
  });

  it("names its features in a table, in their order", async () => {
    const text = await readFile(path.join(ROOT, "docs/explanation/architecture.md"), "utf8");
    const [, table = ""] = /\n\| feature \|.*\n\|---.*\n([^]*?)\n\n/.exec(text) ?? [];
    const named = table.split("\n").map((row) => row.split("|")[1]?.replaceAll(/[` ]/g, "").split(",") ?? []);
    assert.deepEqual(named.flat(), FEATURES);
  });

  for (const [rule, cases] of Object.entries(PLANTED)) {
    it(rule, () => {
      for (const { file, refused, allowed } of cases) {
        const imports = [...refused, ...allowed].map((target) => ({ specifier: target, target }));
        const found = new Set(findViolations(file, imports).map(({ specifier }) => specifier));
        assert.deepEqual([...found], [...new Set(refused)], file);
      }
    });
  }

  it("imports of types, of exports and dynamic ones count", () => {
    const text = [
      'import type { A } from "./a.ts";',
      'export { b } from "./b.ts";',
      'export const c = await import("../c.ts");',
      "export const d = await import(`../d.ts`);",
      'export type E = import("../e.ts").E;',
      '/** @typedef {import("../f.ts").F} F */',
      '/** @import {G} from "../g.ts" */',
      'import "node:fs";',
    ].join("\n");
    assert.deepEqual(
      importsOf("src/lib/planted.ts", text)
        .map(({ target }) => target)
        .toSorted(),
      ["node:fs", "src/c.ts", "src/d.ts", "src/e.ts", "src/f.ts", "src/g.ts", "src/lib/a.ts", "src/lib/b.ts"],
    );
  });

  it("each file lies in a room, and in a feature that has its place in the order", () => {
    for (const file of [
      "planted.ts",
      "planted.test.ts",
      "planted/a.ts",
      "features/a.ts",
      "features/planted/a.ts",
    ])
      assert.notEqual(findMisplacement(`src/${file}`), null, file);
    for (const file of ["main.ts", "lib/ids.ts", "cloud/aws/adapter.ts", "features/projects/delete/views.ts"])
      assert.equal(findMisplacement(`src/${file}`), null, file);
  });

  it("sibling folders form no cycle, at any depth", () => {
    const uses = (...pairs: readonly (readonly [string, string])[]) =>
      [
        ...new Set(
          findCircles(pairs.map(([from, to]) => [`src/${from}.ts`, `src/${to}.ts`])).map(({ from }) => from),
        ),
      ].toSorted();
    assert.deepEqual(uses(["dns/wire/a", "dns/look/b"], ["dns/look/c", "dns/other/d"]), []);
    assert.deepEqual(uses(["dns/wire/a", "dns/look/b"], ["dns/look/c", "dns/wire/d"]), [
      "src/dns/look",
      "src/dns/wire",
    ]);
    assert.deepEqual(
      uses(["jobs/a", "db/b"], ["db/b", "http/c"], ["http/c", "jobs/d"]).length,
      3,
      "a circle of three",
    );
    assert.deepEqual(uses(["dns/dns", "dns/wire/a"], ["dns/wire/a", "dns/names"]), [], "the door of a room");
  });

  describe("by the linter", () => {
    let folder: string;
    let found: ReadonlyMap<string, readonly Diagnostic[]>;
    before(async () => {
      folder = await makeTempDir("architecture");
      await copyFile(path.join(ROOT, ".oxlintrc.json"), path.join(folder, ".oxlintrc.json"));
      const plant = async (file: string, text: string) => {
        await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
        await writeFile(path.join(folder, file), `${text}\n`, { flag: "wx" });
      };
      for (const { file, text } of Object.values(PLANTED_TEXTS)) await plant(file, text);
      await plant("src/cycle/b.ts", 'import { a } from "./a.ts";\nexport const b = (): unknown => a;');
      found = Map.groupBy(await lint(folder), ({ filename }) => filename);
    });
    after(() => rm(folder, { recursive: true, force: true }));

    for (const [name, { file, rule }] of Object.entries(PLANTED_TEXTS)) {
      it(name, () => {
        const codes = (found.get(file) ?? []).map(({ code }) => code);
        assert.ok(codes.includes(rule), `${file}: ${codes.join(", ")}`);
      });
    }
  });
});

async function lint(folder: string): Promise<readonly Diagnostic[]> {
  const oxlint = path.join(ROOT, "node_modules/oxlint/bin/oxlint");
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
