import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isTypedSettings } from "./service-settings.ts";

const size = { cpu: 0.25, memoryGb: 0.5, minInstances: 1, maxInstances: 1 };
const process = { startCommand: "run", ...size, dependsOn: [] };
const SETTINGS = {
  static: { outputDirectory: "public", dependsOn: ["api"] },
  web: { ...process, port: 80, healthCheckPath: "/" },
  worker: { ...process, buildCommand: "make" },
  external: { hostname: "shop.example.com", dependsOn: [] },
};
const TYPES = ["static", "web", "worker", "external"] as const;

describe("the settings of a stored service", () => {
  for (const type of TYPES) {
    it(`are those of its type: ${type}`, () => {
      assert.ok(isTypedSettings({ type, settings: SETTINGS[type] }));
    });
    it(`have all that a configuration may leave out: ${type}`, () => {
      const { dependsOn: _, ...less } = SETTINGS[type];
      assert.ok(!isTypedSettings({ type, settings: less }));
    });
  }
  const refused: Record<string, unknown> = {
    "of another type": SETTINGS.external,
    "of a field that is not a number": { ...SETTINGS.web, port: "80" },
    "that are a list": [],
    "that are null": null,
  };
  for (const [name, settings] of Object.entries(refused)) {
    it(`are not those of a web service: ${name}`, () => {
      assert.ok(!isTypedSettings({ type: "web", settings }));
    });
  }
});
