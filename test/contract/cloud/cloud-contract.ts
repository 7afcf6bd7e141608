/** What every cloud must do, as `cloud.ts` says it, held against a running adapter. */
import { describe } from "node:test";
import { describeCertificates } from "./certificates-contract.ts";
import { type CloudHarness, makeCloudSuite } from "./cloud-suite.ts";
import { describeDistributions } from "./distributions-contract.ts";
import { describeIdentity } from "./identity-contract.ts";
import { describeManagedValues } from "./managed-values-contract.ts";
import { describeNoZones, describeZones } from "./zones-contract.ts";

const PATIENCE_MS = 180_000;

/**
 * Registers the suite with node:test.
 * @param options.patienceMs for what the provider does in the background
 * @param options.hasZones whether accounts have DNS zones
 * @param options.hasOneAccount every `connect` uses the same account, which must not be disconnected
 */
export function describeCloudContract(
  name: string,
  makeHarness: () => Promise<CloudHarness>,
  { patienceMs = PATIENCE_MS, hasOneAccount = false, hasZones = true } = {},
): void {
  describe(`the contract of the ${name} cloud`, { concurrency: true }, () => {
    const suite = makeCloudSuite(makeHarness, patienceMs, hasOneAccount);
    describeIdentity(suite);
    describeCertificates(suite);
    describeDistributions(suite);
    if (hasZones) describeZones(suite);
    else describeNoZones(suite);
    describeManagedValues(suite, "parameters");
    describeManagedValues(suite, "secrets");
  });
}
