import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decideEffective, isForForks, isInherited } from "./decide-effective.ts";
import { type EnvVariable, VARIABLE_KINDS, type VariableSource } from "./env-variable.ts";

const variable = (scopeId: string, source: VariableSource, name = "NAME"): EnvVariable => ({
  scopeId,
  inPreviews: null,
  source,
  name,
  kind: "plainText",
  plainValue: `${scopeId} ${source}`,
  reference: null,
  linkedServiceId: null,
  linkedProperty: null,
  updatedAt: new Date(0),
});

const ALL = [
  variable("env_1", "config"),
  variable("env_1", "api"),
  variable("svc_1", "config"),
  variable("svc_1", "api"),
];

describe("what a preview gets of its template", () => {
  it("has managed values with the scope only, and of a fork plain text only", () => {
    const inherited = (isFork: boolean, scope: boolean): readonly string[] =>
      VARIABLE_KINDS.filter((kind) => {
        const isManaged = kind === "parameterStore" || kind === "secretsManager";
        return isInherited({ kind, inPreviews: isManaged ? scope : null }, isFork);
      });
    const plain = ["plainText", "fromParameterStore", "fromSecretsManager", "fromService"];
    assert.deepEqual(inherited(false, false).toSorted(), plain.toSorted());
    assert.deepEqual(inherited(false, true), VARIABLE_KINDS);
    for (const scope of [false, true]) assert.deepEqual(inherited(true, scope), ["plainText"]);
    assert.deepEqual(VARIABLE_KINDS.filter(isForForks), ["plainText", "fromService"], "its own");
  });
});

describe("what a service gets at runtime", () => {
  it("prefers the service's over the environment's, and the API's over the configuration's", () => {
    for (let count = 1; count <= ALL.length; count += 1) {
      const given = ALL.slice(0, count);
      const winner = given.at(-1);
      for (const order of [given, given.toReversed()]) {
        const [effective, ...others] = decideEffective(order, ["env_1", "svc_1"]);
        assert.equal(effective?.plainValue, winner?.plainValue);
        assert.equal(effective?.from, winner?.scopeId === "svc_1" ? "service" : "environment");
        assert.deepEqual(others, []);
      }
    }
  });

  it("is ordered by name, `__proto__` among the others", () => {
    const names = ["b", "__proto__", "B", "constructor", "a"];
    const effective = decideEffective(
      names.map((name) => variable("env_1", "api", name)),
      ["env_1", "svc_1"],
    );
    assert.deepEqual(
      effective.map(({ name }) => name),
      ["B", "__proto__", "a", "b", "constructor"],
    );
  });
});
