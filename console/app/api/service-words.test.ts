import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatSettings } from "./service-words.ts";

describe("the settings of a service", () => {
  it("are shown in words, without settings that its kind does not have", () => {
    assert.deepEqual(
      formatSettings({
        settings: { outputDirectory: "public", singlePageApp: true, dependsOn: [] },
        dataStore: null,
      }),
      [
        ["Folder with the files", "public"],
        ["Single-page app", "Yes"],
      ],
    );
  });

  it("of a server say how large it is, and what it waits for", () => {
    const settings = {
      startCommand: "node server.js",
      port: 3_000,
      cpu: 0.25,
      memoryGb: 0.5,
      minInstances: 1,
      maxInstances: 3,
      healthCheckPath: "/",
      healthCheckIntervalSeconds: 30,
      logRetentionDays: 90,
      autoscaling: { cpuThreshold: 60, requestsPerTarget: 500 },
      dependsOn: ["db", "queue"],
    };
    assert.deepEqual(formatSettings({ settings, dataStore: null }), [
      ["Start command", "node server.js"],
      ["Port", "3000"],
      ["Healthy while this path answers", "/"],
      ["Between two health checks", "30 s"],
      ["Logs are kept for", "90 days"],
      ["Virtual CPUs of an instance", "0.25"],
      ["Memory of an instance", "0.5 GiB"],
      ["Instances are added above", "60 % CPU"],
      ["Instances are added above", "500 requests a minute, per instance"],
      ["Instances", "1 to 3"],
      ["Released after", "db, queue"],
    ]);
  });

  it("show a command that is a list as it is written", () => {
    assert.deepEqual(formatSettings({ settings: { startCommand: ["node", "a b.js"] }, dataStore: null }), [
      ["Start command", '["node","a b.js"]'],
    ]);
  });

  it("of one size have one number of instances", () => {
    assert.deepEqual(formatSettings({ settings: { minInstances: 2 }, dataStore: null }), [
      ["Instances", "2"],
    ]);
  });

  it("reports the version that runs, and the protection, of a data store that Slipway creates", () => {
    const dataStore = { status: "AVAILABLE", version: "17", waitingFor: null, failure: null } as const;
    assert.deepEqual(formatSettings({ settings: { storageGb: 20, deletionProtection: false }, dataStore }), [
      ["Version", "17"],
      ["Storage", "20 GiB"],
      ["Protected from deletion", "No"],
    ]);
    assert.deepEqual(formatSettings({ settings: {}, dataStore: { ...dataStore, version: null } }), [
      ["Protected from deletion", "Yes"],
    ]);
  });
});
