/**
 * The same story on an emulator that enforces IAM: Slipway's own user has the one right of the setup page, its customers'
 * roles are those of the stack. What it needed to run there, and whose fault that is, is in the README beside this file.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomInt } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { until } from "../helpers/until.ts";
import { type Cli, cliOf, createStack } from "./ministack-customer.ts";
import { startOnMinistack } from "./ministack-slipway.ts";
import { NEEDS_MOTO } from "./moto-url.ts";
import type { AwsSlipway, Project } from "./slipway.ts";
import { type Story, storyOf } from "./story.ts";

const run = promisify(execFile);
const PYTHON = process.env["SLIPWAY_TEST_PYTHON"] ?? "";
const URL_OF_MINISTACK = process.env["SLIPWAY_TEST_MINISTACK"] ?? null;

describe("slipway on ministack", { skip: URL_OF_MINISTACK === null ? NEEDS_MOTO : false }, () => {
  const url = URL_OF_MINISTACK ?? "";
  const accountId = String(randomInt(1e11, 9e11));
  const cli: Cli = cliOf({ python: PYTHON, url, accountId });
  let own: { id: string; secret: string };
  let slipway: AwsSlipway;
  let project: Project;
  let story: Story;

  before(async () => {
    const started = await startOnMinistack({ python: PYTHON, url }, async (api, connectionId) => {
      const template = await (await fetch(`${api.baseUrl}/cloud/aws/connection-v2.yaml`)).text();
      const stack = { stackName: "slipway-access", template, connectionId };
      return { accountId, ...(await createStack(cli, stack)) };
    });
    ({ own } = started);
    slipway = started;
    project = await started.createProject("shop");
    story = storyOf(started, project);
  });
  after(async () => {
    await slipway.stop();
  });

  const tagOfEnvironment = () => JSON.stringify({ Key: "slipway:environment", Value: project.environmentId });
  async function idsOfDistributions(): Promise<readonly string[]> {
    const { DistributionList } = await cli("cloudfront", "list-distributions");
    const { Items = [] } = DistributionList as { Items?: { Id: string }[] };
    return Items.map(({ Id }) => Id);
  }

  test("P9: a stack of the served template reports itself and connects, and its role lacks nothing", async () => {
    const account = await story.check(() => true);
    assert.equal(account.status, "CONNECTED");
    assert.equal(account.connectedAwsAccountId, accountId);
    assert.equal(account.lastCheckError, null);
  });

  test("P9: a domain becomes ATTACHED, and deleting its group leaves nothing in the account", async () => {
    const before = await idsOfDistributions();
    const group = await story.createGroup(["www.ministack.example.com"]);
    await story.untilDomain(group.createdDomains[0].id, "ATTACHED");
    assert.equal((await idsOfDistributions()).length, before.length + 1);
    const { CertificateSummaryList } = await cli("acm", "list-certificates");
    assert.deepEqual(
      (CertificateSummaryList as { DomainName: string }[]).map(({ DomainName }) => DomainName),
      ["www.ministack.example.com"],
    );
    const filter = `Key=slipway:environment,Values=${project.environmentId}`;
    const tagged = JSON.stringify(
      await cli("resourcegroupstaggingapi", "get-resources", "--tag-filters", filter),
    );
    for (const id of await idsOfDistributions()) assert.ok(tagged.includes(`distribution/${id}`), tagged);
    const [{ CertificateArn }] = CertificateSummaryList as [{ CertificateArn: string }];
    const marks = await cli("acm", "list-tags-for-certificate", "--certificate-arn", CertificateArn);
    assert.ok(JSON.stringify(marks).includes(tagOfEnvironment()));
    await story.deleteGroup(group.id);
    assert.equal((await idsOfDistributions()).length, before.length);
    assert.deepEqual((await cli("acm", "list-certificates"))["CertificateSummaryList"], []);
  });

  test("P9: a domain redirects by a function, which is deleted with its group", async () => {
    const namesOfFunctions = async (): Promise<readonly string[]> => {
      const { FunctionList } = await cli("cloudfront", "list-functions", "--stage", "DEVELOPMENT");
      const { Items = [] } = FunctionList as { Items?: { Name: string }[] };
      return Items.map(({ Name }) => Name);
    };
    const group = await story.createGroup(["www.led.example.com", "led.example.com"]);
    for (const { id } of group.createdDomains) await story.untilDomain(id, "ATTACHED");
    await story.redirect(group.createdDomains[0].id, "led.example.com", "SERVED");
    assert.match((await namesOfFunctions()).join(), /^slipway-[A-Z0-9]+-[0-9a-f]{32}$/);
    await story.redirect(group.createdDomains[0].id, null, null);
    assert.deepEqual(await namesOfFunctions(), []);
    await story.redirect(group.createdDomains[1].id, "www.led.example.com", "SERVED");
    await story.deleteGroup(group.id);
    assert.deepEqual(await namesOfFunctions(), []);
  });

  for (const kind of ["parameterStore", "secretsManager"]) {
    test(`P9: variables of the kind ${kind} are stored, and deleted`, async () => {
      const name = `ON_${kind.toUpperCase()}`;
      const variables = `/v1/environments/${project.environmentId}/env-variables`;
      const ended = await story.storeVariables(kind, { [name]: "value of ministack" });
      assert.deepEqual(ended.failedEnvVariables, {});
      const { fromParameterStore, fromSecretsManager } = ended.storedEnvVariables[name];
      const read =
        fromParameterStore === undefined
          ? ["secretsmanager", "get-secret-value", "--region", "us-west-2", "--secret-id", fromSecretsManager]
          : [
              "ssm",
              "get-parameter",
              "--region",
              "us-west-2",
              "--with-decryption",
              "--name",
              fromParameterStore,
            ];
      assert.ok(JSON.stringify(await cli(...read)).includes("value of ministack"));
      const at = ["--region", "us-west-2"];
      const ofParameter = [...at, "--resource-type", "Parameter", "--resource-id", fromParameterStore];
      const tags =
        fromParameterStore === undefined
          ? await cli("secretsmanager", "describe-secret", ...at, "--secret-id", fromSecretsManager)
          : await cli("ssm", "list-tags-for-resource", ...ofParameter);
      assert.ok(JSON.stringify(tags).includes(tagOfEnvironment()));
      assert.equal((await slipway.api.delete(`${variables}/${name}`)).status, 202);
      await until(async () => {
        const { body } = await slipway.api.get(variables);
        return !JSON.stringify(body).includes(name);
      }, "the variable is deleted");
    });
  }

  describe("P9: a database that Slipway creates", () => {
    const at = ["--region", "us-west-2"];
    const configure = (services: readonly object[]) => {
      const source = { branch: "main", trigger: "manual" };
      const environment = { id: "production", name: "Production", region: "us-west-2", source };
      const site = { id: "site", name: "Site", type: "external", hostname: "origin.example.net" };
      const config = { environments: [{ ...environment, services: [site, ...services] }] };
      return slipway.api.patch(`/v1/projects/${project.projectId}`, { config });
    };
    const database = (more: object = {}) =>
      configure([{ id: "db", name: "Database", type: "postgres", ...more }]);
    async function becomes(status: string) {
      const services = `/v1/environments/${project.environmentId}/services`;
      return await until(async () => {
        const { body } = await slipway.api.get(services);
        const found = body.services.find(({ configId }: { configId: string }) => configId === "db");
        const store = found?.dataStore;
        if (status !== "FAILED") assert.notEqual(store?.status, "FAILED", JSON.stringify(store));
        return store?.status === status && store;
      }, `the database is ${status}`);
    }
    const done = ({ status, text }: { status: number; text: string }) => assert.equal(status, 200, text);
    const instances = async () =>
      (await cli("rds", "describe-db-instances", ...at))["DBInstances"] as Record<string, unknown>[];
    const secretOf = async (name: string): Promise<string> => {
      const { SecretList } = await cli("secretsmanager", "list-secrets", ...at);
      const found = (SecretList as { Name: string }[]).find(
        ({ Name }) => Name.startsWith("slipway/stores/") && Name.endsWith(`/${name}`),
      );
      assert.ok(found, name);
      const value = await cli("secretsmanager", "get-secret-value", ...at, "--secret-id", found.Name);
      return String(value["SecretString"]);
    };
    const LARGER = { backupRetentionDays: 14, size: "small", storageGb: 50 };
    let password: string;
    let address: string;
    let restoredPassword: string;
    /** The id of the last snapshot. */
    let last: string;

    test("fails with what to do while the connection's stack is of an earlier version", async () => {
      const role = ["--role-name", project.roleArn.slice(project.roleArn.lastIndexOf("/") + 1)];
      const policy = [...role, "--policy-name", "earlier"];
      const Resource = "arn:aws:cloudformation:*:*:stack/slipway-store-*";
      const Statement = [{ Effect: "Deny", Action: "cloudformation:*", Resource }];
      const document = JSON.stringify({ Version: "2012-10-17", Statement });
      await cli("iam", "put-role-policy", ...policy, "--policy-document", document);
      done(await database({ version: "16" }));
      const { failure } = await becomes("FAILED");
      assert.equal(failure.code, "STACK_OUTDATED");
      assert.match(failure.message, /Update it with the current template/);
      await cli("iam", "delete-role-policy", ...policy);
    });

    test("has a password of its own, which only the account has", async () => {
      done(await database({ backupRetentionDays: 14 }));
      const { version, failure } = await becomes("AVAILABLE");
      assert.deepEqual([version, failure], ["17", null]);
      password = await secretOf("password");
      assert.match(password, /^[A-Za-z0-9]{40}$/);
      const [made] = await instances();
      assert.ok(made);
      ({ Address: address } = made["Endpoint"] as { Address: string });
      assert.equal(
        await secretOf("connection"),
        `postgresql://slipway:${password}@${address}:5432/app?sslmode=require`,
      );
      assert.deepEqual(
        ["DBInstanceClass", "AllocatedStorage", "PubliclyAccessible", "DeletionProtection"].map(
          (name) => made[name],
        ),
        ["db.t4g.micro", 20, false, true],
      );
    });

    test("is changed in place, and never replaced or deleted by a configuration", async () => {
      const [before] = await instances();
      done(await database({ ...LARGER }));
      await until(async () => (await instances())[0]?.["AllocatedStorage"] === 50, "RDS has more storage");
      await becomes("AVAILABLE");
      for (const [refused, words] of [
        [await database({ ...LARGER, version: "18" }), /REPLACES DATA/],
        [await database({ ...LARGER, storageGb: 30 }), /REPLACES DATA/],
        [await configure([]), /DELETES DATA/],
        [await slipway.api.delete(`/v1/projects/${project.projectId}`), /DELETES DATA/],
      ] as const) {
        assert.ok([409, 422].includes(refused.status), refused.text);
        assert.match(refused.text, words);
      }
      const [after] = await instances();
      assert.deepEqual(
        [after?.["DbiResourceId"], after?.["DBInstanceClass"], after?.["AllocatedStorage"]],
        [before?.["DbiResourceId"], "db.t4g.small", 50],
      );
    });

    test("is deleted without its protection, after a last snapshot", async () => {
      done(await database({ ...LARGER, deletionProtection: false }));
      await until(async () => (await instances())[0]?.["DeletionProtection"] === false, "RDS gives it up");
      await becomes("AVAILABLE");
      done(await configure([]));
      await until(async () => (await instances()).length === 0, "RDS has deleted it").catch(
        (error: unknown) => {
          throw new Error(slipway.log().slice(-3_000), { cause: error });
        },
      );
      const { DBSnapshots } = await cli("rds", "describe-db-snapshots", ...at);
      const [snapshot, ...others] = DBSnapshots as Record<string, unknown>[];
      assert.deepEqual(others, []);
      assert.match(String(snapshot?.["DBSnapshotIdentifier"]), /^slipway-store-[0-9a-f]{24}$/);
      assert.deepEqual([snapshot?.["Status"], snapshot?.["AllocatedStorage"]], ["available", 50]);
      last = await until(async () => {
        const { body } = await slipway.api.get(`/v1/snapshots?projectId=${project.projectId}`);
        const [found] = body.snapshots;
        return found.status === "AVAILABLE" && found.id;
      }, "the last snapshot is complete");
    });

    test("comes back from its last snapshot with another password, after which AWS deletes the snapshot", async () => {
      done(await database({ snapshot: last }));
      const { version } = await becomes("AVAILABLE");
      restoredPassword = await secretOf("password");
      const [made] = await instances();
      assert.ok(made);
      const { Address } = made["Endpoint"] as { Address: string };
      assert.equal(
        await secretOf("connection"),
        `postgresql://slipway:${restoredPassword}@${Address}:5432/app?sslmode=require`,
      );
      assert.notEqual(restoredPassword, password);
      assert.deepEqual(
        ["MasterUsername", "DBName", "AllocatedStorage", "StorageEncrypted", "DeletionProtection"].map(
          (name) => made[name],
        ),
        ["slipway", "app", 50, true, true],
      );
      assert.equal(version, "17");
      assert.equal((await slipway.api.delete(`/v1/snapshots/${last}`)).status, 202);
      await until(
        async () => (await slipway.api.get(`/v1/snapshots/${last}`)).status === 404,
        "the snapshot is deleted",
      );
      assert.deepEqual((await cli("rds", "describe-db-snapshots", ...at))["DBSnapshots"], []);
      // The template still names it.
      done(await database({ size: "medium" }));
      await until(async () => (await instances())[0]?.["DBInstanceClass"] === "db.t4g.medium", "it changes");
    });

    test("has left its password nowhere in Slipway", async () => {
      for (const secret of [password, restoredPassword]) assert.ok(!slipway.log().includes(secret));
      const entries = await readdir(slipway.dataDir, { recursive: true, withFileTypes: true });
      const files = await Promise.all(
        entries
          .filter((one) => one.isFile())
          .map((one) => readFile(path.join(one.parentPath, one.name)).catch(() => Buffer.alloc(0))),
      );
      const has = (text: string) => files.some((content) => content.includes(text));
      const found = [password, restoredPassword, address].map(has);
      assert.deepEqual(found, [false, false, true], "only its address is there");
    });
  });

  describe("P8: a role that IAM watches", () => {
    type Tried = {
      readonly results: Readonly<Record<string, string>>;
      readonly made: {
        readonly run: { readonly roleArn: string };
        readonly stranger: { readonly error: boolean };
        readonly left: readonly string[];
        readonly document: unknown;
        readonly trust: unknown;
      };
    };
    let tried: Tried;
    before(async () => {
      const script = path.join(import.meta.dirname, "escalate.py");
      const args = [script, url, accountId, project.connectionId, own.id, own.secret, project.roleArn];
      const { stdout } = await run(PYTHON, args);
      tried = JSON.parse(stdout) as Tried;
    });
    const where = (isWanted: (name: string) => boolean) =>
      Object.entries(tried.results).filter(([name]) => isWanted(name));

    for (const row of ["S5", "S6", "W5"]) {
      test(`${row}: is refused each way out`, () => {
        const found = where((name) => name.startsWith(row));
        assert.ok(found.length >= 6, String(found.length));
        assert.deepEqual(
          found.filter(([, outcome]) => outcome !== "denied"),
          [],
        );
      });
    }

    test("P8: does what it is meant for", () => {
      const found = where((name) => name.startsWith("own: "));
      assert.ok(found.length >= 10, String(found.length));
      assert.deepEqual(
        found.filter(([, outcome]) => outcome === "denied"),
        [],
      );
    });

    test("S15: can have the connection's function create and remove an environment's role, and no other", () => {
      const { run: made, stranger, left, document, trust } = tried.made;
      assert.match(made.roleArn, new RegExp(`:role/slipway/${project.connectionId}/slipway-run-env_`));
      assert.equal(stranger.error, true);
      assert.deepEqual(left, []);
      assert.match(JSON.stringify(document), /parameter\/slipway\/\*\/env_01h455vb4pex5vsknk084sn02s\/\*/);
      assert.match(JSON.stringify(trust), /"Service": ?"ecs-tasks.amazonaws.com"/);
    });
  });

  test("W6: a trust policy that accepts any external id of our form disconnects the account until it is fixed", async () => {
    const name = project.roleArn.slice(project.roleArn.lastIndexOf("/") + 1);
    const { Role } = await cli("iam", "get-role", "--role-name", name);
    const { AssumeRolePolicyDocument: own } = Role as { AssumeRolePolicyDocument: object };
    const trust = (document: string) =>
      cli("iam", "update-assume-role-policy", "--role-name", name, "--policy-document", document);
    const text = JSON.stringify(own);
    const exact = `{"StringEquals":{"sts:ExternalId":"${project.connectionId}"}}`;
    assert.ok(text.includes(exact), text);
    // With the end and the beginning of the id left open.
    for (const pattern of ["aws_*", `*${project.connectionId.slice(-8)}`]) {
      await trust(text.replace(exact, `{"StringLike":{"sts:ExternalId":"${pattern}"}}`));
      const { lastCheckError } = await story.check(({ status }) => status === "DISCONNECTED");
      assert.match(lastCheckError.message, /with another external id/);
      await trust(text);
      await story.check(({ status }) => status === "CONNECTED");
    }
  });

  test("P9: no value and no session's key reaches the log", () => {
    const log = slipway.log();
    assert.ok(log.length > 1_000);
    assert.doesNotMatch(log, /value of ministack|ASIA[A-Z0-9]{8}/);
    assert.ok(!log.includes(own.secret));
  });
});
