/** The whole service on AWS, only over its HTTP API, as an operator and a customer see it. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ended } from "../helpers/customers/deployments.ts";
import { until } from "../helpers/until.ts";
import { type Customer, customerOf } from "./emulator/customer.ts";
import { type Emulator, startEmulator } from "./emulator/emulator.ts";
import { MOTO_URL, NEEDS_MOTO } from "./moto-url.ts";
import { ACCOUNT_ID, type Project, report, startSlipway, untilAccount } from "./slipway.ts";
import { type Story, storyOf } from "./story.ts";

describe("slipway on aws", { skip: MOTO_URL === null ? NEEDS_MOTO : false }, () => {
  const motoUrl = MOTO_URL ?? "";
  let emulator: Emulator;
  let slipway: Awaited<ReturnType<typeof startSlipway>>;
  let project: Project;
  let story: Story;
  let customer: Customer;
  before(async () => {
    emulator = await startEmulator({ motoUrl, seed: 7 });
    slipway = await startSlipway(emulator);
    project = await slipway.createProject("shop");
    story = storyOf(slipway, project);
    customer = await customerOf(motoUrl, project.roleArn);
  });
  after(async () => {
    await slipway.stop();
    await emulator.stop();
  });

  async function setRecords(domain: {
    id: string;
    dnsRecords: { name: string; type: string; value: string }[];
  }) {
    for (const record of domain.dnsRecords) slipway.setDnsRecord(record);
    // Looked at now, instead of when the next check is due.
    const checked = await slipway.api.post(`/v1/domains/${domain.id}/check`);
    assert.equal(checked.status, 202, JSON.stringify(checked.body));
  }
  async function attach(names: readonly string[]) {
    const group = await story.createGroup(names);
    for (const { id } of group.createdDomains) {
      await setRecords(await story.untilDomain(id, "AWAITING_VERIFICATION_RECORDS_TO_BE_SET"));
    }
    for (const { id } of group.createdDomains) await story.untilDomain(id, "ATTACHED");
    return group;
  }
  const valuesOf = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, `value of ${name}`]));

  test("the connection's link leads to CloudFormation with everything filled in, and the template is served", async () => {
    const { body } = await slipway.api.post("/v1/aws-accounts", { givenId: "linked" });
    const { consoleUrl, template } = body.cloudStack;
    assert.ok(
      consoleUrl.startsWith(
        "https://console.aws.amazon.com/cloudformation/home?region=us-east-1#/stacks/quickcreate?",
      ),
    );
    assert.ok(consoleUrl.includes(`param_ServiceId=${body.id}`));
    const served = await fetch(template.url);
    assert.equal(served.status, 200);
    const text = await served.text();
    assert.ok(text.includes(`:iam::${ACCOUNT_ID}:root`));
    assert.ok(text.includes(`"${slipway.api.baseUrl}/cloud-callbacks/\${ServiceId}"`));
  });

  test("a forged report connects nothing, and the customer's own report connects", async () => {
    const { body: account } = await slipway.api.post("/v1/aws-accounts", { givenId: "forged" });
    // The role of another connection, which is a real one.
    await report(slipway.api.baseUrl, account.id, project);
    const refused = await until(async () => {
      const { body } = await slipway.api.get(`/v1/aws-accounts/${account.id}`);
      return body.lastCheckError !== null && body;
    }, "the forged report is checked");
    assert.equal(refused.status, "AWAITING_CONNECTION");
    assert.equal(refused.lastCheckError.code, "ACCESS_DENIED");
    await report(slipway.api.baseUrl, account.id, emulator.trust.createRole(account.id));
    await untilAccount(slipway.api, account.id, "CONNECTED");
  });

  for (const [title, externalId, words] of [
    ["a role that trusts any external id is refused in words", null, /without the external id/],
    [
      "W6: so is a role that trusts every external id of our form",
      "aws_*",
      /with another external id.*must name the connection's exactly/,
    ],
  ] as const) {
    test(title, async () => {
      const { body: account } = await slipway.api.post("/v1/aws-accounts", {
        givenId: externalId === null ? "careless" : "loose",
      });
      await report(slipway.api.baseUrl, account.id, emulator.trust.createRole(externalId));
      const refused = await until(async () => {
        const { body } = await slipway.api.get(`/v1/aws-accounts/${account.id}`);
        return body.lastCheckError !== null && body;
      }, "the role is checked");
      assert.equal(refused.status, "AWAITING_CONNECTION");
      assert.match(refused.lastCheckError.message, words);
    });
  }

  test("a domain goes from its records to ATTACHED, and deleting the group leaves nothing in the account", async () => {
    const before = await customer.distributionIds();
    const group = await attach(["www.first.example.com", "first.example.com"]);
    const [arn] = await customer.certificateArns();
    assert.match(arn ?? "", /^arn:aws:acm:us-east-1:/);
    assert.equal((await customer.distributionIds()).length, before.length + 1);
    await story.deleteGroup(group.id);
    assert.deepEqual(await customer.certificateArns(), []);
    assert.equal((await customer.distributionIds()).length, before.length);
  });

  test("redirects are functions at the edge, one for each state, of which none is left behind", async () => {
    const [www, apex] = ["www.led.example.com", "led.example.com"];
    const group = await attach([www, apex]);
    const idOf = (name: string) =>
      group.createdDomains.find((one: { name: string }) => one.name === name).id as string;
    await story.redirect(idOf(www), apex, "SERVED");
    const [first] = emulator.functions();
    assert.match(first?.name ?? "", /^slipway-[A-Z0-9]+-[0-9a-f]{32}$/);
    assert.match(first?.code ?? "", /^var redirects = {"www.led.example.com":"led.example.com"};/);
    await story.redirect(idOf(www), null, null);
    assert.deepEqual(emulator.functions(), []);
    await story.redirect(idOf(apex), www, "SERVED");
    assert.equal(emulator.functions().length, 1);
    await story.deleteGroup(group.id);
    assert.deepEqual(emulator.functions(), []);
  });

  test("a role that may not make functions redirects nothing, says so, and does everything else", async () => {
    const [www, apex] = ["www.old.example.com", "old.example.com"];
    const group = await attach([www, apex]);
    const { id } = group.createdDomains.find(({ name }: { name: string }) => name === www);
    emulator.trust.deny(project.roleArn, "cloudfront:CreateFunction");
    const { redirectProblem } = await story.redirect(id, apex, "FAILED");
    assert.equal(redirectProblem.code, "ACCESS_DENIED");
    assert.match(redirectProblem.message, /cloudfront:CreateFunction/);
    emulator.trust.allow(project.roleArn, "cloudfront:CreateFunction");
    await story.redirect(id, null, null);
    await story.redirect(id, apex, "SERVED");
    await story.deleteGroup(group.id);
    await story.check(({ status, lastCheckError }) => status === "CONNECTED" && lastCheckError === null);
  });

  for (const kind of ["parameterStore", "secretsManager"]) {
    test(`variables of the kind ${kind} are stored in the customer's account, each once`, async () => {
      const names = Array.from({ length: 6 }, (_, n) => `${kind.toUpperCase()}_${n}`);
      const { storedEnvVariables, failedEnvVariables } = await story.storeVariables(kind, valuesOf(names));
      assert.deepEqual(failedEnvVariables, {});
      for (const name of names) {
        const { fromParameterStore, fromSecretsManager } = storedEnvVariables[name];
        const found =
          fromParameterStore === undefined
            ? await customer.secret({ region: "us-west-2", name: fromSecretsManager })
            : await customer.parameter({ region: "us-west-2", name: fromParameterStore });
        assert.deepEqual(found, { value: `value of ${name}`, versionCount: 1 });
      }
    });
  }

  test("a service gets the connection string of a created database by reference, and waits for it", async () => {
    const link = (value: string) => ({ fromService: { id: "db", value } });
    const envVariables = { DATABASE_URL: link("dbConnectionString"), DATABASE_HOST: link("host") };
    const stored = await slipway.createProject("stored", [
      { id: "db", name: "Database", type: "postgres" },
      { id: "worker", name: "Worker", type: "worker", startCommand: "node worker.js", envVariables },
    ]);
    const commit = "5".repeat(40);
    emulator.platform.builds.setProgram(commit, { program: "worker", word: "with a database" });
    slipway.setHead(commit);
    const asked = { repoUrl: stored.repoUrl, filter: { projectId: stored.projectId } };
    const { status, body, text } = await slipway.api.post("/v1/deployments", asked);
    assert.equal(status, 201, text);
    await ended(slipway.api, body.id);
    const stacks = emulator.platform.stacks.of(stored.accountId);
    const task = stacks.find(({ name }) => name.startsWith("slipway-svc-"))?.now.Resources["Task"];
    assert.ok(task);
    const [container] = task.Properties["ContainerDefinitions"] as {
      Secrets: { Name: string; ValueFrom: string }[];
      Environment: { Name: string; Value: string }[];
    }[];
    const host = container?.Environment.find(({ Name }) => Name === "DATABASE_HOST")?.Value ?? "";
    assert.match(host, /^slipway-store-.*\.rds\.amazonaws\.com$/);
    const reference = container?.Secrets.find(({ Name }) => Name === "DATABASE_URL")?.ValueFrom ?? "";
    const owner = await customerOf(motoUrl, stored.roleArn);
    const secret = await owner.secret({ region: "us-west-2", name: reference });
    const [, password = ""] = /^postgresql:\/\/slipway:([^@]{40})@/.exec(secret?.value ?? "") ?? [];
    assert.equal(password.length, 40, secret?.value);
    // Nothing that Slipway has written, said or shown contains it.
    const shown = await slipway.api.get(`/v1/services/${stored.serviceId}`);
    const operations = JSON.stringify(emulator.platform.stacks.operations);
    for (const place of [operations, slipway.log(), shown.text]) assert.ok(!place.includes(password));
  });

  test("S15: each session's name says its purpose, and never contains the connection's id", async () => {
    const path = `/v1/environments/${project.environmentId}/env-variables`;
    const { status, body: run } = await slipway.api.post(path, { secretsManager: { NAMED: "session" } });
    assert.equal(status, 202);
    const named = (api: string) =>
      emulator.calls.filter((call) => call.api === api).map(({ sessionName }) => sessionName);
    await until(
      () => named("secretsmanager:CreateSecret").includes(`slipway-${run.runId}`),
      "the run's call",
    );
    const group = await story.createGroup(["named.example.com"]);
    await until(() => named("acm:RequestCertificate").includes(`slipway-${group.id}`), "the group's call");
    const names = new Set(emulator.calls.map(({ sessionName }) => sessionName));
    for (const name of names) {
      assert.match(name, /^(?:|[\w+=,.@-]{2,64})$/);
      assert.ok(!name.includes(project.connectionId), name);
    }
  });

  for (const action of ["ssm:DeleteParameter", "cloudformation:CreateStack", "iam:SimulatePrincipalPolicy"]) {
    test(`a role that lost ${action}, which is not tried, keeps working, and the check names it`, async () => {
      const { roleArn } = project;
      emulator.trust.deny(roleArn, action);
      const lacking = await story.check(({ lastCheckError }) => lastCheckError !== null);
      assert.equal(lacking.status, "CONNECTED");
      assert.equal(lacking.lastCheckError.code, "PERMISSIONS_MISSING");
      assert.ok(lacking.lastCheckError.message.includes(`: ${action}.`), lacking.lastCheckError.message);
      emulator.trust.allow(roleArn, action);
      await story.check(({ lastCheckError }) => lastCheckError === null);
      const { missing, restored } = await until(async () => {
        const path = `/v1/events?subjectId=${project.connectionId}&limit=100&types=aws_account.*`;
        const told: { type: string; data: { error?: { message: string } } }[] = (await slipway.api.get(path))
          .body.events;
        const last = told.at(-1);
        return last?.type === "aws_account.permissions_restored" && { missing: told.at(-2), restored: last };
      }, "the events");
      assert.equal(missing?.type, "aws_account.permissions_missing");
      assert.equal(missing.data.error?.message, lacking.lastCheckError.message);
      assert.equal(restored.data.error, undefined);
    });
  }

  test("a role without an action that the check tries is disconnected, with the action's name", async () => {
    emulator.trust.deny(project.roleArn, "cloudfront:ListDistributions");
    const account = await story.check(({ status }) => status === "DISCONNECTED");
    assert.match(account.lastCheckError.message, /cloudfront:ListDistributions/);
    emulator.trust.allow(project.roleArn, "cloudfront:ListDistributions");
    await story.check(({ status }) => status === "CONNECTED");
  });

  test("without its own credentials Slipway logs it, disconnects no account, and recovers with them", async () => {
    await slipway.replace({ AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "", AWS_PROFILE: "none" });
    await slipway.api.post(`/v1/aws-accounts/${project.connectionId}/check`);
    await until(() => slipway.log().includes("Slipway's own AWS credentials are missing"), "the log says so");
    const { body } = await slipway.api.get(`/v1/aws-accounts/${project.connectionId}`);
    assert.equal(body.status, "CONNECTED");
    await slipway.replace();
    const { storedEnvVariables } = await story.storeVariables(
      "secretsManager",
      valuesOf(["AFTER_CREDENTIALS"]),
    );
    assert.deepEqual(Object.keys(storedEnvVariables), ["AFTER_CREDENTIALS"]);
  });

  test("no session's key and no value reaches the log", () => {
    const log = slipway.log();
    assert.ok(log.includes("A step failed"), "it is the log of the step");
    assert.doesNotMatch(log, /value of [A-Z]/);
    assert.doesNotMatch(log, /ASIA[A-Z0-9]{8}/);
  });
});
