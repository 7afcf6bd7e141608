/**
 * The commands of the README and of docs/ are run, page by page as a reader would, against one instance with the
 * sandbox cloud. What cannot be run here stands in `NOT_RUN`, with the reason.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { glob, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { createConfigurationParser } from "../../src/features/configuration/configuration.ts";
import { renderConfigurationPage } from "../../scripts/configuration-page.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { makeTempDir } from "../helpers/template.ts";
import { type Block, readBlocks, runShell } from "./shell-blocks.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const LANGUAGES = new Set(["sh", "json", "ts", "sql", "mermaid", "text", "ini", "yaml", "nginx"]);
const TIMEOUT_MS = 150_000;
const TUTORIAL = "docs/tutorial/first-domain.md";

/** By page and the first line of the block, or by page. */
const NOT_RUN: Readonly<Record<string, string>> = {
  "CONTRIBUTING.md": "clones, installs and checks, which the gate does in a fresh clone",
  "README.md: npm ci && npm start": "runs until it is stopped; test/processes/entry.test.ts starts it",
  "README.md: npm ci && npm test": "this is what runs now",
  "README.md: npm run demo": "test/acceptance/demo.test.ts runs it",
  "README.md: DATABASE_URL=postgres://user:password@host/slipway npm start":
    "needs PostgreSQL; test/postgres/readme.test.ts runs the block after it",
  "README.md: export DATABASE_URL=postgres://user:password@host/slipway":
    "needs PostgreSQL; test/postgres/readme.test.ts runs it",
  "docs/how-to/keys.md: npm run slipway -- keys unwrap": "needs AWS KMS; test/aws/kms.test.ts runs it",
  'docs/how-to/share-dns-records.md: slipway organization rebrand --name "Acme Sites" --color "#0a5c36" --logo logo.png':
    "needs a logo; test/api/branding.test.ts sends one",
  "docs/how-to/install.md": "installs the program; test/processes/package.test.ts does",
  "docs/how-to/own-server.md": "changes the machine; test/host/own-name.test.ts starts such a server",
  "docs/how-to/back-up.md": "test/processes/backup.test.ts and test/postgres/readme.test.ts run them",
  "docs/how-to/deploy-from-ci.md": "needs ids and a platform that signs; test/api/workloads.test.ts has one",
  "docs/how-to/limit-api-keys.md": "needs the id of a project; test/api/key-limits.test.ts creates such keys",
  "docs/how-to/protect-production.md": "needs ids; test/api/project-access.test.ts does the same",
  "docs/how-to/move.md": "needs PostgreSQL; test/postgres/move.test.ts runs it",
  "docs/how-to/previews.md": "needs a project with a template; test/cli/story.test.ts runs them",
  "docs/how-to/scheduled-jobs.md":
    "needs a scheduler; test/api/scheduled-jobs.test.ts does the same over HTTP",
  "docs/how-to/data-stores.md": "needs a project; test/postgres/data-stores.test.ts does the same over HTTP",
  "docs/how-to/images.md": "needs a repository of ECR; test/aws/platform-faults.test.ts has one",
  "docs/explanation/sandbox-platform.md":
    "needs a project and a proxy; test/cli/story.test.ts sets variables",
  "docs/how-to/move-from-flightcontrol.md":
    "needs a file of Flightcontrol; test/cli/story.test.ts imports some",
  "docs/how-to/trace.md": "starts the service, and needs a collector; test/api/tracing.test.ts has one",
  "docs/reference/aws.md: aws resourcegroupstaggingapi get-resources --region us-west-2 --tag-filters Key=slipway:environment,Values=env_01k9":
    "needs an AWS account; test/aws/ministack.test.ts reads the tags",
  "docs/how-to/connect-aws.md": "needs an AWS account; test/aws runs those for customers against an emulator",
};

/** Pages that begin with an empty installation; the others build on the tutorial's. */
const FROM_NOTHING: readonly string[] = ["README.md"];

/** What a page's commands have to print at their end. */
const PRINTS: Readonly<Record<string, RegExp>> = {
  "README.md": /www[.]boat[.]example[.]com +dom_\w+ +ATTACHED[^]*SEQUENCE +AT +TYPE/,
  [TUTORIAL]: /"status":"ATTACHED"[^]*<h1>It floats\.<\/h1>/,
  "docs/how-to/monitor.md": /slipway_database_connections\{/,
  "docs/reference/slipway-json.md": /"isApplicable":true[^]*"name":"Shop, renamed"/,
  "docs/how-to/keys.md":
    /The new at-rest key is at-rest-[^]*At-rest key +at-rest-\S+ +made \S+ +seals and opens/,
  "docs/explanation/deployments.md": /"id":"depl_[^]*event: end[^]*"rollbackOf":"depl_/,
};

/** The tutorial first: others build on it. */
async function listPages(): Promise<readonly string[]> {
  const pages: string[] = [];
  for await (const file of glob(["docs/**/*.md", "*.md"], { cwd: ROOT })) pages.push(file);
  return pages.toSorted((a, b) => Number(b === TUTORIAL) - Number(a === TUTORIAL) || (a < b ? -1 : 1));
}

const pages = await listPages();
const blocksOf = (page: string): readonly Block[] => readBlocks(readFileSync(path.join(ROOT, page), "utf8"));
const nameOf = (page: string, { text }: Block): string => `${page}: ${text.split("\n", 1)[0] ?? ""}`;

describe("P10: the commands of the documentation", () => {
  let instance: Instance;
  let cwd: string;
  before(async () => {
    instance = await startInstance();
    cwd = await makeTempDir("docs");
  });
  after(async () => {
    await instance.dispose();
    await rm(cwd, { recursive: true, force: true });
  });

  /** The addresses and the key that a reader has, in place of those on the page. */
  const asHere = (text: string, { url, sandbox, admin }: Instance): string =>
    text
      .replaceAll("http://127.0.0.1:4000", url)
      .replaceAll("npm run slipway --", `"${process.execPath}" "${path.join(ROOT, "bin/slipway.js")}"`)
      .replaceAll("node bin/slipway.js", `"${process.execPath}" "${path.join(ROOT, "bin/slipway.js")}"`)
      .replaceAll("127.0.0.1:8443", `127.0.0.1:${sandbox.edgePort}`)
      .replaceAll("slw_the_key_that_npm_start_printed", admin.key);

  for (const page of pages) {
    const blocks = blocksOf(page).filter((block) => block.language === "sh");
    const run = blocks.filter((block) => (NOT_RUN[nameOf(page, block)] ?? NOT_RUN[page]) === undefined);
    if (run.length === 0) continue;
    it(`P10: of ${page} do what it says`, async (t) => {
      const here = FROM_NOTHING.includes(page) ? await startInstance() : instance;
      if (here !== instance) t.after(() => here.dispose());
      const script = run.map(({ text }) => asHere(text, here)).join("\n");
      const { code, output } = await runShell(script, {
        cwd,
        // Operators' commands go to the instance's own folder, and users' commands keep their keys in this one.
        env: { SLIPWAY_DATA_DIR: here.dataDir, HOME: cwd },
        timeoutMs: TIMEOUT_MS,
      });
      assert.equal(code, 0, output);
      assert.doesNotMatch(
        output,
        /"code":"(?!DEPLOYMENT_ENDED)[A-Z_]+","requestId"|command not found|: not found/,
        output,
      );
      assert.match(output, PRINTS[page] ?? /^/, output);
    });
  }

  it("P10: are marked as such, and only left out for a reason", () => {
    const all = pages.flatMap((page) => blocksOf(page).map((block) => ({ page, block })));
    const unmarked = all.filter(({ block }) => !LANGUAGES.has(block.language));
    assert.deepEqual(
      unmarked.map(({ page, block }) => `${page}:${block.line}`),
      [],
      "each block names its language; commands are sh",
    );
    const names = new Set(all.flatMap(({ page, block }) => [page, nameOf(page, block)]));
    assert.deepEqual(
      Object.keys(NOT_RUN).filter((name) => !names.has(name)),
      [],
      "NOT_RUN names what is not there",
    );
    assert.deepEqual(
      Object.keys(PRINTS).filter((page) => !pages.includes(page)),
      [],
    );
  });

  it("P10: name existing scripts, folders and files", async () => {
    const { scripts } = JSON.parse(await readFile(path.join(ROOT, "package.json"), "utf8"));
    const missing: string[] = [];
    // The changelog and the decisions describe their own time.
    for (const page of pages.filter((one) => one !== "CHANGELOG.md" && !one.startsWith("docs/decisions/"))) {
      const text = readFileSync(path.join(ROOT, page), "utf8").replaceAll(/^```json$[^]*?^```$/gm, "");
      for (const [, name = ""] of text.matchAll(/npm run ([\w:-]+)/g)) {
        if (!(name in scripts)) missing.push(`${page}: npm run ${name}`);
      }
      for (const [, file = ""] of text.matchAll(
        /`((?:src|test|bench|bin|scripts|docs)\/[\w./-]+\.(?:ts|js|md|sql))`/g,
      )) {
        const isThere = await readFile(path.join(ROOT, file)).then(
          () => true,
          () => false,
        );
        if (!isThere) missing.push(`${page}: ${file}`);
      }
    }
    assert.deepEqual(missing, []);
  });
});

describe("D6: docs/reference/slipway-json.md", () => {
  const page = readFileSync(path.join(ROOT, "docs/reference/slipway-json.md"), "utf8");

  it("D6: has the fields that the schema has", () => {
    assert.ok(renderConfigurationPage(page) === page, "it is old; run `npm run docs:slipway-json`");
  });

  it("D6: has examples that are valid", () => {
    const parse = createConfigurationParser(null);
    const examples = readBlocks(page).filter(({ language }) => language === "json");
    assert.ok(examples.length >= 4);
    for (const { text, line } of examples) {
      const value = JSON.parse(text);
      // The last example only has variables.
      const config = "environments" in value ? value : asConfiguration(value);
      assert.doesNotThrow(() => parse(config), `line ${line}`);
    }
  });
});

function asConfiguration(envVariables: object): object {
  const services = [{ id: "api", type: "web", startCommand: "node server.js", port: 3000 }];
  const source = { branch: "main" };
  return { environments: [{ id: "production", region: "us-west-2", source, envVariables, services }] };
}
