import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { describeCloudContract } from "../contract/cloud/cloud-contract.ts";
import type { CloudHarness } from "../contract/cloud/cloud-suite.ts";
import { startHostFixture } from "../helpers/host/host-fixture.ts";

describeCloudContract(
  "own server's",
  async (): Promise<CloudHarness> => {
    const fixture = await startHostFixture();
    const { values } = fixture.server;
    return {
      cloud: fixture.cloud,
      certificateNamesQuota: 100,
      connect: () => fixture.connect(),
      disconnect: (account) => fixture.disconnect(account),
      newDomain: () => `d${randomBytes(6).toString("hex")}.example.com`,
      async setDnsRecord({ name, type, value }) {
        fixture.names.set(name, type, value);
      },
      async createZone() {
        throw new Error("An own server has no zones.");
      },
      async setZoneRecord() {
        throw new Error("An own server has no zones.");
      },
      async makeForeign({ accountId }, kind, { region, name }) {
        await values[kind].plant(accountId, region, name, "made by hand");
      },
      async readManaged({ accountId }, kind, { region, name }) {
        const all = await values[kind].list(accountId);
        const found = all.find((one) => one.region === region && one.name === name);
        return found === undefined ? null : { value: found.value, versionCount: found.versionCount };
      },
      pause: () => sleep(50),
      stop: () => fixture.stop(),
    };
  },
  // Each certificate is an order at the CA.
  { hasZones: false, patienceMs: 180_000 },
);
