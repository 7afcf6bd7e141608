/** Which events a reader sees: of deleted projects (audit T5), and after the reader's role changed (audit T6). */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { ApiClient } from "../helpers/api-client.ts";
import { configOf, deploy, ended, push, urlOf } from "../helpers/customers/deployments.ts";
import { CONFIG, connectAccount, createProjectIn, integrateGit } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { until } from "../helpers/until.ts";
import { createKeyClient, createScratchUser } from "../helpers/users.ts";

/** After a change, a held request gets nothing more. */
const SOON_MS = 5_000;

type Shown = { readonly type: string; readonly sequence: number; readonly projectId: string | null };

describe("events", () => {
  let instance: Instance;
  let admin: ApiClient;
  before(async () => {
    instance = await startInstance();
    ({ admin } = instance);
  });
  after(() => instance.dispose());

  const open = (client: ApiClient, more: Record<string, string> = {}) =>
    fetch(`${instance.url}/v1/events`, {
      headers: { authorization: `Bearer ${client.key}`, accept: "text/event-stream", ...more },
    });
  const wait = (client: ApiClient, address: string, etag?: string) =>
    fetch(instance.url + address, {
      headers: {
        authorization: `Bearer ${client.key}`,
        prefer: "wait=60",
        ...(etag === undefined ? {} : { "if-none-match": etag }),
      },
    });

  async function readAll(
    client: ApiClient,
  ): Promise<{ readonly text: string; readonly events: readonly Shown[] }> {
    const events: Shown[] = [];
    let text = "";
    for (let after = "0", hasMore = true; hasMore;) {
      const { body, text: page } = await client.get(`/v1/events?limit=100&after=${after}`);
      events.push(...body.events);
      text += page;
      ({ nextCursor: after, hasMore } = body);
    }
    return { text, events };
  }

  it("of a project that its members saw stay hidden from others when it is deleted, in every read", async () => {
    await integrateGit(admin);
    const accountId = await connectAccount(admin, "of-the-plans");
    // Without anything in the cloud, so that it is deleted at once.
    const worker = { id: "jobs", type: "worker", startCommand: "node worker.js" };
    await push(instance, "plans", { "a.txt": "a" });
    await push(instance, "plans", { "a.txt": "a" }, "other");
    const created = await admin.post("/v1/projects", {
      name: "secret-plans",
      repoUrl: urlOf("plans"),
      awsAccountId: accountId,
      codeSource: { provider: "provider_a" },
      configType: "gui",
      config: configOf([worker]),
    });
    assert.equal(created.status, 201, created.text);
    const projectId = created.body.id;
    const [environment] = (await admin.get(`/v1/projects/${projectId}/environments`)).body.environments;
    const { id: environmentId } = environment;
    const [service] = (await admin.get(`/v1/environments/${environmentId}/services`)).body.services;
    const [member, outsider] = [
      await createScratchUser(admin, "viewer"),
      await createScratchUser(admin, "developer"),
    ];
    await admin.put(`/v1/projects/${projectId}/members/${member.userId}`, { role: "viewer" });
    await admin.put(`/v1/projects/${projectId}/access`, { access: "members" });
    const ofProject = await createKeyClient(admin, { projectIds: [projectId] });
    await admin.post(`/v1/environments/${environmentId}/env-variables`, { plainText: { GREETING: "hello" } });
    // No environment follows the branch.
    const commitHash = await push(instance, "plans", { "a.txt": "b" }, "other");
    const depl = await deploy(admin, "plans", { branch: "other" });
    await ended(admin, depl, "ERROR");
    await until(async () => {
      assertRefused(await outsider.client.get(`/v1/projects/${projectId}`), 404, "NOT_FOUND");
      return true;
    }, "it is hidden");
    const stream = await open(outsider.client);
    assert.equal(stream.status, 200);
    assert.equal((await admin.delete(`/v1/projects/${projectId}`)).status, 204);
    const seen = await until(async () => {
      const found = await readAll(admin);
      return found.events.some(({ type }) => type === "project.deleted") ? found : null;
    }, "the project is deleted");
    const first = seen.events.find((one) => one.projectId === projectId);
    assert.ok(first !== undefined);

    // What authentication remembers is of before the deletion for a moment.
    const ids = [projectId, environmentId, service.id, depl, commitHash, "secret-plans"];
    const hidden = (text: string, where: string) => {
      for (const id of ids) assert.ok(!text.includes(id), `${where} shows ${id}`);
    };
    const fresh = await createScratchUser(admin, "developer");
    for (const { client } of [outsider, fresh]) {
      hidden((await readAll(client)).text, "the feed");
      for (const id of [projectId, environmentId, depl])
        assert.deepEqual((await client.get(`/v1/events?subjectId=${id}`)).body.events, []);
      hidden((await client.get("/v1/search?q=secret")).text, "the search");
      hidden((await client.get("/v1/statistics")).text, "the statistics");
      hidden((await client.get("/v1/deployments")).text, "the deployments");
      assertRefused(await client.get(`/v1/statistics?projectId=${projectId}`), 404, "NOT_FOUND");
      const refused = ["/v1/audit-entries", "/v1/webhook-endpoints"];
      for (const address of refused) assertRefused(await client.get(address), 403, "ROLE_TOO_LOW");
    }
    for (const from of [String(first.sequence - 1), "0"]) {
      const resumed = await open(fresh.client, { "last-event-id": from });
      const text = await readUntil(resumed, "user.created");
      hidden(text, "a resumed stream");
    }
    // Another project's event comes in the stream that was open all the time, and nothing of this one. If that takes
    // longer than until the reader is checked again, the stream is refused: fewer projects are hidden from it now.
    await admin.post("/v1/users", { email: "last@example.com", role: "viewer" });
    hidden(await readUntil(stream, /last@example\.com|PROJECTS_CHANGED/), "the open stream");
    // Members, admins and keys of the project still see what they saw.
    for (const client of [member.client, admin, ofProject])
      assert.ok((await readAll(client)).text.includes("secret-plans"));
    const { events } = await readAll(member.client);
    const whole = (await readAll(admin)).events.filter((one) => one.projectId === projectId);
    assert.equal(events.filter((one) => one.projectId === projectId).length, whole.length);
    // All of it is known to be the project's.
    const lost = seen.events.filter(
      (one) => one.projectId === null && /^(?:env|service|deployment)/.test(one.type),
    );
    assert.deepEqual(lost, []);
  });

  it("of a project that all of the organization saw are still seen", async () => {
    const accountId = await connectAccount(admin, "open");
    const projectId = await createProjectIn(admin, accountId, "open-plans", CONFIG);
    await admin.delete(`/v1/projects/${projectId}`);
    const { client } = await createScratchUser(admin, "viewer");
    await until(
      async () => (await readAll(client)).events.some((one) => one.projectId === projectId),
      "they are shown",
    );
  });

  it("only for admins stop within five seconds for a user who is no longer an admin, streamed or awaited", async () => {
    const user = await createScratchUser(admin, "admin");
    const other = await createScratchUser(admin, "viewer");
    const stream = await open(user.client);
    const { headers } = await user.client.get(`/v1/users/${other.userId}`);
    const ofUser = wait(user.client, `/v1/users/${other.userId}`, headers.get("etag") ?? "");
    const { events } = await readAll(admin);
    const pending = wait(user.client, `/v1/events?types=organization.*&after=${events.at(-1)?.sequence}`);
    const fallen = await admin.patch(`/v1/users/${user.userId}`, { role: "viewer" });
    assert.equal(fallen.status, 200);
    const at = Date.now();
    // Slipway ends the stream; no answer contains an event for admins from after that.
    const streamed = stream.text();
    for (const answer of [await ofUser, await pending]) {
      assert.equal(answer.status, 403);
      assert.equal(((await answer.json()) as { code: string }).code, "PROJECTS_CHANGED");
    }
    assert.match(await streamed, /\nevent: refused\n.*"PROJECTS_CHANGED"/);
    assert.ok(Date.now() - at < SOON_MS, `${Date.now() - at} ms`);
    const again = await open(user.client, { "last-event-id": "0" });
    await admin.post("/v1/api-keys", { name: "after the fall" });
    await admin.post("/v1/users", { email: "next@example.com", role: "viewer" });
    assert.ok(!(await readUntil(again, "next@example.com")).includes('"type":"api_key.'));
  });

  it("reach a user who becomes an admin, with a new stream", async () => {
    const user = await createScratchUser(admin, "viewer");
    const stream = await open(user.client);
    await admin.patch(`/v1/users/${user.userId}`, { role: "admin" });
    assert.match(await stream.text(), /\nevent: refused\n.*"PROJECTS_CHANGED"/);
  });
});

/** Reads a stream until a text is there, and ends it. */
async function readUntil(answer: Response, sought: string | RegExp): Promise<string> {
  assert.equal(answer.status, 200);
  assert.ok(answer.body !== null);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (text.search(sought) === -1) {
    const { value, done } = await reader.read();
    assert.ok(!done, `the stream ended: ${text.slice(-300)}`);
    text += value;
  }
  await reader.cancel();
  return text;
}
