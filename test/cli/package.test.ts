/** The packed command line in a folder of its own: what is in it, and the Nodes that it promises. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { createProject } from "../helpers/customers/scenario.ts";
import { ADMIN_KEY, startInstance } from "../helpers/instance.ts";
import { makeTempDir } from "../helpers/template.ts";
import { createCommandLine } from "./command-line.ts";

const run = promisify(execFile);
const ROOT = path.join(import.meta.dirname, "../..");
const PINNED_NODE = path.join(ROOT, "node_modules/.bin");

describe("the packed command line", () => {
  let folder: string;
  before(async () => {
    folder = await makeTempDir("cli-package");
    const { stdout } = await run("npm", ["pack", "-w", "cli", "--json", "--pack-destination", folder], {
      cwd: ROOT,
    });
    const [packed] = JSON.parse(stdout.slice(stdout.indexOf("["))) as [
      { filename: string; files: { path: string }[] },
    ];
    const files = packed.files.map((file) => file.path);
    assert.ok(files.includes("dist/cli/src/main.js"), files.join());
    assert.ok(
      files.every((file) => /^(?:dist\/(?:cli|sdk)\/src\/.*[.]js|README[.]md|package[.]json)$/.test(file)),
      `no server: ${files.join()}`,
    );
    await writeFile(path.join(folder, "package.json"), '{"private":true}');
    await run("npm", ["install", "--offline", "--no-audit", "--no-fund", `./${packed.filename}`], {
      cwd: folder,
    });
  });
  after(() => rm(folder, { recursive: true, force: true }));

  for (const [name, node] of [
    ["the Node of this machine", "node"],
    ["Slipway's own Node", path.join(PINNED_NODE, "node")],
  ] as const) {
    it(`works under ${name}`, async (context) => {
      // `npm test` puts the pinned Node before the machine's.
      const others = (process.env["PATH"] ?? "").split(path.delimiter).filter((one) => one !== PINNED_NODE);
      const env = { PATH: others.join(path.delimiter) };
      const { stdout: version } = await run(node, ["--version"], { env });
      if (Number(/^v(\d+)/.exec(version)?.[1]) < 20) return context.skip(`${name} is ${version}`);
      const instance = await startInstance();
      const cli = await createCommandLine([node, path.join(folder, "node_modules/.bin/slipway")]);
      try {
        await createProject(instance.admin, "Shop");
        const options = { env, stdin: ADMIN_KEY };
        const login = await cli.run(["login", "--url", instance.url, "--token-stdin", "--json"], options);
        assert.equal(login.json().user.role, "admin", login.stderr);
        const domain = ["domains", "add", "www.example.com", "-s", "web", "--wait", "--in-sandbox", "--json"];
        const added = await cli.run(domain, { env });
        assert.deepEqual([added.code, added.stderr.includes("mistake")], [0, false], added.stderr);
        assert.equal(added.json()[0].status, "ATTACHED");
        const { stdout } = await cli.run(["--help"], { env });
        assert.doesNotMatch(stdout, /Operator/);
        const manifest = await readFile(path.join(ROOT, "cli/package.json"), "utf8");
        const release = (JSON.parse(manifest) as { version: string }).version;
        assert.equal((await cli.run(["--version"], { env })).stdout, `${release}\n`);
      } finally {
        await cli.dispose();
        await instance.dispose();
      }
    });
  }
});
