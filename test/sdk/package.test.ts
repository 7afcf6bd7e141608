/** The packed SDK in a folder of its own: its README's examples, its types, the Nodes that it promises. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { sign } from "../../sdk/src/webhooks.ts";
import { readBlocks } from "../docs/shell-blocks.ts";
import { configOf, push, urlOf, withConfig } from "../helpers/customers/deployments.ts";
import { createStack } from "../helpers/customers/sandbox-account.ts";
import { setDnsRecords } from "../helpers/customers/scenario.ts";
import { ADMIN_KEY, type Instance, startInstance } from "../helpers/instance.ts";
import { makeTempDir } from "../helpers/template.ts";

const run = promisify(execFile);
const ROOT = path.join(import.meta.dirname, "../..");
const PINNED_NODE = path.join(ROOT, "node_modules/.bin");
const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

describe("the packed SDK", () => {
  let folder: string;
  before(async () => {
    folder = await makeTempDir("sdk-package");
    const { stdout } = await run("npm", ["pack", "-w", "sdk", "--json", "--pack-destination", folder], {
      cwd: ROOT,
    });
    const [packed] = JSON.parse(stdout.slice(stdout.indexOf("["))) as [
      { filename: string; files: { path: string }[] },
    ];
    const files = packed.files.map((file) => file.path);
    assert.ok(files.includes("dist/index.js") && files.includes("dist/index.d.ts"), files.join());
    assert.ok(
      files.every((file) => /^(?:dist\/.*[.](?:js|d[.]ts)|README[.]md|package[.]json)$/.test(file)),
      files.join(),
    );
    await writeFile(path.join(folder, "package.json"), '{"type":"module","private":true}');
    await run("npm", ["install", "--offline", "--no-audit", "--no-fund", `./${packed.filename}`], {
      cwd: folder,
    });
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it("is built by npm ci in a checkout, where its name then leads to it", async () => {
    const checkout = path.join(folder, "checkout");
    await mkdir(path.join(checkout, "scripts"), { recursive: true });
    await cp(path.join(ROOT, "sdk"), path.join(checkout, "sdk"), {
      recursive: true,
      filter: (file) => !file.startsWith(path.join(ROOT, "sdk/dist")),
    });
    for (const file of ["tsconfig.json", "scripts/build-package.js"])
      await cp(path.join(ROOT, file), path.join(checkout, file));
    await writeFile(path.join(checkout, "package.json"), '{"type":"module","private":true}');
    await symlink(path.join(ROOT, "node_modules"), path.join(checkout, "node_modules"));
    const inSdk = { cwd: path.join(checkout, "sdk") };
    await run("npm", ["run", "prepare"], inSdk);
    const script = 'import { Slipway } from "@slipway/sdk"; console.log(Slipway.name)';
    const { stdout } = await run("node", ["--input-type=module", "-e", script], inSdk);
    assert.equal(stdout, "Slipway\n");
  });

  it("has types that hold under strict rules, in Node and in browsers", async () => {
    await writeFile(path.join(folder, "examples.ts"), await readExamples());
    await mkdir(path.join(folder, "node_modules/@types"), { recursive: true });
    await symlink(path.join(ROOT, "node_modules/@types/node"), path.join(folder, "node_modules/@types/node"));
    const tsc = path.join(PINNED_NODE, "tsc");
    const strict = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022"];
    await run(tsc, [...strict, "--types", "node", "examples.ts"], { cwd: folder }).catch(showOutput);
    const browser =
      'import { Slipway } from "@slipway/sdk";\nexport const client = new Slipway({ url: "", token: "" });\n';
    await writeFile(path.join(folder, "browser.ts"), browser);
    await run(tsc, [...strict, "--lib", "es2022,dom", "--types", "", "browser.ts"], { cwd: folder }).catch(
      showOutput,
    );
  });

  for (const [name, node] of [
    ["the Node of this machine", "node"],
    ["Slipway's own Node", path.join(PINNED_NODE, "node")],
  ] as const) {
    it(`runs its README's examples under ${name}`, async (context) => {
      const { stdout: version } = await run(node, ["--version"], { env: withoutPinned() });
      if (Number(/^v(\d+)/.exec(version)?.[1]) < 20) return context.skip(`${name} is ${version}`);
      const examples = await compileExamples();
      const instance = await startInstance();
      try {
        const env = { ...withoutPinned(), ...(await prepare(instance)) };
        const running = run(node, [examples], { cwd: folder, env, timeout: 120_000 });
        await setRecordsUntil(instance, running);
        const { stdout } = await running.catch(showOutput);
        for (const said of ["Set CNAME", "site ", "domain.attached dom_1"])
          assert.ok(stdout.includes(said), `${said}: ${stdout}`);
      } finally {
        await instance.dispose();
      }
    });
  }

  /** The examples as one program, with what they take for granted before them. */
  async function readExamples(): Promise<string> {
    const page = await readFile(path.join(ROOT, "sdk/README.md"), "utf8");
    const code = readBlocks(page).flatMap(({ language, text }) => (language === "ts" ? [text] : []));
    const isImport = (line: string): boolean => line.startsWith("import ");
    const lines = code.join("\n").split("\n");
    const given = `
const given = JSON.parse(process.env.GIVEN!) as {
  project: Parameters<Slipway["projects"]["create"]>[0];
  environmentId: string; serviceId: string; password: string; rawBody: string; headers: Record<string, string>;
};
const { project, environmentId, serviceId, password, rawBody, headers } = given;
`;
    return [...lines.filter(isImport), given, ...lines.filter((line) => !isImport(line))].join("\n");
  }

  async function compileExamples(): Promise<string> {
    await writeFile(path.join(folder, "examples.ts"), await readExamples());
    const flags = ["--module", "nodenext", "--target", "es2022", "--types", "node", "--noCheck"];
    await run(path.join(PINNED_NODE, "tsc"), [...flags, "examples.ts"], { cwd: folder }).catch(showOutput);
    await writeFile(path.join(folder, ".env"), "LOG_LEVEL=debug\n");
    return path.join(folder, "examples.js");
  }
});

/** What the examples take for granted: another project of the account, and a delivery of a webhook. */
async function prepare(instance: Instance): Promise<Record<string, string>> {
  const { admin } = instance;
  const account = await admin.post("/v1/aws-accounts", { givenId: "acme" });
  await createStack(admin, account.body.id);
  await admin.post("/v1/git-integrations", { provider: "provider_a", token: "any" });
  const site = [{ id: "site", name: "Site", type: "static", outputDirectory: "public" }];
  const projects = ["other", "shop"].map((name) => ({
    name,
    repoUrl: urlOf(name),
    awsAccountId: "acme",
    codeSource: { provider: "provider_a" },
    configType: "iac",
    configFilePath: "slipway.json",
    configFileBranch: "main",
  }));
  for (const { name } of projects)
    await push(instance, name, withConfig(configOf(site), { "public/index.html": name }));
  const other = await admin.post("/v1/projects", projects[0]);
  const { body: found } = await admin.get(`/v1/projects/${other.body.id}/environments`);
  const environmentId = found.environments[0].id;
  const { body: services } = await admin.get(`/v1/environments/${environmentId}/services`);
  const rawBody = JSON.stringify({ type: "domain.attached", subject: { id: "dom_1" } });
  return {
    SLIPWAY_URL: instance.url,
    SLIPWAY_TOKEN: ADMIN_KEY,
    SLIPWAY_WEBHOOK_SECRET: SECRET,
    GIVEN: JSON.stringify({
      project: projects[1],
      environmentId,
      serviceId: services.services[0].id,
      password: "secret",
      rawBody,
      headers: await sign(rawBody, SECRET, { id: "evt_1" }),
    }),
  };
}

/** Sets every record that a domain needs, as its owner would, until the program has ended. */
async function setRecordsUntil({ admin }: Instance, running: Promise<unknown>): Promise<void> {
  const ended = running.then(
    () => true,
    () => true,
  );
  const pause = async (): Promise<boolean> => await sleep(100, false);
  while (!(await Promise.race([ended, pause()]))) {
    const { body } = await admin.get("/v1/domains");
    for (const domain of body.domains)
      if (domain.status === "AWAITING_VERIFICATION_RECORDS_TO_BE_SET") await setDnsRecords(admin, domain);
  }
}

/** The environment without the Node that the tests run on. */
function withoutPinned(): Record<string, string> {
  const folders = (process.env["PATH"] ?? "").split(path.delimiter);
  const others = folders.filter((one) => !one.includes("node_modules"));
  return { PATH: others.join(path.delimiter) };
}

function showOutput(error: unknown): never {
  const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
  throw new Error(`${stdout}${stderr}`, { cause: error });
}
