/** Which of the repositories that a token reaches a user sees, on a git host that counts what it is asked. */
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import path from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import type { Database } from "../../src/db/database.ts";
import { openPgliteDatabase } from "../../src/db/drivers/pglite.ts";
import { findPrincipal } from "../../src/features/api-keys/queries.ts";
import { createGitIntegration } from "../../src/features/git-integrations/commands.ts";
import { tokenIdentity } from "../../src/features/git-integrations/git-integration.ts";
import {
  listRepositories,
  type RepositoryQuery,
} from "../../src/features/git-integrations/list-repositories.ts";
import { createOrganization } from "../../src/features/organizations/commands.ts";
import { updateUser } from "../../src/features/users/commands.ts";
import { type Git, GitError, type ReachedRepository } from "../../src/git/git.ts";
import { type Actor, FULL_ACCESS } from "../../src/lib/actor.ts";
import { hashApiKey } from "../../src/lib/api-key.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { newId } from "../../src/lib/ids.ts";
import { openSealing, type Sealing } from "../../src/sealing/open-sealing.ts";
import { Secret } from "../../src/sealing/secret.ts";
import { copyPgliteTemplate, makeTempDir } from "../helpers/template.ts";

const KEY = "a-key-of-a-user-with-a-git-login";
const ALL: RepositoryQuery = { limit: 25, order: "asc", after: null, sort: "created" };

/** Of every ten repositories the first is public; `ada` reads every second of the others. */
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
  let folder: string;
  let db: Database;
  let sealing: Sealing;
  let admin: Actor;
  let developer: Actor;
  let id: string;
  let count: number;
  let asked: string[];
  let failure: GitError | null;
  const unexpected = () => Promise.reject(new Error("not expected"));
  const git: Git = {
    listBranches: unexpected,
    readFile: unexpected,
    listFolder: unexpected,
    readCommit: unexpected,
    listCommits: unexpected,
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
    const { items, nextCursor } = await listRepositories({ db, git, atRest: sealing.atRest }, actor, id, {
      ...ALL,
      ...query,
    });
    return { names: items.map(({ name }) => name.slice(-3)), nextCursor };
  };
  const setLogin = (gitLogin: string | null) =>
    db.transaction((tx) => updateUser(tx, admin, admin.userId, { gitLogin }));

  before(async () => {
    folder = await makeTempDir("list-repositories");
    await copyPgliteTemplate(path.join(folder, "database"));
    db = await openPgliteDatabase({ folder: path.join(folder, "database") });
    sealing = await openSealing({ folder: path.join(folder, "keys"), clock: systemClock });
    await db.transaction((tx) => createOrganization(tx, "Test", KEY));
    const principal = await findPrincipal(db, hashApiKey(KEY));
    assert.ok(principal !== null && principal !== "expired");
    admin = { ...principal, access: FULL_ACCESS, requestId: "request" };
    developer = { ...admin, role: "developer" };
    const { organizationId } = admin;
    id = newId("git");
    const sealedToken = await sealing.atRest.seal(tokenIdentity({ organizationId, id }), new Secret("token"));
    const integration = { id, provider: "provider_a", host: null, sealedToken } as const;
    await db.transaction((tx) => createGitIntegration(tx, admin, integration));
  });
  beforeEach(async () => {
    [count, asked, failure] = [12, [], null];
    await setLogin("ada");
  });
  after(async () => {
    await db.close();
    await rm(folder, { recursive: true });
  });

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
    await setLogin(null);
    assert.deepEqual(await list(developer), { names: ["000", "010"], nextCursor: null });
    assert.deepEqual(asked, ["page 1"]);
  });

  it("leave out a repository whose members the host hides, and fail if the host does", async () => {
    failure = new GitError("REPOSITORY_DENIED", "no");
    assert.deepEqual((await list(developer)).names, ["000", "010"]);
    failure = new GitError("HOST_UNAVAILABLE", "away");
    await assert.rejects(list(developer), failure);
  });

  it("come page by page, each once, with at most 50 questions for a page", async () => {
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
