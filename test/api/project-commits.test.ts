/** The branches and recent commits of a project's repository, for people who deploy it. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  addBranches,
  configOf,
  createIacProject,
  push,
  withConfig,
} from "../helpers/customers/deployments.ts";
import { connectAccount } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { createUserClient } from "../helpers/users.ts";

const TOKEN = "a-git-token-that-no-answer-contains";
const files = (text: string) =>
  withConfig(configOf([{ id: "site", type: "static", outputDirectory: "public" }]), {
    "public/index.html": text,
  });

describe("the branches and commits of a project", () => {
  let instance: Instance;
  let projectId: string;
  let first: string;
  let second: string;
  before(async () => {
    instance = await startInstance();
    await connectAccount(instance.admin, "main");
    await instance.admin.post("/v1/git-integrations", { provider: "provider_a", token: TOKEN });
    first = await push(instance, "shop", files("one"));
    second = await push(instance, "shop", files("two"));
    await push(instance, "shop", files("next"), "next");
    projectId = await createIacProject(instance.admin, "shop");
  });
  after(() => instance.dispose());

  const get = async (address: string) => {
    const viewer = await createUserClient(instance.admin, "viewer");
    const answer = await viewer.get(`/v1/projects/${projectId}/${address}`);
    assert.ok(!answer.text.includes(TOKEN), answer.text);
    return answer;
  };

  it("names the branches with their commits", async () => {
    const { status, body } = await get("branches");
    assert.equal(status, 200);
    assert.equal(body.problem, null);
    const found = Object.fromEntries(
      body.branches.map((one: { name: string; commitHash: string }) => [one.name, one.commitHash]),
    );
    assert.deepEqual(Object.keys(found).toSorted(), ["main", "next"]);
    assert.equal(found.main, second);
    assert.equal(body.hasMore, false);
  });

  it("finds one of 3,000 branches by a part of its name", async () => {
    addBranches(
      instance,
      "shop",
      Array.from({ length: 3_000 }, (_, index) => `feature/${index}`),
      second,
    );
    const all = await get("branches");
    assert.deepEqual(
      [all.body.branches.length, all.body.branches[0].name, all.body.hasMore],
      [100, "main", true],
    );
    const { body } = await get("branches?search=Feature/2999");
    assert.deepEqual(body, {
      branches: [{ name: "feature/2999", commitHash: second }],
      hasMore: false,
      problem: null,
    });
  });

  it("lists the commits of a branch, the newest first", async () => {
    const { body } = await get("commits?branch=main");
    const hashes = body.commits.map(({ commitHash }: { commitHash: string }) => commitHash);
    assert.deepEqual(hashes.slice(0, 2), [second, first]);
    const [newest] = body.commits;
    assert.equal(newest.commit, second.slice(0, 7));
    assert.ok(newest.commitMessage !== null && newest.commitAuthor !== null);
    assert.ok(Date.parse(newest.committedAt) > 0);
  });

  it("says why there are none", async () => {
    const missing = await get("commits?branch=gone");
    assert.deepEqual(missing.body, {
      branch: "gone",
      commits: [],
      problem: 'The repository has no branch "gone".',
    });
    assert.equal((await get("commits")).status, 400);
  });
});
