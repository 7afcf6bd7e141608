import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { ApiClient } from "../helpers/api-client.ts";
import { createProject, DEMO_REPOSITORY, type Project } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { until } from "../helpers/until.ts";

type Hit = Readonly<Record<string, string | null>>;

describe("GET /v1/search", () => {
  let instance: Instance;
  let shop: Project;
  let groupId: string;
  let domainIds: Readonly<Record<string, string>>;
  let deploymentId: string;
  const NAMES = [
    "www.search.example.com",
    "a.b.search.example.com",
    "search.example.com",
    "search.example.net",
  ];
  before(async () => {
    instance = await startInstance({ withOtherOrganization: true });
    shop = await createNamed(instance.admin, "Shop Ünited");
    await createNamed(instance.other, "Shop of others");
    const groups = `/v1/services/${shop.services["web"]}/domain-certificate-groups`;
    const { status, body } = await instance.admin.post(groups, { domains: NAMES, name: "Names of Shop" });
    assert.equal(status, 201);
    groupId = body.id;
    domainIds = Object.fromEntries(
      body.createdDomains.map(({ name, id }: { name: string; id: string }) => [name, id]),
    );
    const deployed = await instance.admin.post("/v1/deployments", { repoUrl: DEMO_REPOSITORY });
    assert.equal(deployed.status, 201, deployed.text);
    deploymentId = deployed.body.id;
  });
  after(() => instance.dispose());

  const createNamed = async (client: ApiClient, name: string): Promise<Project> => {
    const project = await createProject(client, "shop");
    assert.equal((await client.patch(`/v1/projects/${project.projectId}`, { name })).status, 200);
    return project;
  };
  const ask = async (q: string, limit?: number) => {
    const query = new URLSearchParams({ q, ...(limit === undefined ? {} : { limit: `${limit}` }) });
    const { status, body, text } = await instance.admin.get(`/v1/search?${query.toString()}`);
    assert.equal(status, 200, text);
    return body as { hits: readonly Hit[]; more: readonly string[] };
  };
  const idsOf = async (q: string, type: string) =>
    (await ask(q)).hits.filter((hit) => hit["type"] === type).map(({ id }) => id);

  it("finds projects, environments, services, groups and accounts by the beginning of a name, in any case", async () => {
    assert.deepEqual(await idsOf("sHOP ü", "project"), [shop.projectId]);
    assert.deepEqual(await idsOf("prod", "environment"), [shop.environmentId]);
    assert.deepEqual(await idsOf("WEB", "service"), [shop.services["web"]]);
    assert.deepEqual(await idsOf("names of", "domain_group"), [groupId]);
    const account = await instance.admin.get(`/v1/aws-accounts/${shop.awsAccountId}`);
    assert.deepEqual(await idsOf(account.body.name, "aws_account"), [shop.awsAccountId]);
    assert.deepEqual(await idsOf(account.body.givenId, "aws_account"), [shop.awsAccountId]);
    await until(
      async () =>
        (await instance.admin.get(`/v1/aws-accounts/${shop.awsAccountId}`)).body.connectedAwsAccountId,
      "the account is connected",
    );
    const { body } = await instance.admin.get(`/v1/aws-accounts/${shop.awsAccountId}`);
    assert.deepEqual(await idsOf(body.connectedAwsAccountId, "aws_account"), [shop.awsAccountId]);
    assert.deepEqual((await ask("%")).hits, []);
  });

  it("finds by a part of a name, after the names that begin with it", async () => {
    assert.deepEqual(await idsOf("NITED", "project"), [shop.projectId]);
    assert.deepEqual(await idsOf("roducti", "environment"), [shop.environmentId]);
    assert.deepEqual(await idsOf("of shop", "domain_group"), [groupId]);
    const { hits } = await ask("search.e");
    const names = hits.flatMap((hit) => (hit["type"] === "domain" ? [hit["name"]] : []));
    assert.deepEqual(names.slice(0, 2), ["search.example.com", "search.example.net"]);
    assert.deepEqual(new Set(names.slice(2)), new Set(["a.b.search.example.com", "www.search.example.com"]));
    assert.deepEqual(await idsOf("ww.searc", "domain"), [domainIds["www.search.example.com"]]);
  });

  it("says where a hit belongs", async () => {
    const [hit] = (await ask("www.search")).hits;
    const { createdAt, status, ...facts } = hit ?? {};
    assert.deepEqual(facts, {
      type: "domain",
      id: domainIds["www.search.example.com"],
      name: "www.search.example.com",
      projectId: shop.projectId,
      projectName: "Shop Ünited",
      environmentId: shop.environmentId,
      environmentName: "Production",
      serviceId: shop.services["web"],
      serviceName: "Web",
      domainCertificateGroupId: groupId,
      branch: null,
      commit: null,
    });
    const { body } = await instance.admin.get(`/v1/domains/${hit?.["id"]}`);
    assert.deepEqual([createdAt, typeof status], [body.createdAt, "string"]);
  });

  it("finds domains by their beginning, by what they are below, and by an address", async () => {
    const names = async (q: string) => {
      const { hits } = await ask(q);
      return hits.flatMap((hit) => (hit["type"] === "domain" ? [hit["name"]] : []));
    };
    assert.deepEqual((await names("Search.Example")).slice(0, 2), [
      "search.example.com",
      "search.example.net",
    ]);
    const below = ["a.b.search.example.com", "www.search.example.com"];
    assert.deepEqual(await names("search.example.com"), ["search.example.com", ...below]);
    assert.deepEqual(await names("*.search.example.com"), below);
    assert.deepEqual(await names("https://WWW.search.example.com/cart?id=1"), ["www.search.example.com"]);
    assert.deepEqual(await names("com"), []);
  });

  it("finds deployments by their commit and by their message", async () => {
    const read = () => instance.admin.get(`/v1/deployments/${deploymentId}`);
    await until(async () => (await read()).body.commitMessage, "the commit is read");
    const { commitHash, commitMessage } = (await read()).body;
    const [firstLine = ""] = commitMessage.split("\n");
    assert.deepEqual(await idsOf(commitHash.slice(0, 5).toUpperCase(), "deployment"), [deploymentId]);
    assert.deepEqual(await idsOf(commitHash, "deployment"), [deploymentId]);
    assert.deepEqual(await idsOf(commitHash.slice(0, 3), "deployment"), []);
    const [hit] = (await ask(firstLine.slice(3).toUpperCase())).hits;
    assert.deepEqual(
      [hit?.["id"], hit?.["name"], hit?.["commit"]],
      [deploymentId, firstLine, commitHash.slice(0, 7)],
    );
  });

  it("finds each type by its id", async () => {
    const ids = [shop.projectId, shop.environmentId, shop.services["web"], groupId, deploymentId];
    for (const id of [...ids, shop.awsAccountId, domainIds["search.example.com"]])
      assert.deepEqual(
        (await ask(` ${id} `)).hits.map((hit) => hit["id"]),
        [id],
      );
  });

  it("cuts each type at the limit, and says so", async () => {
    const { hits, more } = await ask("search.example.com", 2);
    assert.deepEqual([hits.length, more], [2, ["domain"]]);
    assert.deepEqual((await ask("search.example.com", 3)).more, []);
    assertRefused(await instance.admin.get("/v1/search?q=a&limit=21"), 400, "INVALID_REQUEST");
    assertRefused(await instance.admin.get("/v1/search"), 400, "INVALID_REQUEST");
    assert.deepEqual(await ask("   "), { hits: [], more: [] });
  });

  it("finds nothing of another organization", async () => {
    const { hits } = (await instance.other.get("/v1/search?q=shop")).body;
    assert.deepEqual(
      hits.map((hit: Hit) => hit["name"]),
      ["Shop of others", "account-shop"],
    );
    for (const id of [shop.projectId, groupId, deploymentId])
      assert.deepEqual((await instance.other.get(`/v1/search?q=${id}`)).body, { hits: [], more: [] });
  });
});
