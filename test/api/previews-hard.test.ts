/** Previews where pushes race, deliveries are lost, hosts fail and commits come from strangers. */
import assert from "node:assert/strict";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { commitFiles } from "../../sandbox/src/git/git-repositories.ts";
import { createIacProject, push, withConfig } from "../helpers/customers/deployments.ts";
import { stateOf } from "../helpers/customers/sandbox-account.ts";
import { connectAccount } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { getFromEdge } from "../helpers/sandbox/edge-client.ts";
import { until } from "../helpers/until.ts";

const SITE = { id: "site", type: "static", outputDirectory: "public" };
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
  {
    id: "preview",
    region,
    source: { branch: "main", pr: true, previews: { access: "public" }, filter: { labels: ["site"] } },
    services: [SITE],
  },
  {
    id: "app",
    region,
    source: { branch: "main", pr: true, previews: { access: "public" }, filter: { labels: ["app"] } },
    services: [WEB],
  },
  { id: "app-my-pr-12", region, source: { branch: "main" }, services: [SITE] },
];
const config = (environments: readonly object[] = ENVIRONMENTS) => ({ environments });

type Shown = {
  readonly id: string;
  readonly key: string;
  readonly state: string;
  readonly templateId: string;
  readonly environmentId: string | null;
  readonly commitHash: string;
  readonly deployedCommitHash: string | null;
};

describe("previews in bad weather", () => {
  let instance: Instance;
  let awsAccountId: string;
  let projectId: string;
  let templates: Readonly<Record<string, string>>;
  let main: string;
  before(async () => {
    instance = await startInstance();
    const { admin } = instance;
    awsAccountId = await connectAccount(admin, "main");
    const made = await admin.post("/v1/git-integrations", { provider: "provider_a", token: "any" });
    const { body } = await admin.post(`/v1/git-integrations/${made.body.id}/hook-secret`);
    main = await push(instance, "shop", files("main"));
    projectId = await createIacProject(admin, "shop");
    const hook = await admin.put(`${REPOSITORY}/hook`, { provider: "provider_a", secret: body.secret });
    assert.equal(hook.status, 204, hook.text);
    const { environments } = (await admin.get(`/v1/projects/${projectId}/environments`)).body;
    templates = Object.fromEntries(
      environments.map(({ configId, id }: { configId: string; id: string }) => [configId, id]),
    );
  });
  after(() => instance.dispose());

  const files = (text: string, written: object = config()) =>
    withConfig(written, { "public/index.html": text, "server.js": SERVER });
  const gitdir = (name = "shop") => path.join(instance.sandbox.gitDir, `${name}.git`);
  const commit = async (branch: string, text: string, written: object = config()) => {
    const ref = path.join(gitdir(), "refs", "heads", branch);
    // An existing branch never shows another commit in between, which Slipway might read.
    if (!existsSync(ref)) writeFileSync(ref, `${main}\n`);
    return await commitFiles({
      gitdir: gitdir(),
      branch,
      files: files(text, written),
      message: text,
      at: new Date(),
    });
  };
  const put = async (number: number, head: string, more: object = {}) => {
    const body = { head, base: "main", state: "open", labels: ["site"], ...more };
    const answer = await instance.admin.put(`${REPOSITORY}/pull-requests/${number}`, body);
    assert.equal(answer.status, 200, answer.text);
  };
  const fail = async (operation: string, kind: string) => {
    const answer = await instance.admin.put(`${REPOSITORY}/faults`, { operation, kind, count: 1 });
    assert.equal(answer.status, 204, answer.text);
  };
  const find = async (key: string): Promise<Shown | null> =>
    (await instance.admin.get(`/v1/previews?projectId=${projectId}&limit=100`)).body.previews.find(
      (one: Shown) => one.key === key,
    ) ?? null;
  const untilState = (key: string, ...states: readonly (string | undefined)[]) =>
    until(
      async () => {
        const preview = await find(key);
        return states.includes(preview?.state) ? (preview ?? true) : null;
      },
      `${key} is ${states.join(" or ")}`,
      PATIENCE_MS,
    );
  const untilActive = async (key: string): Promise<Shown> => {
    const preview = await untilState(key, "ACTIVE");
    assert.ok(preview !== true);
    return preview;
  };
  const untilServed = async ({ environmentId }: Shown, text: string): Promise<string> => {
    const hostOf = async () => {
      const { services } = (await instance.admin.get(`/v1/environments/${environmentId}/services`)).body;
      const id = services?.[0]?.id as string | undefined;
      return id && ((await instance.admin.get(`/v1/services/${id}`)).body.cdnDomainName as string | null);
    };
    const host = await until(hostOf, "its address", PATIENCE_MS);
    const page = async () => {
      const { body } = await getFromEdge(instance.sandbox, host, {});
      return body.includes(text) ? body : null;
    };
    return await until(page, `${host} shows ${text}`, PATIENCE_MS);
  };
  /** The error of the last read of pull requests; empty without one. */
  const untilReadError = (is: (code: string | undefined) => boolean, what: string) =>
    until(
      async () => {
        const { body } = await instance.admin.get(`/v1/projects/${projectId}/pull-requests`);
        const error = (body.error ?? {}) as { readonly code?: string; readonly action?: string };
        return is(error.code) ? error : null;
      },
      what,
      PATIENCE_MS,
    );
  const deploymentsOf = async ({ environmentId }: Shown) =>
    (await instance.admin.get(`/v1/deployments?environmentId=${environmentId}&limit=100`)).body
      .deployments as readonly { readonly status: string; readonly commitHash: string }[];
  const answered = async (number: number): Promise<number> =>
    (await instance.admin.get(`${REPOSITORY}/deliveries`)).body.deliveries.filter(
      (one: { number: number; status: number | null }) => one.number === number && one.status === 200,
    ).length;
  /** The account without what changes on its own. */
  const account = async () => JSON.stringify(await stateOf(instance.admin, awsAccountId));

  it("of five pushes in a row, the last commit goes live, and the others do not", async () => {
    await commit("five", "push 0");
    await put(1, "five");
    const preview = await untilActive("pr-1");
    let last = "";
    for (let turn = 1; turn <= 5; turn += 1) {
      last = await commit("five", `push ${turn}`);
      await until(async () => (await find("pr-1"))?.commitHash === last, "the push is noticed", PATIENCE_MS);
    }
    await untilServed(preview, "push 5");
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
    await commit("lost", "lost");
    await fail("deliveries.send", "duplicated");
    await put(2, "lost");
    await untilActive("pr-2");
    await fail("deliveries.send", "dropped");
    await put(2, "lost", { state: "closed" });
    await untilState("pr-2", "DELETING", undefined);
    await commit("swapped", "swapped");
    await fail("deliveries.send", "reordered");
    await put(3, "swapped");
    await put(3, "swapped", { state: "closed" });
    await put(4, "swapped");
    await untilActive("pr-4");
    assert.ok(["DELETING", undefined].includes((await find("pr-3"))?.state));
  });

  it("leave nothing in the account when they close during a build, and begin again when they reopen", async () => {
    await commit("early", "early");
    await put(5, "early");
    const { environmentId } = await untilActive("pr-5");
    await put(5, "early", { state: "closed" });
    await untilState("pr-5", "DELETING", undefined);
    await put(5, "early");
    const again = await untilActive("pr-5");
    assert.notEqual(again.environmentId, environmentId);
    await untilServed(again, "early");
    await put(5, "early", { state: "closed" });
    await untilState("pr-5", undefined);
    for (const id of [environmentId, again.environmentId])
      assert.ok(!(await account()).includes(String(id)), String(id));
  });

  it("of a fork's main neither deploy production nor replace its deployments", async () => {
    const production = async () =>
      (
        await instance.admin.get(`/v1/deployments?projectId=${projectId}&branch=main&limit=100`)
      ).body.deployments.filter(
        (one: { isPreview?: boolean; environmentId: string }) =>
          one.environmentId === templates["production"],
      ).length;
    const before = await production();
    await push(instance, "stranger", files("from a stranger"), "main");
    await put(6, "main", { headRepository: "stranger" });
    const waiting = await untilState("pr-6", "WAITING_FOR_APPROVAL");
    assert.ok(waiting !== true);
    assert.equal(waiting.environmentId, null);
    const { status } = await instance.admin.post(`/v1/previews/${waiting.id}/approve`, {
      commitHash: waiting.commitHash,
    });
    assert.equal(status, 200);
    await untilServed(await untilActive("pr-6"), "from a stranger");
    assert.equal(await production(), before);
    // Its repository is deleted: it stays a fork.
    rmSync(gitdir("stranger"), { recursive: true });
    await put(6, "main", { state: "closed" });
    await untilState("pr-6", "DELETING", undefined);
  });

  it("stay while the host fails, and follow once it answers", async () => {
    await commit("patient", "patient");
    await put(7, "patient");
    const preview = await untilActive("pr-7");
    await untilServed(preview, "patient");
    for (const kind of ["denied", "not-found", "throttled", "server-error", "stale"]) {
      const faults = `${REPOSITORY}/faults`;
      const set = await instance.admin.put(faults, { operation: "pullRequests.list", kind });
      assert.equal(set.status, 204, set.text);
      const before = await answered(7);
      await put(7, "patient", { title: kind });
      await until(async () => (await answered(7)) > before, "the delivery is answered", PATIENCE_MS);
      if (kind !== "stale") await untilReadError((code) => code !== undefined, kind);
      const { state, environmentId } = (await find("pr-7")) ?? {};
      assert.deepEqual([state, environmentId], ["ACTIVE", preview.environmentId], kind);
      assert.equal((await instance.admin.delete(faults)).status, 204);
    }
    await put(7, "patient", { title: "There again" });
    await untilReadError((code) => code === undefined, "the host is there again");
    await commit("main", "broken", { environments: [] });
    await put(7, "patient", { title: "With a broken file" });
    const { action } = await untilReadError((code) => code === "CONFIG_INVALID", "the file is broken");
    assert.match(action ?? "", /^Correct \/environments /);
    assert.equal((await find("pr-7"))?.state, "ACTIVE");
    main = await commit("main", "repaired");
    await put(7, "patient", { labels: [] });
    await untilState("pr-7", "DELETING", undefined);
    await untilReadError((code) => code === undefined, "the file is repaired");
  });

  it("know their own pull request, and have no id that the configuration has", async () => {
    await commit("known", "known");
    await put(9, "known", { labels: ["app"] });
    assert.equal(JSON.parse(await untilServed(await untilActive("pr-9"), "number")).number, "9");
    await put(9, "known", { labels: ["app"], state: "closed" });
    const body = { environmentId: templates["app"] };
    const made = await instance.admin.put(`/v1/projects/${projectId}/previews/my-pr-12`, body);
    assert.equal(made.status, 200, made.text);
    const shown = JSON.parse(await untilServed(await untilActive("my-pr-12"), "number"));
    assert.deepEqual([shown.isPreview, shown.number], ["true", null]);
    assert.equal((await instance.admin.delete(`/v1/previews/${made.body.id}`)).status, 202);
  });

  it("end when their template leaves the base branch's file, and with their project", async () => {
    await commit("last", "last");
    await put(10, "last");
    await untilActive("pr-10");
    await commit("other", "other");
    await put(11, "other", { labels: ["app"] });
    await untilActive("pr-11");
    main = await commit("main", "without", config(ENVIRONMENTS.filter(({ id }) => id !== "preview")));
    await put(10, "last", { title: "Look again" });
    await untilState("pr-10", "DELETING", undefined);
    assert.equal((await untilActive("pr-11")).templateId, templates["app"]);
    const deleted = await instance.admin.delete(`/v1/projects/${projectId}`);
    assert.equal(deleted.status, 202, deleted.text);
    await until(
      async () => (await instance.admin.get(`/v1/projects/${projectId}`)).status === 404,
      "the project is deleted",
      200_000,
    );
    for (const id of Object.values(templates)) assert.ok(!(await account()).includes(id));
  });
});
