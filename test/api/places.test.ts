import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { attach, createProject, DEMO_REPOSITORY } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";

describe("what a resource is in", () => {
  let instance: Instance;
  let projectId: string;
  let environmentId: string;
  let serviceId: string;
  before(async () => {
    instance = await startInstance({ withOtherOrganization: true });
    const project = await createProject(instance.admin, "shop");
    ({ projectId, environmentId } = project);
    serviceId = String(project.services["web"]);
  });
  after(() => instance.dispose());

  /** Each resource as its own route answers it. */
  async function expected() {
    const { admin } = instance;
    const { body: project } = await admin.get(`/v1/projects/${projectId}`);
    const { body: environment } = await admin.get(`/v1/environments/${environmentId}`);
    const { body: service } = await admin.get(`/v1/services/${serviceId}`);
    return { project, environment, service };
  }

  it("is the same as each of them on its own, for an environment, a service and a domain group", async () => {
    const { project, environment, service } = await expected();
    const ofEnvironment = await instance.admin.get(`/v1/environments/${environmentId}/place`);
    assert.deepEqual(ofEnvironment.body, { project, environment, service: null });
    const ofService = await instance.admin.get(`/v1/services/${serviceId}/place`);
    assert.deepEqual(ofService.body, { project, environment, service });
    const group = await attach(instance.admin, serviceId, ["www.place.example.com"]);
    const ofGroup = await instance.admin.get(`/v1/domain-certificate-groups/${group.id}/place`);
    assert.deepEqual(ofGroup.body, await expected());
  });

  it("is only the project for a deployment, which may run in several environments", async () => {
    const begun = await instance.admin.post("/v1/deployments", {
      repoUrl: DEMO_REPOSITORY,
      filter: { projectId },
    });
    const { body } = await instance.admin.get(`/v1/deployments/${begun.body.id}/place`);
    assert.deepEqual(body, { project: (await expected()).project, environment: null, service: null });
  });

  it("is not shown to others, nor for unknown ids", async () => {
    assertRefused(await instance.other.get(`/v1/services/${serviceId}/place`), 404, "NOT_FOUND");
    const unknown = "/v1/domain-certificate-groups/group_01h455vb4pex5vsknk084sn02q/place";
    assertRefused(await instance.admin.get(unknown), 404, "NOT_FOUND");
  });
});
