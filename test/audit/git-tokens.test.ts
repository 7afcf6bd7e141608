/** A git token is replaced while projects continue, and the new one is tried first. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Actor } from "../../src/lib/actor.ts";
import { createAwsAccount } from "../../src/features/cloud-accounts/commands.ts";
import { type Database, readStatement, writeStatement } from "../../src/db/database.ts";
import { parseAllowedHosts } from "../../src/egress/address-rules.ts";
import type { Git } from "../../src/git/git.ts";
import { makeGitlab } from "../../src/git/gitlab.ts";
import { makeGuardedClient } from "../../src/git/http-client.ts";
import { TEST_CERTIFICATE } from "../helpers/git/certificate.ts";
import { answerGit } from "../helpers/git/fake-git-host.ts";
import { createGitUser, type GitUser } from "../helpers/git/git-user.ts";
import { type LocalServer, startLocalServer } from "../helpers/git/local-server.ts";
import {
  checkDueTokens,
  recordAskedCheck,
  tryToken,
} from "../../src/features/git-integrations/check-token.ts";
import { prepareToken, replaceToken } from "../../src/features/git-integrations/commands.ts";
import { getGitIntegration, openGitAccess } from "../../src/features/git-integrations/queries.ts";
import { projects } from "../../src/features/projects/store.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { createProject } from "../helpers/customers/scenario.ts";
import { createUserClient } from "../helpers/users.ts";

const PATH = "/v1/git-integrations";

const EMITTED = readStatement<{ type: string; data: unknown }>(
  "test_git_integration_emitted",
  "SELECT type, data FROM event_outbox WHERE organization_id = $1 AND type LIKE 'git_integration.token_%' ORDER BY id",
);
const AUDITED = readStatement<{ action: string; userId: string }>(
  "test_git_integration_audited",
  `SELECT action, user_id AS "userId" FROM audit_entries
    WHERE organization_id = $1 AND action LIKE 'git-integration.token-_%ed' AND action <> 'git-integration.token-replaced'
    ORDER BY id`,
);
const MAKE_DUE = writeStatement(
  "test_git_integration_make_due",
  "UPDATE git_integrations SET check_due_at = now() WHERE organization_id = $1",
);

describe("D1: the token of a git integration over the API", () => {
  let instance: Instance;
  let id: string;
  let projectId: string;
  before(async () => {
    instance = await startInstance({ withOtherOrganization: true });
    ({ projectId } = await createProject(instance.admin, "tokens"));
    [{ id }] = (await instance.admin.get(PATH)).body.gitIntegrations;
  });
  after(() => instance.dispose());

  it("D1: is replaced while a project uses it, and the project continues to deploy", async () => {
    const { admin } = instance;
    const before = (await admin.get(`${PATH}/${id}`)).body;
    const answer = await admin.patch(`${PATH}/${id}`, { token: "a-token-that-is-new" });
    assert.equal(answer.status, 200, answer.text);
    const { tokenSetAt, lastCheckAt, ...rest } = answer.body;
    assert.ok(Date.parse(tokenSetAt) > Date.parse(before.tokenSetAt));
    assert.equal(lastCheckAt, tokenSetAt);
    assert.deepEqual({ ...rest, tokenSetAt: before.tokenSetAt, lastCheckAt: before.lastCheckAt }, before);
    assert.deepEqual((await admin.get(`${PATH}/${id}`)).body, answer.body);
    const deployed = await admin.post("/v1/deployments", {
      repoUrl: "https://git.sandbox.test/demo.git",
      filter: { projectId },
    });
    assert.equal(deployed.status, 201, deployed.text);
    const audit = await admin.get(`/v1/audit-entries?resourceId=${id}`);
    const actions = audit.body.auditEntries.map(({ action }: { action: string }) => action);
    assert.ok(actions.includes("git-integration.token-replaced"), actions.join());
    assert.ok(!instance.logged().includes("a-token-that-is-new"));
  });

  it("D1: is what the refusals of POST and DELETE point to", async () => {
    const again = await instance.admin.post(PATH, { provider: "provider_a", token: "b" });
    assertRefused(again, 409, "GIT_INTEGRATION_EXISTS");
    assert.ok(again.body.detail.includes(`replace the token of the integration ${id}`), again.text);
    const used = await instance.admin.delete(`${PATH}/${id}`);
    assertRefused(used, 409, "GIT_INTEGRATION_IN_USE");
    assert.match(used.body.detail, /To change the token, replace it;/);
    assert.ok(used.body.detail.includes(id), used.text);
  });

  it("D1: is set only by the organization's own admins, and has to be valid", async () => {
    const body = { token: "b" };
    const developer = await createUserClient(instance.admin, "developer");
    assertRefused(await developer.patch(`${PATH}/${id}`, body), 403, "ROLE_TOO_LOW");
    assertRefused(await instance.other.patch(`${PATH}/${id}`, body), 404, "NOT_FOUND");
    assertRefused(await instance.admin.patch(`${PATH}/git_none`, body), 404, "NOT_FOUND");
    for (const invalid of [{}, { token: "" }, { token: "two words" }, { token: "t", host: "x.example" }]) {
      assertRefused(await instance.admin.patch(`${PATH}/${id}`, invalid), 400, "INVALID_REQUEST");
    }
  });
});

describe("D1: a new token at a real host", () => {
  let user: GitUser;
  let db: Database;
  let actor: Actor;
  let server: LocalServer;
  let git: Git;
  let id: string;
  /** What each token of the host may read. */
  let reach: Record<string, readonly string[]>;
  let isAway = false;

  before(async () => {
    server = await startLocalServer("https", (request, response) => {
      if (isAway) return response.writeHead(503).end();
      const [, repository] = /^\/(.+)\.git\//.exec(request.url ?? "") ?? [];
      const given = request.headers.authorization ?? "";
      const token = given.startsWith("Basic ")
        ? Buffer.from(given.slice(6), "base64").toString().replace("oauth2:", "")
        : given.replace("Bearer ", "");
      const readable = reach[token];
      if (readable === undefined) return response.writeHead(401).end();
      if (repository === undefined) {
        return response.writeHead(200, { "content-type": "application/json" }).end('{"id":1}');
      }
      if (!readable.includes(repository)) return response.writeHead(404).end();
      return answerGit(request, response, [{ name: "refs/heads/main", oid: "d".repeat(40) }], 2);
    });
    git = makeGitlab({
      fetch: makeGuardedClient({
        allowedHosts: parseAllowedHosts(["127.0.0.1"]),
        trustedCa: TEST_CERTIFICATE,
        totalTimeoutMs: 30_000,
      }),
    });
    const where = { provider: "provider_b_self_hosted", host: server.host } as const;
    user = await createGitUser("first", where);
    ({ db, admin: actor, integrationId: id } = user);
    const { organizationId } = actor;
    const { id: awsAccountId } = await db.transaction((tx) =>
      createAwsAccount(tx, actor, { givenId: "main" }),
    );
    for (const name of ["shop", "blog"]) {
      const url = `${server.url}/acme/${name}`;
      const project = {
        organizationId,
        name,
        awsAccountId,
        repoUrl: url,
        normalizedRepoUrl: url,
        ...where,
        configType: "gui",
        configFilePath: null,
        configFileBranch: null,
      } as const;
      await db.transaction((tx) => projects.insert(tx, project, {}));
    }
  });
  after(async () => {
    await server.close();
    await user.dispose();
  });

  const deps = () => ({ db, git, atRest: user.atRest });
  const prepare = (token: string) => prepareToken(deps(), actor, id, token);
  const tokenInForce = async () =>
    (await openGitAccess(deps(), actor.organizationId, "provider_b_self_hosted", server.host)).token;
  const BOTH = ["acme/shop", "acme/blog"];

  it("D1: that the host refuses leaves the old one in use", async () => {
    reach = { first: BOTH };
    await assert.rejects(prepare("mistyped"), { name: "GitError", code: "TOKEN_REFUSED" });
    assert.equal(await tokenInForce(), "first");
  });

  it("D1: that can read less than the old one is refused, and the repositories are named", async () => {
    reach = { first: BOTH, narrow: ["acme/shop"] };
    await assert.rejects(prepare("narrow"), (error: Error & { code?: string }) => {
      assert.equal(error.code, "GIT_TOKEN_READS_LESS");
      assert.match(error.message, /acme\/blog \(proj_/);
      assert.doesNotMatch(error.message, /acme\/shop/);
      return true;
    });
    assert.equal(await tokenInForce(), "first");
  });

  it("D1: is not accepted while the host is away", async () => {
    isAway = true;
    await assert.rejects(prepare("second"), { code: "HOST_UNAVAILABLE" });
    isAway = false;
    assert.equal(await tokenInForce(), "first");
  });

  it("D1: replaces the old one when it is recorded, not before", async () => {
    reach = { first: BOTH, second: BOTH };
    const sealed = await prepare("second");
    assert.equal(await tokenInForce(), "first");
    await db.transaction((tx) => replaceToken(tx, actor, id, sealed));
    assert.equal(await tokenInForce(), "second");
    assert.ok(!Buffer.from(sealed).includes("second"), "it is sealed");
  });

  it("D1: that can read less is accepted if the old one no longer reads anything", async () => {
    reach = { narrow: ["acme/shop"] };
    const sealed = await prepare("narrow");
    await db.transaction((tx) => replaceToken(tx, actor, id, sealed));
    assert.equal(await tokenInForce(), "narrow");
  });

  const check = async () => {
    const found = await tryToken(deps(), actor, id);
    return await db.transaction((tx) => recordAskedCheck(tx, actor, found));
  };
  const sweep = () => checkDueTokens(deps(), new AbortController().signal);
  const emitted = async () => await db.query(EMITTED, [actor.organizationId]);
  const state = ({ tokenStatus, lastCheckError }: Awaited<ReturnType<typeof check>>) => [
    tokenStatus,
    lastCheckError?.code ?? null,
  ];
  const read = () => getGitIntegration(db, actor.organizationId, id);

  it("is found to be revoked, which is emitted once and without the token, and to work again", async () => {
    reach = {};
    const refused = await check();
    assert.deepEqual(state(refused), ["REFUSED", "GIT_TOKEN_REFUSED"]);
    assert.match(refused.lastCheckError?.action ?? "", /Create a token/);
    await check();
    const [event, ...others] = await emitted();
    assert.equal(others.length, 0, "only the change is emitted");
    assert.equal(event?.type, "git_integration.token_refused");
    assert.match(JSON.stringify(event?.data), /GIT_TOKEN_REFUSED.*Create a token/);
    assert.doesNotMatch(JSON.stringify([event, refused]), /narrow/);
    reach = { narrow: ["acme/shop"] };
    assert.deepEqual(state(await check()), ["WORKING", null]);
    assert.equal((await emitted()).at(-1)?.type, "git_integration.token_accepted");
    assert.deepEqual(await db.query(AUDITED, [actor.organizationId]), [
      { action: "git-integration.token-refused", userId: "slipway" },
      { action: "git-integration.token-accepted", userId: "slipway" },
    ]);
  });

  it("stays as it was known to be while the host is away", async () => {
    isAway = true;
    assert.deepEqual(state(await check()), ["WORKING", "GIT_HOST_UNAVAILABLE"]);
    isAway = false;
    reach = {};
    await check();
    isAway = true;
    assert.deepEqual(state(await check()), ["REFUSED", "GIT_HOST_UNAVAILABLE"]);
    isAway = false;
    await check();
    const types = (await emitted()).map(({ type }) => type.replace("git_integration.", ""));
    assert.deepEqual(types, ["token_refused", "token_accepted", "token_refused"]);
  });

  it("is not blamed for what its predecessor was found to be", async () => {
    const found = await tryToken(deps(), actor, id);
    reach = { third: BOTH };
    const sealed = await prepare("third");
    await db.transaction((tx) => replaceToken(tx, actor, id, sealed));
    const replaced = await read();
    assert.deepEqual(state(replaced), ["WORKING", null]);
    await db.transaction((tx) => recordAskedCheck(tx, actor, found));
    assert.deepEqual(await read(), replaced);
  });

  it("is tried automatically when it is due, and by one worker", async () => {
    const before = await read();
    await sweep();
    assert.deepEqual(await read(), before, "it was tried when it was set");
    await db.query(MAKE_DUE, [actor.organizationId]);
    reach = {};
    const count = (await emitted()).length;
    await Promise.all([sweep(), sweep()]);
    const refused = await read();
    assert.deepEqual(state(refused), ["REFUSED", "GIT_TOKEN_REFUSED"]);
    assert.equal((await emitted()).length, count + 1);
    reach = { third: BOTH };
    await sweep();
    assert.deepEqual(await read(), refused, "it is due again after an hour");
    await db.query(MAKE_DUE, [actor.organizationId]);
    await sweep();
    assert.deepEqual(state(await read()), ["WORKING", null]);
  });
});
