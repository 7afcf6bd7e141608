/** Lists of an integration's repositories: what each user gets, and how many requests the git host gets for it. */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import {
  listRepositories,
  type RepositoryQuery,
} from "../../src/features/git-integrations/list-repositories.ts";
import { type Git, GitError, type ReachedRepository } from "../../src/git/git.ts";
import type { Actor } from "../../src/lib/actor.ts";
import { createGitUser, type GitUser } from "../helpers/git/git-user.ts";
import { NO_PULL_REQUESTS } from "../helpers/git/no-pull-requests.ts";

const ALL: RepositoryQuery = { limit: 25, order: "asc", after: null, sort: "created" };

/** Every tenth repository is public; `ada` may read the private ones with an odd number. */
function repository(index: number): ReachedRepository {
  const name = `acme/repo-${String(index).padStart(3, "0")}`;
  return {
    url: `https://github.com/${name}`,
    name,
    defaultBranch: "main",
    isPrivate: index % 10 !== 0,
    lastPushedAt: null,
  };
}

describe("the repositories that a user sees", () => {
  let user: GitUser;
  let admin: Actor;
  let developer: Actor;
  let count: number;
  let asked: string[];
  let failure: GitError | null;
  const unexpected = () => Promise.reject(new Error("not expected"));
  const git: Git = {
    ...NO_PULL_REQUESTS,
    credentialsFor: () => null,
    listBranches: unexpected,
    readFile: unexpected,
    listFolder: unexpected,
    readCommit: unexpected,
    listCommits: unexpected,
    listChangesBetween: unexpected,
    checkToken: unexpected,
    async userCanRead(_access, { path: name }, login) {
      asked.push(name);
      if (failure !== null) throw failure;
      return login === "ada" && Number(name.slice(-3)) % 2 === 1;
    },
    async listRepositories(_access, { number }) {
      asked.push(`page ${number}`);
      const indexes = Array.from({ length: count }, (_, index) => index).slice(
        (number - 1) * 100,
        number * 100,
      );
      return { repositories: indexes.map(repository), hasMore: number * 100 < count };
    },
  };
  const list = async (actor: Actor, query: Partial<RepositoryQuery> = {}) => {
    const { db, atRest, integrationId } = user;
    const { items, nextCursor } = await listRepositories({ db, git, atRest }, actor, integrationId, {
      ...ALL,
      ...query,
    });
    return { names: items.map(({ name }) => name.slice(-3)), nextCursor };
  };

  before(async () => {
    user = await createGitUser("token");
    ({ admin } = user);
    developer = { ...admin, role: "developer" };
  });
  beforeEach(async () => {
    [count, asked, failure] = [12, [], null];
    await user.setLogin("ada");
  });
  after(() => user.dispose());

  it("are all for an admin, without a question about each", async () => {
    const { names, nextCursor } = await list(admin);
    assert.deepEqual([names.length, nextCursor, asked], [12, null, ["page 1"]]);
  });

  it("are the public ones and the private ones of the login for others", async () => {
    const { names, nextCursor } = await list(developer);
    assert.deepEqual([names, nextCursor], [["000", "001", "003", "005", "007", "009", "010", "011"], null]);
    assert.ok(!asked.includes("acme/repo-000"), "a public repository takes no question");
  });

  it("are the public ones for a user without a login, whom the host does not know", async () => {
    await user.setLogin(null);
    assert.deepEqual(await list(developer), { names: ["000", "010"], nextCursor: null });
    assert.deepEqual(asked, ["page 1"]);
  });

  it("leave out a repository whose members the host hides, and fail if the host does", async () => {
    failure = new GitError("REPOSITORY_DENIED", "no");
    assert.deepEqual((await list(developer)).names, ["000", "010"]);
    failure = new GitError("HOST_UNAVAILABLE", "away");
    await assert.rejects(list(developer), failure);
  });

  it("come page by page, each once, with at most 59 questions for a page", async () => {
    count = 250;
    const names: string[] = [];
    let after: string | null = null;
    do {
      asked = [];
      const page = await list(developer, { limit: 40, after });
      assert.ok(page.names.length <= 40);
      assert.ok(asked.filter((one) => !one.startsWith("page")).length <= 59);
      names.push(...page.names);
      after = page.nextCursor;
    } while (after !== null);
    const expected = Array.from({ length: 250 }, (_, index) => index)
      .filter((index) => index % 10 === 0 || index % 2 === 1)
      .map((index) => String(index).padStart(3, "0"));
    assert.deepEqual(names, expected);
  });

  it("are found by a part of the name before anything is asked about them", async () => {
    count = 250;
    assert.deepEqual(await list(developer, { search: "REPO-20" }), {
      names: ["200", "201", "203", "205", "207", "209"],
      nextCursor: null,
    });
    assert.equal(asked.filter((one) => !one.startsWith("page")).length, 9);
  });

  it("are looked for in 1,000 at a time", async () => {
    count = 1250;
    const first = await list(admin, { search: "no-such-name" });
    assert.deepEqual([first.names, first.nextCursor, asked.length], [[], "1000", 10]);
    assert.deepEqual(await list(admin, { search: "no-such-name", after: "1000" }), {
      names: [],
      nextCursor: null,
    });
  });
});
