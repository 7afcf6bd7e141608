import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { type Actor, FULL_ACCESS } from "../../src/lib/actor.ts";
import { hashApiKey } from "../../src/lib/api-key.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createAwsAccount } from "../../src/features/cloud-accounts/commands.ts";
import { awsAccounts } from "../../src/features/cloud-accounts/store.ts";
import type { Database } from "../../src/db/database.ts";
import { openPgliteDatabase } from "../../src/db/drivers/pglite.ts";
import { AppError } from "../../src/lib/errors.ts";
import { type Git, type GitAccess, GitError } from "../../src/git/git.ts";
import { createGitIntegration } from "../../src/features/git-integrations/commands.ts";
import { tokenIdentity } from "../../src/features/git-integrations/git-integration.ts";
import { newId } from "../../src/lib/ids.ts";
import { findPrincipal } from "../../src/features/api-keys/queries.ts";
import { createOrganization } from "../../src/features/organizations/commands.ts";
import { updateUser } from "../../src/features/users/commands.ts";
import { createConfigurationParser } from "../../src/features/configuration/configuration.ts";
import type { NewProject } from "../../src/features/project-changes/body.ts";
import { prepareProject } from "../../src/features/project-changes/create-project.ts";
import { openSealing, type Sealing } from "../../src/sealing/open-sealing.ts";
import { Secret } from "../../src/sealing/secret.ts";
import { CONFIG } from "../helpers/customers/scenario.ts";
import { copyPgliteTemplate, makeTempDir } from "../helpers/template.ts";

const KEY = "a-key-of-a-user-with-a-git-login";
const TOKEN = "token-of-the-integration";
const COMMIT = "0123456789abcdef0123456789abcdef01234567";

/** A git host with one repository, which only `ada` may read. Calls that are not expected reject. */
function makeGit(seen: { calls: string[]; access: GitAccess | null }): Git {
  return {
    async listBranches(access) {
      seen.calls.push("listBranches");
      seen.access = access;
      return [{ name: "main", commit: COMMIT }];
    },
    async userCanRead(_access, _repository, login) {
      seen.calls.push(`userCanRead ${login}`);
      return login === "ada";
    },
    async readFile(_access, _repository, commit, file) {
      seen.calls.push(`readFile ${commit} ${file}`);
      if (file === "large.json") throw new GitError("FILE_TOO_LARGE", "The file is larger than 1 MiB.");
      return JSON.stringify(CONFIG);
    },
    listCommits: () => Promise.reject(new Error("not expected")),
    listFolder: () => Promise.reject(new Error("not expected")),
    readCommit: () => Promise.reject(new Error("not expected")),
    checkToken: () => Promise.reject(new Error("not expected")),
    listRepositories: () => Promise.reject(new Error("not expected")),
  };
}

describe("preparing a project", () => {
  let folder: string;
  let db: Database;
  let sealing: Sealing;
  let actor: Actor;
  let request: NewProject;

  before(async () => {
    folder = await makeTempDir("prepare-project");
    await copyPgliteTemplate(path.join(folder, "database"));
    db = await openPgliteDatabase({ folder: path.join(folder, "database") });
    sealing = await openSealing({ folder: path.join(folder, "keys"), clock: systemClock });
    await db.transaction((tx) => createOrganization(tx, "Test", KEY));
    const principal = await findPrincipal(db, hashApiKey(KEY));
    assert.ok(principal !== null && principal !== "expired");
    actor = { ...principal, access: FULL_ACCESS, requestId: "request" };
    const { organizationId } = actor;
    const account = await db.transaction((tx) => createAwsAccount(tx, actor, { givenId: "main" }));
    const verified = { accountId: "111122223333", roleArn: "arn:aws:iam::111122223333:role/slipway" };
    assert.ok(await awsAccounts.bind(db, account, verified, { at: new Date(), error: null }));
    const id = newId("git");
    const sealedToken = await sealing.atRest.seal(tokenIdentity({ organizationId, id }), new Secret(TOKEN));
    const integration = { id, provider: "provider_a", host: null, sealedToken } as const;
    await db.transaction((tx) => createGitIntegration(tx, actor, integration));
    request = {
      name: "Shop",
      repoUrl: "https://github.com/acme/shop",
      awsAccountId: account.id,
      codeSource: { provider: "provider_a" },
      configType: "iac",
      configFilePath: "slipway.json",
      configFileBranch: "main",
    };
  });
  after(async () => {
    await db.close();
    await rm(folder, { recursive: true, force: true });
  });

  const setLogin = async (gitLogin: string | null): Promise<void> => {
    await db.transaction((tx) => updateUser(tx, actor, actor.userId, { gitLogin }));
  };
  const prepare = async (more: Partial<NewProject> = {}) => {
    const seen: { calls: string[]; access: GitAccess | null } = { calls: [], access: null };
    const deps = {
      db,
      git: makeGit(seen),
      atRest: sealing.atRest,
      parseConfiguration: createConfigurationParser(),
    };
    return { seen, prepared: prepareProject(deps, actor, { ...request, ...more }) };
  };

  it("reads the configuration with the integration's token, for a user who may read the repository", async () => {
    await setLogin("ada");
    const { seen, prepared } = await prepare();
    const { configuration, repository } = await prepared;
    assert.equal(repository.normalizedUrl, "https://github.com/acme/shop");
    assert.equal(configuration.environments[0]?.id, "production");
    assert.deepEqual(seen.access, { provider: "provider_a", host: null, token: TOKEN });
    assert.deepEqual(seen.calls, ["listBranches", "userCanRead ada", `readFile ${COMMIT} slipway.json`]);
  });

  it("says to a user without a login who can set it, and nothing about the repository", async () => {
    await setLogin(null);
    const { seen, prepared } = await prepare({ configFileBranch: "nothing" });
    await assert.rejects(prepared, (error: unknown) => {
      assert.ok(error instanceof AppError);
      assert.equal(error.code, "REPOSITORY_USER_DENIED");
      assert.match(error.message, /An admin can enter it on the page of the user/);
      return true;
    });
    assert.deepEqual(seen.calls, ["listBranches", "userCanRead "]);
  });

  it("refuses a user whom the provider does not let read the repository", async () => {
    await setLogin("eve");
    const { prepared } = await prepare();
    await assert.rejects(prepared, { code: "REPOSITORY_USER_DENIED", message: /user eve may not read/ });
  });

  it("reports that the file is too large", async () => {
    await setLogin("ada");
    const { prepared } = await prepare({ configFilePath: "large.json" });
    await assert.rejects(prepared, { name: "GitError", code: "FILE_TOO_LARGE" });
  });
});
