/** Rows of the audit about cloud account connections, and about what goes when their account is lost. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { clearFaults, loseAccount, setFault, stateOf } from "../helpers/customers/sandbox-account.ts";
import {
  attach,
  connectAccount,
  createProject,
  createProjectIn,
  DEMO_REPOSITORY,
  type Project,
  untilGone,
} from "../helpers/customers/scenario.ts";
import { until } from "../helpers/until.ts";
import { createUserClient } from "../helpers/users.ts";

/** A configuration that needs no cloud until it is deployed. */
const ONLY_A_WORKER = {
  environments: [
    {
      id: "production",
      region: "us-west-2",
      source: { branch: "main" },
      services: [{ id: "jobs", type: "worker", startCommand: "node worker.js" }],
    },
  ],
};

/** A configuration that can be deployed, and soon is. */
const ONLY_A_SITE = {
  environments: [
    {
      id: "production",
      region: "us-west-2",
      source: { branch: "main" },
      services: [{ id: "web", type: "static", outputDirectory: "public" }],
    },
  ],
};

describe("the audit's rows about cloud accounts", () => {
  let instance: Instance;
  before(async () => {
    instance = await startInstance();
  });
  after(() => instance.dispose());

  const get = async (path: string) => (await instance.admin.get(path)).body;
  const post = (path: string, body?: unknown) => instance.admin.post(path, body);
  const del = (path: string) => instance.admin.delete(path);
  async function storeValues({ environmentId }: Project) {
    const path = `/v1/environments/${environmentId}/env-variables`;
    const values = { secretsManager: { KEY: "one" }, parameterStore: { FLAG: "two" } };
    const accepted = await instance.admin.post(path, values);
    const run = accepted.headers.get("location") ?? "";
    await until(async () => (await get(run)).isFinished, "the values are stored");
  }
  /** Distributions cannot be deleted until the faults are cleared. */
  const slowDown = () => setFault(instance.admin, "distributions.delete", "throttled");
  /** A project whose default distribution is made. */
  async function createServed(name: string): Promise<Project> {
    const project = await createProject(instance.admin, name, ONLY_A_SITE);
    await until(
      async () => (await get(`/v1/services/${project.services["web"]}`)).cdnDomainName,
      "the service has its host",
    );
    return project;
  }
  async function deploy({ projectId }: Project) {
    const { body } = await post("/v1/deployments", { repoUrl: DEMO_REPOSITORY, filter: { projectId } });
    return await until(async () => {
      const deployment = await get(`/v1/deployments/${body.id}`);
      if (deployment.status === "ERROR") throw new Error(JSON.stringify(deployment));
      return deployment.status === "SUCCESS" && deployment;
    }, "it is deployed");
  }

  it("A2: requests that need the account are refused at once while it is not connected", async () => {
    const project = await createServed("needs-account");
    const deployment = await deploy(project);
    const group = await attach(
      instance.admin,
      project.services["web"],
      ["www.needs-account.example.com"],
      true,
    );
    await loseAccount(instance.admin, project.awsAccountId);
    const asked = {
      "a deployment": await post("/v1/deployments", {
        repoUrl: DEMO_REPOSITORY,
        filter: { projectId: project.projectId },
      }),
      "a rollback": await post(`/v1/deployments/${deployment.id}/rollback`),
      "a group": await post(`/v1/services/${project.services["web"]}/domain-certificate-groups`, {
        domains: ["www.never.example.com"],
        useDefaultCdn: false,
      }),
      "domains of a group": await post(`/v1/domain-certificate-groups/${group.id}/domains`, {
        domains: ["api.never.example.com"],
      }),
    };
    for (const [what, answer] of Object.entries(asked)) {
      assertRefused(answer, 422, "AWS_ACCOUNT_NOT_CONNECTED");
      assert.match(answer.body.detail, /account-needs-account is DISCONNECTED/, what);
    }
    const { deployments } = await get(`/v1/deployments?projectId=${project.projectId}`);
    assert.equal(deployments.length, 1, "nothing of it was accepted");
  });

  it("A3: a project with resources in the cloud is DELETING until they are deleted, and takes no changes", async () => {
    const project = await createServed("going");
    const path = `/v1/projects/${project.projectId}`;
    assert.equal((await get(path)).status, "ACTIVE");
    await slowDown();
    const deleted = await del(path);
    assert.equal(deleted.status, 202, deleted.text);
    assert.equal(deleted.headers.get("location"), path);
    assert.equal(deleted.body.status, "DELETING");

    const { projects } = await get("/v1/projects?limit=100");
    const listed = projects.find(({ id }: { id: string }) => id === project.projectId);
    assert.equal(listed.status, "DELETING");
    assert.deepEqual((await get(`${path}/environments`)).environments, []);
    for (const gone of [
      `/v1/environments/${project.environmentId}`,
      `/v1/services/${project.services["web"]}`,
    ])
      assertRefused(await instance.admin.get(gone), 404, "NOT_FOUND");
    const refused = await post("/v1/deployments", {
      repoUrl: DEMO_REPOSITORY,
      filter: { projectId: project.projectId },
    });
    assertRefused(refused, 409, "PROJECT_DELETING");
    assert.match(refused.headers.get("retry-after") ?? "", /^\d+$/);
    assertRefused(await instance.admin.patch(path, { name: "Renamed" }), 409, "PROJECT_DELETING");
    assertRefused(await post(`${path}/plan`, { name: "Renamed" }), 409, "PROJECT_DELETING");
    const inUse = await del(`/v1/aws-accounts/${project.awsAccountId}`);
    assertRefused(inUse, 409, "AWS_ACCOUNT_IN_USE");
    assert.match(inUse.headers.get("retry-after") ?? "", /^\d+$/);
    const again = await del(path);
    assert.equal(again.status, 202);
    assert.deepEqual(again.body, deleted.body);

    const waiting = instance.admin.get(path, { prefer: "wait=60" });
    await clearFaults(instance.admin);
    assertRefused(await waiting, 404, "NOT_FOUND");
    assert.deepEqual((await stateOf(instance.admin, project.awsAccountId)).distributions, []);
    assert.equal((await del(`/v1/aws-accounts/${project.awsAccountId}`)).status, 204);
  });

  it("A3: a project that replaces a project under deletion is deployed instead", async () => {
    const project = await createServed("replaced");
    await slowDown();
    assert.equal((await del(`/v1/projects/${project.projectId}`)).status, 202);
    const replacement = await createProjectIn(
      instance.admin,
      project.awsAccountId,
      "replaced",
      ONLY_A_WORKER,
    );
    // Other tests have projects of the repository too.
    const { projects } = await get("/v1/projects?limit=100");
    const same = projects.filter(({ status }: { status: string }) => status === "ACTIVE");
    const answer = await post("/v1/deployments", { repoUrl: DEMO_REPOSITORY });
    if (same.length === 1) assert.equal(answer.body.projectId, replacement);
    else assert.ok(!answer.body.detail.includes(project.projectId), answer.body.detail);
    await clearFaults(instance.admin);
    await untilGone(instance.admin, `/v1/projects/${project.projectId}`);
  });

  it("A3: a project without resources in the cloud is deleted at once", async () => {
    const { projectId } = await createProject(instance.admin, "never-deployed", ONLY_A_WORKER);
    assert.equal((await del(`/v1/projects/${projectId}`)).status, 204);
    assertRefused(await instance.admin.get(`/v1/projects/${projectId}`), 404, "NOT_FOUND");
  });

  it("A4: what would stay in a lost account is listed, and abandoned only on request", async () => {
    const project = await createServed("stays");
    await storeValues(project);
    const { id } = await attach(instance.admin, project.services["web"], ["www.stays.example.com"], true);
    const group = await get(`/v1/domain-certificate-groups/${id}`);
    const path = `/v1/projects/${project.projectId}`;
    const account = `/v1/aws-accounts/${project.awsAccountId}`;
    assertRefused(await post(`${path}/abandon`), 409, "AWS_ACCOUNT_WORKS");
    assertRefused(await post(`${account}/abandon`), 409, "AWS_ACCOUNT_WORKS");
    const { accountId, secrets, parameters, distributions } = await stateOf(
      instance.admin,
      project.awsAccountId,
    );
    await loseAccount(instance.admin, project.awsAccountId);

    const refused = await del(path);
    assertRefused(refused, 409, "RESOURCES_WOULD_STAY");
    assert.match(refused.body.detail, /1 distribution, 1 certificate, 1 parameter, 1 secret\./);
    const named = (values: { region: string; name: string }[]) =>
      values.map(({ region, name }) => ({ region, name }));
    const left = {
      connectedAwsAccountId: accountId,
      distributionIds: [distributions[0].id],
      certificateIds: [group.certificate.id],
      domains: ["www.stays.example.com"],
      parameters: named(parameters),
      secrets: named(secrets),
      stacks: [],
    };
    assert.deepEqual(refused.body.leftInAccount, left);
    assert.equal((await get(path)).status, "ACTIVE", "it is as it was");
    assertRefused(await post(`${account}/abandon`), 409, "AWS_ACCOUNT_IN_USE");

    const abandoned = await post(`${path}/abandon`);
    assert.equal(abandoned.status, 200, abandoned.text);
    assert.deepEqual(abandoned.body, { id: project.projectId, leftInAccount: left });
    assertRefused(await instance.admin.get(path), 404, "NOT_FOUND");
    assertRefused(await instance.admin.get(`/v1/domain-certificate-groups/${group.id}`), 404, "NOT_FOUND");
    const { auditEntries } = await get(`/v1/audit-entries?resourceId=${project.projectId}`);
    assert.ok(auditEntries.some(({ action }: { action: string }) => action === "project.abandoned"));
    assert.equal((await del(account)).status, 204, "nothing is left that it could be asked to remove");
  });

  it("A4: a deployed project lists its stacks, even while it is being deleted", async () => {
    const project = await createServed("deployed-and-lost");
    await deploy(project);
    await slowDown();
    assert.equal((await del(`/v1/projects/${project.projectId}`)).status, 202);
    await loseAccount(instance.admin, project.awsAccountId);
    // Asked again it says so again; only the other way out is another answer.
    assert.equal((await del(`/v1/projects/${project.projectId}`)).status, 202);
    const { status, body } = await post(`/v1/projects/${project.projectId}/abandon`);
    assert.equal(status, 200, JSON.stringify(body));
    const stacks = body.leftInAccount.stacks.map(({ name }: { name: string }) => name);
    assert.ok(stacks.includes(project.services["web"]), JSON.stringify(body));
    assert.equal(body.leftInAccount.distributionIds.length, 1);
    await clearFaults(instance.admin);
    assert.equal((await del(`/v1/aws-accounts/${project.awsAccountId}`)).status, 204);
  });

  it("A4: what has nothing in a lost account is deleted as usual", async () => {
    const { projectId, awsAccountId } = await createProject(instance.admin, "lost-without", ONLY_A_WORKER);
    await loseAccount(instance.admin, awsAccountId);
    assert.equal((await del(`/v1/projects/${projectId}`)).status, 204);
    assert.equal((await del(`/v1/aws-accounts/${awsAccountId}`)).status, 204);
  });

  it("A17: each connection's stack has a unique, stable name", async () => {
    const stacks = await Promise.all(
      ["stack-one", "stack-two"].map(async (givenId) => (await post("/v1/aws-accounts", { givenId })).body),
    );
    const [first, second] = stacks.map(({ cloudStack }) => cloudStack.template.stackName);
    assert.notEqual(first, second);
    for (const { id, cloudStack } of stacks) {
      const { stackName } = cloudStack.template;
      assert.match(stackName, /^slipway-access-[a-z0-9]+$/);
      assert.ok(!stackName.includes(id.slice("aws_".length)), "the id is a credential until then");
      assert.equal(new URL(cloudStack.consoleUrl).searchParams.get("stackName"), stackName);
      assert.equal((await get(`/v1/aws-accounts/${id}`)).cloudStack.template.stackName, stackName);
    }
  });

  const reportAs = async (id: string, accountId: string, role = "another") => {
    const answer = await fetch(`${instance.url}/cloud-callbacks/${id}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ accountId, roleArn: `arn:aws:iam::${accountId}:role/${role}` }),
    });
    assert.equal(answer.status, 204, "it reveals nothing, whatever it is");
  };
  const refusedOf = async (id: string) => {
    const { auditEntries } = await get(`/v1/audit-entries?resourceId=${id}&limit=100`);
    return auditEntries.filter(({ action }: { action: string }) => action === "aws-account.report-refused");
  };
  const untilConnected = (path: string) =>
    until(async () => {
      const account = await get(path);
      return account.status === "CONNECTED" && account;
    }, `${path} is connected`);

  it("S3: only admins see the id and the stack of a connection that waits for its account", async () => {
    const { body: created } = await post("/v1/aws-accounts", { givenId: "secret-id" });
    for (const role of ["viewer", "developer"] as const) {
      const client = await createUserClient(instance.admin, role);
      const asked = [
        await client.get("/v1/aws-accounts/secret-id"),
        await client.get("/v1/aws-accounts?limit=1&order=desc"),
        await client.post("/v1/projects", {
          name: "early",
          repoUrl: DEMO_REPOSITORY,
          awsAccountId: "secret-id",
          codeSource: { provider: "provider_a" },
          configType: "gui",
          config: ONLY_A_WORKER,
        }),
      ];
      for (const answer of asked) {
        assert.ok(!answer.text.includes(created.id.slice(4)), answer.text);
        assert.ok(!answer.text.includes("consoleUrl") || answer.status === 422, answer.text);
      }
      const [one, list] = asked;
      assert.deepEqual([one?.body.id, one?.body.status], ["secret-id", "AWAITING_CONNECTION"]);
      const place = Buffer.from(list?.body.nextCursor.slice(22), "base64url").toString();
      assert.ok(!place.includes(created.id), "a cursor can be read");
    }
    assert.equal((await get("/v1/aws-accounts/secret-id")).id, created.id);
    await post("/sandbox/stacks", { ServiceId: created.id });
    await untilConnected("/v1/aws-accounts/secret-id");
    const viewer = await createUserClient(instance.admin, "viewer");
    assert.equal(
      (await viewer.get("/v1/aws-accounts/secret-id")).body.id,
      created.id,
      "it binds nothing more",
    );
  });

  it("S3: only the expected account connects; another's report is refused, shown and audited", async () => {
    for (const expectedAwsAccountId of ["12345678901", "1234567890123", "abcdefghijkl", 123456789012])
      assertRefused(
        await post("/v1/aws-accounts", { givenId: "bad", expectedAwsAccountId }),
        400,
        "INVALID_REQUEST",
      );
    const expectedAwsAccountId = "222233334444";
    const { body } = await post("/v1/aws-accounts", { givenId: "expecting", expectedAwsAccountId });
    assert.equal(body.expectedAwsAccountId, expectedAwsAccountId);
    const path = `/v1/aws-accounts/${body.id}`;
    // The sandbox's stack is in another account, and its role would work.
    await post("/sandbox/stacks", { ServiceId: body.id });
    const refused = await until(async () => {
      const account = await get(path);
      return account.lastCheckError !== null && account;
    }, "the stack's report is refused");
    assert.equal(refused.status, "AWAITING_CONNECTION");
    assert.equal(refused.lastCheckError.code, "REPORT_REFUSED");
    assert.match(refused.lastCheckError.message, /expects the account 222233334444/);
    const [entry, ...others] = await refusedOf(body.id);
    assert.equal(others.length, 0);
    const { reportedAwsAccountId, reportedRoleArn, reason } = entry.details.after;
    assert.match(reportedRoleArn, new RegExp(`^arn:aws:iam::${reportedAwsAccountId}:role/`));
    assert.match(reason, /expects the account/);
    assert.match(entry.sourceAddress, /^[0-9a-f.:]+$/);
    // It was the right one after all.
    const changed = await instance.admin.patch(path, { expectedAwsAccountId: reportedAwsAccountId });
    assert.equal(changed.status, 200, changed.text);
    assert.equal((await untilConnected(path)).connectedAwsAccountId, reportedAwsAccountId);
    const late = await instance.admin.patch(path, { expectedAwsAccountId: null });
    assertRefused(late, 409, "AWS_ACCOUNT_BOUND");
  });

  it("S3: a false report does not block a true one, before or after it", async () => {
    const { body } = await post("/v1/aws-accounts", { givenId: "two-reports" });
    const path = `/v1/aws-accounts/${body.id}`;
    await reportAs(body.id, "999988887777");
    await post("/sandbox/stacks", { ServiceId: body.id });
    await reportAs(body.id, "999988887777", "another-one");
    const { connectedAwsAccountId, roleArn } = await untilConnected(path);
    assert.notEqual(connectedAwsAccountId, "999988887777");
    const { auditEntries } = await get(`/v1/audit-entries?resourceId=${body.id}`);
    const bound = auditEntries.find(({ action }: { action: string }) => action === "aws-account.connected");
    assert.deepEqual(bound.details.after, { status: "CONNECTED", connectedAwsAccountId, roleArn });
    await until(async () => (await refusedOf(body.id)).length === 2, "both false reports are in the audit");
  });

  it("S3: someone who knows an id cannot fill a table or the audit entries with reports", async () => {
    const id = await connectAccount(instance.admin, "flooded");
    for (let count = 0; count < 30; count += 1) await reportAs(id, String(500000000000 + count));
    // One after the other, so all have been looked at.
    assert.ok((await refusedOf(id)).length <= 10);
    assert.equal((await get(`/v1/aws-accounts/${id}`)).status, "CONNECTED");
  });

  it("S3: an unused connection can be unbound, and its old id no longer binds anything", async () => {
    const project = await createServed("unbound");
    const used = `/v1/aws-accounts/${project.awsAccountId}`;
    assertRefused(await post(`${used}/unbind`), 409, "AWS_ACCOUNT_IN_USE");

    const id = await connectAccount(instance.admin, "wrong-account");
    const unbound = await post("/v1/aws-accounts/wrong-account/unbind");
    assert.equal(unbound.status, 200, unbound.text);
    const { body } = unbound;
    assert.notEqual(body.id, id);
    assert.equal(unbound.headers.get("location"), `/v1/aws-accounts/${body.id}`);
    assert.deepEqual(
      [body.givenId, body.status, body.connectedAwsAccountId, body.roleArn],
      ["wrong-account", "AWAITING_CONNECTION", null, null],
    );
    assert.equal(body.cloudStack.template.parameters.ServiceId, body.id);
    assertRefused(await instance.admin.get(`/v1/aws-accounts/${id}`), 404, "NOT_FOUND");
    // The stack in the wrong account is still there, and says so.
    await reportAs(id, "999988887777");
    for (const one of [id, body.id]) {
      const { auditEntries } = await get(`/v1/audit-entries?resourceId=${one}`);
      const entry = auditEntries.find(({ action }: { action: string }) => action === "aws-account.unbound");
      assert.deepEqual([entry.details.before.id, entry.details.after.id], [id, body.id]);
    }
    await post("/sandbox/stacks", { ServiceId: body.id });
    await untilConnected("/v1/aws-accounts/wrong-account");
  });

  it("W7: the same ServiceId in a second account is reported, and changes nothing", async () => {
    const id = await connectAccount(instance.admin, "taken-twice");
    const path = `/v1/aws-accounts/${id}`;
    const before = await get(path);
    await reportAs(id, "777766665555");
    const after = await get(path);
    assert.equal(after.lastCheckError.code, "REPORT_REFUSED");
    assert.match(after.lastCheckError.message, /account 777766665555 .* belongs to the account/);
    assert.deepEqual({ ...after, lastCheckError: null }, before);
    const [entry] = await refusedOf(id);
    assert.equal(entry.details.after.reportedAwsAccountId, "777766665555");
    // It is not a fault of the account, so its resources must not be abandoned.
    assertRefused(await post(`${path}/abandon`), 409, "AWS_ACCOUNT_WORKS");
    await post(`${path}/check`);
    assert.equal((await get(path)).lastCheckError, null, "an admin has seen it");
  });

  it("W8: denied calls share one check, at most one a minute", async () => {
    const project = await createServed("denied");
    const startedMs = Date.now();
    const checks = async () =>
      (await stateOf(instance.admin, project.awsAccountId)).calls["identity.verify"] / 4;
    const before = await checks();
    const denials = 10;
    for (let count = 1; count <= denials; count += 1) {
      await setFault(instance.admin, "secrets.put", "denied", { count: 1 });
      const path = `/v1/environments/${project.environmentId}/env-variables`;
      const accepted = await post(path, { secretsManager: { [`NAME_${count}`]: "value" } });
      const run = accepted.headers.get("location") ?? "";
      const ended = await until(async () => {
        const body = await get(run);
        return body.isFinished && body;
      }, "the call is denied");
      assert.equal(ended.failedEnvVariables[`NAME_${count}`].code, "ACCESS_DENIED");
    }
    // A requested check comes at once; by then any other due check has come too.
    const { lastCheckAt } = await get(`/v1/aws-accounts/${project.awsAccountId}`);
    await post(`/v1/aws-accounts/${project.awsAccountId}/check`);
    await until(
      async () => (await get(`/v1/aws-accounts/${project.awsAccountId}`)).lastCheckAt !== lastCheckAt,
      "it is checked",
    );
    const minutes = Math.ceil((Date.now() - startedMs) / 60_000);
    const made = (await checks()) - before;
    assert.ok(made <= 1 + minutes, `${made} checks for ${denials} denials in ${minutes} minutes at most`);
  });
});
