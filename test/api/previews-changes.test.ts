/** Previews whose pull requests change in unusual ways: deletions by users, lost branches, labels, and many files. */
import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { commitFiles } from "../../sandbox/src/git/git-repositories.ts";
import { deploy, ended, push, withConfig } from "../helpers/customers/deployments.ts";
import {
  type PreviewTeam,
  type ShownPreview,
  SITE,
  startPreviewTeam,
  templateOf,
} from "../helpers/customers/previews.ts";
import { connectAccount, createGroup, integrateGit } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { getFromEdge } from "../helpers/sandbox/edge-client.ts";
import { until } from "../helpers/until.ts";

const PATIENCE_MS = 120_000;
const PUBLIC = { previews: { access: "public" } };

describe("previews of pull requests that change", { concurrency: true }, () => {
  let instance: Instance;
  before(async () => {
    instance = await startInstance();
    await connectAccount(instance.admin, "main");
    await integrateGit(instance.admin);
  });
  after(() => instance.dispose());

  const refOf = (name: string, branch: string) =>
    path.join(instance.sandbox.gitDir, `${name}.git`, "refs", "heads", branch);
  const untilServed = async (
    team: PreviewTeam,
    preview: ShownPreview | null,
    text: string,
    commit: string,
  ) => {
    assert.ok(preview !== null);
    await team.untilDeployed(preview, commit);
    const host = await team.hostOf(preview);
    await until(
      async () => (await getFromEdge(instance.sandbox, host, {})).body === text,
      `${host} shows ${text}`,
      PATIENCE_MS,
    );
  };
  const deploymentsOf = async (environmentId: string | null) =>
    (await instance.admin.get(`/v1/deployments?environmentId=${environmentId}`)).body
      .deployments as readonly {
      readonly id: string;
      readonly status: string;
      readonly commitHash: string;
    }[];

  it("end when a user deletes them, without a repeated report, and begin again with the next commit", async () => {
    const { admin } = instance;
    const team = await startPreviewTeam(instance, "deleted", [templateOf("preview", PUBLIC)]);
    const repository = "/sandbox/git/repositories/deleted";
    const comments = async (): Promise<readonly { id: string; text: string }[]> =>
      (await admin.get(`${repository}/pull-requests/1`)).body.comments;
    const untilComment = (text: string) =>
      until(
        async () => (await comments()).find((one) => one.text.includes(text)),
        `the comment says ${text}`,
        PATIENCE_MS,
      );
    const statesOf = async (commit: string): Promise<readonly string[]> => {
      const { deployments } = (await admin.get(`${repository}/reports`)).body;
      const found = deployments.find((one: { commit: string }) => one.commit === commit);
      return found.statuses.map(({ state }: { state: string }) => state);
    };
    const fail = async (fault: object) => {
      const answer = await admin.put(`${repository}/faults`, fault);
      assert.equal(answer.status, 204, answer.text);
    };
    const first = await team.commit("cart", "first");
    await team.putPullRequest(1, "cart");
    const made = (await team.untilState("pr-1", "ACTIVE")) ?? assert.fail();
    await untilServed(team, made, "first", first);
    await until(async () => (await statesOf(first)).at(-1) === "success", "it is reported", PATIENCE_MS);
    const live = await untilComment("| live |");

    // The comment cannot be written. The report of the deployment is tried three times.
    await fail({ operation: "comments.write", kind: "gone" });
    await fail({ operation: "deployments.report", kind: "server-error", count: 2 });
    assert.equal((await admin.delete(`/v1/previews/${made.id}`)).status, 202);
    await until(async () => (await statesOf(first)).at(-1) === "inactive", "it is inactive", PATIENCE_MS);
    // From now on, the host would take the comment.
    assert.equal((await admin.delete(`${repository}/faults`)).status, 204);
    const ended = await team.untilState("pr-1", "ENDED");
    assert.equal(ended?.reason, "A user deleted it. The next commit creates it again.");
    assert.equal((await admin.get(`/v1/environments/${made.environmentId}`)).status, 404);
    assert.deepEqual(await team.orphans(), []);

    await team.putPullRequest(1, "cart", { title: "The same commit" });
    assert.equal((await team.find("pr-1"))?.state, "ENDED");
    assert.deepEqual(await comments(), [live], "the impossible report was sent again");
    const second = await team.commit("cart", "second");
    const again = await team.untilState("pr-1", "ACTIVE");
    assert.deepEqual([again?.id, again?.commitHash], [made.id, second]);
    assert.notEqual(again?.environmentId, made.environmentId);
    await untilServed(team, again, "second", second);
    const changed = await untilComment(second.slice(0, 7));
    assert.equal(changed.id, live.id);
    assert.equal((await comments()).length, 1);
  });

  it("stay and follow while their base branch is missing", async () => {
    const production = {
      id: "production",
      region: "us-west-2",
      source: { branch: "main" },
      services: [SITE],
    };
    const team = await startPreviewTeam(instance, "baseless", [
      production,
      templateOf("preview", { ...PUBLIC, filter: { watchPaths: ["public/**"] } }),
    ]);
    const first = await team.commit("cart", "first");
    await team.putPullRequest(1, "cart");
    const made = await team.untilState("pr-1", "ACTIVE");
    await untilServed(team, made, "first", first);
    const main = await team.commit("main", "moved");
    rmSync(refOf("baseless", "main"));
    const second = await team.commit("cart", "second");
    await untilServed(team, made, "second", second);
    const followed = await team.find("pr-1");
    assert.deepEqual([followed?.state, followed?.commitHash], ["ACTIVE", second]);
    assert.equal(followed?.environmentId, made?.environmentId);
    const byKey = await instance.admin.put(`/v1/projects/${team.projectId}/previews/by-hand`, {});
    assert.equal(byKey.body.code, "BRANCH_NOT_FOUND", byKey.text);
    writeFileSync(refOf("baseless", "main"), `${main}\n`);
    await team.commit("main", "without templates", [production]);
    await team.putPullRequest(1, "cart", { title: "Look again" });
    await team.untilState("pr-1", "DELETING");
    await team.untilNoOrphans();
  });

  it("come back with a template that left the base branch's file, before anything is deployed", async () => {
    const production = {
      id: "production",
      region: "us-west-2",
      source: { branch: "main" },
      services: [SITE],
    };
    const all = [production, templateOf("preview", PUBLIC)];
    const team = await startPreviewTeam(instance, "returning", all);
    const cart = await team.commit("cart", "cart");
    await team.putPullRequest(1, "cart");
    const seen = [(await team.untilState("pr-1", "ACTIVE"))?.environmentId];
    const announcements = [
      (commit: string) => team.putPullRequest(1, "cart", { title: `Look at ${commit}` }),
      (commit: string) => team.deliverPush(commit),
    ];
    for (const announce of announcements) {
      await announce(await team.commit("main", "without", [production]));
      await team.untilState("pr-1", "DELETING", "gone");
      await announce(await team.commit("main", "again", all));
      const again = await team.untilState("pr-1", "ACTIVE");
      assert.ok(!seen.includes(again?.environmentId));
      assert.equal(again?.templateId, team.environments["preview"]);
      await untilServed(team, again, "cart", cart);
      seen.push(again?.environmentId);
    }
    const { body } = await instance.admin.get(
      `/v1/deployments?environmentId=${team.environments["production"]}`,
    );
    assert.deepEqual(body.deployments, []);
  });

  it("are made anew if their number is that of a fork by now", async () => {
    const { admin } = instance;
    const templates = [templateOf("preview", PUBLIC)];
    const team = await startPreviewTeam(instance, "moving", templates);
    const own = await team.commit("cart", "own");
    await team.putPullRequest(1, "cart");
    const made = (await team.untilState("pr-1", "ACTIVE")) ?? assert.fail();
    await untilServed(team, made, "own", own);
    const files = withConfig({ environments: templates }, { "public/index.html": "from a fork" });
    const commitHash = await push(instance, "stranger", files, "cart");
    await team.putPullRequest(1, "cart", { headRepository: "stranger" });
    const waiting = await team.untilState("pr-1", "WAITING_FOR_APPROVAL");
    assert.deepEqual([waiting?.environmentId, waiting?.commitHash], [null, commitHash]);
    assert.equal((await admin.get(`/v1/environments/${made.environmentId}`)).status, 404);
    assert.equal((await admin.post(`/v1/previews/${made.id}/approve`, { commitHash })).status, 200);
    const again = await team.untilState("pr-1", "ACTIVE");
    assert.notEqual(again?.environmentId, made.environmentId);
    await untilServed(team, again, "from a fork", commitHash);
  });

  it("of a template that was made again are not held up by domains of the former one", async () => {
    const { admin } = instance;
    const production = {
      id: "production",
      region: "us-west-2",
      source: { branch: "main" },
      services: [SITE],
    };
    const all = [production, templateOf("preview", PUBLIC)];
    const team = await startPreviewTeam(instance, "domains", all);
    const commit = await team.commit("cart", "cart");
    await team.putPullRequest(1, "cart");
    const former = (await team.untilState("pr-1", "ACTIVE")) ?? assert.fail();
    await team.hostOf(former);
    const { services } = (await admin.get(`/v1/environments/${former.environmentId}/services`)).body;
    await createGroup(admin, services[0].id, ["www.former.example.com"]);
    const deployMain = async (environments: readonly object[]) => {
      await team.commit("main", `with ${environments.length}`, environments);
      await ended(admin, await deploy(admin, "domains", { branch: "main" }));
    };
    await deployMain([production]);
    const kept = await team.untilState("pr-1", "DELETING");
    assert.match(kept?.reason ?? "", /www\.former\.example\.com/);
    await deployMain(all);
    const anew = await until(
      async () => (await team.list()).find(({ id, state }) => id !== former.id && state === "ACTIVE"),
      "it has a preview of the new template",
      PATIENCE_MS,
    );
    assert.equal(anew.key, "pr-1");
    const configIdOf = async (id: string | null) => (await admin.get(`/v1/environments/${id}`)).body.configId;
    assert.equal(await configIdOf(former.environmentId), "preview.pr-1");
    assert.equal(await configIdOf(anew.environmentId), "preview.pr-1-2");
    await untilServed(team, anew, "cart", commit);
    assert.equal((await admin.get(`/v1/environments/${former.environmentId}`)).status, 200);
  });

  it("change with labels that change during a build", async () => {
    const templates = (buildCommand?: string) =>
      ["site", "docs"].map((id) =>
        templateOf(id, { ...PUBLIC, filter: { labels: [id] } }, [
          { ...SITE, ...(buildCommand === undefined ? {} : { buildCommand }) },
        ]),
      );
    const team = await startPreviewTeam(instance, "labelled", templates());
    const of = (template: string) =>
      until(
        async () => {
          const templateId = team.environments[template];
          const found = (await team.list()).find((one) => one.templateId === templateId);
          return found?.state === "ACTIVE" && found;
        },
        `a preview of ${template}`,
        PATIENCE_MS,
      );
    const untilBuilding = (environmentId: string | null) =>
      until(
        async () => (await deploymentsOf(environmentId)).find(({ status }) => status === "BUILDING"),
        "it builds",
        PATIENCE_MS,
      );
    const untilCancelled = (id: string) =>
      until(
        async () => (await instance.admin.get(`/v1/deployments/${id}`)).body.status === "CANCELLED",
        "its build is cancelled",
        PATIENCE_MS,
      );
    await team.commit("cart", "slow", templates("sleep 600"));
    await team.putPullRequest(1, "cart", { labels: ["site"] });
    const site = await of("site");
    const { id } = await untilBuilding(site.environmentId);
    await team.putPullRequest(1, "cart", { labels: ["docs"] });
    await untilCancelled(id);
    const docs = await of("docs");
    const ofDocs = await untilBuilding(docs.environmentId);
    await team.putPullRequest(1, "cart", { labels: ["site", "other"] });
    await untilCancelled(ofDocs.id);
    const again = await of("site");
    assert.notEqual(again.environmentId, site.environmentId);
    const quick = await team.commit("cart", "quick");
    await untilServed(team, again, "quick", quick);
    await team.putPullRequest(1, "cart", { labels: [] });
    await team.untilNoOrphans();
    assert.deepEqual(await team.list(), []);
  });

  it("are found by one of 3,000 changed files", async () => {
    const templates = [
      templateOf("last", { ...PUBLIC, filter: { watchPaths: ["web/2999.txt"] } }),
      templateOf("none", { ...PUBLIC, filter: { watchPaths: ["web/3000.txt", "docs/**"] } }),
    ];
    const team = await startPreviewTeam(instance, "many", templates);
    // The branch begins at the first commit of main, which has the same configuration file.
    await team.commit("large", "main", templates);
    const files: Record<string, string> = { "public/index.html": "main" };
    for (let index = 0; index < 3_000; index += 1) files[`web/${index}.txt`] = `${index}`;
    const head = await commitFiles({
      gitdir: path.join(instance.sandbox.gitDir, "many.git"),
      branch: "large",
      files: withConfig({ environments: templates }, files),
      message: "3,000 files",
      at: new Date(),
    });
    await team.putPullRequest(1, "large");
    const { body } = await instance.admin.get("/sandbox/git/repositories/many/pull-requests/1");
    assert.equal(body.files.length, 3_000);
    const preview = await team.untilState("pr-1", "ACTIVE");
    assert.deepEqual([preview?.templateId, preview?.commitHash], [team.environments["last"], head]);
    await untilServed(team, preview, "main", head);
    assert.deepEqual(
      (await team.list()).map(({ id }) => id),
      [preview?.id],
    );
  });

  it("end at the git host with their project, which does not wait for a host that is away", async () => {
    const { admin } = instance;
    const names = ["failing", "away"];
    const start = async (name: string) => {
      const team = await startPreviewTeam(instance, name, [templateOf("preview", PUBLIC)]);
      const repository = `/sandbox/git/repositories/${name}`;
      const first = await team.commit("cart", "first");
      await team.putPullRequest(1, "cart");
      const made = (await team.untilState("pr-1", "ACTIVE")) ?? assert.fail();
      await untilServed(team, made, "first", first);
      const shown = async () => {
        const { comments } = (await admin.get(`${repository}/pull-requests/1`)).body;
        const { deployments } = (await admin.get(`${repository}/reports`)).body;
        return `${deployments[0]?.statuses.at(-1).state} ${comments[0]?.text}`;
      };
      await until(async () => /^success .*\| live \|/s.test(await shown()), "it is reported", PATIENCE_MS);
      const count = name === "failing" ? { count: 2 } : {};
      for (const operation of ["comments.write", "deployments.report"]) {
        const fault = { operation, kind: "server-error", ...count };
        assert.equal((await admin.put(`${repository}/faults`, fault)).status, 204);
      }
      assert.equal((await admin.delete(`/v1/projects/${team.projectId}`)).status, 202);
      return { team, shown };
    };
    const [failing, away] = await Promise.all(names.map(start));
    await until(
      async () => (await failing?.shown()) === "inactive **Slipway**: the preview was deleted.",
      "the host shows the end",
      PATIENCE_MS,
    );
    for (const one of [failing, away])
      await until(
        async () => (await admin.get(`/v1/projects/${one?.team.projectId}`)).status === 404,
        "the project is deleted",
        PATIENCE_MS,
      );
    assert.match((await away?.shown()) ?? "", /^success /);
  });
});
