/**
 * `kill -9` of the whole service at each AWS call that connections, groups and variables make: before it
 * reaches AWS, where it has an effect, and after its answer is ready. Each death is followed by another
 * start on the same data; afterwards every effect is there once. A death at a call that only reads leaves what
 * one before the next effect leaves; there it dies with `SLIPWAY_TEST_FULL=1` only, for each start takes seconds.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createGroup, untilDomain, untilGone } from "../helpers/customers/scenario.ts";
import { until } from "../helpers/until.ts";
import { type Customer, customerOf } from "./emulator/customer.ts";
import { type Deaths, watchDeaths } from "./deaths.ts";
import { type Emulator, startEmulator } from "./emulator/emulator.ts";
import { MOTO_URL, NEEDS_MOTO } from "./moto-url.ts";
import { type AwsSlipway, patient, type Project, startSlipway } from "./slipway.ts";

const REGION = "us-west-2";
/** Of one step, with all its deaths, on a busy machine. */
const STEP_MS = 600_000;

describe(
  "a service killed at each of its AWS calls",
  { skip: MOTO_URL === null ? NEEDS_MOTO : false },
  () => {
    const motoUrl = MOTO_URL ?? "";
    let emulator: Emulator;
    let slipway: AwsSlipway & { createProject(name: string): Promise<Project> };
    let project: Project;
    let customer: Customer;
    let groupId: string;
    let deaths: Deaths;

    before(async () => {
      emulator = await startEmulator({ motoUrl, seed: 11 });
      slipway = await startSlipway(emulator);
      deaths = watchDeaths(emulator, slipway);
    });
    after(async () => {
      await deaths.end();
      await slipway.stop();
      await emulator.stop();
    });

    const untilTrue = (look: () => Promise<boolean>, what: string) => until(look, what, STEP_MS);
    const read = async (path: string) => (await patient(slipway.api).get(path)).body;

    async function write(kinds: object): Promise<void> {
      const path = `/v1/environments/${project.environmentId}/env-variables`;
      const accepted = await patient(slipway.api).post(path, kinds);
      const run = accepted.headers.get("location") ?? "";
      await untilTrue(async () => (await read(run)).isFinished, "the run ends");
      assert.deepEqual((await read(run)).failedEnvVariables, {});
    }
    async function remove(name: string): Promise<void> {
      const path = `/v1/environments/${project.environmentId}/env-variables/${name}`;
      await patient(slipway.api).delete(path);
    }
    const whereOf = (name: string, prefix: string) => ({
      region: REGION,
      name: `${prefix}slipway/${project.projectId}/${project.environmentId}/${name}`,
    });
    const parameter = () => customer.parameter(whereOf("P", "/"));
    const secret = () => customer.secret(whereOf("S", ""));

    test("connects the account and makes one default distribution", async () => {
      const reads = [
        "sts:AssumeRole",
        "sts:GetCallerIdentity",
        "iam:SimulatePrincipalPolicy",
        "acm:ListCertificates",
        "cloudfront:ListDistributions",
        "ssm:ListTagsForResource",
        "secretsmanager:DescribeSecret",
      ] as const;
      await deaths.dyingAt({ effects: ["cloudfront:CreateDistribution"], reads }, async () => {
        project = await slipway.createProject("killed");
        customer = await customerOf(motoUrl, project.roleArn);
        await untilTrue(async () => deaths.haveCome(), "the distribution is made");
      });
      await untilTrue(async () => (await customer.distributionIds()).length > 0, "there is a distribution");
      assert.equal((await customer.distributionIds()).length, 1);
    });

    test("attaches a domain with one certificate and one distribution", async () => {
      const effects = ["acm:RequestCertificate", "cloudfront:UpdateDistribution"] as const;
      const reads = [
        // Only a request whose answer was lost has something to compare.
        "acm:ListTagsForCertificate",
        "acm:DescribeCertificate",
        "cloudfront:GetDistribution",
        "cloudfront:GetDistributionConfig",
      ] as const;
      await deaths.dyingAt({ effects, reads }, async () => {
        const api = patient(slipway.api);
        const group = await createGroup(api, project.serviceId, ["www.killed.example.com"]);
        groupId = group.id;
        const [{ id }] = group.createdDomains;
        const waiting = await untilDomain(api, id, "AWAITING_VERIFICATION_RECORDS_TO_BE_SET", STEP_MS);
        for (const record of waiting.dnsRecords) slipway.setDnsRecord(record);
        await api.post(`/v1/domains/${id}/check`);
        await untilDomain(api, id, "ATTACHED", STEP_MS);
      });
      assert.equal((await customer.certificateArns()).length, 1);
      assert.equal((await customer.distributionIds()).length, 2);
    });

    test("stores each value once", async () => {
      await deaths.dyingAt({ effects: ["ssm:PutParameter", "secretsmanager:CreateSecret"], reads: [] }, () =>
        write({ parameterStore: { P: "one" }, secretsManager: { S: "one" } }),
      );
      assert.deepEqual(await parameter(), { value: "one", versionCount: 1 });
      assert.deepEqual(await secret(), { value: "one", versionCount: 1 });
    });

    test("overwrites each value once", async () => {
      const effects = ["ssm:PutParameter", "secretsmanager:PutSecretValue"] as const;
      const reads = ["ssm:DescribeParameters", "secretsmanager:DescribeSecret"] as const;
      await deaths.dyingAt({ effects, reads }, () =>
        write({ parameterStore: { P: "two" }, secretsManager: { S: "two" } }),
      );
      assert.deepEqual(await parameter(), { value: "two", versionCount: 2 });
      assert.deepEqual(await secret(), { value: "two", versionCount: 2 });
    });

    test("removes each value", async () => {
      const effects = ["ssm:DeleteParameter", "secretsmanager:DeleteSecret"] as const;
      await deaths.dyingAt({ effects, reads: [] }, async () => {
        await remove("P");
        await remove("S");
        await untilTrue(async () => deaths.haveCome(), "both are asked for");
      });
      await untilTrue(async () => (await parameter()) === null, "the parameter is deleted");
      await untilTrue(async () => (await secret()) === null, "the secret is deleted");
    });

    test("restores a secret that is scheduled for deletion, with one more version", async () => {
      // AWS's answer for a name that waits for its deletion; moto treats the call as a new one.
      const kind = { code: "InvalidRequestException", status: 400 };
      emulator.faults.add({ api: "secretsmanager:CreateSecret", kind });
      await deaths.dyingAt({ effects: ["secretsmanager:RestoreSecret"], reads: [] }, () =>
        write({ secretsManager: { S: "three" } }),
      );
      emulator.faults.clear();
      assert.deepEqual(await secret(), { value: "three", versionCount: 3 });
    });

    test("removes a group with everything", async () => {
      const effects = [
        "cloudfront:UpdateDistribution",
        "cloudfront:DeleteDistribution",
        "acm:DeleteCertificate",
      ] as const;
      await deaths.dyingAt({ effects, reads: [] }, async () => {
        await patient(slipway.api).delete(`/v1/domain-certificate-groups/${groupId}`);
        await untilGone(patient(slipway.api), `/v1/domain-certificate-groups/${groupId}`, STEP_MS);
      });
      assert.deepEqual(await customer.certificateArns(), []);
      await untilTrue(
        async () => (await customer.distributionIds()).length === 1,
        "its distribution is deleted",
      );
    });
  },
);
