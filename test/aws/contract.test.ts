import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { createAws } from "../../src/cloud/aws/adapter.ts";
import { createCallPolicy } from "../../src/cloud/calls/policy.ts";
import { describeCloudContract } from "../contract/cloud/cloud-contract.ts";
import type { CloudHarness } from "../contract/cloud/cloud-suite.ts";
import { NAMES_QUOTA } from "./emulator/certificate-rules.ts";
import { customerOf } from "./emulator/customer.ts";
import { startEmulator } from "./emulator/emulator.ts";
import { MOTO_URL, NEEDS_MOTO } from "./moto-url.ts";

const PATIENCE_MS = 180_000;

if (MOTO_URL === null) test("the contract of the aws cloud", { skip: NEEDS_MOTO });
else describeCloudContract("aws", () => startHarness(MOTO_URL ?? ""));

async function startHarness(motoUrl: string): Promise<CloudHarness> {
  const emulator = await startEmulator({ motoUrl });
  const { cloud } = createAws({
    templateUrl: "https://slipway-templates.s3.amazonaws.com/connection-v2.yaml",
    endpoint: emulator.url,
    // All tests of the suite call one moto at once, which takes time on a busy machine.
    policy: createCallPolicy({ callMs: PATIENCE_MS, attemptMs: PATIENCE_MS }),
  });
  return {
    cloud,
    certificateNamesQuota: NAMES_QUOTA,
    async connect() {
      const connectionId = `aws_${randomBytes(13).toString("hex")}`;
      return { connectionId, ...emulator.trust.createRole(connectionId) };
    },
    async disconnect({ roleArn }) {
      emulator.trust.deleteRole(roleArn);
    },
    newDomain: () => `d${randomBytes(6).toString("hex")}.example`,
    async setDnsRecord(record) {
      emulator.setDnsRecord(record);
    },
    async createZone({ roleArn }, zone) {
      return await (await customerOf(motoUrl, roleArn)).createZone(zone);
    },
    async setZoneRecord({ roleArn }, zoneId, record) {
      await (await customerOf(motoUrl, roleArn)).setZoneRecords(zoneId, [record]);
    },
    async makeForeign({ roleArn }, kind, where) {
      const customer = await customerOf(motoUrl, roleArn);
      if (kind === "parameters") await customer.putParameter(where, "made by hand");
      else await customer.putSecret(where, "made by hand");
    },
    async readManaged({ roleArn }, kind, where) {
      const customer = await customerOf(motoUrl, roleArn);
      return kind === "parameters" ? await customer.parameter(where) : await customer.secret(where);
    },
    pause: () => new Promise((resolve) => setTimeout(resolve, 50)),
    stop: () => emulator.stop(),
  };
}
