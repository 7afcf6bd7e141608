/**
 * Holds every registered route to the three rules of access: a key is needed, the role must suffice, and
 * what another organization has, or what was deleted, is answered exactly as what never existed. Routes, and the
 * texts of their paths, queries and bodies, come from `/openapi.json`: a route without a case fails, and so does
 * a text if no list says whether it leads to a resource.
 */
import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { type Role, ROLES, type Scope, SCOPES } from "../../src/lib/actor.ts";
import {
  CASES,
  FREE_TEXTS,
  OPEN_ROUTES,
  OPERATOR_ROUTES,
  REFERENCES,
  REMEMBERED,
  type Resources,
} from "./authorization-cases.ts";
import { missing, seedClosed, seedDeleted, seedResources, untilDeployed } from "./authorization-seed.ts";
import { type ApiAnswer, type ApiClient, createApiClient } from "../helpers/api-client.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { type Operation, type Place, readOperations } from "../helpers/document/operations.ts";
import { assertRefused } from "../helpers/problems.ts";
import { rawRequest, sendRaw } from "../helpers/raw-http.ts";
import { createKeyClient, createScratchUser, createUserClient } from "../helpers/users.ts";
import { createProject } from "../helpers/customers/scenario.ts";

/** A text in a request that replaces one of its own organization's resources. */
type Tried = { readonly place: Place; readonly text: string };

/** Resources that belong to a project. */
const OF_PROJECTS = ["projectId", "environmentId", "serviceId", "deploymentId", "domainGroupId", "domainId"];

/** Files with routes that `/openapi.json` does not show, and why they need no case. */
const HIDDEN_ROUTES: Readonly<Record<string, string>> = {
  "src/features/cloud-accounts/routes.ts":
    "The stack's report: no key, not trusted, the same answer for all.",
  "src/features/sign-in/routes.ts":
    "The way to an identity provider and back: no key (`test/api/oidc.test.ts`).",
  "src/features/configuration/routes.ts": "The schema of the configuration.",
  "src/features/branding/logo-routes.ts":
    "A logo of share links, whose address has its hash (`test/api/branding.test.ts`).",
  "src/features/share-links/page-routes.ts":
    "The page of a share link, whose address is its key (`test/api/share-links.test.ts`).",
  "src/cloud/aws/stack/template.ts": "The connection's template, the same for all.",
  "src/http/console-routes.ts": "The console's files.",
  "src/http/openapi/docs-routes.ts": "The reference.",
  "src/http/problems/error-pages.ts": "The pages of the error codes.",
  "src/http/edge-routes.ts":
    "For edges on other machines, with a secret of their own (`edge-routes.test.ts`).",
  "src/http/sandbox-routes.ts": "The customer's cloud, for admins (`sandbox-routes.test.ts`).",
  "src/http/system-routes.ts": "The document itself.",
};

const ROOT = path.join(import.meta.dirname, "../..");

const STRANGERS_KEY = "a-key-that-nobody-has-0123456789";

describe("authorization", () => {
  let instance: Instance;
  let operations: readonly Operation[];
  let own: Resources;
  let deleted: Resources;
  /** Of a project of the same organization that its members see, with a protected environment. */
  let closed: Resources;
  let foreign: Resources;
  /** Of the admin, with a key of one scope; of the project of `own`; of another project of the organization. */
  let scoped: Readonly<Record<Scope, ApiClient>>;
  let ofProject: ApiClient;
  let ofOther: ApiClient;
  /** Of the closed project: a viewer who is a developer of the organization, and a developer who is a viewer of it. */
  let members: { readonly viewer: ApiClient; readonly developer: ApiClient };
  let clients: Readonly<Record<Role, ApiClient>>;

  before(async () => {
    instance = await startInstance({ withOtherOrganization: true });
    operations = await readOperations(instance.url);
    [own, closed, foreign] = await Promise.all([
      seedResources(instance.admin, "own"),
      seedClosed(instance.admin),
      seedResources(instance.other, "foreign"),
    ]);
    await Promise.all([untilDeployed(instance.admin, own), untilDeployed(instance.other, foreign)]);
    deleted = await seedDeleted(instance.admin, own);
    const { projectId: elsewhere } = await createProject(instance.admin, "elsewhere");
    ofProject = await createKeyClient(instance.admin, { projectIds: [valueOf(own, "projectId")] });
    ofOther = await createKeyClient(instance.admin, { projectIds: [elsewhere] });
    scoped = Object.fromEntries(
      await Promise.all(
        SCOPES.map(
          async (scope) => [scope, await createKeyClient(instance.admin, { scopes: [scope] })] as const,
        ),
      ),
    ) as Record<Scope, ApiClient>;
    const memberOf = async (role: Role, inProject: Role): Promise<ApiClient> => {
      const { client, userId } = await createScratchUser(instance.admin, role);
      const address = `/v1/projects/${valueOf(closed, "projectId")}/members/${userId}`;
      assert.equal((await instance.admin.put(address, { role: inProject })).status, 200);
      return client;
    };
    members = {
      viewer: await memberOf("developer", "viewer"),
      developer: await memberOf("viewer", "developer"),
    };
    clients = {
      viewer: await createUserClient(instance.admin, "viewer"),
      developer: await createUserClient(instance.admin, "developer"),
      admin: instance.admin,
    };
  });
  after(() => instance.dispose());

  it("has a case for every registered route, and none for another", () => {
    const named = (needsKey: boolean) =>
      operations.filter((operation) => operation.needsKey === needsKey).map(({ route }) => route);
    assert.deepEqual(Object.keys(CASES).toSorted(), named(true).toSorted());
    assert.deepEqual(named(false).toSorted(), OPEN_ROUTES);
  });

  it("only skips routes that are left out of the document for a reason", async () => {
    const hiding: string[] = [];
    for await (const file of glob("src/**/*.ts", { cwd: ROOT }))
      if (/\bhide: true\b/.test(await readFile(path.join(ROOT, file), "utf8"))) hiding.push(file);
    assert.deepEqual(hiding.toSorted(), Object.keys(HIDDEN_ROUTES).toSorted());
  });

  it("knows for every text in a request whether it leads to a resource", () => {
    const guarded = operations.filter(({ needsKey }) => needsKey);
    const known = [...Object.keys(REFERENCES), ...FREE_TEXTS];
    const documented = new Set(guarded.flatMap(({ texts }) => texts.map(keyOf)));
    assert.deepEqual(known.toSorted(), [...documented].toSorted());
  });

  for (const [route, { role, scope, reach = "project", isPersonal = false }] of Object.entries(CASES)) {
    const isRead = route.startsWith("GET ");

    it(`${route} needs the scope ${scope}, whatever the role`, async () => {
      for (const one of SCOPES) {
        // The body is broken, so that nothing is done where the key is let in.
        const answer = await ask(scoped[one], route, missing(own), null, isRead ? undefined : "{");
        if (one === scope || scope === "read") assert.notEqual(answer.status, 403, one);
        else assertRefused(answer, 403, "SCOPE_MISSING");
      }
    });

    it(`${route} is refused to a key of another project`, async () => {
      const answer = await ask(ofOther, route, own);
      if (reach === "organization") {
        if (isRead && role === "viewer") assert.equal(answer.status, 200);
        else assertRefused(answer, 403, "KEY_OF_PROJECTS");
      } else if (reach === "projects" && isRead) {
        assertShowsNothingOfProject(answer, own);
      } else {
        assertRefused(answer, 404, "NOT_FOUND");
        assert.equal(answer.body.detail, (await ask(ofOther, route, missing(own))).body.detail);
      }
    });

    it(`${route} is refused in a project that the caller is not a member of`, async () => {
      if (reach === "organization") return;
      const answer = await ask(clients.developer, route, closed);
      if (role === "admin") assertRefused(answer, 403, "ROLE_TOO_LOW");
      else if (reach === "projects" && isRead) {
        assertShowsNothingOfProject(answer, closed);
      } else {
        assertRefused(answer, 404, "NOT_FOUND");
        const never = await ask(clients.developer, route, missing(closed));
        assert.equal(answer.body.detail, never.body.detail);
      }
    });

    it(`${route} takes the role in the project, and in its protected environment`, async () => {
      if (reach === "organization") return;
      const asViewer = await ask(members.viewer, route, closed);
      if (role === "viewer") assert.equal(asViewer.status, 200, JSON.stringify(asViewer.body));
      else assertRefused(asViewer, 403, "ROLE_TOO_LOW");
      const asDeveloper = await ask(members.developer, route, closed);
      if (role === "admin") assertRefused(asDeveloper, 403, "ROLE_TOO_LOW");
      else if (isRead) assert.equal(asDeveloper.status, 200, JSON.stringify(asDeveloper.body));
      else assertRefused(asDeveloper, 403, "ENVIRONMENT_PROTECTED");
    });

    if (isRead && reach !== "organization") {
      it(`${route} is open to a key of the project`, async () => {
        const answer = await ask(ofProject, route, own);
        assert.equal(answer.status, 200, JSON.stringify(answer.body));
      });
    }

    it(`${route} needs a key, and shows nothing of its form without`, async () => {
      const stranger = createApiClient(instance.url, STRANGERS_KEY);
      assertRefused(await ask(stranger, route, own), 401, "UNAUTHENTICATED");
      assertRefused(await ask(stranger, route, own, null, "{"), 401, "UNAUTHENTICATED");
    });

    for (const low of ROLES.slice(0, ROLES.indexOf(role))) {
      it(`${route} is refused to a ${low}`, async () => {
        assertRefused(await ask(clients[low], route, own), 403, "ROLE_TOO_LOW");
      });
    }

    if (isRead || !route.includes("{")) {
      it(`${route} is open to a role of ${role}, and shows nothing of another organization`, async () => {
        if (isPersonal) assertRefused(await ask(clients[role], route, own), 404, "NOT_FOUND");
        const answer = await ask(isPersonal ? clients.admin : clients[role], route, own);
        assert.ok(answer.status === 200 || answer.status === 201, JSON.stringify(answer.body));
        assertNothingOf(foreign, answer);
      });
    }

    it(`${route} answers ids of another organization, and deleted ones, like ids that never were, to every role`, async () => {
      for (const { place, resource } of referencesOf(route)) {
        for (const asker of ROLES) {
          const isAllowed = ROLES.indexOf(asker) >= ROLES.indexOf(role);
          const answerTo = async (resources: Resources) => {
            const text = valueOf(resources, resource);
            const answer = await ask(clients[asker], route, own, { place, text });
            return { answer, bytes: bytesOf(answer, text) };
          };
          const never = await answerTo(missing(foreign));
          if (isAllowed) assertNotThere(place, never.answer);
          else assertRefused(never.answer, 403, "ROLE_TOO_LOW");
          const where = `${keyOf(place)} of ${resource}, asked by ${asker}`;
          assert.deepEqual((await answerTo(foreign)).bytes, never.bytes, where);
          if (isAllowed && REMEMBERED.includes(route)) continue;
          assert.deepEqual((await answerTo(deleted)).bytes, never.bytes, where);
        }
      }
    });

    it(`${route} refuses ids of no form, or answers them like ids that never were`, async () => {
      for (const { place } of referencesOf(route)) {
        for (const text of malformed(own)) {
          for (const asker of ROLES) {
            const answer = await ask(clients[asker], route, own, { place, text });
            if (ROLES.indexOf(asker) < ROLES.indexOf(role)) assertRefused(answer, 403, "ROLE_TOO_LOW");
            else if (answer.status !== 400) assertNotThere(place, answer);
          }
        }
      }
    });
  }

  /** Where a route's request holds texts that lead to resources, with the resources that are tried there. */
  function referencesOf(route: string): readonly { place: Place; resource: string }[] {
    const { texts = [] } = operations.find((operation) => operation.route === route) ?? {};
    return texts.flatMap((place) =>
      (REFERENCES[keyOf(place)] ?? []).map((resource) => ({ place, resource })),
    );
  }

  it("a cursor of another organization's list reveals nothing", async () => {
    for (const { route, texts } of operations) {
      const place = texts.find(({ name }) => name === "cursor");
      if (place === undefined) continue;
      for (const id of [valueOf(foreign, "projectId"), valueOf(foreign, "name")]) {
        const text = Buffer.from(id).toString("base64url");
        const answer = await ask(instance.admin, route, own, { place, text });
        assert.ok(answer.status === 200 || answer.status === 400, JSON.stringify(answer.body));
        assertNothingOf(foreign, answer);
      }
    }
  });

  it("treats another organization's names as free", async () => {
    const { admin } = instance;
    const user = await admin.post("/v1/users", { email: foreign["email"], role: "viewer" });
    assert.equal(user.status, 201, JSON.stringify(user.body));
    const account = await admin.post("/v1/aws-accounts", { givenId: foreign["givenId"] });
    assert.equal(account.status, 201, JSON.stringify(account.body));
  });

  it("did not change what it was refused", async () => {
    for (const route of Object.keys(CASES).filter((name) => name.startsWith("GET "))) {
      for (const [client, resources] of [
        [instance.other, foreign],
        [instance.admin, own],
      ] as const) {
        const answer = await ask(client, route, resources);
        const isRefused = OPERATOR_ROUTES.includes(route) && client === instance.other;
        assert.equal(answer.status, isRefused ? 403 : 200, `${route}: ${JSON.stringify(answer.body)}`);
      }
    }
    const keys = await instance.other.get("/v1/api-keys");
    assert.ok(keys.body.apiKeys.some(({ id }: { id: string }) => id === foreign["apiKeyId"]));
    for (const path of ["/v1/environments/{environmentId}", "/v1/services/{serviceId}"]) {
      const { body } = await instance.other.get(fill(`${path}/env-variables`, foreign, null));
      assert.ok(body.envVariables.some(({ name }: { name: string }) => name === foreign["name"]));
    }
  });

  describe("of the sandbox's routes", () => {
    /** All but the console go through one guard, so the last one, which is not a route, stands for new ones. */
    const routes: readonly (readonly [method: string, path: string, body?: object])[] = [
      ["GET", "/sandbox/dns/records"],
      ["PUT", "/sandbox/dns/records", { name: "a.example.com", type: "TXT", values: ["a"] }],
      ["DELETE", "/sandbox/dns/records", { name: "a.example.com", type: "TXT" }],
      ["POST", "/sandbox/stacks", { ServiceId: "aws_nobody" }],
      ["DELETE", "/sandbox/stacks/aws_nobody"],
      ["PUT", "/sandbox/faults", { operation: "*", kind: "throttle" }],
      ["DELETE", "/sandbox/faults"],
      ["GET", "/sandbox/state"],
      ["PUT", "/sandbox/git/repositories/demo/pull-requests/1", { head: "a", base: "main", state: "open" }],
      ["GET", "/sandbox/whatever-comes-next"],
    ];
    for (const [method, path, body] of routes) {
      it(`${method} ${path} needs an admin's key`, async () => {
        const stranger = createApiClient(instance.url, STRANGERS_KEY);
        assertRefused(await send(stranger, method, path, body), 401, "UNAUTHENTICATED");
        for (const low of ["viewer", "developer"] as const)
          assertRefused(await send(clients[low], method, path, body), 403, "ROLE_TOO_LOW");
      });
    }

    it("none is reached through another spelling of its address", async () => {
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

/** The name under which the tables of `authorization-cases.ts` have a place. */
function keyOf({ in: where, name }: Place): string {
  return where === "query" ? `?${name}` : name;
}

/** Sends a route's request as its case says, with another text in one place, or with another body altogether. */
async function ask(
  client: ApiClient,
  route: string,
  ids: Resources,
  tried: Tried | null = null,
  otherBody?: string,
): Promise<ApiAnswer> {
  const { body, query } = CASES[route] ?? {};
  const [method = "", template = ""] = route.split(" ");
  const search = new URLSearchParams(query?.(ids));
  if (tried?.place.in === "query") search.set(tried.place.name, tried.text);
  const path = fill(template, ids, tried) + (search.size === 0 ? "" : `?${search.toString()}`);
  const sent = body?.(ids);
  if (tried?.place.in === "body") replaceIn(sent, tried.place.name.split("/").slice(1), tried.text);
  return await send(client, method, path, otherBody ?? sent);
}

function fill(path: string, ids: Resources, tried: Tried | null): string {
  return path.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
    tried?.place.in === "path" && tried.place.name === name
      ? encodeURIComponent(tried.text)
      : valueOf(ids, name),
  );
}

/** Puts a text where a pointer leads; fails where the body has nothing there. */
function replaceIn(body: unknown, [name = "", ...rest]: readonly string[], text: string): void {
  assert.ok(
    typeof body === "object" && body !== null,
    "the case's body lacks a text that leads to a resource",
  );
  const members = body as Record<string, unknown>;
  const key = name === "*" ? (Object.keys(members)[0] ?? "") : name;
  if (rest.length > 0) return replaceIn(members[key], rest, text);
  assert.equal(typeof members[key], "string", `the case's body lacks ${key}, which leads to a resource`);
  members[key] = text;
}

function valueOf(resources: Resources, name: string): string {
  const text = resources[name];
  assert.ok(text, `nothing is seeded for ${name}`);
  return text;
}

/** Texts of no resource's form, and one of another kind's. */
function malformed({ domainId, userId }: Resources): readonly string[] {
  // Search finds parts of names: no name contains the first text.
  return ["qz", "svc_", `${domainId}'--`, `${userId?.toUpperCase()}`, "%00 ../..", "\u00e9".repeat(200)];
}

/** The position in the feed of events, which advances meanwhile; it says nothing of a resource. */
const POSITION = ["nextCursor", "hasMore"];

/** A request for a resource that is not there is refused; a filter of a list finds nothing. */
function assertNotThere(place: Place, answer: ApiAnswer): void {
  const said = `${keyOf(place)}: ${answer.status} ${JSON.stringify(answer.body)}`;
  if (place.in === "query" && answer.status === 200) {
    assert.ok(
      Object.entries(answer.body).every(
        ([name, value]) => value === null || isEmpty(value) || POSITION.includes(name),
      ),
      said,
    );
  } else if (place.in !== "path" && answer.status === 400) {
    assert.equal(answer.body.code, "INVALID_REQUEST", said);
  } else {
    assertRefused(answer, 404, "NOT_FOUND");
  }
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function assertNothingOf(resources: Resources, answer: ApiAnswer): void {
  const text = JSON.stringify(answer.body);
  for (const id of Object.values(resources)) assert.ok(!text.includes(id), id);
}

/** A read of several projects leaves this one out; or finds nothing, if it names it. */
function assertShowsNothingOfProject(answer: ApiAnswer, resources: Resources): void {
  if (answer.status === 404) return void assertRefused(answer, 404, "NOT_FOUND");
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  assertNothingOf(Object.fromEntries(OF_PROJECTS.map((name) => [name, valueOf(resources, name)])), answer);
}

/** All that a client sees of an answer but what is each request's own, and the text that was asked for. */
function bytesOf({ status, headers, text }: ApiAnswer, asked: string): unknown {
  const isFeed = text.includes('"hasMore":');
  const own = new Set(["date", "x-request-id", "content-length", "ratelimit", ...(isFeed ? ["etag"] : [])]);
  return {
    status,
    headers: [...headers].map(([name, value]) => (own.has(name) ? name : `${name}: ${value}`)),
    text: text
      .replace(/"requestId":"[^"]*"/, "")
      .replace(isFeed ? /"nextCursor":"\d+"/ : "", "")
      .replaceAll(JSON.stringify(asked).slice(1, -1), "<asked>")
      .replaceAll(encodeURIComponent(asked), "<asked>"),
  };
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
