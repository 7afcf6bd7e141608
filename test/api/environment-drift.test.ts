import assert from "node:assert/strict";
import * as fs from "node:fs";
import { rename } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { deleteRef } from "isomorphic-git";
import {
  configOf,
  createIacProject,
  deploy,
  ended,
  push,
  withConfig,
} from "../helpers/customers/deployments.ts";
import { connectAccount } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertSameNotFound } from "../helpers/problems.ts";
import { createUserClient } from "../helpers/users.ts";

const TOKEN = "a-git-token-that-nobody-may-see";
const SITE = { id: "site", name: "Site", type: "static", outputDirectory: "public" };
const BLOG = { id: "blog", name: "Blog", type: "static", outputDirectory: "blog" };
const HOST = { id: "host", name: "Host", type: "external", hostname: "origin.example.com" };

type Answer = {
  readonly branch: string;
  readonly newest: Readonly<Record<string, string | null>> | null;
  readonly problem: string | null;
  readonly state: string;
  readonly services: readonly {
    readonly name: string;
    readonly liveCommit: string | null;
    readonly state: string;
  }[];
};

describe("the drift of an environment", () => {
  let instance: Instance;
  let projectId: string;
  let environmentId: string;
  let first: string;
  let second: string;
  before(async () => {
    instance = await startInstance({ withOtherOrganization: true });
    const { admin } = instance;
    await connectAccount(admin, "main");
    const made = await admin.post("/v1/git-integrations", { provider: "provider_a", token: TOKEN });
    assert.equal(made.status, 201, made.text);
    first = await push(instance, "shop", files("one", [SITE, HOST]));
    projectId = await createIacProject(admin, "shop");
    const { body } = await admin.get(`/v1/projects/${projectId}/environments`);
    environmentId = body.environments[0].id;
  });
  after(() => instance.dispose());

  const files = (text: string, services: readonly object[]) =>
    withConfig(configOf(services), { "public/index.html": text, "blog/index.html": text });
  const gitDir = () => path.join(instance.dataDir, "sandbox", "git", "shop.git");
  const drift = async (client = instance.admin): Promise<Answer> => {
    const { status, body, text } = await client.get(`/v1/environments/${environmentId}/drift`);
    assert.equal(status, 200, text);
    assert.ok(!text.includes(TOKEN), text);
    return body;
  };
  const statesOf = ({ state, services }: Answer) => [
    state,
    ...services.map(({ name, liveCommit, state: own }) => [name, liveCommit, own]),
  ];

  it("is that nothing is deployed, with the newest commit of the branch", async () => {
    const seen = await drift();
    assert.deepEqual(statesOf(seen), ["NOT_DEPLOYED", ["Site", null, "NOT_DEPLOYED"]]);
    const { newest, branch, problem } = seen;
    assert.deepEqual([branch, problem], ["main", null]);
    assert.deepEqual([newest?.["commit"], newest?.["commitHash"]], [first.slice(0, 7), first]);
    assert.ok(newest?.["commitMessage"] !== null && newest?.["commitAuthor"] !== null);
  });

  it("is none once the newest commit is deployed", async () => {
    await ended(instance.admin, await deploy(instance.admin, "shop"));
    assert.deepEqual(statesOf(await drift()), ["CURRENT", ["Site", first, "CURRENT"]]);
  });

  it("appears after a push, until that is deployed", async () => {
    second = await push(instance, "shop", files("two", [SITE, HOST, BLOG]));
    const seen = await drift(await createUserClient(instance.admin, "viewer"));
    assert.deepEqual(statesOf(seen), ["BEHIND", ["Site", first, "BEHIND"]]);
    assert.equal(seen.newest?.["commitHash"], second);
    assert.match(seen.newest?.["commitMessage"] ?? "", /^Change \d+$/);
    const id = await deploy(instance.admin, "shop");
    const { commitMessage, commitAuthor } = await ended(instance.admin, id);
    const { newest, ...rest } = await drift();
    assert.deepEqual([newest?.["commitMessage"], newest?.["commitAuthor"]], [commitMessage, commitAuthor]);
    assert.deepEqual(statesOf({ ...rest, newest }), [
      "CURRENT",
      ["Site", second, "CURRENT"],
      ["Blog", second, "CURRENT"],
    ]);
  });

  it("is there after a rollback", async () => {
    const { body } = await instance.admin.get(`/v1/deployments?projectId=${projectId}&limit=1`);
    const back = await instance.admin.post(`/v1/deployments/${body.deployments[0].id}/rollback`);
    assert.equal(back.status, 201, back.text);
    await ended(instance.admin, back.body.deployment.id);
    const { state, newest } = await drift();
    assert.deepEqual([state, newest?.["commitHash"]], ["BEHIND", second]);
  });

  it("is not known while the host has no such repository, and the answer says why", async () => {
    await rename(gitDir(), `${gitDir()}.away`);
    const seen = await drift();
    await rename(`${gitDir()}.away`, gitDir());
    assert.deepEqual([seen.state, seen.newest], ["UNKNOWN", null]);
    assert.match(seen.problem ?? "", /has no repository/);
  });

  it("is not known once the branch is deleted", async () => {
    await push(instance, "shop", files("three", [SITE]), "other");
    await deleteRef({ fs, gitdir: gitDir(), ref: "refs/heads/main" });
    const seen = await drift();
    assert.deepEqual([seen.state, seen.newest], ["UNKNOWN", null]);
    assert.equal(seen.problem, 'The repository has no branch "main".');
    assert.ok(seen.services.every(({ state }) => state === "UNKNOWN"));
  });

  it("does not exist for others", async () => {
    assertSameNotFound(
      await instance.other.get("/v1/environments/env_01h455vb4pex5vsknk084sn02q/drift"),
      await instance.other.get(`/v1/environments/${environmentId}/drift`),
    );
  });

  it("never logs the token", () => {
    assert.ok(!instance.logged().includes(TOKEN));
  });
});
