/** The templates of environments and services with CloudFormation's own linter. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { allTemplates } from "../../src/cloud/aws/platform/stacks/templates/testing-templates.ts";
import { NEEDS_MOTO } from "./moto-url.ts";

const run = promisify(execFile);
const PYTHON = process.env["SLIPWAY_TEST_PYTHON"] ?? null;

test(
  "the templates of environments and services pass cfn-lint without a warning",
  { skip: PYTHON === null ? NEEDS_MOTO : false },
  async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "slipway-templates-"));
    try {
      const files = await Promise.all(
        [...allTemplates().values()].map(async (template, index) => {
          const file = path.join(folder, `${index}.json`);
          await writeFile(file, JSON.stringify(template, null, 2));
          return file;
        }),
      );
      // Its exit code also reports warnings.
      await run(PYTHON ?? "", ["-m", "cfnlint.runner.cli", "-t", ...files]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);
