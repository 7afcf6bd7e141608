/** Pull requests of the sandbox's git host, at the API's address. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { commitFiles } from "../../sandbox/src/git/git-repositories.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { until } from "../helpers/until.ts";
import { configOf, createIacProject, push, withConfig } from "../helpers/customers/deployments.ts";
import { connectAccount } from "../helpers/customers/scenario.ts";

const SITE = { id: "site", type: "static", outputDirectory: "public" };
const REPOSITORY = "/sandbox/git/repositories/shop";
type Sent = { readonly id: string; readonly action: string; readonly status: number | null };

describe("pull requests of the sandbox at the API's address", () => {
  let instance: Instance;
  let integration: string;
  let main: string;
  before(async () => {
    instance = await startInstance({ withOtherOrganization: true });
    const { admin } = instance;
    await connectAccount(admin, "main");
    integration = (await admin.post("/v1/git-integrations", { provider: "provider_a", token: "any" })).body
      .id;
    const { body } = await admin.post(`/v1/git-integrations/${integration}/hook-secret`);
    main = await push(instance, "shop", withConfig(configOf([SITE]), { "public/index.html": "one" }));
    await createIacProject(admin, "shop");
    const hook = await admin.put(`${REPOSITORY}/hook`, { provider: "provider_a", secret: body.secret });
    assert.equal(hook.status, 204, hook.text);
  });
  after(() => instance.dispose());

  const commit = async (branch: string, text: string, from?: string) => {
    const gitdir = path.join(instance.sandbox.gitDir, "shop.git");
    if (from !== undefined) writeFileSync(path.join(gitdir, "refs", "heads", branch), `${from}\n`);
    const files = withConfig(configOf([SITE]), { "public/index.html": text });
    return await commitFiles({ gitdir, branch, files, message: text, at: new Date() });
  };
  const put = async (number: number, head: string, more: object = {}) => {
    const answer = await instance.admin.put(`${REPOSITORY}/pull-requests/${number}`, {
      head,
      base: "main",
      state: "open",
      ...more,
    });
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const sent = async (number: number): Promise<readonly Sent[]> =>
    (await instance.admin.get(`${REPOSITORY}/deliveries`)).body.deliveries.filter(
      (one: { number: number }) => one.number === number,
    );
  const actions = async (number: number) => (await sent(number)).map(({ action }) => action);
  const fail = async (kind: string) =>
    assert.equal(
      (await instance.admin.put(`${REPOSITORY}/faults`, { operation: "deliveries.send", kind, count: 1 }))
        .status,
      204,
    );

  it("are delivered with a signature when they open, change, move and close", async () => {
    await commit("one", "a pull request", main);
    await put(1, "one", { labels: ["preview"] });
    await commit("one", "a push by path");
    await until(async () => (await actions(1)).includes("synchronize"), "the push is delivered");
    await put(1, "one", { labels: [] });
    await put(1, "one", { state: "merged" });
    await until(async () => (await actions(1)).length === 4, "all is delivered");
    assert.deepEqual(await actions(1), ["opened", "synchronize", "labeled", "closed"]);
    const ofHost = await sent(1);
    assert.deepEqual(new Set(ofHost.map(({ status }) => status)), new Set([200]));
    const { body } = await instance.admin.get(`/v1/git-integrations/${integration}/deliveries`);
    const hostIds = body.deliveries.map(({ hostId }: { hostId: string }) => hostId);
    for (const { id } of ofHost) assert.ok(hostIds.includes(id));
  });

  it("lose, repeat and swap deliveries that have a fault", async () => {
    for (const branch of ["two", "three", "four"]) await commit(branch, branch, main);
    await fail("dropped");
    await put(2, "two");
    await put(2, "two", { state: "closed" });
    await until(async () => (await sent(2)).length > 0, "the second one is delivered");
    assert.deepEqual(await actions(2), ["closed"]);
    await fail("duplicated");
    await put(3, "three");
    await until(async () => (await sent(3)).length === 2, "it is delivered twice");
    const [first, second] = await sent(3);
    assert.equal(first?.id, second?.id);
    await fail("reordered");
    await put(4, "four");
    await put(4, "four", { state: "closed" });
    await until(async () => (await sent(4)).length === 2, "both are delivered");
    assert.deepEqual(await actions(4), ["closed", "opened"]);
    await fail("reordered");
    await put(4, "four");
    await until(async () => (await sent(4)).length === 3, "it does not wait forever");
  });

  it("are those of the organization that first had one in the repository", async () => {
    const { other } = instance;
    for (const answer of [
      await other.put(`${REPOSITORY}/pull-requests/1`, { head: "main", base: "main", state: "merged" }),
      await other.get(`${REPOSITORY}/pull-requests/1`),
      await other.get(`${REPOSITORY}/pull-requests`),
      await other.put(`${REPOSITORY}/hook`, { provider: "provider_a", secret: "theirs" }),
      await other.get(`${REPOSITORY}/reports`),
      await other.get(`${REPOSITORY}/deliveries`),
      await other.put(`${REPOSITORY}/faults`, { operation: "*", kind: "denied" }),
    ])
      assertRefused(answer, 404, "NOT_FOUND");
    assertRefused(await other.get("/sandbox/git/repositories/..%2fshop/reports"), 404, "NOT_FOUND");
  });
});
