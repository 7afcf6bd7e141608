/** Cloud accounts whose role goes, and comes back or does not: nothing waits for ever. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { createStack, loseAccount, stateOf } from "../helpers/customers/sandbox-account.ts";
import { attach, createProject, type Project, untilGone } from "../helpers/customers/scenario.ts";
import { until } from "../helpers/until.ts";

describe("a cloud account that is lost", () => {
  let instance: Instance;
  before(async () => {
    instance = await startInstance();
  });
  after(() => instance.dispose());

  const get = async (path: string) => (await instance.admin.get(path)).body;
  async function storeValue({ environmentId }: Project): Promise<void> {
    const path = `/v1/environments/${environmentId}/env-variables`;
    const accepted = await instance.admin.post(path, { secretsManager: { KEPT: "value" } });
    const run = accepted.headers.get("location") ?? "";
    await until(async () => (await get(run)).isFinished, "the value is stored");
  }

  it("resumes all its waiting work when its stack is created again, without waiting for a timer", async () => {
    const project = await createProject(instance.admin, "returns");
    const group = await attach(instance.admin, project.services["web"], ["www.returns.example.com"]);
    await storeValue(project);
    await loseAccount(instance.admin, project.awsAccountId);
    const unsaved = await instance.admin.post(`/v1/environments/${project.environmentId}/env-variables`, {
      secretsManager: { LATER: "value" },
    });
    assertRefused(unsaved, 422, "AWS_ACCOUNT_NOT_CONNECTED");
    assert.match(unsaved.body.detail, /wait until it is CONNECTED, and send the values again\.$/);
    // A group, its distribution and a value are to go; none of them can be removed now.
    await instance.admin.delete(`/v1/domain-certificate-groups/${group.id}`);
    await instance.admin.delete(`/v1/environments/${project.environmentId}/env-variables/KEPT`);
    await until(
      async () =>
        (await get(`/v1/domain-certificate-groups/${group.id}/domains`)).domains[0]?.lastAttachmentError,
      "the group waits for the account",
    );
    await createStack(instance.admin, project.awsAccountId);
    // Less than the half minute and the minute that they would have waited for.
    await untilGone(instance.admin, `/v1/domain-certificate-groups/${group.id}`, 20_000);
    await until(
      async () => (await stateOf(instance.admin, project.awsAccountId)).secrets.length === 0,
      "the value is removed",
      20_000,
    );
    const { certificates, distributions } = await stateOf(instance.admin, project.awsAccountId);
    assert.equal(certificates.length, 0);
    assert.equal(distributions.length, 1, "the service's own is left");
  });

  it("and does not come back lets a group be abandoned, and lists what stays", async () => {
    const project = await createProject(instance.admin, "gone");
    const { id } = await attach(instance.admin, project.services["web"], ["www.gone.example.com"]);
    const path = `/v1/domain-certificate-groups/${id}`;
    const group = await get(path);
    assertRefused(await instance.admin.post(`${path}/abandon`), 409, "AWS_ACCOUNT_WORKS");
    await loseAccount(instance.admin, project.awsAccountId);
    assert.equal((await instance.admin.delete(path)).status, 202);
    assert.equal((await get(path)).status, "DELETING");
    const abandoned = await instance.admin.post(`${path}/abandon`);
    assert.equal(abandoned.status, 200, JSON.stringify(abandoned.body));
    const { connectedAwsAccountId } = await get(`/v1/aws-accounts/${project.awsAccountId}`);
    assert.deepEqual(abandoned.body, {
      id: group.id,
      leftInAccount: {
        connectedAwsAccountId,
        certificateIds: [group.certificate.id],
        distributionIds: [group.cdnDistributionId],
        domains: ["www.gone.example.com"],
        parameters: [],
        secrets: [],
        stacks: [],
      },
    });
    assert.equal((await instance.admin.get(path)).status, 404);

    // Its service's own distribution is left there too, so the project is given up as well.
    const projectPath = `/v1/projects/${project.projectId}`;
    assertRefused(await instance.admin.delete(projectPath), 409, "RESOURCES_WOULD_STAY");
    const { body } = await instance.admin.post(`${projectPath}/abandon`);
    assert.equal(body.leftInAccount.distributionIds.length, 1);
    assert.equal((await instance.admin.delete(`/v1/aws-accounts/${project.awsAccountId}`)).status, 204);
  });

  it("keeps the default distribution of a service when a group on it is abandoned", async () => {
    const project = await createProject(instance.admin, "half");
    const group = await attach(instance.admin, project.services["web"], ["www.half.example.com"], true);
    await loseAccount(instance.admin, project.awsAccountId);
    const { body } = await instance.admin.post(`/v1/domain-certificate-groups/${group.id}/abandon`);
    assert.deepEqual(body.leftInAccount.distributionIds, []);
    await createStack(instance.admin, project.awsAccountId);
    // The name is free for another group, and what was left on the distribution makes way for it.
    await attach(instance.admin, project.services["web"], ["www.other.example.com"], true);
    const { distributions } = await stateOf(instance.admin, project.awsAccountId);
    assert.deepEqual(
      distributions.map(({ aliases }: { aliases: string[] }) => aliases),
      [["www.other.example.com"]],
    );
  });
});
