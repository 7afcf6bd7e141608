import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { ApiClient } from "../helpers/api-client.ts";
import { configOf, createIacProject, deploy, push, withConfig } from "../helpers/customers/deployments.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { createScratchUser } from "../helpers/users.ts";
import { connectAccount, integrateGit } from "../helpers/customers/scenario.ts";
import { until } from "../helpers/until.ts";

const STREAMS_PER_KEY = 2;
const HELD_PER_KEY = STREAMS_PER_KEY * 10;

describe("requests that are held open", () => {
  let instance: Instance;
  let deploymentId: string;
  before(async () => {
    instance = await startInstance({
      env: {
        SLIPWAY_HELD_PER_KEY: String(HELD_PER_KEY),
        SLIPWAY_HELD_PER_ORGANIZATION: String(HELD_PER_KEY + 5),
      },
    });
    const { admin } = instance;
    await connectAccount(admin, "main");
    await integrateGit(admin);
    const slow = { id: "site", type: "static", outputDirectory: "public", buildCommand: "sleep 600" };
    await push(instance, "slow", withConfig(configOf([slow]), { "public/index.html": "never" }));
    await createIacProject(admin, "slow");
    deploymentId = await deploy(admin, "slow");
    await until(
      async () => (await admin.get(`/v1/deployments/${deploymentId}`)).body.status === "BUILDING",
      "the deployment is being built",
    );
  });
  after(async () => {
    await instance.admin.post(`/v1/deployments/${deploymentId}/cancel`);
    await instance.dispose();
  });

  const open = (client: ApiClient, path: string, headers: Record<string, string>, signal?: AbortSignal) =>
    fetch(`${instance.url}${path}`, {
      headers: { authorization: `Bearer ${client.key}`, ...headers },
      ...(signal === undefined ? {} : { signal }),
    });
  const wait = (client: ApiClient, path = `/v1/deployments/${deploymentId}`, signal?: AbortSignal) =>
    open(client, path, { prefer: "wait=60" }, signal);
  const stream = (client: ApiClient, signal?: AbortSignal) =>
    open(client, `/v1/deployments/${deploymentId}/logs`, { accept: "text/event-stream" }, signal);
  /** How many requests are held now. */
  const held = async (): Promise<number> => {
    const metrics = await (await fetch(`${instance.url}/metrics`)).text();
    return Number(/^slipway_waiting_reads (\d+)$/m.exec(metrics)?.[1]);
  };
  const untilHeld = (count: number) => until(async () => (await held()) === count, `${count} are held`);

  /** What ends the right to continue, and the answer. */
  const ends: readonly [string, (user: { userId: string; keyId: string }) => Promise<{ status: number }>][] =
    [
      ["its key is revoked", ({ keyId }) => instance.admin.delete(`/v1/api-keys/${keyId}`)],
      ["its user is deleted", ({ userId }) => instance.admin.delete(`/v1/users/${userId}`)],
    ];
  for (const [what, end] of ends) {
    it(`S9: a read that waits is answered with 401 when ${what}`, async () => {
      const user = await createScratchUser(instance.admin, "viewer");
      const waiting = wait(user.client);
      await untilHeld(1);
      assert.ok((await end(user)).status < 300);
      const answer = await waiting;
      assert.equal(answer.status, 401);
      assert.equal(((await answer.json()) as { code: string }).code, "UNAUTHENTICATED");
    });

    it(`S9: a stream of events says that it has ended when ${what}`, async () => {
      const user = await createScratchUser(instance.admin, "viewer");
      const answer = await stream(user.client);
      assert.equal(answer.status, 200);
      assert.ok((await end(user)).status < 300);
      const text = await answer.text();
      const [, data = "{}"] = /event: refused\ndata: (.*)\n\n$/.exec(text) ?? assert.fail(text);
      assert.equal(JSON.parse(data).code, "UNAUTHENTICATED");
    });
  }

  it("S9: a waiting read is answered with 403 when the role becomes too low", async () => {
    const user = await createScratchUser(instance.admin, "admin");
    const { gitIntegrations } = (await instance.admin.get("/v1/git-integrations")).body;
    const waiting = wait(user.client, `/v1/git-integrations/${gitIntegrations[0].id}`);
    await untilHeld(1);
    const fallen = await instance.admin.patch(`/v1/users/${user.userId}`, { role: "viewer" });
    assert.equal(fallen.status, 200, JSON.stringify(fallen.body));
    const answer = await waiting;
    assert.equal(answer.status, 403);
  });

  it("S13: waiting reads are limited for a key, and for all keys of an organization", async () => {
    const first = await createScratchUser(instance.admin, "viewer");
    const second = await createScratchUser(instance.admin, "viewer");
    const stop = new AbortController();
    const open: Promise<unknown>[] = [];
    const hold = (client: ApiClient, count: number) => {
      for (let index = 0; index < count; index += 1)
        open.push(wait(client, undefined, stop.signal).catch(() => undefined));
    };
    hold(first.client, HELD_PER_KEY);
    await untilHeld(HELD_PER_KEY);
    for (const refused of [await wait(first.client), await stream(first.client)]) {
      assert.equal(refused.status, 429);
      assert.equal(((await refused.json()) as { code: string }).code, "TOO_MANY_HELD");
      assert.match(refused.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
    }
    assert.equal(
      (await first.client.get(`/v1/deployments/${deploymentId}`)).status,
      200,
      "others are answered",
    );
    hold(second.client, 5);
    await untilHeld(HELD_PER_KEY + 5);
    assert.equal((await wait(second.client)).status, 429, "all keys of the organization together");
    stop.abort();
    await Promise.all(open);
    await untilHeld(0);
    const again = new AbortController();
    const allowed = wait(first.client, undefined, again.signal).catch(() => undefined);
    await untilHeld(1);
    again.abort();
    await allowed;
    await untilHeld(0);
  });

  it("S13: a stream of events counts as ten of them", async () => {
    const user = await createScratchUser(instance.admin, "viewer");
    const stop = new AbortController();
    // Keeps every answer: an unreferenced answer is garbage-collected, and its connection with it.
    const streams: Response[] = [];
    for (let index = 0; index < STREAMS_PER_KEY; index += 1)
      streams.push(await stream(user.client, stop.signal));
    assert.equal((await stream(user.client)).status, 429);
    assert.equal((await wait(user.client)).status, 429);
    for (const { status } of streams) assert.equal(status, 200);
    stop.abort();
    await untilHeld(0);
  });
});

describe("the limit of requests", () => {
  let instance: Instance;
  before(async () => {
    instance = await startInstance();
  });
  after(() => instance.dispose());

  it("S13, P4: is on by default, and shown in every answer", async () => {
    const answer = await instance.admin.get("/v1/aws-accounts");
    assert.equal(answer.headers.get("ratelimit-policy"), '"default";q=12000;w=60');
    assert.match(answer.headers.get("ratelimit") ?? "", /^"default";r=\d+;t=\d+$/);
  });
});
