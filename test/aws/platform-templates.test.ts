/** The templates of environments and services with CloudFormation's own linter. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import {
  allTemplates,
  CACHE,
  DATABASE,
  templateOfStore,
} from "../../src/cloud/aws/platform/stacks/templates/testing-templates.ts";
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
      // Its exit code also reports warnings. RDS takes a major version and chooses the minor, which the linter does not know.
      const ignored = ["-i", "E3691", "W3691"];
      await run(PYTHON ?? "", ["-m", "cfnlint.runner.cli", ...ignored, "-t", ...files]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);

test(
  "no change of a data store, nor its removal, touches a property that would replace its data",
  { skip: PYTHON === null ? NEEDS_MOTO : false },
  async () => {
    const types = ["AWS::RDS::DBInstance", "AWS::ElastiCache::ReplicationGroup", "AWS::S3::Bucket"];
    const script = path.join(import.meta.dirname, "schemas.py");
    const { stdout } = await run(PYTHON ?? "", [script, JSON.stringify(types), "[]"], { maxBuffer: 1 << 26 });
    const { needed } = JSON.parse(stdout) as { needed: Record<string, { createOnly: readonly string[] }> };
    const bucket = { type: "bucket", deletionProtection: true } as const;
    const changes = [
      [DATABASE, { ...DATABASE, size: "large", storageGb: 100 }],
      [DATABASE, { ...DATABASE, backupRetentionDays: 35, deletionProtection: false }],
      [CACHE, { ...CACHE, size: "xlarge", deletionProtection: false }],
      [bucket, { ...bucket, deletionProtection: false }],
    ] as const;
    for (const [before, after] of changes) {
      const templates = [
        templateOfStore(before),
        templateOfStore(after),
        templateOfStore(after, { isRemovable: true }),
      ];
      const fixed = templates.map(({ Resources: { Data } }) => {
        const names = needed[Data?.Type ?? ""]?.createOnly ?? [];
        assert.ok(names.length > 0);
        return names.map((name) => [name, Data?.Properties[name]]);
      });
      assert.deepEqual(fixed[1], fixed[0]);
      assert.deepEqual(fixed[2], fixed[0]);
    }
  },
);
