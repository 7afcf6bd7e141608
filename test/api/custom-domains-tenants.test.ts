import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { ApiClient } from "../helpers/api-client.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import {
  createGroup,
  createProject,
  type Project,
  proveDomain,
  untilDomain,
  untilGone,
} from "../helpers/customers/scenario.ts";
import { until } from "../helpers/until.ts";

const ELSEWHERE = "Cloud:CDN:Error:DOMAIN_IN_USE_ELSEWHERE";

type Tenant = { readonly client: ApiClient; readonly project: Project };
type NewDomain = { readonly groupId: string; readonly id: string };

const statusesOf = (answers: readonly { readonly status: number }[]) =>
  answers.map(({ status }) => status).sort((a, b) => a - b);

describe("one name that several organizations want", () => {
  let instance: Instance;
  let first: Tenant;
  let second: Tenant;
  before(async () => {
    instance = await startInstance({ withOtherOrganization: true });
    first = { client: instance.admin, project: await createProject(instance.admin, "first") };
    second = { client: instance.other, project: await createProject(instance.other, "second") };
  });
  after(() => instance.dispose());

  const ask = ({ client, project }: Tenant, names: readonly string[]) =>
    client.post(`/v1/services/${project.services["web"]}/domain-certificate-groups`, {
      domains: names,
      useDefaultCdn: false,
    });

  async function createDomain(tenant: Tenant, name: string): Promise<NewDomain> {
    const group = await createGroup(tenant.client, tenant.project.services["web"], [name]);
    return { groupId: group.id, id: group.createdDomains[0].id };
  }

  /** Proves control of a domain. @returns it as it ends */
  async function prove({ client }: Tenant, { id }: NewDomain) {
    await proveDomain(client, id);
    return await untilDomain(client, id, ["ATTACHED", "ERROR_ATTACHING"]);
  }

  async function deleteDomain({ client }: Tenant, { groupId, id }: NewDomain): Promise<void> {
    const deleted = await client.delete(`/v1/domain-certificate-groups/${groupId}/domains/${id}`);
    assert.equal(deleted.status, 202);
    await untilGone(client, `/v1/domains/${id}`);
  }

  it("goes to the organization that proves it first, and to the other after the first deletes it", async () => {
    const squatted = await createDomain(second, "www.shop.example.com");
    const owned = await createDomain(first, "www.shop.example.com");
    assert.equal(
      (await prove(first, owned)).status,
      "ATTACHED",
      "an organization that only asked first blocks no other",
    );

    const late = await prove(second, squatted);
    assert.equal(late.status, "ERROR_ATTACHING");
    assert.equal(late.lastAttachmentError.code, ELSEWHERE);
    const told = JSON.stringify(late);
    for (const secret of [owned.id, owned.groupId, first.project.awsAccountId])
      assert.ok(!told.includes(secret), "nothing is said of the organization that has it");

    await deleteDomain(first, owned);
    const retried = await second.client.post(
      `/v1/domain-certificate-groups/${squatted.groupId}/retry-attachment`,
    );
    assert.equal(retried.status, 200);
    await untilDomain(second.client, squatted.id, "ATTACHED");
  });

  it("is served for exactly one of two organizations that prove it at the same time", async () => {
    const names = ["a", "b", "c", "d"].map((label) => `${label}.race.example.com`);
    const tenants = [first, second];
    const asked = await Promise.all(
      names.map((name) => Promise.all(tenants.map((tenant) => createDomain(tenant, name)))),
    );
    const ends = await Promise.all(
      asked.map((domains) =>
        Promise.all(tenants.map((tenant, index) => prove(tenant, domains[index] ?? { groupId: "", id: "" }))),
      ),
    );
    for (const [index, pair] of ends.entries()) {
      assert.deepEqual(
        pair.map(({ status }) => String(status)).sort(),
        ["ATTACHED", "ERROR_ATTACHING"],
        names[index],
      );
      const loser = pair.find(({ status }) => status === "ERROR_ATTACHING");
      assert.equal(loser?.lastAttachmentError.code, ELSEWHERE);
    }
  });

  it("overlaps with a wildcard above it between organizations, but not within one", async () => {
    const single = await createDomain(first, "shop.wild.example.com");
    assert.equal((await prove(first, single)).status, "ATTACHED");
    const wildcard = await createDomain(second, "*.wild.example.com");
    assert.equal((await prove(second, wildcard)).lastAttachmentError?.code, ELSEWHERE);
    const own = await createDomain(first, "*.wild.example.com");
    assert.equal((await prove(first, own)).status, "ATTACHED");
    const below = await createDomain(second, "blog.wild.example.com");
    assert.equal((await prove(second, below)).lastAttachmentError?.code, ELSEWHERE);
    const deeper = await createDomain(second, "a.blog.wild.example.com");
    assert.equal((await prove(second, deeper)).status, "ATTACHED", "a wildcard stands for one label");
  });

  it("is created once by one organization, even by many concurrent requests", async () => {
    const groups = await Promise.all(Array.from({ length: 12 }, () => ask(first, ["once.example.com"])));
    assert.deepEqual(statusesOf(groups), [201, ...Array.from({ length: 11 }, () => 409)]);
    for (const { status, body } of groups) if (status === 409) assert.equal(body.code, "DOMAIN_TAKEN");

    const rings = await Promise.all([
      ask(first, ["x.ring.example.com", "y.ring.example.com"]),
      ask(first, ["y.ring.example.com", "x.ring.example.com"]),
    ]);
    assert.deepEqual(statusesOf(rings), [201, 409], "opposite orders do not lock up");

    const { groupId } = await createDomain(first, "base.example.com");
    const added = await Promise.all(
      Array.from({ length: 8 }, () =>
        first.client.post(`/v1/domain-certificate-groups/${groupId}/domains`, {
          domains: ["twice.example.com"],
        }),
      ),
    );
    assert.deepEqual(statusesOf(added), [201, ...Array.from({ length: 7 }, () => 409)]);
    for (const { status, body } of added) if (status === 409) assert.equal(body.code, "DOMAIN_TAKEN");
    assert.equal((await ask(second, ["once.example.com"])).status, 201, "others may ask for it all the same");
  });

  it("is retried automatically when an account that lost access works again", async () => {
    const { client, project } = first;
    await client.put("/sandbox/faults", { operation: "*", kind: "denied" });
    const denied = await createDomain(first, "denied.example.com");
    try {
      const failed = await untilDomain(client, denied.id, "ERROR_ATTACHING");
      assert.equal(failed.lastAttachmentError.code, "Cloud:ACCOUNT:Error:ACCESS_DENIED");
      await until(async () => {
        const { body } = await client.get(`/v1/aws-accounts/${project.awsAccountId}`);
        return body.status === "DISCONNECTED";
      }, "the account is known not to work");
    } finally {
      await client.delete("/sandbox/faults");
    }
    const checked = await client.post(`/v1/aws-accounts/${project.awsAccountId}/check`);
    assert.equal(checked.status, 202, JSON.stringify(checked.body));
    assert.equal((await prove(first, denied)).status, "ATTACHED");
  });
});
