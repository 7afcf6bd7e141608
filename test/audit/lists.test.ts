/** A6 and A7: cursors belong to their list, and every list has one order. Lists come from `/openapi.json`. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { RECEIVER_URL, type Resources } from "../guards/authorization-cases.ts";
import { seedResources } from "../guards/authorization-seed.ts";
import { createRepository } from "../../sandbox/src/git/git-repositories.ts";
import { setFault } from "../helpers/customers/sandbox-account.ts";
import { createGroup, untilDomain } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { readOperations } from "../helpers/document/operations.ts";
import { assertRefused } from "../helpers/problems.ts";
import { until } from "../helpers/until.ts";

/** Of how many other lists each list gets the cursors: with `SLIPWAY_TEST_FULL=1`, of all. */
const OTHERS = process.env["SLIPWAY_TEST_FULL"] === "1" ? Infinity : 6;

type Row = Readonly<Record<string, unknown>>;

describe("every list", () => {
  let instance: Instance;
  let own: Resources;
  let workerId = "";
  let storeId = "";
  let lists: readonly string[];
  before(async () => {
    instance = await startInstance({ withOtherOrganization: true });
    const { admin, other } = instance;
    own = await seedResources(admin, "own");
    await fill(own);
    workerId = (await admin.get(`/v1/executions/${own["executionId"]}`)).body.serviceId;
    const run = await admin.post(`/v1/services/${workerId}/runs`, { command: "true" });
    assert.equal(run.status, 201, run.text);
    storeId = (await admin.get(`/v1/snapshots/${own["snapshotId"]}`)).body.serviceId;
    const snapshot = await admin.post(`/v1/services/${storeId}/snapshots`);
    assert.equal(snapshot.status, 202, snapshot.text);
    // A log is in the order of its lines, and events in that of their numbers.
    lists = (await readOperations(instance.url))
      .filter(({ route, isList }) => isList && !/\/(?:logs|events)$/.test(route))
      .map(({ route }) => pathOf(route));
    assert.ok(lists.length >= 14, lists.join(", "));
    for (let number = 0; number < 3; number += 1)
      await other.post("/v1/api-keys", { name: `foreign-${number}` });
  });
  after(() => instance.dispose());

  it("A7: is in the order of creation, and with order=desc in the reverse order", async () => {
    for (const list of lists) {
      const oldest = await readAll(list, "limit=100");
      const newest = await readAll(list, "limit=100&order=desc");
      assert.ok(oldest.length > 1, `${list} has too few rows to be in an order`);
      assert.deepEqual(newest.map(keyOf), oldest.map(keyOf).toReversed(), list);
      const paged = await readAll(list, "limit=1&order=asc");
      assert.deepEqual(paged.map(keyOf), oldest.map(keyOf), `${list}, page by page`);
      const pagedBack = await readAll(list, "limit=1&order=desc");
      assert.deepEqual(pagedBack.map(keyOf), newest.map(keyOf), `${list}, page by page, newest first`);
      const times = oldest.flatMap((row) => row["createdAt"] ?? row["at"] ?? []).map(String);
      assert.deepEqual(times, times.toSorted(), list);
    }
  });

  it("A7: refuses an unknown order", async () => {
    for (const list of lists) {
      const answer = await instance.admin.get(`${list}?order=newest`);
      assert.deepEqual(assertRefused(answer, 400, "INVALID_REQUEST"), ["query/order NOT_ALLOWED"], list);
    }
  });

  it("A7: misses no cloud account that is connected while the list is read", async () => {
    const { admin } = instance;
    const seen: string[] = [];
    let cursor: string | null = null;
    const made: string[] = [];
    do {
      const { body } = await admin.get(
        `/v1/aws-accounts?limit=1${cursor === null ? "" : `&cursor=${cursor}`}`,
      );
      seen.push(...body.awsAccounts.map(({ id }: { id: string }) => id));
      cursor = body.nextCursor;
      if (made.length === 8) continue;
      // Ids are random: of eight, one at least sorts before what was read already, if lists were in their order.
      const { body: late } = await admin.post("/v1/aws-accounts", { givenId: `late-${made.length}` });
      made.push(late.id);
    } while (cursor !== null);
    assert.equal(made.length, 8);
    assert.deepEqual(seen.slice(-8), made);
  });

  it("A6: refuses the cursor of another list, of another order, of other filters and of another organization", async () => {
    const cursors = new Map<string, string>();
    for (const list of lists) cursors.set(list, await cursorOf(list, ""));
    for (const [at, list] of lists.entries()) {
      for (const of of [...lists.slice(at), ...lists.slice(0, at)].slice(0, 1 + OTHERS)) {
        const answer = await instance.admin.get(`${list}?cursor=${cursors.get(of)}`);
        if (of === list) assert.equal(answer.status, 200, `${list}: ${answer.text}`);
        else assertInvalidCursor(answer, `${list} with the cursor of ${of}`);
      }
      const cursor = cursors.get(list) ?? "";
      assertInvalidCursor(await instance.admin.get(`${list}?order=desc&cursor=${cursor}`), list);
      assert.equal(
        (await instance.admin.get(`${list}?limit=7&order=asc&cursor=${cursor}`)).status,
        200,
        list,
      );
    }
    for (const [list, filter] of [
      ["/v1/deployments", "branch=main"],
      ["/v1/deployments", `projectId=${own["projectId"]}`],
      ["/v1/audit-entries", `resourceId=${own["projectId"]}`],
      ["/v1/audit-entries", "action=user.created"],
      ["/v1/audit-entries", "from=2026-01-01T00:00:00Z"],
      ["/v1/domains", "namePrefix=www."],
    ] as const) {
      assertInvalidCursor(await instance.admin.get(`${list}?${filter}&cursor=${cursors.get(list)}`), filter);
      const filtered = (await instance.admin.get(`${list}?${filter}&limit=1`)).body.nextCursor;
      if (filtered !== null)
        assertInvalidCursor(await instance.admin.get(`${list}?cursor=${filtered}`), filter);
    }
    const { body } = await instance.other.get("/v1/api-keys?limit=1");
    assertInvalidCursor(await instance.admin.get(`/v1/api-keys?cursor=${body.nextCursor}`), "foreign");
    const elsewhere = `/v1/environments/${own["environmentId"]}/env-variables`;
    const ofService = await cursorOf(`/v1/services/${own["serviceId"]}/env-variables`, "");
    assertInvalidCursor(await instance.admin.get(`${elsewhere}?cursor=${ofService}`), elsewhere);
  });

  it("A6: refuses a forged or changed cursor", async () => {
    for (const list of lists) {
      const cursor = await cursorOf(list, "");
      const id = Buffer.from(own["projectId"] ?? "").toString("base64url");
      const changed = cursor.slice(0, -1) + (cursor.endsWith("A") ? "B" : "A");
      for (const forged of [
        id,
        changed,
        cursor.slice(1),
        `${cursor}A`,
        `${cursor}=`,
        "x",
        "%21%21",
        "A".repeat(60),
      ])
        assertInvalidCursor(await instance.admin.get(`${list}?cursor=${forged}`), `${list}: ${forged}`);
    }
  });

  it("A6: refuses cursors and last event ids of another deployment's log", async () => {
    const { admin } = instance;
    const { body: again } = await admin.post("/v1/deployments", {
      repoUrl: "https://git.sandbox.test/demo.git",
      filter: { projectId: own["projectId"] },
    });
    const [first, second] = [own["deploymentId"], again.id].map((id) => `/v1/deployments/${id}/logs`);
    const { body } = await admin.get(first ?? "");
    assert.equal((await admin.get(`${first}?cursor=${body.nextCursor}`)).status, 200);
    assertInvalidCursor(await admin.get(`${second}?cursor=${body.nextCursor}`), "logs");
    const stream = { accept: "text/event-stream", "last-event-id": String(body.nextCursor) };
    const refused = assertRefused(await admin.get(second ?? "", stream), 400, "INVALID_CURSOR");
    assert.deepEqual(refused, ["headers/last-event-id INVALID"]);
  });

  it("A6: accepts its cursors after a restart", async () => {
    const list = "/v1/api-keys";
    const cursor = await cursorOf(list, "");
    const rest = await instance.admin.get(`${list}?cursor=${cursor}`);
    instance = await instance.restart();
    assert.deepEqual((await instance.admin.get(`${list}?cursor=${cursor}`)).body, rest.body);
  });

  function pathOf(route: string): string {
    // Commands run in a worker.
    if (route.endsWith("/executions")) return `/v1/services/${workerId}/executions`;
    if (/services.*snapshots$/.test(route)) return `/v1/services/${storeId}/snapshots`;
    return route.replace("GET ", "").replaceAll(/\{(\w+)\}/g, (_all, name: string) => own[name] ?? "");
  }

  async function cursorOf(list: string, filter: string): Promise<string> {
    const { body } = await instance.admin.get(`${list}?limit=1${filter}`);
    assert.equal(typeof body.nextCursor, "string", `${list} has one row only`);
    return body.nextCursor;
  }

  async function readAll(list: string, query: string): Promise<readonly Row[]> {
    const rows: Row[] = [];
    for (let cursor: string | null = null; ;) {
      const next: string = cursor === null ? "" : `&cursor=${cursor}`;
      const { status, body, text } = await instance.admin.get(`${list}?${query}${next}`);
      assert.equal(status, 200, `${list}: ${text}`);
      rows.push(...(Object.values(body).find(Array.isArray) as Row[]));
      cursor = body.nextCursor;
      if (cursor === null) return rows;
    }
  }

  /** Two rows at least of whatever has a list. */
  /** Of a preview that is deleted while its account refuses removals: its parts are still there. */
  async function leaveOrphans(previewId: string): Promise<void> {
    const { admin } = instance;
    const preview = async () => (await admin.get(`/v1/previews/${previewId}`)).body;
    await until(async () => (await preview()).environmentId, "the preview has an environment");
    const { environmentId } = await preview();
    const services = `/v1/environments/${environmentId}/services`;
    await until(async () => (await admin.get(services)).body.services?.length > 0, "it has a service");
    await setFault(admin, "services.remove", "denied");
    await setFault(admin, "distributions.update", "denied");
    assert.equal((await admin.delete(`/v1/previews/${previewId}`)).status, 202);
    const orphans = async () => (await admin.get("/v1/previews/orphans")).body.orphans;
    await until(async () => (await orphans()).length > 1, "its parts are still there");
  }

  async function fill({
    projectId,
    serviceId,
    environmentId,
    domainGroupId,
    webhookEndpointId,
    serviceUserId,
    gitIntegrationId,
    name,
  }: Resources): Promise<void> {
    const post = async (path: string, body?: object): Promise<void> => {
      const answer = await instance.admin.post(path, body);
      assert.ok(answer.status < 300, `${path}: ${answer.text}`);
    };
    await post("/v1/git-integrations", { provider: "provider_b", token: "any" });
    const preview = await instance.admin.put(`/v1/projects/${projectId}/previews/second`, {});
    assert.equal(preview.status, 200, preview.text);
    await leaveOrphans(preview.body.id);
    await createRepository({
      folder: instance.sandbox.gitDir,
      name: "another",
      branch: "main",
      files: {},
      at: new Date(),
    });
    for (const word of ["a", "b", "c"]) {
      await post("/v1/sessions");
      await post("/v1/workload-trusts", {
        name: word,
        userId: serviceUserId,
        issuer: "https://issuer.example",
        audience: "slipway",
        conditions: { sub: word },
        scopes: ["deploy"],
      });
      await post("/v1/users", { email: `${word}@example.com`, role: "viewer" });
      await post("/v1/aws-accounts", { givenId: `more-${word}` });
      await post("/v1/deployments", { repoUrl: "https://git.sandbox.test/demo.git", filter: { projectId } });
      for (const scope of [`/v1/services/${serviceId}`, `/v1/environments/${environmentId}`])
        await post(`${scope}/env-variables`, {
          plainText: { [word.toUpperCase()]: word, [name ?? ""]: word },
        });
    }
    await post(`/v1/domain-certificate-groups/${domainGroupId}/domains`, { domains: ["a.own.example.com"] });
    await post(`/v1/services/${serviceId}/domain-certificate-groups`, {
      domains: ["b.own.example.com"],
      useDefaultCdn: false,
    });
    for (const expiresInDays of [1, 2])
      await post(`/v1/domain-certificate-groups/${domainGroupId}/share-links`, { expiresInDays });
    const endpoint = { url: RECEIVER_URL, types: ["api_key.*"] };
    await post("/v1/webhook-endpoints", endpoint);
    await post("/v1/notification-channels", { kind: "slack", name: "second", ...endpoint });
    await post(`/v1/webhook-endpoints/${webhookEndpointId}/ping`, {});
    const { body: hook } = await instance.admin.post(`/v1/git-integrations/${gitIntegrationId}/hook-secret`);
    for (const id of ["one", "two", "three"]) await deliverPing(hook, id);
    const { body: account } = await instance.admin.get("/v1/aws-accounts/account-own");
    const environment = (id: string) => ({
      id,
      name: id,
      region: "us-west-2",
      source: { branch: "main", trigger: "manual" },
      services: [{ id: "web", name: "Web", type: "static", outputDirectory: "public" }],
    });
    await post("/v1/projects", {
      name: "second",
      repoUrl: "https://git.sandbox.test/demo.git",
      awsAccountId: account.id,
      codeSource: { provider: "provider_a" },
      configType: "gui",
      config: { environments: [environment("one"), environment("two")] },
    });
    const { body } = await instance.admin.get("/v1/projects");
    own = { ...own, projectId: body.projects.at(-1).id };
    const [first] = (await instance.admin.get(`/v1/projects/${own["projectId"]}/environments`)).body
      .environments;
    const { services } = (await instance.admin.get(`/v1/environments/${first.id}/services`)).body;
    const names = ["a.records.example.com", "b.records.example.com"];
    const { createdDomains } = await createGroup(instance.admin, services[0].id, names, true);
    // Only then it has a record.
    for (const { id } of createdDomains)
      await untilDomain(instance.admin, id, "AWAITING_VERIFICATION_RECORDS_TO_BE_SET");
    const users = await readAll("/v1/users", "limit=3");
    for (const { id } of users.slice(0, 3)) {
      const member = `/v1/projects/${own["projectId"]}/members/${String(id)}`;
      assert.equal((await instance.admin.put(member, { role: "developer" })).status, 200, member);
    }
  }
});

/** Sends the ping that GitHub sends when a user adds the hook. */
async function deliverPing(
  hook: { readonly url: string; readonly secret: string },
  id: string,
): Promise<void> {
  const body = JSON.stringify({ repository: { clone_url: "https://git.sandbox.test/demo.git" } });
  const signature = createHmac("sha256", hook.secret).update(body).digest("hex");
  const { status } = await fetch(hook.url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-github-event": "ping",
      "x-github-delivery": id,
      "x-hub-signature-256": `sha256=${signature}`,
    },
    body,
  });
  assert.equal(status, 200);
}

/** What a row is known by: the rest may change while it is read. */
function keyOf({ id, userId, name, source, version }: Row): string {
  return JSON.stringify([id, userId, name, source, version]);
}

function assertInvalidCursor(answer: Parameters<typeof assertRefused>[0], where: string): void {
  assert.equal(answer.status, 400, `${where}: ${answer.text}`);
  assert.deepEqual(assertRefused(answer, 400, "INVALID_CURSOR"), ["query/cursor INVALID"], where);
}
