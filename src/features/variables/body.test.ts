import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findGroupFaults, isPlain, readGroups } from "./body.ts";

const faultsOf = (body: unknown): readonly string[] =>
  findGroupFaults(body).map(({ path, code }) => `${path} ${code}`);

describe("the groups of a request", () => {
  it("are plain if they only have values and references", () => {
    assert.ok(isPlain(readGroups({ plainText: { A: "x" } })));
    assert.ok(
      isPlain(
        readGroups({ fromParameterStore: { A: "/x" }, fromSecretsManager: { B: "x" }, parameterStore: {} }),
      ),
    );
    assert.ok(!isPlain(readGroups({ plainText: { A: "x" }, parameterStore: { B: "x" } })));
    assert.ok(!isPlain(readGroups({ plainText: { A: "x" }, secretsManager: { B: "x" } })));
    assert.ok(
      !isPlain(readGroups({ plainText: { A: "x" }, fromService: { B: { id: "svc_1", value: "url" } } })),
    );
    assert.ok(!isPlain(readGroups({ plainText: {} })));
    assert.ok(!isPlain(readGroups({})));
  });
  it("have every fault reported at once, by its place", () => {
    const body = {
      plainText: { "BAD-NAME": "x", "a/b~c": "x", BIG: "x".repeat(32_769), BOTH: "" },
      parameterStore: { EMPTY: "", BIG_PARAMETER: "é".repeat(2_049), BOTH: "x" },
      secretsManager: { BIG_SECRET: "x".repeat(65_537) },
      fromParameterStore: { PATH: "no spaces please", DEEP: `/${"a/".repeat(15)}a` },
      fromSecretsManager: { NAME: "what?" },
    };
    assert.deepEqual(faultsOf(body), [
      "/plainText/BAD-NAME WRONG_FORM",
      "/plainText/a~1b~0c WRONG_FORM",
      "/plainText/BIG TOO_LARGE",
      "/parameterStore/EMPTY TOO_SMALL",
      "/parameterStore/BIG_PARAMETER TOO_LARGE",
      "/secretsManager/BIG_SECRET TOO_LARGE",
      "/fromParameterStore/PATH WRONG_FORM",
      "/fromParameterStore/DEEP WRONG_FORM",
      "/fromSecretsManager/NAME WRONG_FORM",
      "/plainText/BOTH DUPLICATE",
      "/parameterStore/BOTH DUPLICATE",
    ]);
  });

  it("may be as large as the limits, counted in bytes", () => {
    const body = {
      plainText: { A: "é".repeat(16_384), ["N".repeat(255)]: "" },
      parameterStore: { B: "é".repeat(2_048) },
      secretsManager: { C: "x".repeat(65_536) },
    };
    assert.deepEqual(faultsOf(body), []);
    assert.deepEqual(faultsOf({ plainText: { ["N".repeat(256)]: "" } }).length, 1);
  });

  it("suggest the other store for a parameter that is too large, and never quote a value", () => {
    const canary = `canary-${"x".repeat(5_000)}`;
    const [fault] = findGroupFaults({ parameterStore: { A: canary } });
    assert.match(fault?.message ?? "", /secretsManager/);
    assert.doesNotMatch(JSON.stringify(fault), /canary/);
  });

  it("accept the forms of references that AWS accepts", () => {
    const arn = "arn:aws:ssm:us-west-2:123456789012:parameter/app/x";
    const secret = "arn:aws:secretsmanager:us-west-2:123456789012:secret:app/db-AbCdEf";
    const body = {
      fromParameterStore: { A: "/app/db-password", B: "plain.name", C: arn },
      fromSecretsManager: { D: "app/db", E: secret, F: `${secret}:password::` },
    };
    assert.deepEqual(faultsOf(body), []);
  });

  it("are at most 2,000 variables together", () => {
    const group = (prefix: string, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, "x"]));
    assert.deepEqual(faultsOf({ plainText: group("A", 1_000), secretsManager: group("B", 1_000) }), []);
    assert.deepEqual(faultsOf({ plainText: group("A", 1_000), secretsManager: group("B", 1_001) }), [
      " TOO_LARGE",
    ]);
  });

  it("leave wrong types to the schema", () => {
    for (const body of [null, 1, [], { plainText: 1 }, { plainText: { A: 1, B: null } }, { other: {} }])
      assert.deepEqual(faultsOf(body), []);
  });

  it("keep `__proto__` and `constructor` as names, and values unchanged", () => {
    const body = JSON.parse('{"plainText":{"__proto__":" a ","constructor":"\\u0065\\u0301"}}') as object;
    assert.deepEqual(
      readGroups(body).plain.map(({ name, plainValue }) => [name, plainValue]),
      [
        ["__proto__", " a "],
        ["constructor", "e\u0301"],
      ],
    );
  });
});
