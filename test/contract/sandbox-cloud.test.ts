import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describeCloudContract } from "./cloud/cloud-contract.ts";
import type { CloudHarness } from "./cloud/cloud-suite.ts";
import { shortPause, startFixture } from "../helpers/sandbox/sandbox-fixture.ts";
import { instantTuning } from "../../sandbox/src/tuning.ts";

describeCloudContract("sandbox", async (): Promise<CloudHarness> => {
  // Lags as a real provider has them, only shorter, so that the suite meets every in-between state.
  const tuning = {
    ...instantTuning,
    describeLagMs: 10,
    recordDelayMs: 30,
    deployLagMs: 40,
    stackCreationMs: 10,
  };
  // The suite's tests all run at once, in the sandbox's own process: a call waits for them, not for the sandbox.
  const fixture = await startFixture({ tuning, timeoutMs: 30_000 });
  return {
    cloud: fixture.cloud,
    certificateNamesQuota: tuning.certificateNamesQuota,
    connect: () => fixture.connect(),
    async disconnect({ connectionId }) {
      await fixture.fetch("DELETE", `/sandbox/stacks/${connectionId}`);
    },
    newDomain: () => `d${randomBytes(6).toString("hex")}.example`,
    setDnsRecord: ({ name, type, value }) => fixture.setRecord(name, type, value),
    async createZone({ connectionId }, zone) {
      const answer = await fixture.fetch("POST", "/sandbox/zones", { ServiceId: connectionId, ...zone });
      assert.equal(answer.status, 201);
      return ((await answer.json()) as { id: string }).id;
    },
    setZoneRecord: (_account, _zoneId, { name, type, value }) => fixture.setRecord(name, type, value),
    async makeForeign({ connectionId }, kind, { region, name }) {
      const word = kind === "parameters" ? "parameter" : "secret";
      await fixture.server.plant(word, connectionId, region, name, "made by hand");
    },
    async readManaged(account, kind, { region, name }) {
      const values = (await fixture.accountState(account))[kind];
      const found = values.find((value) => value.region === region && value.name === name);
      return found === undefined ? null : { value: found.value, versionCount: found.versionCount };
    },
    pause: shortPause,
    stop: () => fixture.stop(),
  };
});
