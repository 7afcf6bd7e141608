/** What every platform must do, as `platform.ts` says it, held against a running adapter. */
import { describe } from "node:test";
import { describeBuilds } from "./builds-contract.ts";
import { describeExecutions } from "./executions-contract.ts";
import { makePlatformSuite, type PlatformHarness } from "./platform-suite.ts";
import { describeReleases } from "./releases-contract.ts";
import { describeServices } from "./services-contract.ts";
import { describeStores } from "./stores-contract.ts";

/** Registers the suite with node:test. */
export function describePlatformContract(name: string, makeHarness: () => Promise<PlatformHarness>): void {
  describe(`the contract of the ${name} platform`, { concurrency: 4 }, () => {
    const suite = makePlatformSuite(makeHarness);
    describeBuilds(suite);
    describeReleases(suite);
    describeExecutions(suite);
    describeServices(suite);
    describeStores(suite);
  });
}
