import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createAwsAccount } from "../../src/features/cloud-accounts/commands.ts";
import { awsAccounts } from "../../src/features/cloud-accounts/store.ts";
import { AppError } from "../../src/lib/errors.ts";
import { type Git, type GitAccess, GitError } from "../../src/git/git.ts";
import { createConfigurationParser } from "../../src/features/configuration/configuration.ts";
import type { NewProject } from "../../src/features/project-changes/body.ts";
import { prepareProject } from "../../src/features/project-changes/create-project.ts";
import { CONFIG } from "../helpers/customers/scenario.ts";
import { createGitUser, type GitUser } from "../helpers/git/git-user.ts";
import { NO_PULL_REQUESTS } from "../helpers/git/no-pull-requests.ts";

const TOKEN = "token-of-the-integration";
const COMMIT = "0123456789abcdef0123456789abcdef01234567";

/** A git host with one repository, which only `ada` may read. Calls that are not expected reject. */
function makeGit(seen: { calls: string[]; access: GitAccess | null }): Git {
  return {
    ...NO_PULL_REQUESTS,
    credentialsFor: () => null,
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
    listChangesBetween: () => Promise.reject(new Error("not expected")),
    listFolder: () => Promise.reject(new Error("not expected")),
    readCommit: () => Promise.reject(new Error("not expected")),
    checkToken: () => Promise.reject(new Error("not expected")),
    listRepositories: () => Promise.reject(new Error("not expected")),
  };
}

describe("preparing a project", () => {
  let user: GitUser;
  let request: NewProject;

  before(async () => {
    user = await createGitUser(TOKEN);
    const { db, admin } = user;
    const account = await db.transaction((tx) => createAwsAccount(tx, admin, { givenId: "main" }));
    const verified = { accountId: "111122223333", roleArn: "arn:aws:iam::111122223333:role/slipway" };
    assert.ok(await awsAccounts.bind(db, account, verified, { at: new Date(), error: null }));
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
  after(() => user.dispose());

  const prepare = async (more: Partial<NewProject> = {}) => {
    const seen: { calls: string[]; access: GitAccess | null } = { calls: [], access: null };
    const deps = {
      db: user.db,
      git: makeGit(seen),
      atRest: user.atRest,
      parseConfiguration: createConfigurationParser(null),
    };
    return { seen, prepared: prepareProject(deps, user.admin, { ...request, ...more }) };
  };

  it("reads the configuration with the integration's token, for a user who may read the repository", async () => {
    await user.setLogin("ada");
    const { seen, prepared } = await prepare();
    const { configuration, repository } = await prepared;
    assert.equal(repository.normalizedUrl, "https://github.com/acme/shop");
    assert.equal(configuration.environments[0]?.id, "production");
    assert.deepEqual(seen.access, { provider: "provider_a", host: null, token: TOKEN });
    assert.deepEqual(seen.calls, ["listBranches", "userCanRead ada", `readFile ${COMMIT} slipway.json`]);
  });

  it("says to a user without a login who can set it, and nothing about the repository", async () => {
    await user.setLogin(null);
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
    await user.setLogin("eve");
    const { prepared } = await prepare();
    await assert.rejects(prepared, { code: "REPOSITORY_USER_DENIED", message: /user eve may not read/ });
  });

  it("reports that the file is too large", async () => {
    await user.setLogin("ada");
    const { prepared } = await prepare({ configFilePath: "large.json" });
    await assert.rejects(prepared, { name: "GitError", code: "FILE_TOO_LARGE" });
  });
});
