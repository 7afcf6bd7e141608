/** What the sandbox's git host shows of deployments and previews. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { commitFiles } from "../../sandbox/src/git/git-repositories.ts";
import { createIacProject, deploy, ended, push, withConfig } from "../helpers/customers/deployments.ts";
import { connectAccount } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { until } from "../helpers/until.ts";

const SITE = { id: "site", type: "static", outputDirectory: "public" };
const PATIENCE_MS = 60_000;

type Deployment = {
  readonly commit: string;
  readonly environment: string;
  readonly isPreview: boolean;
  readonly statuses: readonly {
    readonly state: string;
    readonly url: string | null;
    readonly logUrl: string | null;
  }[];
};
type Status = {
  readonly commit: string;
  readonly context: string;
  readonly state: string;
  readonly url: string | null;
};
type Comment = { readonly id: string; readonly text: string };

function config(source: object = {}): object {
  const region = "us-west-2";
  return {
    environments: [
      { id: "production", region, source: { branch: "main", ...source }, services: [SITE] },
      { id: "review", region, source: { branch: "main", pr: true, ...source }, services: [SITE] },
    ],
  };
}

describe("reports to the git host", () => {
  let instance: Instance;
  let secret: string;
  before(async () => {
    instance = await startInstance();
    await connectAccount(instance.admin, "main");
    const made = await instance.admin.post("/v1/git-integrations", { provider: "provider_a", token: "any" });
    ({ secret } = (await instance.admin.post(`/v1/git-integrations/${made.body.id}/hook-secret`)).body);
  });
  after(() => instance.dispose());

  /** A project with a repository of its own. */
  const start = async (name: string, source: object = {}) => {
    const { admin } = instance;
    const repository = `/sandbox/git/repositories/${name}`;
    const written = config(source);
    const main = await push(instance, name, withConfig(written, { "public/index.html": "main" }));
    await createIacProject(admin, name);
    const hook = await admin.put(`${repository}/hook`, { provider: "provider_a", secret });
    assert.equal(hook.status, 204, hook.text);
    const read = async <T>(of: string) => (await admin.get(`${repository}/${of}`)).body as T;
    return {
      main,
      /** Begins a branch anew from the first commit. */
      commit: async (branch: string, text: string) => {
        const gitdir = path.join(instance.sandbox.gitDir, `${name}.git`);
        writeFileSync(path.join(gitdir, "refs", "heads", branch), `${main}\n`);
        const files = withConfig(written, { "public/index.html": text });
        return await commitFiles({ gitdir, branch, files, message: text, at: new Date() });
      },
      put: async (number: number, more: object) => {
        const body = { base: "main", state: "open", ...more };
        const answer = await admin.put(`${repository}/pull-requests/${number}`, body);
        assert.equal(answer.status, 200, answer.text);
      },
      fail: async (fault: object) => {
        const answer = await admin.put(`${repository}/faults`, fault);
        assert.equal(answer.status, 204, answer.text);
      },
      comments: async (number: number) =>
        (await read<{ comments: readonly Comment[] }>(`pull-requests/${number}`)).comments,
      reports: () => read<{ deployments: readonly Deployment[]; statuses: readonly Status[] }>("reports"),
    };
  };
  type Started = Awaited<ReturnType<typeof start>>;

  const statesOf = async ({ reports }: Started, commit: string) =>
    (await reports()).deployments.find((one) => one.commit === commit)?.statuses.map(({ state }) => state) ??
    [];
  const untilState = (started: Started, commit: string, state: string) =>
    until(
      async () => (await statesOf(started, commit)).at(-1) === state,
      `${commit} is ${state}`,
      PATIENCE_MS,
    );
  const untilStatus = ({ reports }: Started, commit: string, context: string, state: string) =>
    until(
      async () =>
        (await reports()).statuses.find(
          (one) => one.commit === commit && one.context === context && one.state === state,
        ) ?? null,
      `${context} is ${state}`,
      PATIENCE_MS,
    );
  const untilComment = (started: Started, number: number, ...texts: readonly string[]) =>
    until(
      async () => {
        const [comment] = await started.comments(number);
        return comment !== undefined && texts.every((text) => comment.text.includes(text)) ? comment : null;
      },
      `the comment says ${texts.join(", ")}`,
      PATIENCE_MS,
    );

  it("show a preview in one comment and a deployment of each commit, until it is deleted", async () => {
    const started = await start("shop");
    const first = await started.commit("cart", "first");
    await started.put(1, { head: "cart", title: "Add a cart", author: "ada" });
    await untilState(started, first, "success");
    const made = await untilComment(started, 1, "| site | https://", "| live |", first.slice(0, 7));
    const order = ["queued", "in_progress", "success"];
    const places = (await statesOf(started, first)).map((state) => order.indexOf(state));
    assert.deepEqual(
      places,
      places.toSorted((one, other) => one - other),
    );
    const second = await started.commit("cart", "second");
    await untilState(started, second, "success");
    await untilState(started, first, "inactive");
    const edited = await untilComment(started, 1, "| live |", second.slice(0, 7));
    assert.equal(edited.id, made.id);
    assert.equal((await started.comments(1)).length, 1);
    const { deployments } = await started.reports();
    assert.deepEqual(
      deployments.map(({ environment, isPreview }) => [environment, isPreview]),
      deployments.map(() => ["shop/review-pr-1", true]),
    );
    const last = deployments.find(({ commit }) => commit === second)?.statuses.at(-1);
    assert.match(last?.url ?? "", /^https:/);
    const logUrl = last?.logUrl ?? "none";
    assert.ok(logUrl.startsWith(`${instance.url}/console/deployments/depl_`), logUrl);
    assert.equal((await fetch(logUrl)).status, 200, logUrl);
    await untilStatus(started, second, "slipway/review", "success");
    await started.put(1, { head: "cart", state: "merged" });
    await untilState(started, second, "inactive");
    const end = await untilComment(started, 1, "was deleted");
    assert.equal(end.id, made.id);
    assert.equal((await started.comments(1)).length, 1);
  });

  it("name who may approve the commit of another repository, and how", async () => {
    const started = await start("forked");
    const commit = await push(instance, "stranger", { "public/index.html": "theirs" }, "evil");
    await started.put(2, { head: "evil", headRepository: "stranger" });
    const { text } = await untilComment(started, 2, "from another repository", "role developer or admin");
    const page = /\((\S+\/projects\/\S+)\)/.exec(text)?.[1] ?? assert.fail(text);
    assert.equal((await fetch(page)).status, 200, page);
    const { body } = await instance.admin.get("/v1/previews?state=WAITING_FOR_APPROVAL");
    assert.ok(text.includes(`slipway previews approve ${body.previews[0].id} --commit ${commit}`), text);
    await untilStatus(started, commit, "slipway/review", "pending");
    assert.deepEqual((await started.reports()).deployments, []);
  });

  it("give the commit of an ordinary deployment a status, after the host was away too", async () => {
    const started = await start("plain");
    await started.fail({ operation: "statuses.report", kind: "server-error", count: 2 });
    await started.fail({ operation: "statuses.report", kind: "throttled", count: 1 });
    const id = await deploy(instance.admin, "plain");
    await ended(instance.admin, id);
    const { url } = await untilStatus(started, started.main, "slipway/production", "success");
    assert.equal(url, `${instance.url}/console/deployments/${id}`);
    assert.deepEqual((await started.reports()).deployments, []);
  });

  it("are left out with report: none", async () => {
    const started = await start("quiet", { report: "none" });
    const commit = await started.commit("cart", "first");
    await started.put(3, { head: "cart" });
    await ended(instance.admin, await deploy(instance.admin, "quiet"));
    await until(
      async () => {
        const { previews } = (await instance.admin.get("/v1/previews?state=ACTIVE")).body;
        const found = previews.find((one: { commitHash: string }) => one.commitHash === commit);
        const { deployments } = (
          await instance.admin.get(`/v1/deployments?environmentId=${found?.environmentId}`)
        ).body;
        return deployments?.[0]?.status === "SUCCESS";
      },
      "the preview is live",
      PATIENCE_MS,
    );
    assert.deepEqual(await started.reports(), { deployments: [], statuses: [] });
    assert.deepEqual(await started.comments(3), []);
  });

  it("are not repeated without the permission, which one event says", async () => {
    const started = await start("denied");
    for (const operation of ["statuses.report", "deployments.report", "comments.write"])
      await started.fail({ operation, kind: "denied" });
    await ended(instance.admin, await deploy(instance.admin, "denied"));
    const integration = async () =>
      (await instance.admin.get("/v1/git-integrations")).body.gitIntegrations[0];
    const { reportError, id, tokenStatus } = await until(async () => {
      const found = await integration();
      return found.reportError === null ? null : found;
    }, "the integration has the error");
    assert.match(reportError.message, /does not allow this/);
    assert.equal(tokenStatus, "WORKING");
    await started.commit("cart", "first");
    await started.put(4, { head: "cart" });
    await ended(instance.admin, await deploy(instance.admin, "denied"));
    const type = "git_integration.report_refused";
    const refused = async () => (await instance.admin.get(`/v1/events?types=${type}`)).body.events.length;
    await until(async () => (await refused()) > 0, "the event is numbered");
    assert.equal(await refused(), 1);
    const cleared = await instance.admin.delete("/sandbox/git/repositories/denied/faults");
    assert.equal(cleared.status, 204);
    const third = await ended(instance.admin, await deploy(instance.admin, "denied"));
    assert.equal((await started.reports()).statuses.length, 0, "not tried again with the same token");
    await instance.admin.patch(`/v1/git-integrations/${id}`, { token: "another" });
    assert.equal((await integration()).reportError, null);
    await ended(instance.admin, await deploy(instance.admin, "denied"));
    await untilStatus(started, third.commitHash, "slipway/production", "success");
  });
});
