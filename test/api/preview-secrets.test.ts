/** Which secrets of a template reach its previews: none without the scope, and of forks none at all. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { commitFiles } from "../../sandbox/src/git/git-repositories.ts";
import { createIacProject, push, withConfig } from "../helpers/customers/deployments.ts";
import { connectAccount } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { getFromEdge } from "../helpers/sandbox/edge-client.ts";
import { until } from "../helpers/until.ts";

const REPOSITORY = "/sandbox/git/repositories/shop";
const PATIENCE_MS = 90_000;
const SCOPED = "canary-with-the-scope";
const UNSCOPED = "canary-without-a-scope";
const region = "us-west-2";
const SITE = { id: "site", type: "static", outputDirectory: "public" };
/** Shows all variables of its build and of its run. */
const WEB = {
  id: "web",
  type: "web",
  port: 3000,
  buildCommand: `node -e 'require("fs").writeFileSync("built.json", JSON.stringify(process.env))'`,
  startCommand: "node server.js",
};
const SERVER = `require("node:http").createServer((_, response) => response.end(JSON.stringify({
  text: require("node:fs").readFileSync("public/index.html", "utf8"),
  built: JSON.parse(require("node:fs").readFileSync("built.json", "utf8")), ran: process.env,
}))).listen(process.env.PORT, "127.0.0.1");`;

type Shown = { readonly text: string } & Record<"built" | "ran", Readonly<Record<string, string>>>;
type Preview = {
  readonly id: string;
  readonly key: string;
  readonly state: string;
  readonly commitHash: string;
  readonly environmentId: string;
};

describe("the secrets of a template", () => {
  let instance: Instance;
  let projectId: string;
  let environments: Readonly<Record<string, string>>;
  let main: string;

  const config = (envVariables: object = {}) => ({
    environments: [
      { id: "production", region, source: { branch: "main" }, services: [SITE] },
      {
        id: "app",
        region,
        source: { branch: "main", pr: true, previews: { access: "public" } },
        services: [WEB],
        envVariables,
      },
    ],
  });
  const files = (text: string, envVariables: object = {}) =>
    withConfig(config(envVariables), { "public/index.html": text, "server.js": SERVER });
  before(async () => {
    instance = await startInstance();
    const { admin } = instance;
    await connectAccount(admin, "main");
    const made = await admin.post("/v1/git-integrations", { provider: "provider_a", token: "any" });
    const { body } = await admin.post(`/v1/git-integrations/${made.body.id}/hook-secret`);
    main = await push(instance, "shop", files("main"));
    projectId = await createIacProject(admin, "shop");
    const hook = await admin.put(`${REPOSITORY}/hook`, { provider: "provider_a", secret: body.secret });
    assert.equal(hook.status, 204, hook.text);
    const listed = (await admin.get(`/v1/projects/${projectId}/environments`)).body.environments;
    environments = Object.fromEntries(
      listed.map(({ configId, id }: { configId: string; id: string }) => [configId, id]),
    );
  });
  after(() => instance.dispose());

  const addressOf = (environment: string) => `/v1/environments/${environments[environment]}/env-variables`;
  const set = async (body: object) => {
    const answer = await instance.admin.post(addressOf("app"), body);
    assert.equal(answer.status, 202, answer.text);
    await until(async () => {
      const { body: run } = await instance.admin.get(`${addressOf("app")}/status?runId=${answer.body.runId}`);
      assert.deepEqual(run.failedEnvVariables ?? {}, {});
      return run.isFinished === true;
    }, "the values are stored");
  };
  const variable = async (name: string) =>
    (await instance.admin.get(`${addressOf("app")}/${name}`)).body as {
      readonly availableInPreviews: boolean | null;
      readonly reference: string;
    };
  const put = async (number: number, more: object) => {
    const body = { base: "main", state: "open", ...more };
    const answer = await instance.admin.put(`${REPOSITORY}/pull-requests/${number}`, body);
    assert.equal(answer.status, 200, answer.text);
  };
  const untilState = (key: string, state: string): Promise<Preview> =>
    until(
      async () => {
        const { previews } = (await instance.admin.get(`/v1/previews?projectId=${projectId}`)).body;
        return previews.find((one: Preview) => one.key === key && one.state === state) ?? null;
      },
      `${key} is ${state}`,
      PATIENCE_MS,
    );
  const untilShown = async ({ environmentId }: Preview, text: string): Promise<Shown> => {
    const hostOf = async () => {
      const { services } = (await instance.admin.get(`/v1/environments/${environmentId}/services`)).body;
      const id = services?.[0]?.id as string | undefined;
      return id && ((await instance.admin.get(`/v1/services/${id}`)).body.cdnDomainName as string | null);
    };
    const host = await until(hostOf, "its address", PATIENCE_MS);
    const page = async () => {
      const { body } = await getFromEdge(instance.sandbox, host, {});
      return body.includes(text) ? (JSON.parse(body) as Shown) : null;
    };
    return await until(page, `${host} shows ${text}`, PATIENCE_MS);
  };

  it("have a scope only in a template, which is kept until the variable is deleted", async () => {
    const secretsManager = { TOKEN: SCOPED };
    const refused = await instance.admin.post(addressOf("production"), {
      secretsManager,
      availableInPreviews: true,
    });
    assertRefused(refused, 400, "INVALID_REQUEST");
    assert.match(refused.text, /availableInPreviews/);
    const plain = { plainText: { LEVEL: "info" }, availableInPreviews: true };
    assertRefused(await instance.admin.post(addressOf("app"), plain), 400, "INVALID_REQUEST");

    await set({ secretsManager, availableInPreviews: true });
    await set({ secretsManager: { HIDDEN: UNSCOPED }, plainText: { LEVEL: "info" } });
    assert.equal((await variable("TOKEN")).availableInPreviews, true);
    assert.equal((await variable("HIDDEN")).availableInPreviews, false);
    assert.equal((await variable("LEVEL")).availableInPreviews, null);
    for (const body of [
      { secretsManager, availableInPreviews: false },
      { secretsManager: { HIDDEN: UNSCOPED }, availableInPreviews: true },
    ]) {
      assertRefused(await instance.admin.post(addressOf("app"), body), 409, "VARIABLE_SCOPE_FIXED");
      const { plan } = (await instance.admin.post(`${addressOf("app")}?dryRun=true`, body)).body;
      assert.deepEqual(
        plan.refused.map(({ code }: { code: string }) => code),
        ["VARIABLE_SCOPE_FIXED"],
      );
    }
    // A new value has the scope of the one before.
    await set({ secretsManager });
    assert.equal((await variable("TOKEN")).availableInPreviews, true);
  });

  it("reach builds and releases of the repository's own pull requests with the scope only", async () => {
    const gitdir = path.join(instance.sandbox.gitDir, "shop.git");
    writeFileSync(path.join(gitdir, "refs", "heads", "cart"), `${main}\n`);
    const written = files("own", { LEVEL_OF_FILE: { value: "info", previewValue: "debug" } });
    await commitFiles({ gitdir, branch: "cart", files: written, message: "own", at: new Date() });
    await put(1, { head: "cart" });
    const { built, ran } = await untilShown(await untilState("pr-1", "ACTIVE"), "own");
    for (const variables of [built, ran]) {
      const { TOKEN, HIDDEN, LEVEL, LEVEL_OF_FILE } = variables;
      assert.deepEqual([TOKEN, HIDDEN, LEVEL, LEVEL_OF_FILE], [SCOPED, undefined, "info", "debug"]);
    }
  });

  it("never reach a fork: not after an approval, and not by their names in the cloud", async () => {
    const [token, hidden] = [(await variable("TOKEN")).reference, (await variable("HIDDEN")).reference];
    assert.match(token, /\/previews\/TOKEN/);
    const stolen = {
      STOLEN: { fromSecretsManager: token },
      OTHER: { fromSecretsManager: hidden },
      TOKEN: { fromSecretsManager: token },
    };
    const pushAndApprove = async (text: string) => {
      const hash = await push(instance, "stranger", files(text, stolen), "evil");
      await put(2, { head: "evil", headRepository: "stranger" });
      const { id, commitHash } = await untilState("pr-2", "WAITING_FOR_APPROVAL");
      assert.equal(commitHash, hash);
      const { status } = await instance.admin.post(`/v1/previews/${id}/approve`, { commitHash });
      assert.equal(status, 200);
      return await untilState("pr-2", "ACTIVE");
    };
    const preview = await pushAndApprove("from a fork");
    const shown = await untilShown(preview, "from a fork");
    assert.deepEqual([shown.built["LEVEL"], shown.ran["LEVEL"]], ["info", "info"]);
    assert.doesNotMatch(JSON.stringify(shown), /canary|STOLEN|OTHER/);
    const { services } = (await instance.admin.get(`/v1/environments/${preview.environmentId}/services`))
      .body;
    const set = await instance.admin.post(`/v1/services/${services[0].id}/env-variables`, {
      fromSecretsManager: { STOLEN: token },
    });
    assert.equal(set.status, 200, set.text);
    // Slipway passes on what a member sets; the cloud refuses it.
    await pushAndApprove("again");
    const failed = await until(
      async () => {
        const path = `/v1/deployments?environmentId=${preview.environmentId}`;
        const { deployments } = (await instance.admin.get(path)).body;
        const failed = deployments.find(({ status }: { status: string }) => /ERROR/.test(status));
        return failed && (await instance.admin.get(`/v1/deployments/${failed.id}`)).body;
      },
      "the cloud refuses the reference",
      PATIENCE_MS,
    );
    assert.match(JSON.stringify(failed), /VARIABLE_NOT_FOUND/);
    assert.doesNotMatch(instance.logged(), /canary-with/);
  });
});
