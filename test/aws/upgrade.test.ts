/**
 * A connection whose stack was made with version 1 of the template, upgraded to version 2 as docs/how-to/connect-aws.md
 * describes. On moto with all that Slipway deploys, on ministack with the templates themselves and IAM enforced.
 */
import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { ended } from "../helpers/customers/deployments.ts";
import { untilGone } from "../helpers/customers/scenario.ts";
import { type Customer, customerOf } from "./emulator/customer.ts";
import { type Emulator, startEmulator } from "./emulator/emulator.ts";
import { assume, type Cli, cliOf, createStack, updateStack } from "./ministack-customer.ts";
import { startOnMinistack } from "./ministack-slipway.ts";
import { MOTO_URL, NEEDS_MOTO } from "./moto-url.ts";
import { ACCOUNT_ID, type AwsSlipway, type Project, startSlipway } from "./slipway.ts";
import { type Story, storyOf } from "./story.ts";

const FUNCTION = "lambda:InvokeFunction";
const LONG_MS = 120_000;

// Side by side: the removal on moto waits a minute for calls that may arrive late.
const ALONE = { concurrency: 1 };
describe(
  "a connection of version 1",
  { concurrency: 2, skip: MOTO_URL === null ? NEEDS_MOTO : false },
  () => {
    describe("on moto", ALONE, ofServices);
    describe("on ministack", ALONE, ofTheStack);
  },
);

function ofServices(): void {
  const motoUrl = MOTO_URL ?? "";
  const services = [
    { id: "api", name: "API", type: "web", startCommand: "node server.js", port: 3000 },
    { id: "site", name: "Site", type: "static", outputDirectory: "public" },
  ];
  let emulator: Emulator;
  let slipway: AwsSlipway;
  let project: Project;
  let story: Story;
  let customer: Customer;
  let origins: readonly string[];
  let first: string;

  before(async () => {
    emulator = await startEmulator({ motoUrl, seed: 17 });
    const started = await startSlipway(emulator);
    slipway = started;
    project = await started.createProject("upgraded", services);
    // What its role has of version 1.
    emulator.trust.deny(project.roleArn, FUNCTION);
    story = storyOf(started, project);
    customer = await customerOf(motoUrl, project.roleArn);
  });
  after(async () => {
    await slipway.stop();
    await emulator.stop();
  });

  /** Deploys a commit that does this when it is built and run. @returns the deployment's id */
  async function deploy(
    digit: string,
    program: "web" | "web-tripping",
    status: "SUCCESS" | "ERROR",
  ): Promise<string> {
    const commit = digit.repeat(40);
    emulator.platform.builds.setProgram(commit, { program, word: `word ${digit}` });
    slipway.setHead(commit);
    const { status: answered, body } = await slipway.api.post("/v1/deployments", {
      repoUrl: project.repoUrl,
    });
    assert.equal(answered, 201, JSON.stringify(body));
    await ended(slipway.api, body.id, status);
    return body.id;
  }
  /** The newest change of each service's stack. */
  function changes() {
    const { operations } = emulator.platform.stacks;
    const ofServices = operations.filter(({ api, name }) => /Update/.test(api) && name.includes("-svc-"));
    return Object.values(Object.fromEntries(ofServices.map((operation) => [operation.name, operation])));
  }

  test("services are built and run with the roles of that version, and the check names what the stack lacks", async () => {
    first = await deploy("1", "web", "SUCCESS");
    assert.equal(changes().length, 2);
    for (const { template } of changes()) assert.ok(template.Resources["BuildRole"]);
    assert.equal((await customer.roleNames()).filter((name) => name.startsWith("/slipway/")).length, 2);
    assert.deepEqual(emulator.platform.roles.of(project.accountId), []);
    origins = await customer.distributionOrigins();
    assert.equal(origins.length, 2);
    const { lastCheckError } = await story.check((account) => account.lastCheckError !== null);
    assert.equal(lastCheckError.code, "PERMISSIONS_MISSING");
    assert.ok(lastCheckError.message.includes(`: ${FUNCTION}.`), lastCheckError.message);
  });

  test("services stay live when the stack is updated to version 2", async () => {
    emulator.trust.allow(project.roleArn, FUNCTION);
    const { status } = await story.check(({ lastCheckError }) => lastCheckError === null);
    assert.equal(status, "CONNECTED");
    const { body } = await slipway.api.get(`/v1/deployments/${first}`);
    assert.equal(body.status, "SUCCESS");
    assert.deepEqual(await customer.distributionOrigins(), origins);
  });

  test("services stay live if the first release under version 2 fails", async () => {
    // The static service's release succeeds, and changes its origin.
    const web = origins.find((origin) => origin.includes(".elb."));
    await deploy("2", "web-tripping", "ERROR");
    assert.ok((await customer.distributionOrigins()).includes(web ?? ""));
  });

  test("services are built and run with roles of their own from the next release on, and those of version 1 are deleted", async () => {
    await deploy("3", "web", "SUCCESS");
    for (const { name, template } of changes()) {
      assert.equal(template.Resources["BuildRole"], undefined);
      const role = String(template.Resources["Build"]?.Properties["ServiceRole"]);
      assert.ok(role.endsWith(`/slipway-build-svc_${name.slice("slipway-svc-".length)}`), role);
    }
    const tasks = changes().flatMap(({ template }) => template.Resources["Task"] ?? []);
    assert.match(
      String(tasks[0]?.Properties["ExecutionRoleArn"]),
      new RegExp(`/slipway-run-${project.environmentId}$`),
    );
    assert.equal(emulator.platform.roles.of(project.accountId).length, 4);
    assert.deepEqual(
      (await customer.roleNames()).filter((name) => name.startsWith("/slipway/")),
      [],
    );
  });

  test("services leave nothing when they are removed", async () => {
    const path = `/v1/projects/${project.projectId}`;
    assert.equal((await slipway.api.delete(path)).status, 202);
    await untilGone(slipway.api, path, LONG_MS);
    assert.deepEqual(emulator.platform.stacks.names, []);
    assert.deepEqual(emulator.platform.roles.of(project.accountId), []);
    assert.deepEqual(await customer.distributionIds(), []);
  });
}

function ofTheStack(): void {
  const ministack = {
    url: process.env["SLIPWAY_TEST_MINISTACK"] ?? "",
    python: process.env["SLIPWAY_TEST_PYTHON"] ?? "",
  };
  const stackName = "slipway-access";
  const region = "us-west-2";
  const environmentId = "env_01h455vb4pex5vsknk084sn02s";
  const buildRole = "slipway-svc-01h455vb4pex5vsknk084sn02r-BuildRole-A1B2C3";
  const accountId = String(randomInt(1e11, 9e11));
  const root = cliOf({ ...ministack, accountId });
  let slipway: AwsSlipway;
  let story: Story;
  let project: Project;
  let version2: string;
  /** With AccessRole. */
  let access: Cli;
  let kept: readonly unknown[];

  before(async () => {
    const released = await readFile(path.join(import.meta.dirname, "connection-v1.yaml"), "utf8");
    const started = await startOnMinistack(ministack, async (api, connectionId) => {
      const template = released
        .replaceAll("__SLIPWAY_ACCOUNT_ID__", ACCOUNT_ID)
        .replaceAll("__SLIPWAY_CALLBACK_URL__", `${api.baseUrl}/cloud-callbacks`);
      return { accountId, ...(await createStack(root, { stackName, template, connectionId })) };
    });
    slipway = started;
    project = await started.createProject("upgraded");
    story = storyOf(started, project);
    version2 = await (await fetch(`${started.api.baseUrl}/cloud/aws/connection-v2.yaml`)).text();
    const own = cliOf({ ...ministack, accountId: ACCOUNT_ID, session: started.own });
    const session = await assume(own, project.roleArn, project.connectionId);
    access = cliOf({ ...ministack, accountId, session });
    await makeWhatVersion1Made();
    kept = await whatIsKept();
  });
  after(async () => {
    await slipway.stop();
  });

  const runRole = () => `slipway-run-${project.connectionId}`;
  const boundary = () => `arn:aws:iam::${accountId}:policy/slipway-build-${project.connectionId}`;
  const deployRole = `slipway-deploy-${environmentId}`;

  /** The role of a service's builds, and the network of an environment. */
  async function makeWhatVersion1Made(): Promise<void> {
    const Principal = { Service: "codebuild.amazonaws.com" };
    const trust = {
      Version: "2012-10-17",
      Statement: [{ Effect: "Allow", Principal, Action: "sts:AssumeRole" }],
    };
    const rights = {
      Version: "2012-10-17",
      Statement: [{ Effect: "Allow", Action: "ecr:GetAuthorizationToken", Resource: "*" }],
    };
    const role = ["--role-name", buildRole];
    const made = ["--path", "/slipway/", "--permissions-boundary", boundary()];
    await root(
      "iam",
      "create-role",
      ...role,
      ...made,
      "--assume-role-policy-document",
      JSON.stringify(trust),
    );
    const policy = ["--policy-name", "slipway", "--policy-document", JSON.stringify(rights)];
    await root("iam", "put-role-policy", ...role, ...policy);
    const there = ["--region", region];
    const { Vpc } = await root("ec2", "create-vpc", ...there, "--cidr-block", "10.0.0.0/16");
    const { VpcId } = Vpc as { VpcId: string };
    const place = ["--vpc-id", VpcId, "--cidr-block", "10.0.0.0/18"];
    const { Subnet } = await root("ec2", "create-subnet", ...there, ...place);
    const { SubnetId } = Subnet as { SubnetId: string };
    const tags = [
      `Key=slipway:connection,Value=${project.connectionId}`,
      `Key=aws:cloudformation:stack-name,Value=slipway-env-${environmentId.slice(4)}`,
    ];
    await root("ec2", "create-tags", ...there, "--resources", SubnetId, "--tags", ...tags);
  }
  /** By ids that change with whatever is made anew. */
  async function whatIsKept(): Promise<readonly unknown[]> {
    const { Role } = await root("iam", "get-role", "--role-name", runRole());
    const { Policy } = await root("iam", "get-policy", "--policy-arn", boundary());
    return [(Role as { RoleId: string }).RoleId, (Policy as { PolicyId: string }).PolicyId];
  }
  async function roleNames(): Promise<readonly string[]> {
    const { Roles } = await root("iam", "list-roles");
    return (Roles as { RoleName: string }[]).map(({ RoleName }) => RoleName);
  }
  /** Has the function make or remove a role. */
  async function askForRole(event: object): Promise<void> {
    const folder = await mkdtemp(path.join(tmpdir(), "slipway-function-"));
    try {
      const file = path.join(folder, "answer.json");
      const name = ["--function-name", `slipway-roles-${project.connectionId}`];
      const payload = ["--payload", JSON.stringify(event)];
      const { FunctionError } = await access("lambda", "invoke", ...name, ...payload, file);
      assert.equal(FunctionError, undefined, await readFile(file, "utf8"));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  test("the stack connects, and the check names what it lacks", async () => {
    const { status, lastCheckError } = await story.check((account) => account.lastCheckError !== null);
    assert.equal(status, "CONNECTED");
    assert.equal(lastCheckError.code, "PERMISSIONS_MISSING");
    // It allows CreateDistribution for a resource, which AWS's reference does not give the action.
    // Redirects came after it: what makes, reads and deletes their functions.
    const [, lacking = ""] = /: (cloudfront:.*?)\. Update/.exec(lastCheckError.message) ?? [];
    const functions = /^cloudfront:(?:Create|List|Describe|Get|Publish|Delete)Functions?$/;
    const others = lacking.split(", ").filter((action) => !functions.test(action));
    // Beyond ten, they are counted: ecs:StopTask and ecs:UpdateService.
    assert.deepEqual(others, [
      "cloudfront:CreateDistribution",
      "cloudfront:CreateInvalidation",
      "cloudfront:GetInvalidation",
      "lambda:InvokeFunction and 12 more",
    ]);
  });

  test("the stack is updated with everything running unchanged, and lacks nothing", async () => {
    await updateStack(root, { stackName, template: version2, version1: "keep" });
    const { status } = await story.check(({ lastCheckError }) => lastCheckError === null);
    assert.equal(status, "CONNECTED");
    assert.deepEqual(await whatIsKept(), kept);
  });

  test("the next release removes the role of builds from a service's stack", async () => {
    await askForRole({ role: "deploy", environmentId, region });
    // It only trusts CloudFormation, so its permissions are given to a role that can be tried.
    const Principal = { AWS: `arn:aws:iam::${accountId}:root` };
    const trust = {
      Version: "2012-10-17",
      Statement: [{ Effect: "Allow", Principal, Action: "sts:AssumeRole" }],
    };
    const tried = ["--role-name", "tried"];
    await root("iam", "create-role", ...tried, "--assume-role-policy-document", JSON.stringify(trust));
    const own = ["--policy-name", "slipway"];
    const { PolicyDocument } = await root("iam", "get-role-policy", "--role-name", deployRole, ...own);
    await root(
      "iam",
      "put-role-policy",
      ...tried,
      ...own,
      "--policy-document",
      JSON.stringify(PolicyDocument),
    );
    const session = await assume(root, `arn:aws:iam::${accountId}:role/tried`);
    const deploying = cliOf({ ...ministack, accountId, session });
    await assert.rejects(deploying("iam", "delete-role", "--role-name", runRole()), /AccessDenied/);
    await deploying("iam", "delete-role-policy", "--role-name", buildRole, ...own);
    await deploying("iam", "delete-role", "--role-name", buildRole);
    assert.ok(!(await roleNames()).includes(buildRole));
  });

  test("nothing of version 1 is left after the second update", async () => {
    await updateStack(root, { stackName, template: version2, version1: "drop" });
    const { status } = await story.check(({ lastCheckError }) => lastCheckError === null);
    assert.equal(status, "CONNECTED");
    assert.ok(!(await roleNames()).includes(runRole()));
    const { Policies } = await root("iam", "list-policies", "--scope", "Local");
    const names = (Policies as { PolicyName: string }[]).map(({ PolicyName }) => PolicyName);
    assert.deepEqual(
      names.filter((name) => /DeployVersion1|slipway-build-/.test(name)),
      [],
    );
  });

  test("an environment's older role is changed and removed", async () => {
    await askForRole({ role: "deploy", environmentId, region });
    const own = ["--role-name", deployRole, "--policy-name", "slipway"];
    const { PolicyDocument } = await root("iam", "get-role-policy", ...own);
    assert.doesNotMatch(JSON.stringify(PolicyDocument), /iam:/);
    await askForRole({ action: "remove", role: "deploy", environmentId });
    assert.ok(!(await roleNames()).includes(deployRole));
  });
}
