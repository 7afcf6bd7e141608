/**
 * The contract of all clouds on a real AWS account: opt-in, for it needs one, takes most of an hour and leaves
 * seven days of deleted secrets behind. What it needs and costs is in docs/reference/aws.md. The account plays both
 * sides: Slipway's own, and the customer's. What the customer does is done with the AWS CLI.
 */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { createAws } from "../../src/cloud/aws/adapter.ts";
import { createCallPolicy } from "../../src/cloud/calls/policy.ts";
import { renderTemplate } from "../../src/cloud/aws/stack/template.ts";
import type { Cloud, CloudAccount } from "../../src/cloud/cloud.ts";
import { describeCloudContract } from "../contract/cloud/cloud-contract.ts";
import type { CloudHarness } from "../contract/cloud/cloud-suite.ts";
import { until } from "../helpers/until.ts";

const DOMAIN = process.env["SLIPWAY_TEST_AWS_DOMAIN"] ?? "";
const NAMES_QUOTA = Number(process.env["SLIPWAY_TEST_AWS_NAMES_QUOTA"] ?? 10);
/** CloudFront deploys in minutes, and a distribution is deployed twice before it can be deleted. */
const PATIENCE_MS = 30 * 60_000;
const PAUSE_MS = 5_000;
const STACK_REGION = "us-east-1";

const isWanted = process.env["SLIPWAY_TEST_AWS"] === "1";
if (!isWanted) {
  test("the contract on a real account", { skip: "opt-in: SLIPWAY_TEST_AWS=1 npm run test:aws" });
} else if (DOMAIN === "") {
  test("the contract on a real account", () => {
    throw new Error("Set SLIPWAY_TEST_AWS_DOMAIN to a domain that has a public hosted zone in Route 53.");
  });
} else {
  describeCloudContract("aws, on a real account,", startHarness, {
    patienceMs: PATIENCE_MS,
    hasOneAccount: true,
  });
}

/** The AWS CLI's answer. */
async function aws(args: readonly string[], region = STACK_REGION): Promise<Json> {
  const all = [...args, "--region", region, "--output", "json"];
  const { stdout } = await promisify(execFile)("aws", all, { env: { ...process.env, AWS_PAGER: "" } });
  return stdout === "" ? {} : JSON.parse(stdout);
}
/** Null if AWS says that there is none. */
async function awsIfThere(args: readonly string[], region: string): Promise<Json> {
  return await aws(args, region).catch((error: unknown) => {
    if (/NotFound|InvalidRequestException/.test(String(error))) return null;
    throw error;
  });
}
// oxlint-disable-next-line typescript/no-explicit-any -- the CLI answers with every shape
type Json = any;

async function startHarness(): Promise<CloudHarness> {
  const { Account: accountId } = await aws(["sts", "get-caller-identity"]);
  const zones = await aws(["route53", "list-hosted-zones-by-name", "--dns-name", DOMAIN]);
  const zone = zones.HostedZones.find(
    ({ Name, Config }: Json) => Name === `${DOMAIN}.` && !Config.PrivateZone,
  );
  if (zone === undefined) throw new Error(`Route 53 has no public hosted zone ${DOMAIN} in this account.`);
  const connectionId = `aws_${randomBytes(13).toString("hex")}`;
  const stackName = `slipway-test-${connectionId.slice(4, 12)}`;
  const account = { connectionId, accountId, roleArn: await createStack(stackName, accountId, connectionId) };

  const made = createLedger();
  const { cloud: real } = createAws({
    templateUrl: "https://bucket.s3.amazonaws.com/connection-v2.yaml",
    // All tests work at once in one account, so that each waits for its turn.
    policy: createCallPolicy({
      callMs: 2 * PATIENCE_MS,
      turnWaitMs: PATIENCE_MS,
      attempts: 8,
      firstPauseMs: 1_000,
    }),
  });
  const cloud = apart(real, made);
  const records: Json[] = [];
  const changeRecords = (Action: string, sets: readonly Json[]) => changeZone(zone.Id, Action, sets);
  const zonesMade: string[] = [];
  const foreign: { kind: "parameters" | "secrets"; where: { region: string; name: string } }[] = [];

  return {
    cloud,
    certificateNamesQuota: NAMES_QUOTA,
    // A new object each time, by which `apart` distinguishes the tests.
    connect: () => Promise.resolve({ ...account }),
    disconnect: () => Promise.reject(new Error("The one account must stay connected.")),
    newDomain: () => `d${randomBytes(4).toString("hex")}.${DOMAIN}`,
    async setDnsRecord({ name, type, value }) {
      const set = { Name: name, Type: type, TTL: 60, ResourceRecords: [{ Value: value }] };
      records.push(set);
      await changeRecords("UPSERT", [set]);
    },
    async createZone(_owner, { name, isPrivate = false }) {
      const create = [
        "route53",
        "create-hosted-zone",
        "--name",
        name,
        "--caller-reference",
        crypto.randomUUID(),
      ];
      const made = await aws(isPrivate ? [...create, ...(await privately())] : create);
      zonesMade.push(made.HostedZone.Id);
      return made.HostedZone.Id.replace("/hostedzone/", "");
    },
    async setZoneRecord(_owner, zoneId, { name, type, value }) {
      const set = { Name: name, Type: type, TTL: 60, ResourceRecords: [{ Value: JSON.stringify(value) }] };
      await changeZone(zoneId, "UPSERT", [set]);
    },
    async makeForeign(owner, kind, at) {
      const where = made.whereOf(owner, kind, at);
      foreign.push({ kind, where });
      const value = "made by hand";
      await aws(
        kind === "parameters"
          ? ["ssm", "put-parameter", "--type", "SecureString", "--name", where.name, "--value", value]
          : ["secretsmanager", "create-secret", "--name", where.name, "--secret-string", value],
        where.region,
      );
    },
    async readManaged(owner, kind, at) {
      const { region, name } = made.whereOf(owner, kind, at);
      if (kind === "parameters") {
        const found = await awsIfThere(["ssm", "get-parameter", "--with-decryption", "--name", name], region);
        return found && { value: found.Parameter.Value, versionCount: found.Parameter.Version };
      }
      const found = await awsIfThere(["secretsmanager", "get-secret-value", "--secret-id", name], region);
      if (found === null) return null;
      const ids = ["secretsmanager", "list-secret-version-ids", "--include-deprecated", "--secret-id", name];
      return { value: found.SecretString, versionCount: (await aws(ids, region)).Versions.length };
    },
    pause: () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS)),
    async stop() {
      for (const { kind, where } of foreign) {
        await aws(
          kind === "parameters"
            ? ["ssm", "delete-parameter", "--name", where.name]
            : [
                "secretsmanager",
                "delete-secret",
                "--force-delete-without-recovery",
                "--secret-id",
                where.name,
              ],
          where.region,
        );
      }
      await clear(real, account, made);
      const sets = new Map(records.map((set) => [`${set.Name} ${set.Type}`, set]));
      if (sets.size > 0) await changeRecords("DELETE", [...sets.values()]);
      for (const id of zonesMade) await deleteZone(id);
      await aws(["cloudformation", "delete-stack", "--stack-name", stackName]);
      await aws(["cloudformation", "wait", "stack-delete-complete", "--stack-name", stackName]);
    },
  };
}

async function changeZone(zoneId: string, action: string, sets: readonly Json[]): Promise<void> {
  const batch = { Changes: sets.map((ResourceRecordSet) => ({ Action: action, ResourceRecordSet })) };
  const changes = ["--hosted-zone-id", zoneId, "--change-batch", JSON.stringify(batch)];
  await aws(["route53", "change-resource-record-sets", ...changes]);
}

/** A private zone needs a network; each new account has one. */
async function privately(): Promise<readonly string[]> {
  const { Vpcs } = await aws(["ec2", "describe-vpcs", "--filters", "Name=is-default,Values=true"]);
  const vpc = `VPCRegion=${STACK_REGION},VPCId=${Vpcs[0]?.VpcId}`;
  return ["--vpc", vpc, "--hosted-zone-config", "PrivateZone=true"];
}

async function deleteZone(id: string): Promise<void> {
  const { ResourceRecordSets } = await aws(["route53", "list-resource-record-sets", "--hosted-zone-id", id]);
  // A zone has these as long as it exists.
  const left = ResourceRecordSets.filter(({ Type }: Json) => Type !== "NS" && Type !== "SOA");
  if (left.length > 0) await changeZone(id, "DELETE", left);
  await aws(["route53", "delete-hosted-zone", "--id", id]);
}

/**
 * The stack's report finds no Slipway and fails in words, which is what it should do; the role stays.
 * @returns the role's ARN, once it can be assumed
 */
async function createStack(stackName: string, accountId: string, connectionId: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "slipway-real-"));
  const file = path.join(folder, "template.yaml");
  await writeFile(
    file,
    renderTemplate({ accountId, callbackUrl: "https://slipway.invalid/cloud-callbacks" }),
  );
  // The zones of the tests are made later.
  const values = { ServiceId: connectionId, DnsZones: "arn:aws:route53:::hostedzone/*", DnsRemoval: "allow" };
  const parameters = [
    "--parameters",
    ...Object.entries(values).map(([key, value]) => `ParameterKey=${key},ParameterValue=${value}`),
  ];
  const options = ["--capabilities", "CAPABILITY_NAMED_IAM", "--on-failure", "DO_NOTHING"];
  const template = ["--stack-name", stackName, "--template-body", `file://${file}`];
  await aws(["cloudformation", "create-stack", ...template, ...parameters, ...options]);
  await rm(folder, { recursive: true, force: true });
  const roleName = await until(
    async () => {
      const { StackResources } = await aws([
        "cloudformation",
        "describe-stack-resources",
        "--stack-name",
        stackName,
      ]);
      const hasEnded = (id: string) =>
        StackResources.find((one: Json) => one.LogicalResourceId === id)?.ResourceStatus;
      const role = StackResources.find((one: Json) => one.LogicalResourceId === "AccessRole");
      return hasEnded("Report") === "CREATE_FAILED" && role?.PhysicalResourceId;
    },
    "the stack's role is made, and its report fails",
    10 * 60_000,
  );
  const roleArn = `arn:aws:iam::${accountId}:role/${roleName}`;
  const assume = ["sts", "assume-role", "--role-arn", roleArn, "--role-session-name", "slipway-test"];
  await until(
    () =>
      aws([...assume, "--external-id", connectionId]).then(
        () => true,
        () => false,
      ),
    "the role can be assumed",
    2 * 60_000,
  );
  return roleArn;
}

type Ledger = {
  readonly certificateIds: Set<string>;
  readonly distributionIds: Set<string>;
  readonly values: {
    readonly kind: "parameters" | "secrets";
    readonly region: string;
    readonly name: string;
  }[];
  tokenOf(account: CloudAccount, token: string): string;
  whereOf(
    account: CloudAccount,
    kind: "parameters" | "secrets",
    where: { readonly region: string; readonly name: string },
  ): { region: string; name: string };
};

/** Where each test's resources are in the shared account, and which there are. */
function createLedger(): Ledger {
  const slots = new WeakMap<CloudAccount, string>();
  const run = randomBytes(4).toString("hex");
  let count = 0;
  const slotOf = (account: CloudAccount): string => {
    const slot = slots.get(account) ?? `${run}-${(count += 1)}`;
    slots.set(account, slot);
    return slot;
  };
  return {
    certificateIds: new Set(),
    distributionIds: new Set(),
    values: [],
    tokenOf: (account, token) => `${slotOf(account)}/${token}`,
    whereOf: (account, kind, { region, name }) => ({
      region,
      name: `${kind === "parameters" ? "/" : ""}slipway/${slotOf(account)}${name}`,
    }),
  };
}

/** The cloud with a name space for each test, that remembers what it made. */
function apart(cloud: Cloud, made: Ledger): Cloud {
  const values = (kind: "parameters" | "secrets"): Cloud["parameters"] => ({
    put(account, write) {
      const where = made.whereOf(account, kind, write);
      made.values.push({ kind, ...where });
      return cloud[kind].put(account, { ...write, ...where, token: made.tokenOf(account, write.token) });
    },
    delete: (account, where) => cloud[kind].delete(account, made.whereOf(account, kind, where)),
  });
  return {
    ...cloud,
    certificates: {
      ...cloud.certificates,
      async request(account, { names, token }) {
        const wanted = { names, token: made.tokenOf(account, token) };
        const answer = await cloud.certificates.request(account, wanted);
        made.certificateIds.add(answer.id);
        return answer;
      },
    },
    distributions: {
      ...cloud.distributions,
      async create(account, { token, origin }) {
        const wanted = { origin, token: made.tokenOf(account, token) };
        const answer = await cloud.distributions.create(account, wanted);
        made.distributionIds.add(answer.id);
        return answer;
      },
    },
    parameters: values("parameters"),
    secrets: values("secrets"),
  };
}

/** Removes what the tests made, by the adapter's own means. */
async function clear(cloud: Cloud, account: CloudAccount, made: Ledger): Promise<void> {
  for (const { kind, ...where } of made.values) {
    // A value that was made by hand in its place is removed by hand.
    await cloud[kind].delete(account, where).catch(() => undefined);
  }
  await Promise.all(
    [...made.distributionIds].map((id) =>
      until(
        async () => {
          const seen = await cloud.distributions.describe(account, id);
          if (seen === null) return true;
          const { etag } = seen;
          const off = { aliases: [], certificateId: null, enabled: false, etag };
          if (seen.enabled) await cloud.distributions.update(account, id, off);
          else if (seen.deployed) return (await cloud.distributions.delete(account, id, etag)) === "deleted";
          await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
          return false;
        },
        `distribution ${id} is deleted`,
        PATIENCE_MS,
      ),
    ),
  );
  for (const id of made.certificateIds) {
    await until(
      async () => {
        if ((await cloud.certificates.delete(account, id)) === "deleted") return true;
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
        return false;
      },
      `certificate ${id} is deleted`,
      PATIENCE_MS,
    );
  }
}
