/**
 * Each error code stands once, in the `errors.ts` of its room, and the catalogue has all of them. Violations are
 * planted, for a rule that nothing breaks guards nothing.
 */
import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import path from "node:path";
import { before, describe, it } from "node:test";
import { renderErrorsPage } from "../../scripts/errors-page.ts";
import { composeErrorCatalogue } from "../../src/http/problems/error-catalogue.ts";
import {
  AppError,
  COMMON_ERRORS,
  COMMON_FAULTS,
  declareErrors,
  declareFaults,
  type Fault,
} from "../../src/lib/errors.ts";
import { DEPLOYMENT_FAILURES } from "../../src/features/deployments/errors.ts";
import { SANDBOX_CATALOGUE, SANDBOX_ERRORS } from "../../sandbox/src/errors.ts";
import { ERROR_CATALOGUE } from "../../src/start/error-catalogue.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const ADDRESS = "/docs/errors";

describe("error codes", () => {
  const sources = new Map<string, string>();
  /** `GIT_ERRORS.BRANCH_NOT_FOUND`, with the file that declares it. */
  const declarations: { readonly file: string; readonly name: string; readonly code: string }[] = [];
  before(async () => {
    for await (const file of glob("{src,edge/src,sandbox/src}/**/*.ts", { cwd: ROOT }))
      if (!file.endsWith(".test.ts")) sources.set(file, await readFile(path.join(ROOT, file), "utf8"));
    for (const file of sources.keys()) {
      if (path.basename(file) !== "errors.ts") continue;
      const exported: Readonly<Record<string, unknown>> = await import(path.join(ROOT, file));
      for (const [name, value] of Object.entries(exported))
        if (/_(?:ERRORS|FAULTS)$/.test(name))
          for (const code of Object.keys(value as object)) declarations.push({ file, name, code });
    }
    assert.ok(declarations.length > 80, "the declarations are found");
  });

  it("are declared in the errors.ts of a room, and nowhere else", () => {
    const declaring = [...sources].filter(([, text]) => /\bdeclare(?:Errors|Faults)\b/.test(text));
    for (const [file, text] of declaring) {
      assert.equal(path.basename(file), "errors.ts");
      const named = /export const [A-Z_]+_(?:ERRORS|FAULTS) = declare(?:Errors|Faults)\(/g;
      const calls = /^(?!export function).*\bdeclare(?:Errors|Faults)\(/gm;
      assert.equal(text.match(named)?.length, text.match(calls)?.length, file);
    }
  });

  it("are all in the catalogue, the sandbox's in its own", () => {
    for (const [catalogue, isOwn] of [
      [ERROR_CATALOGUE, (file: string) => !file.startsWith("sandbox/")],
      [SANDBOX_CATALOGUE, (file: string) => file.startsWith("sandbox/")],
    ] as const) {
      const codes = declarations.filter(({ file }) => isOwn(file)).map(({ code }) => code);
      assert.deepEqual(codes.toSorted(), [...catalogue.errors.keys(), ...catalogue.faults.keys()].toSorted());
    }
  });

  it("are each used in the source", () => {
    const text = [...sources.values()].join("\n");
    const dead = declarations.filter(({ name, code }) => !new RegExp(`\\b${name}\\.${code}\\b`).test(text));
    assert.deepEqual(dead, []);
  });

  it("are refused when they are declared twice, errors and faults alike", () => {
    const { NOT_FOUND } = COMMON_ERRORS;
    const again = declareErrors({ NOT_FOUND: { ...NOT_FOUND, status: 410 } });
    const twice = { address: ADDRESS, errors: [COMMON_ERRORS, again], faults: [] };
    assert.throws(() => composeErrorCatalogue(twice), /NOT_FOUND is declared twice/);
    const fault = declareFaults({ REQUIRED: "It is missing." });
    const faults = { address: ADDRESS, errors: [], faults: [COMMON_FAULTS, fault] };
    assert.throws(() => composeErrorCatalogue(faults), /REQUIRED is declared twice/);
  });

  it("of the sandbox are refused in the list of the product", () => {
    const mixed = { address: ADDRESS, errors: [COMMON_ERRORS, SANDBOX_ERRORS], faults: [] };
    assert.throws(
      () => composeErrorCatalogue(mixed),
      /PULL_REQUEST_CONFLICT is \/sandbox\/errors\/PULL_REQUEST_CONFLICT/,
    );
  });

  it("that are not declared do not compile", () => {
    const planted = [
      // @ts-expect-error -- a code by its name
      () => new AppError("NOT_FOUND", "It is not there."),
      // @ts-expect-error -- a code that the room has not declared
      () => new AppError(COMMON_ERRORS.MADE_UP, "It is not there."),
      // @ts-expect-error -- an invalid declaration
      () => new AppError({ code: "MADE_UP", page: "", status: 400, title: "", cause: "", remedy: "" }, ""),
      // @ts-expect-error -- a fault by its name
      (): Fault => ({ path: "", code: "REQUIRED", message: "is required" }),
    ];
    assert.equal(planted.length, 4);
  });

  it("say what happened and what to do in whole sentences", () => {
    for (const catalogue of [ERROR_CATALOGUE, SANDBOX_CATALOGUE]) {
      for (const [code, { status, title, cause, remedy }] of catalogue.errors) {
        assert.ok(status >= 400 && status <= 599, code);
        assert.match(title, /^[A-Z].*[^.]$/, code);
        for (const sentence of [cause, remedy]) assert.match(sentence, /^[A-Z].*\.$/s, code);
      }
      for (const [code, { meaning }] of catalogue.faults) assert.match(meaning, /^[A-Z].*\.$/s, code);
    }
  });

  it("of failed deployments are in their table, which has no others", () => {
    const table = new Set(Object.keys(DEPLOYMENT_FAILURES.meanings));
    const decided = [...sources].flatMap(([file, text]) =>
      file.startsWith("src/features/deployments/")
        ? [...text.matchAll(/\bcode: "([A-Z_]+)"/g)].map(([, code = ""]) => code)
        : [],
    );
    assert.ok(decided.length > 15, "the codes are found");
    assert.deepEqual(
      decided.filter((code) => !table.has(code)),
      [],
    );
    const text = [...sources.values()].join("\n");
    assert.deepEqual(
      [...table].filter((code) => !text.includes(`"${code}"`) && !ERROR_CATALOGUE.errors.has(code)),
      [],
    );
  });

  it("are in docs/reference/errors.md as `npm run docs:errors` writes them", async () => {
    const written = await readFile(path.join(ROOT, "docs/reference/errors.md"), "utf8");
    assert.ok(
      written === renderErrorsPage(ERROR_CATALOGUE),
      "docs/reference/errors.md is old; run `npm run docs:errors`",
    );
  });
});

it("each failure code of a value is used in the source", async () => {
  const folder = path.join(ROOT, "src/features/variables");
  const exported: Readonly<Record<string, unknown>> = await import(path.join(folder, "errors.ts"));
  const failures = Object.entries(exported).flatMap(([name, value]) =>
    typeof value === "object" && value !== null && "code" in value && "message" in value ? [name] : [],
  );
  assert.ok(failures.length >= 6);
  let text = "";
  for await (const file of glob("**/*.ts", { cwd: folder }))
    if (file !== "errors.ts" && !file.endsWith(".test.ts"))
      text += (await readFile(path.join(folder, file), "utf8")).replaceAll(/^import [^;]*;$/gm, "");
  const dead = failures.filter((name) => !new RegExp(`\\b${name}\\b`).test(text));
  assert.deepEqual(dead, []);
});
