import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AppError } from "../../lib/errors.ts";
import { decideImport } from "./decide-import.ts";
import { AWS, fileOf, SITE, WEB } from "./testing-import.ts";

function refusalOf(text: string): AppError {
  try {
    decideImport(text, AWS);
  } catch (error) {
    assert.ok(error instanceof AppError, String(error));
    assert.equal(error.code, "IMPORT_FILE_INVALID");
    return error;
  }
  return assert.fail(`not refused: ${text.slice(0, 80)}`);
}

describe("a file that cannot be imported", () => {
  it("says where it is not JSON", () => {
    for (const [text, message] of [
      ["", /is empty/],
      ["  \n ", /is empty/],
      [
        '{\n  "environments": [],\n}',
        /"}" is unexpected at line 3, column 1\. JSON has no comments, and no comma before/,
      ],
      [
        '{\n  // a comment\n  "environments": []\n}',
        /"\/" is unexpected at line 2, column 3\. JSON has no comments/,
      ],
      ['{"environments": [', /the end of the file is unexpected at line 1/],
      ["environments:\n  - id: a", /"e" is unexpected at line 1, column 1/],
      [`${"[".repeat(30)}${"]".repeat(30)}`, /nested deeper than 24 levels/],
      ['{"environments": [], "environments": []}', /duplicate key/],
      ['{"a": "\\u0000"}', /NUL/],
    ] as const)
      assert.match(refusalOf(text).message, message, text);
  });

  it("takes a byte order mark", () => {
    const text = JSON.stringify(fileOf([SITE]));
    assert.deepEqual(decideImport(`\uFEFF${text}`, AWS), decideImport(text, AWS));
  });

  it("says every place that is not as in Flightcontrol", () => {
    const env = { id: "a", region: "eu-west-1", source: { branch: "main" }, services: [SITE] };
    for (const [file, faults] of [
      [[], ["WRONG_TYPE "]],
      ["text", ["WRONG_TYPE "]],
      [null, ["WRONG_TYPE "]],
      [{}, ["REQUIRED /environments"]],
      [{ environments: {} }, ["WRONG_TYPE /environments"]],
      [{ environments: [] }, ["REQUIRED /environments"]],
      [{ environments: [null] }, ["WRONG_TYPE /environments/0"]],
      [
        { environments: Array.from({ length: 21 }, (_, at) => ({ ...env, id: `e${at}` })) },
        ["TOO_LARGE /environments"],
      ],
      [
        { environments: [{}] },
        [
          "REQUIRED /environments/0/id",
          "REQUIRED /environments/0/region",
          "REQUIRED /environments/0/source",
          "REQUIRED /environments/0/services",
        ],
      ],
      [{ environments: [env, env] }, ["DUPLICATE /environments/1/id"]],
      [{ environments: [{ ...env, region: "the moon" }] }, ["WRONG_FORM /environments/0/region"]],
      [{ environments: [{ ...env, source: {} }] }, ["REQUIRED /environments/0/source/branch"]],
      [{ environments: [{ ...env, source: "main" }] }, ["WRONG_TYPE /environments/0/source"]],
      [{ environments: [{ ...env, services: [SITE, SITE] }] }, ["DUPLICATE /environments/0/services/1/id"]],
      [
        { environments: [{ ...env, services: [{ id: 5, type: "web" }] }] },
        ["WRONG_TYPE /environments/0/services/0/id"],
      ],
      [{ environments: [{ ...env, services: [{ id: "a" }] }] }, ["REQUIRED /environments/0/services/0/type"]],
      [
        { environments: [{ ...env, services: [{ id: "x".repeat(300), type: "web" }] }] },
        ["TOO_LARGE /environments/0/services/0/id"],
      ],
      [
        {
          ...fileOf([SITE]),
          envVariables: Object.fromEntries(Array.from({ length: 501 }, (_, at) => [`V${at}`, "x"])),
        },
        ["TOO_LARGE /envVariables"],
      ],
    ] as const)
      assert.deepEqual(
        refusalOf(JSON.stringify(file)).faults.map(({ code, path }) => `${code} ${path}`),
        faults,
        JSON.stringify(file).slice(0, 200),
      );
  });

  it("names services that depend on each other in a circle", () => {
    const circle = [
      { ...WEB, id: "a", dependsOn: ["b"] },
      { ...WEB, id: "b", dependsOn: ["c"] },
      { ...WEB, id: "c", dependsOn: ["a"] },
      { ...WEB, id: "d", dependsOn: [] },
    ];
    const { faults } = refusalOf(JSON.stringify(fileOf(circle)));
    assert.deepEqual(
      faults.map(({ code, path }) => [code, path]),
      [["CYCLE", "/environments/0/services/0/dependsOn"]],
    );
    assert.match(faults[0]?.message ?? "", /in a circle.*: a, b, c$/);
    assert.equal(
      refusalOf(JSON.stringify(fileOf([{ ...WEB, dependsOn: ["web"] }]))).faults[0]?.code,
      "CYCLE",
    );
  });
});
