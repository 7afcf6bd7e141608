/** Commands of repositories, from the API: what a build reaches of the Slipway that runs it, and where none may run. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, it } from "node:test";
import {
  configOf,
  createIacProject,
  deploy,
  ended,
  push,
  withConfig,
} from "../helpers/customers/deployments.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { connectAccount, integrateGit } from "../helpers/customers/scenario.ts";

const site = (buildCommand: string | null) =>
  withConfig(
    configOf([
      {
        id: "site",
        type: "static",
        outputDirectory: "public",
        ...(buildCommand === null ? {} : { buildCommand }),
      },
    ]),
    { "public/index.html": "page" },
  );

describe(
  "S1: a command of a repository",
  { skip: process.platform === "win32" && "needs a POSIX system" },
  () => {
    let instance: Instance;
    afterEach(() => instance.dispose());

    async function start(options: Parameters<typeof startInstance>[0]): Promise<void> {
      instance = await startInstance(options);
      await connectAccount(instance.admin, "main");
      await integrateGit(instance.admin);
    }
    async function run(name: string, buildCommand: string | null, status: string) {
      await push(instance, name, site(buildCommand));
      await createIacProject(instance.admin, name);
      const done = await ended(instance.admin, await deploy(instance.admin, name), status);
      const log = await instance.admin.get(`/v1/deployments/${done.id}/logs`);
      return { error: done.services[0].error, log: log.text };
    }

    it("prints no key of the data folder into a log, nor the environment of the service", async (t) => {
      await start({});
      const sentence = instance.sandbox.describeCommands();
      if (/permissions of Slipway's own user/.test(sentence))
        return t.skip("this machine offers no isolation");
      const key = path.join(instance.dataDir, "keys", "at-rest.key");
      const { log } = await run(
        "thief",
        `cat ${key}; cat ${instance.dataDir}/sandbox/sandbox.db; cat /proc/${process.pid}/environ; echo ended`,
        "SUCCESS",
      );
      assert.ok(log.includes("ended"), log);
      const [, secret = "no key"] = readFileSync(key, "utf8").split("\n");
      assert.ok(secret.length > 20 && !log.includes(secret), "the key is in the log");
      assert.ok(!log.includes("SQLite format"), "the sandbox's database is in the log");
      const variable = `PATH=${process.env["PATH"]}`;
      assert.ok(!log.includes(variable), "the environment is in the log");
    });

    it("runs without isolation for a single organization on loopback, and the start says so", async () => {
      await start({ env: { SLIPWAY_SANDBOX_ISOLATION: "none" } });
      assert.match(instance.sandbox.describeCommands(), /run with the permissions of Slipway's own user/);
      await run("alone", "echo built", "SUCCESS");
    });

    for (const [why, options] of [
      ["there is a second organization", { withOtherOrganization: true }],
      [
        "Slipway has an address beyond this machine",
        { env: { SLIPWAY_PUBLIC_URL: "https://slipway.example" } },
      ],
      ["Slipway listens beyond loopback", { env: { HOST: "0.0.0.0" } }],
    ] as const) {
      it(`is off without isolation where ${why}, with a code; static files are released`, async () => {
        const env = { SLIPWAY_SANDBOX_ISOLATION: "none", ...("env" in options ? options.env : {}) };
        instance = await startInstance({ ...options, env });
        assert.match(
          instance.sandbox.describeCommands(),
          /^Commands of repositories are off: this machine offers no way/,
        );
        // A stack reports to the public address, where nothing listens here.
        if ("SLIPWAY_PUBLIC_URL" in env) return;
        await connectAccount(instance.admin, "main");
        await integrateGit(instance.admin);
        const { error } = await run("off", "echo built", "BUILD_ERROR");
        assert.equal(error.code, "COMMANDS_NOT_ISOLATED");
        assert.match(error.message, /single organization, and only if/);
        await run("files", null, "SUCCESS");
      });
    }
  },
);
