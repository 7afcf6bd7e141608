import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createConfigurationParser } from "../configuration/configuration.ts";
import { decideDifferences } from "./decide-differences.ts";

const parse = createConfigurationParser(null);
const environment = (id: string, services: readonly object[], more: object = {}) => ({
  id,
  region: "us-west-2",
  source: { branch: "main" },
  services,
  ...more,
});
const site = (id: string, more: object = {}) => ({ id, type: "static", outputDirectory: "public", ...more });
const NONE = { added: [], changed: [], removed: [] };

describe("the differences of two configurations", () => {
  const before = parse({
    envVariables: { SHARED: "1", GONE: "1" },
    environments: [
      environment("production", [site("web", { envVariables: { A: "1" } }), site("old")]),
      environment("review", [site("web")]),
    ],
  });

  it("are none between a configuration and itself", () => {
    assert.deepEqual(decideDifferences(before, before), { variables: NONE, environments: [] });
  });

  it("name fields, services and variables, and no values", () => {
    const after = parse({
      envVariables: { SHARED: "2", NEW: "1" },
      environments: [
        environment(
          "production",
          [site("web", { outputDirectory: "out", envVariables: { A: "2", B: "secret" } }), site("new")],
          { name: "Production" },
        ),
        environment("staging", [site("web")]),
      ],
    });
    const found = decideDifferences(before, after);
    assert.deepEqual(found.variables, { added: ["NEW"], changed: ["SHARED"], removed: ["GONE"] });
    assert.deepEqual(
      found.environments.map(({ configId, difference, fields }) => [configId, difference, fields]),
      [
        ["production", "CHANGED", ["name"]],
        ["staging", "ADDED", []],
        ["review", "REMOVED", []],
      ],
    );
    assert.deepEqual(found.environments[0]?.services, [
      {
        configId: "web",
        name: "web",
        difference: "CHANGED",
        fields: ["outputDirectory"],
        variables: { added: ["B"], changed: ["A"], removed: [] },
      },
      { configId: "new", name: "new", difference: "ADDED", fields: [], variables: NONE },
      { configId: "old", name: "old", difference: "REMOVED", fields: [], variables: NONE },
    ]);
    assert.ok(!JSON.stringify(found).includes("secret"));
  });
});
