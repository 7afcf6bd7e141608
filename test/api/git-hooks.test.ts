import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, describe, it } from "node:test";
import type { ApiAnswer } from "../helpers/api-client.ts";
import {
  configOf,
  createIacProject,
  deploy,
  ended,
  push,
  urlOf,
  withConfig,
} from "../helpers/customers/deployments.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { rawRequest, sendRaw } from "../helpers/raw-http.ts";
import { until } from "../helpers/until.ts";
import { connectAccount } from "../helpers/customers/scenario.ts";

const SITE = { id: "site", type: "static", outputDirectory: "public" };
const PUSHED = { source: { branch: "main", trigger: "push" } };

describe("a push that the git host delivers", () => {
  let instance: Instance;
  let secret: string;
  let otherSecret: string;
  before(async () => {
    instance = await startInstance({ withOtherOrganization: true });
    const secrets: string[] = [];
    for (const client of [instance.admin, instance.other]) {
      await connectAccount(client, "main");
      const made = await client.post("/v1/git-integrations", { provider: "provider_a", token: "any" });
      const set = await client.post(`/v1/git-integrations/${made.body.id}/hook-secret`);
      assert.equal(set.status, 201, JSON.stringify(set.body));
      assert.equal(set.headers.get("location"), `/v1/git-integrations/${made.body.id}`);
      assert.equal(set.body.url, `${instance.url}/v1/git-hooks/provider_a`);
      secrets.push(set.body.secret);
    }
    [secret = "", otherSecret = ""] = secrets;
    for (const name of ["pushed", "manual"]) {
      const config = configOf([SITE], name === "pushed" ? PUSHED : {});
      await push(instance, name, withConfig(config, { "public/index.html": "one" }));
      await createIacProject(instance.admin, name);
    }
  });
  after(() => instance.dispose());

  const deliver = async (
    name: string,
    commit: string,
    more: { key?: string; id?: string; headers?: Record<string, string>; branch?: string } = {},
  ): Promise<ApiAnswer> => {
    const body = JSON.stringify({
      repository: { clone_url: urlOf(name) },
      ref: `refs/heads/${more.branch ?? "main"}`,
      after: commit,
    });
    const digest = createHmac("sha256", more.key ?? secret)
      .update(body)
      .digest("hex");
    const answer = await fetch(`${instance.url}/v1/git-hooks/provider_a`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-github-event": "push",
        "x-github-delivery": more.id ?? commit,
        "x-hub-signature-256": `sha256=${digest}`,
        ...more.headers,
      },
      body,
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text, body: JSON.parse(text) };
  };
  const commitTo = (name: string, text: string) => {
    const config = configOf([SITE], name === "pushed" ? PUSHED : {});
    return push(instance, name, withConfig(config, { "public/index.html": text }));
  };

  it("is deployed once, however often it is delivered", async () => {
    const { admin } = instance;
    const commit = await commitTo("pushed", "two");
    const first = await deliver("pushed", commit);
    assert.equal(first.status, 200, JSON.stringify(first.body));
    assert.equal(first.body.deploymentIds.length, 1);
    assert.deepEqual((await deliver("pushed", commit)).body, { deploymentIds: [] }, "the same delivery");
    const other = await deliver("pushed", commit, { id: "by another hook" });
    assert.deepEqual(other.body, { deploymentIds: [] });
    const done = await ended(admin, first.body.deploymentIds[0]);
    assert.equal(done.commitHash, commit);
    assert.equal(done.trigger, "push");
    const audit = await admin.get(`/v1/audit-entries?resourceId=${done.id}`);
    assert.match(audit.body.auditEntries[0].userId, /^git_/);
    const created = await until(
      async () =>
        (await admin.get(`/v1/events?subjectId=${done.id}&types=deployment.created`)).body.events[0],
      "the event of the deployment",
    );
    assert.deepEqual(created.actor, { kind: "git_integration", id: audit.body.auditEntries[0].userId });
  });

  it("is deployed again by a redelivery once its deployment has failed, and not after it succeeded", async () => {
    const { admin } = instance;
    const config = configOf([SITE], PUSHED);
    // The output directory is missing.
    const broken = await push(instance, "pushed", withConfig(config, { "other.txt": "x" }));
    const [first] = (await deliver("pushed", broken)).body.deploymentIds;
    await ended(admin, first, "BUILD_ERROR");
    const both = await Promise.all([deliver("pushed", broken), deliver("pushed", broken)]);
    const again = both.flatMap(({ body }) => body.deploymentIds);
    assert.equal(again.length, 1, "two at the same time deploy once");
    assert.notEqual(again[0], first);
    await ended(admin, again[0], "BUILD_ERROR");

    const commit = await commitTo("pushed", "repaired");
    assert.deepEqual((await deliver("pushed", broken)).body.deploymentIds, [], "not the head any more");
    const [done] = (await deliver("pushed", commit)).body.deploymentIds;
    await ended(admin, done);
    assert.deepEqual((await deliver("pushed", commit)).body.deploymentIds, [], "it succeeded");
  });

  it("is deployed again by a redelivery also after a redeployment of it has failed", async () => {
    const { admin } = instance;
    const broken = await push(instance, "pushed", withConfig(configOf([SITE], PUSHED), { "other.txt": "y" }));
    const [first] = (await deliver("pushed", broken)).body.deploymentIds;
    await ended(admin, first, "BUILD_ERROR");
    const redeployed = await admin.post(`/v1/deployments/${first}/redeploy`);
    assert.equal(redeployed.status, 201, JSON.stringify(redeployed.body));
    await ended(admin, redeployed.body.id, "BUILD_ERROR");
    const [again] = (await deliver("pushed", broken)).body.deploymentIds;
    await ended(admin, again, "BUILD_ERROR");
  });

  it("is deployed by a redelivery once its environment deploys on pushes, and never over a later deployment", async () => {
    const { admin } = instance;
    const site = (text: string) => ({ "public/index.html": text });
    await push(instance, "late", site("one"));
    const created = await admin.post("/v1/projects", {
      name: "late",
      repoUrl: urlOf("late"),
      awsAccountId: "main",
      codeSource: { provider: "provider_a" },
      configType: "gui",
      config: configOf([SITE]),
    });
    assert.equal(created.status, 201, JSON.stringify(created.body));
    await ended(admin, await deploy(admin, "late"));
    const commit = await push(instance, "late", site("two"));
    assert.deepEqual((await deliver("late", commit)).body.deploymentIds, [], "its trigger is manual");
    const config = configOf([SITE], PUSHED);
    const set = await admin.patch(`/v1/projects/${created.body.id}`, { config });
    assert.equal(set.status, 200, JSON.stringify(set.body));
    const [done] = (await deliver("late", commit)).body.deploymentIds;
    await ended(admin, done);
    assert.deepEqual((await deliver("late", commit)).body.deploymentIds, [], "it succeeded");
  });

  it("waits where the environment asks for an approval, which any person who may deploy gives", async () => {
    const { admin } = instance;
    const { body } = await admin.get("/v1/projects");
    const { id } = body.projects.find(({ name }: { name: string }) => name === "pushed");
    const [environment] = (await admin.get(`/v1/projects/${id}/environments`)).body.environments;
    const protect = (approval: object | null) =>
      admin.patch(`/v1/environments/${environment.id}`, { protection: { approval } });
    await protect({ approvers: "developer" });
    const delivered = await deliver("pushed", await commitTo("pushed", "to be approved"));
    const [held] = delivered.body.deploymentIds;
    await until(
      async () => (await admin.get(`/v1/deployments/${held}`)).body.status === "PENDING_APPROVAL",
      "the push waits for an approval",
    );
    assert.equal((await admin.post(`/v1/deployments/${held}/approve`, {})).status, 200);
    await ended(admin, held);
    await protect(null);
  });

  // V1
  it("is known by its repository in any case of its letters, and shown as the host wrote it", async () => {
    const { admin } = instance;
    const commit = await commitTo("pushed", "in another case");
    const first = await deliver("Pushed", commit, { id: "case-1" });
    assert.equal(first.status, 200, JSON.stringify(first.body));
    assert.equal(first.body.deploymentIds.length, 1);
    await ended(admin, first.body.deploymentIds[0]);
    const { id } = (await admin.get("/v1/git-integrations")).body.gitIntegrations[0];
    const { body } = await admin.get(`/v1/git-integrations/${id}/deliveries?order=desc&limit=1`);
    assert.equal(body.deliveries[0].repositoryUrl, "https://git.sandbox.test/Pushed");
  });

  it("is not deployed if no environment of the branch has the trigger push", async () => {
    assert.deepEqual((await deliver("manual", await commitTo("manual", "two"))).body, { deploymentIds: [] });
    const commit = await commitTo("pushed", "elsewhere");
    assert.deepEqual((await deliver("pushed", commit, { branch: "feature" })).body, { deploymentIds: [] });
  });

  it("is refused alike for a wrong signature, another organization's signature, and an unknown repository", async () => {
    const commit = await commitTo("pushed", "three");
    const problems = new Set<string>();
    for (const answer of [
      await deliver("pushed", commit, { key: "wrong" }),
      await deliver("pushed", commit, { key: otherSecret }),
      await deliver("nobody", commit),
      await deliver("pushed", commit, { headers: { "x-hub-signature-256": "" } }),
    ]) {
      assert.equal(answer.status, 401);
      assert.equal(answer.body.code, "HOOK_SIGNATURE_REFUSED");
      problems.add(JSON.stringify({ ...answer.body, requestId: null }));
    }
    assert.equal(problems.size, 1, [...problems].join("\n"));
  });

  it("is reported to its organization, with its outcome and why it deployed nothing", async () => {
    const { admin } = instance;
    const list = `/v1/git-integrations/${(await admin.get("/v1/git-integrations")).body.gitIntegrations[0].id}/deliveries`;
    const newest = async () => (await admin.get(`${list}?order=desc&limit=1`)).body.deliveries[0];
    const commit = await commitTo("pushed", "reported");
    const { body } = await deliver("pushed", commit, { id: "reported-1" });
    const { id, receivedAt, ...started } = await newest();
    assert.match(id, /^ghd_/);
    assert.ok(Date.now() - Date.parse(receivedAt) < 60_000);
    assert.deepEqual(started, {
      hostId: "reported-1",
      repositoryUrl: urlOf("pushed").replace(/[.]git$/, ""),
      branch: "main",
      commitHash: commit,
      outcome: "STARTED",
      reason: null,
      errorCode: null,
      deploymentIds: body.deploymentIds,
    });
    const why: Record<string, () => Promise<ApiAnswer>> = {
      REPEATED: () => deliver("pushed", commit, { id: "reported-1" }),
      NO_PUSH: () => deliver("pushed", commit, { id: "reported-2", headers: { "x-github-event": "ping" } }),
      BRANCH_NOT_DEPLOYED: () => deliver("pushed", commit, { id: "reported-3", branch: "feature" }),
      NOT_HEAD: () => deliver("pushed", "0123456789abcdef0123456789abcdef01234567", { id: "reported-4" }),
    };
    for (const [outcome, send] of Object.entries(why)) {
      assert.equal((await send()).status, 200, outcome);
      const reported = await newest();
      assert.equal(reported.outcome, outcome);
      assert.ok(reported.reason.length > 20 && reported.deploymentIds.length === 0, outcome);
    }
    const page = await admin.get(`${list}?order=desc&limit=2`);
    assert.equal(page.body.deliveries.length, 2);
    const next = await admin.get(`${list}?order=desc&limit=2&cursor=${page.body.nextCursor}`);
    assert.ok(next.body.deliveries[0].id < page.body.deliveries[1].id);
  });

  it("with a wrong signature is reported without its contents, and at most once a minute", async () => {
    const { admin } = instance;
    const list = `/v1/git-integrations/${(await admin.get("/v1/git-integrations")).body.gitIntegrations[0].id}/deliveries`;
    const count = async () =>
      (await admin.get(`${list}?limit=100`)).body.deliveries.filter(
        ({ outcome }: { outcome: string }) => outcome === "SIGNATURE_WRONG",
      );
    const before = (await count()).length;
    for (let times = 0; times < 3; times += 1)
      assert.equal((await deliver("pushed", "wrong", { key: "wrong" })).status, 401);
    const kept = await count();
    assert.ok(kept.length - before <= 1);
    const { branch, commitHash, hostId, repositoryUrl } = kept.at(-1);
    assert.deepEqual(
      [branch, commitHash, hostId, repositoryUrl],
      [null, null, null, urlOf("pushed").replace(/[.]git$/, "")],
    );
  });

  it("over 5 MiB is listed as refused, without its content, at most one a minute", async () => {
    const { admin } = instance;
    const list = `/v1/git-integrations/${(await admin.get("/v1/git-integrations")).body.gitIntegrations[0].id}/deliveries`;
    const kept = async () =>
      (await admin.get(`${list}?limit=100`)).body.deliveries.filter(
        ({ outcome }: { outcome: string }) => outcome === "TOO_LARGE",
      );
    const bodyOf = (name: string) =>
      `{"ref":"refs/heads/main","repository":{"clone_url":"${urlOf(name)}"},"commits":"`.padEnd(70_000, "x");
    const signed = {
      "content-type": "application/json",
      "x-github-event": "push",
      "x-hub-signature-256": `sha256=${"0".repeat(64)}`,
    };
    const send = async (body: string, headers: Record<string, string>) => {
      const head = { ...signed, ...headers };
      const answer = await sendRaw(instance.url, rawRequest("POST /v1/git-hooks/provider_a", head, body));
      assert.equal(answer.status, 413, answer.text);
      assert.equal(JSON.parse(answer.text).code, "BODY_TOO_LARGE");
    };
    const announced = { "content-length": String(6 * 1_048_576) };
    await send(bodyOf("unknown"), announced);
    assert.deepEqual(await kept(), []);
    await send(bodyOf("pushed"), announced);
    const [{ id, receivedAt, reason, ...told }] = await kept();
    assert.ok(id && receivedAt);
    assert.match(reason, /larger than 5 MiB/);
    assert.deepEqual(told, {
      hostId: null,
      repositoryUrl: urlOf("pushed").replace(/[.]git$/, ""),
      branch: null,
      commitHash: null,
      outcome: "TOO_LARGE",
      errorCode: null,
      deploymentIds: [],
    });
    const long = bodyOf("pushed").padEnd(5 * 1_048_576 + 1, "x");
    await send(`${long.length.toString(16)}\r\n${long}\r\n`, { "transfer-encoding": "chunked" });
    assert.equal((await kept()).length, 1);
  });

  it("is not accepted from an unknown host, or as a form", async () => {
    const post = async (provider: string, type: string) =>
      (
        await fetch(`${instance.url}/v1/git-hooks/${provider}`, {
          method: "POST",
          headers: { "content-type": type },
          body: "{}",
        })
      ).status;
    assert.equal(await post("provider_z", "application/json"), 400);
    assert.equal(await post("provider_a", "application/x-www-form-urlencoded"), 415);
    assert.equal(await post("provider_a", "application/json"), 401);
  });

  it("stores no secret in the clear, and a new secret replaces the old one", async () => {
    const { admin } = instance;
    const { body } = await admin.get("/v1/git-integrations");
    assert.ok(!JSON.stringify(body).includes(secret));
    assert.ok(!instance.logged().includes(secret));
    const set = await admin.post(`/v1/git-integrations/${body.gitIntegrations[0].id}/hook-secret`);
    const commit = await commitTo("pushed", "four");
    assert.equal((await deliver("pushed", commit)).status, 401);
    secret = set.body.secret;
    assert.equal((await deliver("pushed", commit)).body.deploymentIds.length, 1);
  });
});
