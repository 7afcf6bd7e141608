import assert from "node:assert/strict";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { commitFiles, createRepository } from "../../sandbox/src/git/git-repositories.ts";
import { createApiClient } from "../helpers/api-client.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused, assertSameNotFound } from "../helpers/problems.ts";
import { CONFIG, connectAccount, integrateGit } from "../helpers/customers/scenario.ts";
import { until } from "../helpers/until.ts";
import { createUserClient } from "../helpers/users.ts";

const PATH = "/v1/deployments";
const NOBODY = "01h455vb4pex5vsknk084sn02q";

describe("deployments", () => {
  let instance: Instance;
  before(async () => {
    instance = await startInstance({ withOtherOrganization: true });
    for (const client of [instance.admin, instance.other]) {
      await connectAccount(client, "main");
      await integrateGit(client);
    }
  });
  after(() => instance.dispose());

  const folder = () => path.join(instance.dataDir, "sandbox", "git");
  const files = { "public/index.html": "<h1>Hello</h1>" };
  const urlOf = (name: string) => `https://git.sandbox.test/${name}.git`;

  /** A repository with `main`, and each further branch. @returns the commit of `main` */
  const push = async (name: string, ...branches: readonly string[]): Promise<string> => {
    const at = new Date(0);
    const commit = await createRepository({ folder: folder(), name, branch: "main", files, at });
    const gitdir = path.join(folder(), `${name}.git`);
    for (const branch of branches) {
      await commitFiles({ gitdir, branch, files, message: `Begin ${branch}`, at });
    }
    return commit;
  };

  /** A project whose environments follow these branches. @returns its id and the ids of its environments */
  const createProject = async (
    repository: string,
    branches: readonly string[],
    client = instance.admin,
  ): Promise<{ projectId: string; environmentIds: Readonly<Record<string, string>> }> => {
    const [first] = CONFIG.environments;
    const environments = branches.map((branch, index) => ({
      ...first,
      id: `env-${index}`,
      source: { branch },
    }));
    const created = await client.post("/v1/projects", {
      name: repository,
      repoUrl: urlOf(repository),
      awsAccountId: "main",
      codeSource: { provider: "provider_a" },
      configType: "gui",
      config: { environments },
    });
    assert.equal(created.status, 201, JSON.stringify(created.body));
    const listed = await client.get(`/v1/projects/${created.body.id}/environments`);
    const ids = listed.body.environments.map((one: { configId: string; id: string }) => [
      one.configId,
      one.id,
    ]);
    return { projectId: created.body.id, environmentIds: Object.fromEntries(ids) };
  };

  it("record the branch's present commit", async () => {
    const { admin } = instance;
    const commit = await push("one");
    const { projectId, environmentIds } = await createProject("one", ["main"]);
    const created = await admin.post(PATH, { repoUrl: urlOf("one"), branch: "main", filter: { projectId } });
    assert.equal(created.status, 201, JSON.stringify(created.body));
    const { id, createdAt, updatedAt, ...rest } = created.body;
    assert.match(id, /^depl_/);
    assert.equal(createdAt, updatedAt);
    const { user } = (await admin.get("/v1/me")).body;
    assert.deepEqual(rest, {
      projectId,
      environmentId: environmentIds["env-0"],
      branch: "main",
      commit: commit.slice(0, 7),
      commitHash: commit,
      commitMessage: null,
      commitAuthor: null,
      trigger: "api",
      startedBy: user.id,
      rollbackOf: null,
      restartedServiceId: null,
      status: "PENDING",
      statusReason: null,
      error: null,
      cancelRequestedAt: null,
      startedAt: null,
      endedAt: null,
    });
    assert.equal(created.headers.get("location"), `${PATH}/${id}`);
    assert.equal((await admin.get(`${PATH}/${id}`)).body.commitHash, commit);
    const audit = await admin.get(`/v1/audit-entries?resourceId=${id}`);
    assert.equal(audit.body.auditEntries[0].action, "deployment.created");

    const gitdir = path.join(folder(), "one.git");
    const next = await commitFiles({ gitdir, branch: "main", files, message: "Go on", at: new Date(1_000) });
    const again = await admin.post(PATH, { repoUrl: urlOf("one") });
    assert.equal(again.body.commitHash, next);
    assert.equal((await admin.get(`${PATH}/${id}`)).body.commitHash, commit, "the first keeps its own");
  });

  it("find their project by any spelling of the address", async () => {
    await push("spelled");
    const { projectId } = await createProject("spelled", ["main"]);
    for (const repoUrl of [
      "https://GIT.sandbox.test/spelled",
      "https://user:secret@git.sandbox.test/spelled.git/",
      "git@git.sandbox.test:spelled.git",
      "http://u:p@GIT.sandbox.TEST/spelled/",
    ]) {
      const created = await instance.admin.post(PATH, { repoUrl });
      assert.equal(created.status, 201, JSON.stringify(created.body));
      assert.equal(created.body.projectId, projectId);
    }
  });

  it("need a filter if several projects match", async () => {
    const { admin } = instance;
    await push("shared");
    const first = await createProject("shared", ["main"]);
    const second = await createProject("shared", ["main"]);
    const repoUrl = urlOf("shared");
    const refused = await admin.post(PATH, { repoUrl });
    assertRefused(refused, 409, "SEVERAL_PROJECTS_MATCH");
    for (const { projectId } of [first, second]) assert.ok(refused.body.detail.includes(projectId));
    const { projectId } = second;
    const created = await admin.post(PATH, { repoUrl, filter: { projectId } });
    assert.equal(created.body.projectId, projectId);
  });

  it("need a branch if environments follow several", async () => {
    const { admin } = instance;
    await push("branches", "develop", "feature");
    const { environmentIds } = await createProject("branches", ["main", "develop", "develop"]);
    const repoUrl = urlOf("branches");
    const refused = await admin.post(PATH, { repoUrl });
    assert.deepEqual(assertRefused(refused, 400, "INVALID_REQUEST"), ["/branch REQUIRED"]);
    assert.match(refused.body.errors[0].message, /develop, main/);

    const environmentOf = async (branch: string): Promise<unknown> => {
      const created = await admin.post(PATH, { repoUrl, branch });
      assert.equal(created.status, 201, JSON.stringify(created.body));
      assert.equal(created.body.branch, branch);
      return created.body.environmentId;
    };
    assert.equal(await environmentOf("main"), environmentIds["env-0"]);
    assert.equal(await environmentOf("develop"), null, "two environments follow it");
    assert.equal(await environmentOf("feature"), null, "no environment follows it");
  });

  it("are refused for a missing branch, repository or project", async () => {
    const { admin } = instance;
    await push("refused");
    const { projectId } = await createProject("refused", ["main"]);
    const repoUrl = urlOf("refused");
    const branch = await admin.post(PATH, { repoUrl, branch: "nothing" });
    assertRefused(branch, 422, "BRANCH_NOT_FOUND");
    assert.match(branch.body.detail, /"nothing"/);
    assertRefused(await admin.post(PATH, { repoUrl: urlOf("demo") }), 404, "PROJECT_NOT_FOUND");
    const mismatch = await admin.post(PATH, { repoUrl: urlOf("demo"), filter: { projectId } });
    assertRefused(mismatch, 404, "PROJECT_NOT_FOUND");
  });

  it("are listed in order of creation, by project, branch and status, in pages", async () => {
    const { admin } = instance;
    await push("listed", "develop");
    const { projectId } = await createProject("listed", ["main"]);
    const made: string[] = [];
    for (const branch of ["main", "develop", "main"]) {
      const created = await admin.post(PATH, { repoUrl: urlOf("listed"), branch });
      made.push(created.body.id);
    }
    const idsOf = async (query: string): Promise<readonly string[]> => {
      const { status, body } = await admin.get(`${PATH}?${query}`);
      assert.equal(status, 200, JSON.stringify(body));
      return body.deployments.map(({ id }: { id: string }) => id);
    };
    assert.deepEqual(await idsOf(`projectId=${projectId}`), made);
    assert.deepEqual(await idsOf(`projectId=${projectId}&order=desc`), made.toReversed());
    assert.deepEqual(await idsOf(`projectId=${projectId}&branch=develop`), [made[1]]);
    await until(
      async () => (await idsOf(`projectId=${projectId}&branch=develop&status=ERROR`)).includes(made[1] ?? ""),
      "a branch that no environment follows ends",
    );
    assert.deepEqual(await idsOf(`projectId=${projectId}&branch=develop&status=SUCCESS`), []);
    assert.deepEqual(await idsOf(`projectId=proj_${NOBODY}`), []);
    const first = await admin.get(`${PATH}?projectId=${projectId}&limit=2`);
    const rest = await idsOf(`projectId=${projectId}&limit=2&cursor=${first.body.nextCursor}`);
    assert.deepEqual(rest, [made[2]]);
    assert.deepEqual(assertRefused(await admin.get(`${PATH}?status=DONE&page=2`), 400, "INVALID_REQUEST"), [
      "query/page UNKNOWN_FIELD",
      "query/status NOT_ALLOWED",
    ]);
  });

  it("are deleted with their project", async () => {
    const { admin } = instance;
    await push("gone");
    const { projectId } = await createProject("gone", ["main"]);
    const created = await admin.post(PATH, { repoUrl: urlOf("gone") });
    assert.ok((await admin.delete(`/v1/projects/${projectId}`)).status < 300);
    assertRefused(await admin.get(`${PATH}/${created.body.id}`), 404, "NOT_FOUND");
  });

  const invalid: Record<string, [body: unknown, faults: readonly string[]]> = {
    "that is empty": [{}, ["/repoUrl REQUIRED"]],
    "with everything wrong at once": [
      { repoUrl: "ftp://git.sandbox.test/x", branch: "", filter: { projectId: 1, other: 2 }, more: 3 },
      [
        "/branch TOO_SMALL",
        "/filter/other UNKNOWN_FIELD",
        "/filter/projectId WRONG_TYPE",
        "/more UNKNOWN_FIELD",
        "/repoUrl WRONG_FORM",
      ],
    ],
    "that is text": ['"main"', [" WRONG_TYPE"]],
    "that is null": ["null", [" REQUIRED"]],
  };
  for (const [name, [body, faults]] of Object.entries(invalid)) {
    it(`are refused for a body ${name}`, async () => {
      assert.deepEqual(assertRefused(await instance.admin.post(PATH, body), 400, "INVALID_REQUEST"), faults);
    });
  }

  it("need a key, and a developer's", async () => {
    const { admin, url } = instance;
    const body = { repoUrl: urlOf("one") };
    assertRefused(await createApiClient(url, "wrong").post(PATH, body), 401, "UNAUTHENTICATED");
    const viewer = await createUserClient(admin, "viewer");
    assertRefused(await viewer.post(PATH, body), 403, "ROLE_TOO_LOW");
    assert.equal((await viewer.get(PATH)).status, 200);
    const developer = await createUserClient(admin, "developer");
    assert.equal((await developer.post(PATH, body)).status, 201);
  });

  it("of another organization do not exist for others", async () => {
    const { admin, other } = instance;
    await push("foreign");
    const repoUrl = urlOf("foreign");
    const { projectId } = await createProject("foreign", ["main"], other);
    const created = await other.post(PATH, { repoUrl });
    assert.equal(created.status, 201);
    assertSameNotFound(
      await admin.get(`${PATH}/depl_${NOBODY}`),
      await admin.get(`${PATH}/${created.body.id}`),
    );
    assertSameNotFound(
      await admin.post(PATH, { repoUrl, filter: { projectId: `proj_${NOBODY}` } }),
      await admin.post(PATH, { repoUrl, filter: { projectId } }),
    );
    assertRefused(await admin.post(PATH, { repoUrl }), 404, "PROJECT_NOT_FOUND");
    const listed = await admin.get(`${PATH}?projectId=${projectId}`);
    assert.deepEqual(listed.body.deployments, []);
  });
});
