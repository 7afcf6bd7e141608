/** Previews that sleep while they get no requests, by a clock of the test. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { serverProgram } from "../helpers/sandbox/programs.ts";
import {
  type PreviewTeam,
  type ShownPreview,
  startPreviewTeam,
  templateOf,
} from "../helpers/customers/previews.ts";
import { clearFaults, setFault } from "../helpers/customers/sandbox-account.ts";
import { connectAccount, integrateGit } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { getFromEdge } from "../helpers/sandbox/edge-client.ts";
import { until } from "../helpers/until.ts";

const PATIENCE_MS = 90_000;
/** More than the five minutes of the template. */
const SLEPT_MS = 6 * 60_000;
const PROGRAM = {
  "server.js": serverProgram('response.end(require("node:fs").readFileSync("public/index.html"))'),
  "worker.js": "setInterval(() => undefined, 1000)",
};
const SERVICES = [
  { id: "web", type: "web", startCommand: "node server.js", port: 3000 },
  { id: "worker", type: "worker", startCommand: "node worker.js" },
];

describe("previews without requests", () => {
  let aheadMs = 0;
  let decisions = 0;
  let instance: Instance;
  let team: PreviewTeam;
  let preview: ShownPreview;
  let host: string;
  let bypass: string;
  before(async () => {
    instance = await startInstance({ clock: { now: () => new Date(Date.now() + aheadMs) } });
    const { admin } = instance;
    await connectAccount(admin, "main");
    await integrateGit(admin);
    const template = templateOf("preview", { previews: { sleepAfterMinutes: 5 } }, SERVICES);
    team = await startPreviewTeam(instance, "shop", [template], { files: PROGRAM });
    const made = await admin.post(`/v1/environments/${team.environments["preview"]}/preview-bypass`);
    bypass = made.body.secret;
    const commit = await team.commit("cart", "first");
    await team.putPullRequest(1, "cart");
    preview = (await team.untilState("pr-1", "ACTIVE")) ?? assert.fail();
    await team.untilDeployed(preview, commit);
    host = await team.hostOf(preview);
    await until(async () => (await get()).body === "first", "it is served", PATIENCE_MS);
  });
  after(() => instance.dispose());

  const get = (headers: Record<string, string> = { "x-slipway-bypass": bypass }) =>
    getFromEdge(instance.sandbox, host, { headers });
  /** Has Slipway look at all previews. */
  const look = () => team.putPullRequest(1, "cart", { title: `Title ${(decisions += 1)}` });
  const fallAsleep = async () => {
    aheadMs = SLEPT_MS;
    await look();
    await team.untilState("pr-1", "SLEEPING");
    aheadMs = 0;
  };
  const shown = async () => (await instance.admin.get(`/v1/previews/${preview.id}`)).body;
  const healths = async () => {
    const { services } = (await instance.admin.get(`/v1/environments/${preview.environmentId}/services`))
      .body;
    const all = services.map(
      async ({ id }: { id: string }) => (await instance.admin.get(`/v1/services/${id}/health`)).body,
    );
    return (await Promise.all(all)).map(({ health, problem }) => `${health} ${problem}`);
  };
  const events = async () => {
    const { body } = await instance.admin.get(`/v1/events?subjectId=${preview.id}`);
    return String(body.events.map(({ type }: { type: string }) => type));
  };
  const untilEvents = (...types: readonly string[]) =>
    until(async () => (await events()) === String(["preview.created", ...types]), String(types), PATIENCE_MS);

  it("sleep; requests with access wake them, and others do not", async () => {
    assert.deepEqual([(await shown()).state, (await shown()).sleepingSince], ["ACTIVE", null]);
    await fallAsleep();
    const { sleepingSince, waitsFor, environmentId } = await shown();
    assert.ok(Math.abs(Date.parse(sleepingSince) - Date.now() - SLEPT_MS) < 60_000, sleepingSince);
    assert.deepEqual([waitsFor, environmentId], [null, preview.environmentId]);
    await untilEvents("preview.slept");
    assert.deepEqual(await healths(), ["SLEEPING null", "SLEEPING null"]);

    assert.equal((await get({})).status, 401);
    assert.equal((await get({ "sec-fetch-mode": "navigate" })).status, 302);
    assert.equal((await get({ "x-slipway-bypass": "wrong" })).status, 401);
    assert.deepEqual(await healths(), ["SLEEPING null", "SLEEPING null"]);

    const woken = await get();
    assert.deepEqual([woken.status, woken.body], [200, "first"]);
    await until(
      async () => (await healths()).every((one) => one === "RUNNING null"),
      "both services run",
      PATIENCE_MS,
    );
    await look();
    await team.untilState("pr-1", "ACTIVE");
    assert.equal((await shown()).sleepingSince, null);
    await untilEvents("preview.slept", "preview.woke");
  });

  it("are shown asleep also if the answer of their platform was lost, and are deployed like others", async () => {
    await setFault(instance.admin, "environments.sleep", "lost-response");
    await fallAsleep();
    await clearFaults(instance.admin);
    const commit = await team.commit("cart", "second");
    await team.putPullRequest(1, "cart");
    await team.untilDeployed(preview, commit);
    assert.equal((await get()).body, "second");
    await look();
    const awake = await team.untilState("pr-1", "ACTIVE");
    assert.deepEqual([awake?.id, awake?.deployedCommitHash], [preview.id, commit]);
    await untilEvents("preview.slept", "preview.woke", "preview.slept", "preview.woke");
  });

  it("are deleted while they sleep", async () => {
    await fallAsleep();
    await team.putPullRequest(1, "cart", { state: "closed" });
    await team.untilState("pr-1", "gone");
    assert.deepEqual(await team.orphans(), []);
  });
});
