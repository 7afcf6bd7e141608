/** D3: a domain is found by its name, over the whole organization. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { createProject, type Project } from "../helpers/customers/scenario.ts";

describe("GET /v1/domains", () => {
  let instance: Instance;
  let one: Project;
  let two: Project;
  const NAMES = [
    "www.d3.example.com",
    "*.d3.example.com",
    "d3.example.com",
    "a.b.d3.example.com",
    "notd3.example.com",
  ];
  before(async () => {
    instance = await startInstance({ withOtherOrganization: true });
    one = await createProject(instance.admin, "one");
    two = await createProject(instance.admin, "two");
    const create = async (project: Project, domains: readonly string[]): Promise<void> => {
      const groups = `/v1/services/${project.services["web"]}/domain-certificate-groups`;
      assert.equal((await instance.admin.post(groups, { domains })).status, 201);
    };
    await create(one, NAMES);
    await create(two, ["www.d3.example.org"]);
  });
  after(() => instance.dispose());

  const find = async (query: Record<string, string>): Promise<readonly string[]> => {
    const { status, body, text } = await instance.admin.get(
      `/v1/domains?${new URLSearchParams(query).toString()}`,
    );
    assert.equal(status, 200, text);
    return body.domains.map(({ name }: { name: string }) => name);
  };
  const sorted = async (query: Record<string, string>) => (await find(query)).toSorted();

  it("D3: finds a name, and all names below one", async () => {
    assert.deepEqual(await find({ name: "WWW.d3.example.com." }), ["www.d3.example.com"]);
    assert.deepEqual(await find({ name: "d3.example.com" }), ["d3.example.com"]);
    const below = ["*.d3.example.com", "a.b.d3.example.com", "www.d3.example.com"];
    assert.deepEqual(await sorted({ name: "*.d3.example.com" }), below);
    assert.deepEqual(await find({ name: "3.example.com" }), []);
    assert.deepEqual(await find({ name: "nothing.example.com" }), []);
    const refused = await instance.admin.get("/v1/domains?name=a%20b");
    assert.deepEqual(assertRefused(refused, 400, "INVALID_REQUEST"), ["query/name NOT_A_DOMAIN"]);
  });

  it("D3: also filters by service, project and status, combined", async () => {
    assert.deepEqual(await sorted({ projectId: one.projectId }), NAMES.toSorted());
    assert.deepEqual(await find({ serviceId: two.services["web"] ?? "" }), ["www.d3.example.org"]);
    assert.deepEqual(await find({ name: "*.example.org", projectId: one.projectId }), []);
    assert.deepEqual(await find({ name: "*.example.org", projectId: two.projectId }), ["www.d3.example.org"]);
    assert.deepEqual(await find({ status: "DETACHING" }), []);
    assert.deepEqual(await find({ status: "ERROR_DETACHING", name: "*.example.com" }), []);
  });

  it("D3: comes in pages, and shows another organization nothing", async () => {
    const seen: string[] = [];
    for (let cursor: string | null = null; ;) {
      const next: string = cursor === null ? "" : `&cursor=${cursor}`;
      const { body } = await instance.admin.get(`/v1/domains?name=*.example.com&limit=2${next}`);
      seen.push(...body.domains.map(({ name }: { name: string }) => name));
      cursor = body.nextCursor;
      if (cursor === null) break;
    }
    assert.deepEqual(seen, await find({ name: "*.example.com" }));
    assert.equal(seen.length, NAMES.length);
    assert.deepEqual((await instance.other.get("/v1/domains?name=*.example.com")).body.domains, []);
  });
});
