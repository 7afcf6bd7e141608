import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createConfigurationParser } from "../../../src/features/configuration/configuration.ts";
import { configOf, initialValues, isAddress, nameOf, pathOf, POINTERS, requestOf } from "./new-project.ts";
import { InputError } from "./problem.ts";

const SOURCE = {
  awsAccountId: "aws_1",
  integrationId: "git_1",
  repoUrl: "https://github.com/acme/my-shop",
  branch: "trunk",
};
const DETECTED = {
  commitHash: "a".repeat(40),
  framework: { id: "node", name: "Node.js" },
  service: {
    type: "web",
    buildCommand: "npm ci",
    outputDirectory: null,
    startCommand: "npm start",
    port: 3000,
  },
  reasons: [],
  hints: [],
  config: null,
  configFile: null,
  flightcontrolFile: null,
} as const;
const GITHUB = { provider: "provider_a", host: null } as const;
const values = initialValues(SOURCE, { ...DETECTED, reasons: [], hints: [] });

describe("the form of a new project", () => {
  it("begins with what was detected, and with the file of the repository until it is known", () => {
    assert.deepEqual(
      [values.name, values.configType, values.serviceType, values.startCommand, values.port],
      ["My shop", "gui", "web", "npm start", "3000"],
    );
    assert.equal(initialValues(SOURCE, undefined).configType, "iac");
  });

  it("describes a configuration that the API accepts", () => {
    const parse = createConfigurationParser(null);
    const [environment] = parse(configOf(values)).environments;
    assert.deepEqual([environment?.branch, environment?.services[0]?.type], ["trunk", "web"]);
    const site = configOf({ ...values, serviceType: "static", outputDirectory: " dist ", buildCommand: " " });
    assert.deepEqual(parse(site).environments[0]?.services[0]?.settings, {
      dependsOn: [],
      outputDirectory: "dist",
    });
  });

  it("has its faults where the fields expect them", () => {
    const parse = createConfigurationParser(null);
    const wrong = { ...values, region: "nowhere", trigger: "x", port: "many", startCommand: "" };
    try {
      parse(configOf(wrong));
      assert.fail("accepted");
    } catch (error) {
      const paths = (error as { faults: { path: string }[] }).faults.map(({ path }) => `/config${path}`);
      for (const name of ["region", "trigger", "port", "startCommand"] as const)
        assert.ok(paths.includes(POINTERS[name]), `${name}: ${paths.join(" ")}`);
    }
  });

  it("becomes the request of its kind", () => {
    const file = requestOf(
      { ...values, configType: "iac" },
      { provider: "provider_b_self_hosted", host: "git.acme.example" },
    );
    assert.deepEqual(
      [file.configFilePath, file.configFileBranch, file.config, file.codeSource],
      ["slipway.json", "trunk", undefined, { provider: "provider_b_self_hosted", host: "git.acme.example" }],
    );
    const typed = requestOf({ ...values, isText: true, text: '{"environments":[]}' }, GITHUB);
    assert.deepEqual([typed.configType, typed.config], ["gui", { environments: [] }]);
    assert.throws(() => requestOf({ ...values, isText: true, text: "{" }, GITHUB), InputError);
  });

  it("reads addresses", () => {
    assert.equal(pathOf("git@gitlab.com:acme/sub/shop.git"), "acme/sub/shop");
    assert.equal(pathOf("https://git.sandbox.test/demo.git/"), "demo");
    assert.equal(nameOf("https://git.sandbox.test/demo"), "Demo");
    assert.equal(nameOf(""), "");
    for (const text of ["https://github.com/acme/shop", "git@github.com:acme/shop.git"])
      assert.ok(isAddress(text));
    for (const text of ["acme/shop", "https://", "shop"]) assert.ok(!isAddress(text));
  });
});
