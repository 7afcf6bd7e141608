/** Which secrets of a template reach its previews: none without the scope, and of forks none at all. */
import assert from "node:assert/strict";
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
import { connectAccount, integrateGit } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { until } from "../helpers/until.ts";

const PATIENCE_MS = 90_000;
const SCOPED = "canary-with-the-scope";
const UNSCOPED = "canary-without-a-scope";
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

const written = (envVariables: object = {}) => [
  { id: "production", region: "us-west-2", source: { branch: "main" }, services: [SITE] },
  { ...templateOf("app", { previews: { access: "public" } }, [WEB]), envVariables },
];

describe("the secrets of a template", () => {
  let instance: Instance;
  let team: PreviewTeam;
  before(async () => {
    instance = await startInstance();
    await connectAccount(instance.admin, "main");
    await integrateGit(instance.admin);
    team = await startPreviewTeam(instance, "shop", written(), { files: { "server.js": SERVER } });
  });
  after(() => instance.dispose());

  const addressOf = (environment: string) =>
    `/v1/environments/${team.environments[environment]}/env-variables`;
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
  const untilState = async (key: string, state: string) =>
    (await team.untilState(key, state)) ?? assert.fail();
  const servicesOf = async ({ environmentId }: ShownPreview): Promise<readonly { readonly id: string }[]> =>
    (await instance.admin.get(`/v1/environments/${environmentId}/services`)).body.services;
  const untilShown = async (preview: ShownPreview, text: string): Promise<Shown> =>
    JSON.parse(await untilServed(instance.sandbox, team, preview, text));

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
    await team.commit("cart", "own", written({ LEVEL_OF_FILE: { value: "info", previewValue: "debug" } }));
    await team.putPullRequest(1, "cart");
    const { built, ran } = await untilShown(await untilState("pr-1", "ACTIVE"), "own");
    for (const variables of [built, ran]) {
      const { TOKEN, HIDDEN, LEVEL, LEVEL_OF_FILE } = variables;
      assert.deepEqual([TOKEN, HIDDEN, LEVEL, LEVEL_OF_FILE], [SCOPED, undefined, "info", "debug"]);
    }
  });

  it("do not reach them by their names in the cloud, which refuses those without the scope", async () => {
    const preview = await untilState("pr-1", "ACTIVE");
    const [service] = await servicesOf(preview);
    const { reference } = await variable("HIDDEN");
    const set = await instance.admin.post(`/v1/services/${service?.id}/env-variables`, {
      fromSecretsManager: { STOLEN: reference },
    });
    // Slipway passes on what a member sets; the cloud refuses it.
    assert.equal(set.status, 200, set.text);
    await team.commit("cart", "stolen", written());
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
  });

  it("never reach a fork: not after an approval, not by their names in the cloud, and not from a member", async () => {
    const [token, hidden] = [(await variable("TOKEN")).reference, (await variable("HIDDEN")).reference];
    assert.match(token, /\/previews\/TOKEN/);
    const stolen = {
      STOLEN: { fromSecretsManager: token },
      OTHER: { fromSecretsManager: hidden },
      TOKEN: { fromSecretsManager: token },
    };
    const pushAndApprove = async (text: string) => {
      const files = { "public/index.html": text, "server.js": SERVER };
      const config = { environments: written(stolen) };
      const hash = await push(instance, "stranger", withConfig(config, files), "evil");
      await team.putPullRequest(2, "evil", { headRepository: "stranger" });
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
    // A member cannot set a secret for it either.
    const [service] = await servicesOf(preview);
    for (const scope of [`/v1/environments/${preview.environmentId}`, `/v1/services/${service?.id}`]) {
      const body = { secretsManager: { OWN: SCOPED }, fromSecretsManager: { STOLEN: token } };
      for (const query of ["", "?dryRun=true"]) {
        const set = await instance.admin.post(`${scope}/env-variables${query}`, body);
        const refused = ["/fromSecretsManager/STOLEN NOT_ALLOWED", "/secretsManager/OWN NOT_ALLOWED"];
        assert.deepEqual(assertRefused(set, 400, "INVALID_REQUEST"), refused);
      }
      const plain = await instance.admin.post(`${scope}/env-variables`, { plainText: { PLAIN: "here" } });
      assert.equal(plain.status, 200, plain.text);
    }
    const again = await untilShown(await pushAndApprove("again"), "again");
    assert.deepEqual([again.ran["PLAIN"], again.ran["TOKEN"]], ["here", undefined]);
    assert.doesNotMatch(instance.logged(), /canary-with/);
  });
});
