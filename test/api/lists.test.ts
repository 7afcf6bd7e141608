/** Filters of the lists for daily work, and the export of audit entries. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, describe, it } from "node:test";
import { instantTuning } from "../../sandbox/src/tuning.ts";
import {
  configOf,
  createIacProject,
  deploy,
  ended,
  listServices,
  push,
  withConfig,
} from "../helpers/customers/deployments.ts";
import { connectAccount, integrateGit } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { until } from "../helpers/until.ts";
import { createUserClient } from "../helpers/users.ts";

const SITE = { id: "site", type: "static", outputDirectory: "public" };
const FILES = { "public/index.html": "one" };

describe("lists", () => {
  let instance: Instance;
  before(async () => {
    instance = await startInstance({
      tuning: { platform: instantTuning.platform },
      withOtherOrganization: true,
    });
    await connectAccount(instance.admin, "main");
    await integrateGit(instance.admin);
  });
  after(() => instance.dispose());

  it("of deployments take project, environment, service, branch and status, together and in both orders", async () => {
    const { admin } = instance;
    const all: Record<string, string[]> = { one: [], two: [] };
    const ids: Record<string, { projectId: string; environmentId: string; serviceId: string }> = {};
    for (const name of ["one", "two"]) {
      await push(instance, name, withConfig(configOf([SITE]), FILES));
      const projectId = await createIacProject(admin, name);
      const { site: serviceId = "" } = await listServices(admin, projectId);
      const { body } = await admin.get(`/v1/projects/${projectId}/environments`);
      ids[name] = { projectId, serviceId, environmentId: body.environments[0].id };
      for (let count = 0; count < 2; count += 1)
        all[name]?.push((await ended(admin, await deploy(admin, name))).id);
    }
    await push(instance, "one", withConfig({ environments: [] }, FILES), "other");
    const failed = await ended(admin, await deploy(admin, "one", { branch: "other" }), "ERROR");
    const { one = [], two = [] } = all;
    const find = async (query: string): Promise<readonly string[]> =>
      (await admin.get(`/v1/deployments?${query}`)).body.deployments.map(({ id }: { id: string }) => id);
    for (const [query, expected] of [
      ["", [...one, ...two, failed.id]],
      [`projectId=${ids["one"]?.projectId}`, [...one, failed.id]],
      [`environmentId=${ids["two"]?.environmentId}`, two],
      [`serviceId=${ids["one"]?.serviceId}`, one],
      ["branch=other", [failed.id]],
      ["branch=main", [...one, ...two]],
      ["status=ERROR", [failed.id]],
      ["status=SUCCESS&branch=main", [...one, ...two]],
      [`status=SUCCESS&projectId=${ids["one"]?.projectId}&branch=main`, one],
      [`serviceId=${ids["one"]?.serviceId}&status=ERROR`, []],
      [`serviceId=${ids["one"]?.serviceId}&environmentId=${ids["two"]?.environmentId}`, []],
      ["serviceId=svc_none", []],
    ] as const) {
      assert.deepEqual(await find(query), expected, query);
      assert.deepEqual(await find(`${query}&order=desc`), expected.toReversed(), `${query}, newest first`);
    }
    const paged: string[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const { body }: { body: { deployments: { id: string }[]; nextCursor: string | null } } =
        await admin.get(
          `/v1/deployments?serviceId=${ids["two"]?.serviceId}&limit=1${cursor === "" ? "" : `&cursor=${cursor}`}`,
        );
      paged.push(...body.deployments.map(({ id }) => id));
      cursor = body.nextCursor;
    }
    assert.deepEqual(paged, two);
  });

  it("of deployments show the message and the author of the commit, and a rollback has its commit's", async () => {
    const { admin } = instance;
    await push(instance, "told", withConfig(configOf([SITE]), FILES));
    await createIacProject(admin, "told");
    const first = await ended(admin, await deploy(admin, "told"));
    assert.deepEqual([first.commitMessage, first.commitAuthor], ["Start here", "Slipway Sandbox"]);
    await push(instance, "told", withConfig(configOf([SITE]), { "public/index.html": "two" }));
    const second = await ended(admin, await deploy(admin, "told"));
    assert.match(second.commitMessage, /^Change \d+$/);
    const { body } = await admin.post(`/v1/deployments/${first.id}/rollback`);
    assert.equal(body.deployment.commitMessage, "Start here");
    await ended(admin, body.deployment.id);
  });

  describe("of audit entries", () => {
    it("take user, action, resource and time, together", async () => {
      const { admin } = instance;
      const developer = await createUserClient(admin, "developer");
      const { body: me } = await developer.get("/v1/me");
      const { body: page } = await admin.get("/v1/projects?limit=1");
      const [{ id: projectId }] = page.projects;
      const before = new Date().toISOString();
      await developer.patch(`/v1/projects/${projectId}`, { name: "Renamed" });
      await admin.patch(`/v1/projects/${projectId}`, { name: "Again" });
      const [{ at: last }] = (await admin.get("/v1/audit-entries?order=desc&limit=1")).body.auditEntries;
      const find = async (query: string): Promise<readonly string[][]> =>
        (await admin.get(`/v1/audit-entries?limit=100&${query}`)).body.auditEntries.map(
          ({ action, userId }: { action: string; userId: string }) => [
            action,
            userId === me.user.id ? "developer" : "other",
          ],
        );
      const renamed = ["project.updated", "developer"];
      const again = ["project.updated", "other"];
      const [{ action }] = (await admin.get(`/v1/audit-entries?userId=${me.user.id}`)).body.auditEntries;
      assert.equal(action, renamed[0]);
      assert.deepEqual(await find(`userId=${me.user.id}`), [renamed]);
      assert.deepEqual(await find(`action=${action}&resourceId=${projectId}`), [renamed, again]);
      assert.deepEqual(await find(`action=${action}&from=${before}`), [renamed, again]);
      assert.deepEqual(await find(`from=${before}&to=${last}`), [renamed]);
      assert.deepEqual(await find(`from=${last}`), [again]);
      assert.deepEqual(await find(`action=${action}&to=${before}`), []);
      assert.deepEqual(await find("to=2001-01-01T00:00:00Z"), []);
      assert.deepEqual(await find("from=2101-01-01T00:00:00Z"), []);
      assert.ok((await find("from=2001-01-01T00:00:00%2B02:00")).length > 10);
      const odd = await admin.get("/v1/audit-entries?from=yesterday");
      assert.deepEqual(assertRefused(odd, 400, "INVALID_REQUEST"), ["query/from WRONG_FORM"]);
    });

    it("are exported line by line, all that the filters find, and nothing of another organization", async () => {
      const { admin, other } = instance;
      const [name, foreign] = ["of-us", "of-others"];
      // More than one read holds.
      for (let round = 0; round < 30; round += 1)
        await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            admin.post("/v1/users", { email: `${name}-${round}-${index}@example.com`, role: "viewer" }),
          ),
        );
      await other.post("/v1/users", { email: `${foreign}@example.com`, role: "viewer" });
      const lines = { accept: "application/x-ndjson" };
      const answer = await fetch(`${instance.url}/v1/audit-entries?action=user.created`, {
        headers: { ...lines, authorization: `Bearer ${admin.key}` },
      });
      assert.equal(answer.headers.get("content-type"), "application/x-ndjson");
      const text = await answer.text();
      assert.ok(text.endsWith("}\n"));
      const entries = text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as { readonly id: string; readonly action: string });
      assert.ok(entries.length > 600, String(entries.length));
      assert.ok(entries.every(({ action }) => action === "user.created"));
      const ids = entries.map(({ id }) => id);
      assert.deepEqual(ids, ids.toSorted());
      const paged = (await admin.get("/v1/audit-entries?action=user.created&limit=100")).body;
      assert.deepEqual(entries.slice(0, 100), paged.auditEntries);
      const rest = await fetch(
        `${instance.url}/v1/audit-entries?action=user.created&limit=100&cursor=${paged.nextCursor}`,
        { headers: { ...lines, authorization: `Bearer ${admin.key}` } },
      );
      assert.equal((await rest.text()).trim().split("\n").length, entries.length - 100);
      assert.ok(!text.includes((await other.get("/v1/me")).body.organization.id));
      assert.equal(
        (await admin.get("/v1/audit-entries?limit=1", { accept: "*/*" })).body.auditEntries.length,
        1,
      );
      const none = await fetch(`${instance.url}/v1/audit-entries?action=none.such`, {
        headers: { ...lines, authorization: `Bearer ${admin.key}` },
      });
      assert.equal(await none.text(), "");
      assertRefused(await admin.get("/v1/audit-entries?cursor=x", lines), 400, "INVALID_CURSOR");
      const viewer = await createUserClient(admin, "viewer");
      assertRefused(await viewer.get("/v1/audit-entries", lines), 403, "ROLE_TOO_LOW");
    });

    it("are not read further for a client that has disconnected", async () => {
      const { admin } = instance;
      const { hostname, port } = new URL(instance.url);
      for (let count = 0; count < 60; count += 1) {
        const socket = connect(Number(port), hostname);
        await new Promise<void>((resolve) => {
          socket.write(
            `GET /v1/audit-entries HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${admin.key}\r\nAccept: application/x-ndjson\r\n\r\n`,
            () => socket.once("data", () => resolve()),
          );
        });
        socket.destroy();
      }
      // Were they still held, the key would have reached its limit.
      await until(async () => {
        const answer = await fetch(`${instance.url}/v1/audit-entries`, {
          headers: { accept: "application/x-ndjson", authorization: `Bearer ${admin.key}` },
        });
        await answer.text();
        return answer.status === 200;
      }, "nothing is held for them");
    });
  });
});
