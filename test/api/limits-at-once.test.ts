/** Rules that count or compare rows, attacked by requests that arrive together: each would pass on its own. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { ApiAnswer } from "../helpers/api-client.ts";
import { createGroup, createProject, type Project } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";

const AT_ONCE = 12;

describe("of requests that arrive together", () => {
  let instance: Instance;
  let project: Project;
  before(async () => {
    instance = await startInstance();
    project = await createProject(instance.admin, "limits");
  });
  after(() => instance.dispose());

  const together = (send: (index: number) => Promise<ApiAnswer>): Promise<readonly ApiAnswer[]> =>
    Promise.all(Array.from({ length: AT_ONCE }, (_, index) => send(index)));
  const countOf = (answers: readonly ApiAnswer[], status: number): number =>
    answers.filter((one) => one.status === status).length;
  /** @returns the only answers that were accepted; every other one has the status and the code */
  function assertRefused(answers: readonly ApiAnswer[], accepted: number, status: number, code: string) {
    assert.equal(
      answers.length - countOf(answers, status),
      accepted,
      JSON.stringify(answers.map((one) => one.body)),
    );
    for (const { body } of answers.filter((one) => one.status === status)) assert.equal(body.code, code);
  }

  it("only as many create a webhook endpoint as there is room for", async () => {
    const create = (name: string): Promise<ApiAnswer> =>
      instance.admin.post("/v1/webhook-endpoints", { url: `${instance.url}/${name}`, types: ["*"] });
    const first = await create("first");
    assert.equal(first.status, 201, first.text);
    for (let index = 0; index < 44; index += 1) assert.equal((await create(`${index}`)).status, 201);
    assertRefused(await together((index) => create(`late-${index}`)), 5, 409, "TOO_MANY_WEBHOOK_ENDPOINTS");
  });

  it("one creates the group of the default distribution", async () => {
    const answers = await together((index) =>
      instance.admin.post(`/v1/services/${project.services["web"]}/domain-certificate-groups`, {
        domains: [`www.default-${index}.example.com`],
        useDefaultCdn: true,
      }),
    );
    assert.equal(countOf(answers, 201), 1);
    assert.equal(countOf(answers, 409), AT_ONCE - 1);
  });

  it("one gets a name that belongs to one group", async () => {
    const groups = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) =>
        createGroup(instance.admin, project.services["web"], [`www.group-${index}.example.com`]),
      ),
    );
    const answers = await together((index) =>
      instance.admin.post(`/v1/domain-certificate-groups/${groups[index]?.id}/domains`, {
        domains: ["www.wanted.example.com"],
      }),
    );
    assertRefused(answers, 1, 409, "DOMAIN_TAKEN");
  });

  it("no two redirect two names to each other", async () => {
    const names = ["www.loop.example.com", "loop.example.com"];
    const { createdDomains } = await createGroup(instance.admin, project.services["web"], names);
    const ids = names.map(
      (name) => createdDomains.find((one: { name: string }) => one.name === name).id as string,
    );
    const answers = await together((index) =>
      instance.admin.patch(`/v1/domains/${ids[index % 2]}`, { redirectTo: names[(index + 1) % 2] }),
    );
    assert.ok(countOf(answers, 200) > 0, answers[0]?.text);
    const targets = await Promise.all(
      ids.map(async (id) => (await instance.admin.get(`/v1/domains/${id}`)).body.redirectTo as string | null),
    );
    assert.equal(targets.filter((target) => target !== null).length, 1, JSON.stringify(targets));
  });

  it("one decides a question that has one answer: the same given id, user or integration", async () => {
    assertRefused(
      await together(() => instance.admin.post("/v1/aws-accounts", { givenId: "same-moment" })),
      1,
      409,
      "GIVEN_ID_TAKEN",
    );
    assertRefused(
      await together(() => instance.admin.post("/v1/users", { email: "same@example.com", role: "viewer" })),
      1,
      409,
      "EMAIL_TAKEN",
    );
  });
});
