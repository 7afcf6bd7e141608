import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isKept, type PushedService } from "./decide-kept.ts";

const SITE = { type: "static", buildCommand: null, outputDirectory: "public" } as const;
const PUSHED: PushedService = {
  live: SITE,
  wanted: { ...SITE },
  isReconfigured: false,
  changedFiles: ["texts/a.md", "api/b.ts"],
  watchPaths: [[], ["web/**"]],
};

const WORKER = {
  type: "worker",
  image: "acme/api:1",
  buildCommand: null,
  startCommand: null,
  size: { cpu: 1, memoryGb: 2, minInstances: 1, maxInstances: 1 },
} as const;
const OF_IMAGE = { live: WORKER, wanted: { ...WORKER } };

describe("a service at a push", () => {
  const cases: Record<string, [changes: Partial<PushedService>, isKept: boolean]> = {
    "is kept if none of its files changed": [{}, true],
    "is kept if nothing changed": [{ changedFiles: [] }, true],
    "is built if one of its files changed": [{ changedFiles: ["texts/a.md", "web/x/y.ts"] }, false],
    "is built if a file of its second pattern changed": [{ watchPaths: [["web/**", "api/*"]] }, false],
    "is built if it watches no paths": [{ watchPaths: [[], []] }, false],
    "is kept if no file of its environment changed": [{ watchPaths: [["web/**"], []] }, true],
    "is kept if a file of its environment changed, and none of its own": [
      { watchPaths: [["api/**"], ["web/**"]] },
      true,
    ],
    "is kept if one of its own changed, and none of its environment's": [
      { watchPaths: [["web/**"], ["api/**"]] },
      true,
    ],
    "is built if both changed": [{ watchPaths: [["api/**"], ["api/*.ts", "x"]] }, false],
    "is built if the git host does not say what changed": [{ changedFiles: null }, false],
    "is built the first time": [{ live: null }, false],
    "is built if its settings or variables changed": [{ isReconfigured: true }, false],
    "is built if its settings never went live": [{ wanted: { ...SITE, basePath: "web" } }, false],
    "is kept if it runs an image": [{ ...OF_IMAGE, changedFiles: null, watchPaths: [[], []] }, true],
    "is built if it runs another image": [{ ...OF_IMAGE, wanted: { ...WORKER, image: "acme/api:2" } }, false],
    "is built if it runs an image, and its variables changed": [{ ...OF_IMAGE, isReconfigured: true }, false],
    "is not kept if it is external": [{ live: null, wanted: null }, false],
  };
  for (const [name, [changes, kept]] of Object.entries(cases))
    it(name, () => assert.equal(isKept({ ...PUSHED, ...changes }), kept));
});
