/** Previews where pushes race, deliveries are lost, hosts fail and commits come from strangers. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { push, withConfig } from "../helpers/customers/deployments.ts";
import {
  type PreviewTeam,
  type ShownPreview,
  SITE,
  startPreviewTeam,
  templateOf,
  untilServed,
} from "../helpers/customers/previews.ts";
import { stateOf } from "../helpers/customers/sandbox-account.ts";
import { connectAccount, integrateGit } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { until } from "../helpers/until.ts";

const WEB = { id: "web", type: "web", startCommand: "node server.js", port: 3000 };
const SERVER = `require("node:http").createServer((_, response) => response.end(JSON.stringify({
  secret: process.env.TOKEN ?? null, plain: process.env.PLAIN ?? null, isPreview: process.env.SLIPWAY_PREVIEW ?? null,
  number: process.env.SLIPWAY_PR_NUMBER ?? null,
}))).listen(process.env.PORT, "127.0.0.1");`;
const REPOSITORY = "/sandbox/git/repositories/shop";
const PATIENCE_MS = 90_000;
const ENDED = ["SUCCESS", "ERROR", "BUILD_ERROR", "CANCELLED", "SUPERSEDED"];

const region = "us-west-2";
const ENVIRONMENTS = [
  { id: "production", region, source: { branch: "main", trigger: "push" }, services: [SITE] },
  templateOf("preview", { previews: { access: "public" }, filter: { labels: ["site"] } }),
  templateOf("app", { previews: { access: "public" }, filter: { labels: ["app"] } }, [WEB]),
  { id: "app-my-pr-12", region, source: { branch: "main" }, services: [SITE] },
];
describe("previews in bad weather", () => {
  let instance: Instance;
  let awsAccountId: string;
  let team: PreviewTeam;
  before(async () => {
    instance = await startInstance();
    awsAccountId = await connectAccount(instance.admin, "main");
    await integrateGit(instance.admin);
    team = await startPreviewTeam(instance, "shop", ENVIRONMENTS, { files: { "server.js": SERVER } });
  });
  after(() => instance.dispose());

  const put = (number: number, head: string, more: object = {}) =>
    team.putPullRequest(number, head, { labels: ["site"], ...more });
  const fail = async (operation: string, kind: string) => {
    const answer = await instance.admin.put(`${REPOSITORY}/faults`, { operation, kind, count: 1 });
    assert.equal(answer.status, 204, answer.text);
  };
  const untilActive = async (key: string): Promise<ShownPreview> =>
    (await team.untilState(key, "ACTIVE")) ?? assert.fail();
  const untilShown = (preview: ShownPreview, text: string) =>
    untilServed(instance.sandbox, team, preview, text);
  /** The error of the last read of pull requests; empty without one. */
  const untilReadError = (is: (code: string | undefined) => boolean, what: string) =>
    until(
      async () => {
        const { body } = await instance.admin.get(`/v1/projects/${team.projectId}/pull-requests`);
        const error = (body.error ?? {}) as { readonly code?: string; readonly action?: string };
        return is(error.code) ? error : null;
      },
      what,
      PATIENCE_MS,
    );
  const deploymentsOf = async ({ environmentId }: ShownPreview) =>
    (await instance.admin.get(`/v1/deployments?environmentId=${environmentId}&limit=100`)).body
      .deployments as readonly { readonly status: string; readonly commitHash: string }[];
  const answered = async (number: number): Promise<number> =>
    (await instance.admin.get(`${REPOSITORY}/deliveries`)).body.deliveries.filter(
      (one: { number: number; status: number | null }) => one.number === number && one.status === 200,
    ).length;
  /** The account without what changes on its own. */
  const account = async () => JSON.stringify(await stateOf(instance.admin, awsAccountId));

  it("of five pushes in a row, the last commit goes live, and the others do not", async () => {
    await team.commit("five", "push 0");
    await put(1, "five");
    const preview = await untilActive("pr-1");
    let last = "";
    for (let turn = 1; turn <= 5; turn += 1) {
      last = await team.commit("five", `push ${turn}`);
      await until(
        async () => (await team.find("pr-1"))?.commitHash === last,
        "the push is noticed",
        PATIENCE_MS,
      );
    }
    await untilShown(preview, "push 5");
    const all = await until(
      async () => {
        const seen = await deploymentsOf(preview);
        return seen.every(({ status }) => ENDED.includes(status)) ? seen : null;
      },
      "all end",
      PATIENCE_MS,
    );
    const succeeded = all.filter(({ status }) => status === "SUCCESS").map(({ commitHash }) => commitHash);
    assert.equal(succeeded.filter((hash) => hash === last).length, 1);
    for (const { status, commitHash } of all)
      if (commitHash !== last) assert.match(status, /SUCCESS|CANCELLED|SUPERSEDED/);
  });

  it("survive lost, repeated and swapped deliveries", async () => {
    await team.commit("lost", "lost");
    await fail("deliveries.send", "duplicated");
    await put(2, "lost");
    await untilActive("pr-2");
    await fail("deliveries.send", "dropped");
    await put(2, "lost", { state: "closed" });
    await team.untilState("pr-2", "DELETING", "gone");
    await team.commit("swapped", "swapped");
    await fail("deliveries.send", "reordered");
    await put(3, "swapped");
    await put(3, "swapped", { state: "closed" });
    await put(4, "swapped");
    await untilActive("pr-4");
    assert.ok(["DELETING", undefined].includes((await team.find("pr-3"))?.state));
  });

  it("leave nothing in the account when they close during a build, and begin again when they reopen", async () => {
    await team.commit("early", "early");
    await put(5, "early");
    const { environmentId } = await untilActive("pr-5");
    await put(5, "early", { state: "closed" });
    await team.untilState("pr-5", "DELETING", "gone");
    await put(5, "early");
    const again = await untilActive("pr-5");
    assert.notEqual(again.environmentId, environmentId);
    await untilShown(again, "early");
    await put(5, "early", { state: "closed" });
    await team.untilState("pr-5", "gone");
    for (const id of [environmentId, again.environmentId])
      assert.ok(!(await account()).includes(String(id)), String(id));
  });

  it("of a fork's main neither deploy production nor replace its deployments", async () => {
    const production = async () =>
      (
        await instance.admin.get(`/v1/deployments?projectId=${team.projectId}&branch=main&limit=100`)
      ).body.deployments.filter(
        (one: { isPreview?: boolean; environmentId: string }) =>
          one.environmentId === team.environments["production"],
      ).length;
    const before = await production();
    const files = { "public/index.html": "from a stranger" };
    await push(instance, "stranger", withConfig({ environments: ENVIRONMENTS }, files), "main");
    await put(6, "main", { headRepository: "stranger" });
    const waiting = (await team.untilState("pr-6", "WAITING_FOR_APPROVAL")) ?? assert.fail();
    assert.equal(waiting.environmentId, null);
    const { status } = await instance.admin.post(`/v1/previews/${waiting.id}/approve`, {
      commitHash: waiting.commitHash,
    });
    assert.equal(status, 200);
    await untilShown(await untilActive("pr-6"), "from a stranger");
    assert.equal(await production(), before);
    // Its repository is deleted: it stays a fork.
    rmSync(path.join(instance.sandbox.gitDir, "stranger.git"), { recursive: true });
    await put(6, "main", { state: "closed" });
    await team.untilState("pr-6", "DELETING", "gone");
  });

  it("stay while the host fails, and follow once it answers", async () => {
    await team.commit("patient", "patient");
    await put(7, "patient");
    const preview = await untilActive("pr-7");
    await untilShown(preview, "patient");
    for (const kind of ["denied", "not-found", "throttled", "server-error", "stale"]) {
      const faults = `${REPOSITORY}/faults`;
      const set = await instance.admin.put(faults, { operation: "pullRequests.list", kind });
      assert.equal(set.status, 204, set.text);
      const before = await answered(7);
      await put(7, "patient", { title: kind });
      await until(async () => (await answered(7)) > before, "the delivery is answered", PATIENCE_MS);
      if (kind !== "stale") await untilReadError((code) => code !== undefined, kind);
      const { state, environmentId } = (await team.find("pr-7")) ?? {};
      assert.deepEqual([state, environmentId], ["ACTIVE", preview.environmentId], kind);
      assert.equal((await instance.admin.delete(faults)).status, 204);
    }
    await put(7, "patient", { title: "There again" });
    await untilReadError((code) => code === undefined, "the host is there again");
    await team.commit("main", "broken", []);
    await put(7, "patient", { title: "With a broken file" });
    const { action } = await untilReadError((code) => code === "CONFIG_INVALID", "the file is broken");
    assert.match(action ?? "", /^Correct \/environments /);
    assert.equal((await team.find("pr-7"))?.state, "ACTIVE");
    await team.commit("main", "repaired");
    await put(7, "patient", { labels: [] });
    await team.untilState("pr-7", "DELETING", "gone");
    await untilReadError((code) => code === undefined, "the file is repaired");
  });

  it("know their own pull request, and have no id that the configuration has", async () => {
    await team.commit("known", "known");
    await put(9, "known", { labels: ["app"] });
    assert.equal(JSON.parse(await untilShown(await untilActive("pr-9"), "number")).number, "9");
    await put(9, "known", { labels: ["app"], state: "closed" });
    const body = { environmentId: team.environments["app"] };
    const made = await instance.admin.put(`/v1/projects/${team.projectId}/previews/my-pr-12`, body);
    assert.equal(made.status, 200, made.text);
    const shown = JSON.parse(await untilShown(await untilActive("my-pr-12"), "number"));
    assert.deepEqual([shown.isPreview, shown.number], ["true", null]);
    assert.equal((await instance.admin.delete(`/v1/previews/${made.body.id}`)).status, 202);
  });

  it("end when their template leaves the base branch's file, and with their project", async () => {
    await team.commit("last", "last");
    await put(10, "last");
    await untilActive("pr-10");
    await team.commit("other", "other");
    await put(11, "other", { labels: ["app"] });
    await untilActive("pr-11");
    await team.commit(
      "main",
      "without",
      ENVIRONMENTS.filter(({ id }) => id !== "preview"),
    );
    await put(10, "last", { title: "Look again" });
    await team.untilState("pr-10", "DELETING", "gone");
    assert.equal((await untilActive("pr-11")).templateId, team.environments["app"]);
    const deleted = await instance.admin.delete(`/v1/projects/${team.projectId}`);
    assert.equal(deleted.status, 202, deleted.text);
    await until(
      async () => (await instance.admin.get(`/v1/projects/${team.projectId}`)).status === 404,
      "the project is deleted",
      200_000,
    );
    for (const id of Object.values(team.environments)) assert.ok(!(await account()).includes(id));
  });
});
