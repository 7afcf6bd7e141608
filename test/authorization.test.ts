/**
 * Holds every registered route to the three rules of access: a key is needed, the role must suffice, and
 * what another organization has is answered exactly as what does not exist. The routes come from
 * `/openapi.json`; one without a case fails the first test.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ROLES, type Role } from "../src/actor.ts";
import { CASES, OPEN_ROUTES, REPO_URL, type Resources } from "./authorization-cases.ts";
import { type ApiAnswer, type ApiClient, createApiClient } from "./helpers/api-client.ts";
import { type Instance, startInstance } from "./helpers/instance.ts";
import { assertRefused, assertSameNotFound } from "./helpers/problems.ts";
import { rawRequest, sendRaw } from "./helpers/raw-http.ts";
import { createProject } from "./helpers/scenario.ts";
import { createUserClient } from "./helpers/users.ts";

/** Other names by which a path takes a resource. */
const ALIASES: Readonly<Record<string, readonly string[]>> = { awsAccountId: ["givenId"] };

/** Where each seeded resource is read by its owner. */
const READ_BACK: readonly string[] = [
  "/v1/users/{userId}",
  "/v1/aws-accounts/{awsAccountId}",
  "/v1/git-integrations/{gitIntegrationId}",
  "/v1/projects/{projectId}",
  "/v1/environments/{environmentId}",
  "/v1/services/{serviceId}",
  "/v1/deployments/{deploymentId}",
  "/v1/domain-certificate-groups/{domainGroupId}",
  "/v1/domains/{domainId}",
];

describe("authorization", () => {
  let instance: Instance;
  let own: Resources;
  let foreign: Resources;
  let clients: Readonly<Record<Role, ApiClient>>;

  before(async () => {
    instance = await startInstance({ withOtherOrganization: true });
    [own, foreign] = await Promise.all([seed(instance.admin, "own"), seed(instance.other, "foreign")]);
    clients = {
      viewer: await createUserClient(instance.admin, "viewer"),
      developer: await createUserClient(instance.admin, "developer"),
      admin: instance.admin,
    };
  });
  after(() => instance.dispose());

  it("has a case for every registered route, and none for another", async () => {
    const { guarded, open } = await listRoutes(instance);
    assert.deepEqual(Object.keys(CASES).toSorted(), guarded);
    assert.deepEqual(open, OPEN_ROUTES);
  });

  for (const [route, { role, body, bodyWith = {}, query, queryWith = {} }] of Object.entries(CASES)) {
    const [method = "", path = ""] = route.split(" ");
    const params = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");
    const ask = (client: ApiClient, ids: Resources) =>
      send(client, method, fill(path, ids) + (query?.(ids) ?? ""), body?.(own));

    it(`${route} needs a key, and shows nothing of its form without`, async () => {
      const stranger = createApiClient(instance.url, "a-key-that-nobody-has-0123456789");
      assertRefused(await ask(stranger, own), 401, "UNAUTHENTICATED");
      assertRefused(await send(stranger, method, fill(path, own), "{"), 401, "UNAUTHENTICATED");
    });

    for (const low of ROLES.slice(0, ROLES.indexOf(role))) {
      it(`${route} is refused to a ${low}, whether the resource exists or not`, async () => {
        assertRefused(await ask(clients[low], own), 403, "ROLE_TOO_LOW");
        assertRefused(await ask(clients[low], missing(foreign)), 403, "ROLE_TOO_LOW");
      });
    }

    if (method === "GET" || params.length === 0) {
      it(`${route} is open to a role of ${role}, and shows nothing of another organization`, async () => {
        const answer = await ask(clients[role], own);
        assert.ok(answer.status === 200 || answer.status === 201, JSON.stringify(answer.body));
        const text = JSON.stringify(answer.body);
        for (const id of Object.values(foreign)) assert.ok(!text.includes(id), id);
      });
    }

    for (const param of params) {
      it(`${route} answers another organization's ${param} like a missing one`, async () => {
        for (const name of [param, ...(ALIASES[param] ?? [])]) {
          assertSameNotFound(
            await ask(clients[role], { ...own, [param]: valueOf(missing(foreign), name) }),
            await ask(clients[role], { ...own, [param]: valueOf(foreign, name) }),
          );
        }
      });
    }

    const both = async (name: string, request: (id: string) => Promise<ApiAnswer>) => {
      const [there, nowhere] = [valueOf(foreign, name), valueOf(missing(foreign), name)];
      assert.deepEqual(masked(await request(there), there), masked(await request(nowhere), nowhere));
    };
    for (const [name, bodyOf] of Object.entries(bodyWith)) {
      it(`${route} answers another organization's ${name} in the body like a missing one`, async () => {
        await both(name, async (id) => {
          const answer = await send(clients[role], method, fill(path, own), bodyOf(id, own));
          assert.ok(answer.status >= 400, JSON.stringify(answer.body));
          return answer;
        });
      });
    }
    for (const [name, queryOf] of Object.entries(queryWith)) {
      it(`${route} answers another organization's ${name} in the query like a missing one`, async () => {
        await both(name, (id) => send(clients[role], method, fill(path, own) + queryOf(id), undefined));
      });
    }
  }

  it("takes for free what another organization has", async () => {
    const { admin } = instance;
    const user = await admin.post("/v1/users", { email: foreign["email"], role: "viewer" });
    assert.equal(user.status, 201, JSON.stringify(user.body));
    const account = await admin.post("/v1/aws-accounts", { givenId: foreign["givenId"] });
    assert.equal(account.status, 201, JSON.stringify(account.body));
  });

  it("left the other organization's resources as they were", async () => {
    for (const path of READ_BACK) {
      const answer = await instance.other.get(fill(path, foreign));
      assert.equal(answer.status, 200, `${path}: ${JSON.stringify(answer.body)}`);
    }
    const keys = await instance.other.get("/v1/api-keys");
    assert.ok(keys.body.apiKeys.some(({ id }: { id: string }) => id === foreign["apiKeyId"]));
    for (const path of ["/v1/environments/{environmentId}", "/v1/services/{serviceId}"]) {
      const { body } = await instance.other.get(fill(`${path}/env-variables`, foreign));
      assert.ok(body.envVariables.some(({ name }: { name: string }) => name === foreign["name"]));
    }
  });

  describe("of the sandbox's routes", () => {
    /** All but the console go through one guard, so that the last, which nothing answers, stands for new ones. */
    const routes: readonly (readonly [method: string, path: string, body?: object])[] = [
      ["GET", "/sandbox/dns/records"],
      ["PUT", "/sandbox/dns/records", { name: "a.example.com", type: "TXT", values: ["a"] }],
      ["DELETE", "/sandbox/dns/records", { name: "a.example.com", type: "TXT" }],
      ["POST", "/sandbox/stacks", { ServiceId: "aws_nobody" }],
      ["DELETE", "/sandbox/stacks/aws_nobody"],
      ["PUT", "/sandbox/faults", { operation: "*", kind: "throttle" }],
      ["DELETE", "/sandbox/faults"],
      ["GET", "/sandbox/state"],
      ["GET", "/sandbox/whatever-comes-next"],
    ];
    for (const [method, path, body] of routes) {
      it(`${method} ${path} needs an admin's key`, async () => {
        const stranger = createApiClient(instance.url, "a-key-that-nobody-has-0123456789");
        assertRefused(await send(stranger, method, path, body), 401, "UNAUTHENTICATED");
        for (const low of ["viewer", "developer"] as const)
          assertRefused(await send(clients[low], method, path, body), 403, "ROLE_TOO_LOW");
      });
    }

    it("none is reached through an address that resolves to it", async () => {
      for (const path of [
        "/sandbox/console/../state",
        "/sandbox/console/%2e%2e/state",
        "/sandbox/console/.%2E/state",
        String.raw`/sandbox/console/..\state`,
        "/sandbox/console/../../cloud/certificates.list",
      ]) {
        const answer = await sendRaw(instance.url, rawRequest(`GET ${path}`, {}));
        assert.equal(answer.status, 404, `${path}: ${answer.text}`);
      }
    });

    it("the console, the template and the CA's certificate are open", async () => {
      for (const path of ["/sandbox/template.json", "/sandbox/ca.pem", "/sandbox/console/style.css"])
        assert.equal((await fetch(instance.url + path)).status, 200, path);
    });
  });
});

/** Documented operations as `METHOD path`, sorted: those that need a key, and those that need none. */
async function listRoutes(instance: Instance): Promise<{ guarded: string[]; open: string[] }> {
  const document = (await (await fetch(`${instance.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { security: unknown[] }>>;
  };
  const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security }]) => ({
      name: `${method.toUpperCase()} ${path}`,
      isOpen: security.length === 0,
    })),
  );
  const named = (isOpen: boolean) =>
    routes
      .filter((route) => route.isOpen === isOpen)
      .map(({ name }) => name)
      .toSorted();
  return { guarded: named(false), open: named(true) };
}

/** One of each resource; names hold `word`, so that no text of one organization is also the other's. */
async function seed(admin: ApiClient, word: string): Promise<Resources> {
  const post = async (path: string, body: object) => {
    const { status, body: answer } = await admin.post(path, body);
    assert.ok(status >= 200 && status < 300, `${path}: ${JSON.stringify(answer)}`);
    return answer;
  };
  const email = `${word}@example.com`;
  const { id: userId } = await post("/v1/users", { email, role: "viewer" });
  const { id: apiKeyId } = await post("/v1/api-keys", { name: word, userId });
  const { awsAccountId, projectId, environmentId, services } = await createProject(admin, word);
  const serviceId = services["web"] ?? "";
  const integrations = await admin.get("/v1/git-integrations");
  const deployment = await post("/v1/deployments", { repoUrl: REPO_URL, filter: { projectId } });
  const group = await post(`/v1/services/${serviceId}/domain-certificate-groups`, {
    domains: [`www.${word}.example.com`],
  });
  const [{ id: domainId }] = group.createdDomains;
  const name = `${word.toUpperCase()}_NAME`;
  const set = { plainText: { [name]: word }, parameterStore: { SECRET: word } };
  const { runId: runIdOfEnvironment } = await post(`/v1/environments/${environmentId}/env-variables`, set);
  const { runId: runIdOfService } = await post(`/v1/services/${serviceId}/env-variables`, set);
  return {
    email,
    userId,
    apiKeyId,
    awsAccountId,
    givenId: `account-${word}`,
    gitIntegrationId: integrations.body.gitIntegrations[0].id,
    projectId,
    environmentId,
    serviceId,
    deploymentId: deployment.id,
    domainGroupId: group.id,
    domainId,
    managedDomainId: domainId,
    name,
    runIdOfEnvironment,
    runIdOfService,
  };
}

/** The same texts, of the same form, for what nobody has. */
function missing(resources: Resources): Resources {
  return Object.fromEntries(
    Object.entries(resources).map(([name, text]) => [
      name,
      /_[0-9a-z]{26}$/.test(text) ? `${text.slice(0, -26)}01h455vb4pex5vsknk084sn02q` : `x${text.slice(1)}`,
    ]),
  );
}

function valueOf(resources: Resources, name: string): string {
  const text = resources[name];
  assert.ok(text, `nothing is seeded for ${name}`);
  return text;
}

function fill(path: string, ids: Resources): string {
  return path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => valueOf(ids, name));
}

/** All of an answer but what is each request's own, and the text that was asked for. */
function masked({ status, body }: ApiAnswer, asked: string): unknown {
  return { status, text: JSON.stringify({ ...body, requestId: null }).replaceAll(asked, "<asked>") };
}

async function send(
  client: ApiClient,
  method: string,
  path: string,
  body: object | string | undefined,
): Promise<ApiAnswer> {
  switch (method) {
    case "GET":
      return await client.get(path);
    case "POST":
      return await client.post(path, body);
    case "PUT":
      return await client.put(path, body);
    case "PATCH":
      return await client.patch(path, body);
    case "DELETE":
      return await client.delete(path, body);
    default:
      throw new Error(`No client sends ${method}.`);
  }
}
