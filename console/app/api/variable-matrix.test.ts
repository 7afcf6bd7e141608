import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { EnvVariable } from "../../../sdk/src/generated/types.ts";
import { isVariableName, type Scope, formatOrigin, formatValue, variableMatrix } from "./variable-matrix.ts";

const ENVIRONMENT: Scope = { kind: "environment", id: "env_1", name: "Production" };
const WEB: Scope = { kind: "service", id: "svc_1", name: "Web" };

const variable = (name: string, value: string, changes: Partial<EnvVariable> = {}): EnvVariable => ({
  name,
  value,
  source: "api",
  availableInPreviews: null,
  kind: "plainText",
  reference: null,
  fromService: null,
  state: "STORED",
  pending: null,
  lastError: null,
  updatedAt: "2026-01-01T00:00:00Z",
  ...changes,
});

function cellsOf(environment: readonly EnvVariable[], web: readonly EnvVariable[]) {
  const [row] = variableMatrix([
    { scope: ENVIRONMENT, variables: environment },
    { scope: WEB, variables: web },
  ]);
  assert.ok(row !== undefined);
  return row.cells.map((cell) => [cell.variable?.value ?? null, cell.origin, formatOrigin(cell)]);
}

describe("the matrix of variables", () => {
  it("has a row for each name, in order", () => {
    const rows = variableMatrix([
      { scope: ENVIRONMENT, variables: [variable("B", "1")] },
      { scope: WEB, variables: [variable("A", "2"), variable("B", "3")] },
    ]);
    assert.deepEqual(
      rows.map(({ name }) => name),
      ["A", "B"],
    );
  });

  it("gives a service what its environment has, unless it has its own", () => {
    assert.deepEqual(cellsOf([variable("A", "of all")], []), [
      ["of all", "own", "set here"],
      ["of all", "inherited", "from the environment"],
    ]);
    assert.deepEqual(cellsOf([variable("A", "of all")], [variable("A", "own")])[1], [
      "own",
      "overrides",
      "set here, overrides another value",
    ]);
    assert.deepEqual(cellsOf([], [variable("A", "own")]), [
      [null, "none", "not set"],
      ["own", "own", "set here"],
    ]);
  });

  it("prefers what was set with the API to the configuration, in the same scope", () => {
    const both = [variable("A", "file", { source: "config" }), variable("A", "api")];
    assert.deepEqual(cellsOf(both, [])[0], ["api", "overrides", "set here, overrides the configuration"]);
    assert.deepEqual(cellsOf(both.slice(0, 1), [])[0], ["file", "own", "from the configuration"]);
  });

  it("counts what is being removed as gone", () => {
    const removing = variable("A", "old", { state: "REMOVING" });
    assert.deepEqual(cellsOf([variable("A", "of all")], [removing])[1], [
      "of all",
      "inherited",
      "from the environment",
    ]);
  });
});

describe("what is shown of a value", () => {
  it("never is a secret", () => {
    const shown = formatValue(variable("A", "leaked", { kind: "secretsManager", reference: "arn" }));
    assert.deepEqual(shown, { text: "secret, never shown", isCode: false });
  });

  it("says an empty text, a link and a reference", () => {
    assert.equal(formatValue(variable("A", "")).text, "empty");
    const link = { value: null, fromService: { id: "web", value: "url" }, kind: "fromService" } as const;
    assert.equal(formatValue(variable("A", "", link)).text, "the url of web");
    const path = { value: null, reference: "/a/b", kind: "fromParameterStore" } as const;
    assert.deepEqual(formatValue(variable("A", "", path)), { text: "/a/b", isCode: true });
  });
});

describe("a variable's name", () => {
  it("has letters, digits and underscores", () => {
    assert.deepEqual(["A_1", "_a", "1A", "A-B", "", "A".repeat(256)].map(isVariableName), [
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});
