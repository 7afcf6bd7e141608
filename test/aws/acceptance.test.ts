/** The whole service on AWS, only over its HTTP API, as an operator and a customer see it. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ended } from "../helpers/customers/deployments.ts";
import { until } from "../helpers/until.ts";
import { storeStackOf } from "../../src/cloud/aws/platform/stacks/names.ts";
import { tokenDigest } from "../../src/cloud/aws/calls/tags.ts";
import { type Customer, customerOf, ofMoto } from "./emulator/customer.ts";
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

  const REGION = "us-west-2";
  const site = { id: "site", name: "Site", type: "external", hostname: "origin.example.net" };
  const store = (id: string, type: string, more: object = {}) =>
    ({ id, name: id, type, deletionProtection: false, ...more }) as const;
  const environment = (id: string, services: readonly object[], region = REGION) => {
    return { id, name: id, region, source: { branch: "main", trigger: "manual" }, services };
  };
  const configure = (of: Project, environments: readonly object[]) =>
    slipway.api.patch(`/v1/projects/${of.projectId}`, { config: { environments } });
  /** A project whose data stores come from snapshots, and the ids of its snapshots. */
  let kept: Project;
  const taken = { db: "", cache: "", failed: "", final: "" };

  describe("data stores from snapshots", () => {
    const db = store("db", "postgres", { storageGb: 50 });
    const cache = store("cache", "redis");
    const PATIENCE_MS = 180_000;
    let moto: Awaited<ReturnType<typeof ofMoto>>;
    /** By their ids in the configuration. */
    const serviceIds: Record<string, string> = {};

    async function apply(...environments: readonly object[]) {
      const { status, text } = await configure(kept, environments);
      assert.equal(status, 200, text);
    }
    /** Data stores of an environment, when they are available. */
    async function available(configId: string, ids: readonly string[]) {
      const { body } = await slipway.api.get(`/v1/projects/${kept.projectId}/environments`);
      const { id } = body.environments.find((one: { configId: string }) => one.configId === configId);
      await until(
        async () => {
          const { services } = (await slipway.api.get(`/v1/environments/${id}/services`)).body;
          for (const one of services) serviceIds[one.configId] = one.id;
          return ids.every((name) => {
            const { dataStore } = services.find((one: { configId: string }) => one.configId === name);
            assert.notEqual(dataStore.status, "FAILED", JSON.stringify(dataStore));
            return dataStore.status === "AVAILABLE";
          });
        },
        `${ids.join(" and ")} are available`,
        PATIENCE_MS,
      );
    }
    const settled = (id: string) =>
      until(
        async () => {
          const { body } = await slipway.api.get(`/v1/snapshots/${id}`);
          return body.status === "CREATING" ? null : body;
        },
        "the snapshot is settled",
        PATIENCE_MS,
      );
    async function ask(configId: string): Promise<string> {
      const { status, body, text } = await slipway.api.post(`/v1/services/${serviceIds[configId]}/snapshots`);
      assert.deepEqual([status, body.status], [202, "CREATING"], text);
      return body.id;
    }
    const refuse = (api: "rds:CreateDBSnapshot" | "elasticache:CreateSnapshot", code: string, more = {}) =>
      emulator.faults.add({ api, kind: { code, status: 400 }, ...more });
    const nameOf = (snapshotId: string) => `slipway-store-${tokenDigest(snapshotId).slice(0, 24)}`;
    const dataOf = (configId: string) => {
      const name = storeStackOf(serviceIds[configId] ?? "");
      const stack = emulator.platform.stacks.of(kept.accountId).find((one) => one.name === name);
      return stack?.now.Resources["Data"]?.Properties ?? {};
    };

    before(async () => {
      kept = await slipway.createProject("restored", [db, cache]);
      moto = await ofMoto(motoUrl, kept.roleArn, REGION);
      await available("production", ["db", "cache"]);
    });

    test("snapshots are taken as soon as AWS can, and say why they could not be", async () => {
      refuse("rds:CreateDBSnapshot", "SnapshotQuotaExceeded");
      taken.failed = await ask("db");
      const failed = await settled(taken.failed);
      assert.deepEqual([failed.status, failed.sizeBytes], ["FAILED", null]);
      assert.match(failed.failure.message, /quota of snapshots in this region is used up/);
      emulator.faults.clear();
      refuse("elasticache:CreateSnapshot", "InvalidReplicationGroupState", { count: 1 });
      taken.cache = await ask("cache");
      const ofCache = await settled(taken.cache);
      assert.deepEqual([ofCache.status, ofCache.failure], ["AVAILABLE", null]);
      refuse("rds:CreateDBSnapshot", "InvalidDBInstanceState");
      taken.db = await ask("db");
    });

    test("a snapshot that does not fit is refused with the cause", async () => {
      const from = (id: string, snapshot: string, more = {}) =>
        store(id, "postgres", { snapshot, storageGb: undefined, ...more });
      const refused = async (snapshot: string, more = {}, region = REGION) => {
        const elsewhere = environment("elsewhere", [from("copy", snapshot, more)], region);
        const { status, text } = await configure(kept, [environment("production", [db, cache]), elsewhere]);
        assert.equal(status, 409, text);
        return text;
      };
      assert.match(await refused(taken.db), /that is being taken; wait until it is AVAILABLE/);
      emulator.faults.clear();
      const { status, failure, version, sizeBytes } = await settled(taken.db);
      assert.deepEqual([status, failure, version, sizeBytes], ["AVAILABLE", null, "17", 50 * 2 ** 30]);
      assert.match(await refused(taken.failed), /that is FAILED; name an AVAILABLE one/);
      assert.match(await refused(taken.db, { type: "mysql" }), /of the type postgres/);
      for (const other of ["16", "18"])
        assert.match(await refused(taken.db, { version: other }), /of version 17; write that version/);
      assert.match(
        await refused(taken.db, { storageGb: 49 }),
        /50 GB of storage; write storageGb: 50 or more/,
      );
      assert.match(await refused(taken.db, {}, "eu-west-1"), /in the region us-west-2/);
      const foreign = await configure(project, [environment("production", [site, from("copy", taken.db)])]);
      assert.equal(foreign.status, 409, foreign.text);
      assert.match(foreign.text, /names no snapshot of this project/);
    });

    test("a deployment waits for the new ones, and gives services values of their own", async () => {
      const link = (id: string, value: string) => ({ fromService: { id, value } });
      const envVariables = {
        OLD_URL: link("db", "dbConnectionString"),
        NEW_URL: link("db2", "dbConnectionString"),
        NEW_PASSWORD: link("db2", "password"),
        NEW_HOST: link("db2", "host"),
        NEW_CACHE: link("cache2", "connectionString"),
        OLD_CACHE: link("cache", "connectionString"),
      };
      const worker = {
        id: "worker",
        name: "Worker",
        type: "worker",
        startCommand: "node w.js",
        envVariables,
      };
      const restored = [
        store("db2", "postgres", { snapshot: taken.db }),
        store("cache2", "redis", { snapshot: taken.cache }),
      ];
      await apply(environment("production", [db, cache, ...restored, worker]));
      const commit = "6".repeat(40);
      emulator.platform.builds.setProgram(commit, { program: "worker", word: "with a restored database" });
      slipway.setHead(commit);
      const filter = { projectId: kept.projectId };
      const { status, body, text } = await slipway.api.post("/v1/deployments", {
        repoUrl: kept.repoUrl,
        filter,
      });
      assert.equal(status, 201, text);
      await ended(slipway.api, body.id);
      await available("production", ["db2", "cache2"]);

      const data = dataOf("db2");
      assert.equal(data["DBSnapshotIdentifier"], nameOf(taken.db));
      assert.deepEqual(data["MasterUserPassword"], { "Fn::Sub": "{{resolve:secretsmanager:${Password}}}" });
      assert.deepEqual([data["AllocatedStorage"], data["DBName"]], ["50", undefined]);
      // AWS has upgraded the source, and restores into no earlier version.
      assert.deepEqual(
        ["cache", "cache2"].map((id) => [dataOf(id)["SnapshotName"], dataOf(id)["EngineVersion"]]),
        [
          [undefined, "8.0"],
          [nameOf(taken.cache), "8.1"],
        ],
      );
      const stacks = emulator.platform.stacks.of(kept.accountId);
      const task = stacks.find(({ name }) => name.startsWith("slipway-svc-"))?.now.Resources["Task"];
      assert.ok(task);
      const [container] = task.Properties["ContainerDefinitions"] as {
        Secrets: { Name: string; ValueFrom: string }[];
        Environment: { Name: string; Value: string }[];
      }[];
      const owner = await customerOf(motoUrl, kept.roleArn);
      const secret = async (wanted: string) => {
        const name = container?.Secrets.find(({ Name }) => Name === wanted)?.ValueFrom ?? "";
        return (await owner.secret({ region: REGION, name }))?.value ?? "";
      };
      const password = await secret("NEW_PASSWORD");
      assert.equal(password.length, 40);
      const host = container?.Environment.find(({ Name }) => Name === "NEW_HOST")?.Value ?? "";
      assert.ok(host.startsWith(storeStackOf(serviceIds["db2"] ?? "")), host);
      const rest = await secret("NEW_URL");
      assert.ok(
        rest.startsWith(`postgresql://slipway:${password}@`) && rest.endsWith(":5432/app?sslmode=require"),
      );
      const [old, oldCache, newCache] = await Promise.all(["OLD_URL", "OLD_CACHE", "NEW_CACHE"].map(secret));
      assert.match(old ?? "", /^postgresql:\/\/slipway:[^@]{40}@/);
      assert.ok(!old?.includes(password));
      assert.match(newCache ?? "", /^rediss:\/\/:[^@]{40}@/);
      assert.notEqual(newCache, oldCache);
      assert.ok(!slipway.log().includes(password));
    });

    test("a last snapshot is restored when its environment is deleted, and AWS deletes snapshots", async () => {
      await apply(environment("staging", [site]));
      const finals = await until(
        async () => {
          const { snapshots } = (await slipway.api.get(`/v1/snapshots?projectId=${kept.projectId}`)).body;
          const last = snapshots.filter(({ reason }: { reason: string }) => reason === "final");
          return last.every(({ status }: { status: string }) => status === "AVAILABLE") && last;
        },
        "the last snapshots are complete",
        PATIENCE_MS,
      );
      assert.deepEqual(
        finals.map(({ serviceConfigId }: { serviceConfigId: string }) => serviceConfigId).toSorted(),
        ["cache", "cache2", "db", "db2"],
      );
      assert.equal((await slipway.api.get(`/v1/environments/${kept.environmentId}`)).status, 404);
      const { id } = finals.find((one: { serviceConfigId: string }) => one.serviceConfigId === "db2");
      taken.final = id;
      const again = store("db3", "postgres", { snapshot: id });
      await apply(environment("staging", [site, again]));
      await available("staging", ["db3"]);
      assert.equal(dataOf("db3")["DBSnapshotIdentifier"], nameOf(id));

      const of = { rds: taken.db, elasticache: taken.cache };
      const has = async (service: keyof typeof of) => {
        const Action = service === "rds" ? "DescribeDBSnapshots" : "DescribeSnapshots";
        return (await moto(service, Action, {})).includes(nameOf(of[service]));
      };
      for (const service of ["rds", "elasticache"] as const) {
        assert.equal(await has(service), true, service);
        const path = `/v1/snapshots/${of[service]}`;
        assert.equal((await slipway.api.delete(path)).body.status, "DELETING");
        await until(async () => (await slipway.api.get(path)).status === 404, "it is deleted", PATIENCE_MS);
        assert.equal(await has(service), false, service);
      }
      const deleted = store("db4", "postgres", { snapshot: taken.db });
      const refused = await configure(kept, [environment("staging", [site, again, deleted])]);
      assert.equal(refused.status, 409, refused.text);
      assert.match(refused.text, /names no snapshot of this project/);

      // The removal takes more than a minute.
      assert.equal((await slipway.api.delete(`/v1/projects/${kept.projectId}`)).status, 202);
    });
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

  test("a snapshot of a deleted project is restored in no other account", async () => {
    await until(
      async () => (await slipway.api.get(`/v1/projects/${kept.projectId}`)).status === 404,
      "the project is deleted",
    );
    const copy = store("copy", "postgres", { snapshot: taken.final });
    const { status, text } = await configure(project, [environment("production", [site, copy])]);
    assert.equal(status, 409, text);
    assert.match(text, /in another cloud account; a snapshot is restored only in its own/);
  });

  test("no session's key and no value reaches the log", () => {
    const log = slipway.log();
    assert.ok(log.includes("A step failed"), "it is the log of the step");
    assert.doesNotMatch(log, /value of [A-Z]/);
    assert.doesNotMatch(log, /ASIA[A-Z0-9]{8}/);
  });
});
