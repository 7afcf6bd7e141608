/** Pull requests of the sandbox's git host. Their commits follow the branches on the disk. */
import * as fs from "node:fs";
import * as git from "isomorphic-git";
import pLimit from "p-limit";
import { AppError, COMMON_ERRORS, COMMON_FAULTS } from "../../../src/lib/errors.ts";
import { SANDBOX_ERRORS } from "../errors.ts";
import type { SandboxState } from "../state.ts";
import { type GitRepositories, type GitRepository, orNull } from "./git-repositories.ts";
import { copyCommit, listChangedPaths } from "./history.ts";
import { ObjectMissing, RepositoryFault } from "./objects.ts";

/** In addresses. */
export const PULL_REQUEST_NUMBER = /^[1-9][0-9]{0,8}$/;
export const PULL_REQUEST_STATES = ["open", "closed", "merged"] as const;
export type PullRequestState = (typeof PULL_REQUEST_STATES)[number];

export type PullRequest = {
  /** Without `.git`. */
  readonly repository: string;
  readonly number: number;
  readonly title: string;
  readonly author: string | null;
  /** A branch of `headRepository`. */
  readonly head: string;
  readonly headCommit: string;
  /** A repository of the sandbox, which may be deleted by now; null for the pull request's own. */
  readonly headRepository: string | null;
  readonly base: string;
  readonly labels: readonly string[];
  readonly state: PullRequestState;
  /** ISO 8601 */
  readonly updatedAt: string;
};

/** Fields that are left out keep their value. */
export type PullRequestChange = Pick<PullRequest, "head" | "base" | "state"> &
  Partial<Pick<PullRequest, "headRepository" | "author" | "labels" | "title">>;

/** What happened to a pull request, in GitHub's words. */
export type PullRequestAction = "opened" | "closed" | "reopened" | "synchronize" | "labeled" | "edited";

export type PullRequests = {
  /** Null for a repository or number that does not exist. */
  get(repository: string, number: number): Promise<PullRequest | null>;
  /** By number, with the branches' present commits. */
  list(repository: string, state: PullRequestState | null): Promise<readonly PullRequest[]>;
  /** @throws AppError `NOT_FOUND`, `INVALID_REQUEST`, `PULL_REQUEST_MERGED`, `PULL_REQUEST_CONFLICT` */
  put(repository: string, number: number, change: PullRequestChange): Promise<PullRequest>;
  /**
   * The changed paths; null if its history is too long to be compared or not all there, or its base branch was deleted.
   * @throws RepositoryFault
   */
  listFiles(pullRequest: PullRequest): Promise<readonly string[] | null>;
};

/** @param onAction is called after each change, in their order */
export function openPullRequests(options: {
  readonly state: SandboxState;
  readonly repositories: GitRepositories;
  readonly now: () => number;
  readonly onAction: (pullRequest: PullRequest, action: PullRequestAction) => void;
}): PullRequests {
  const { repositories, now, onAction } = options;
  const store = options.state.collection<PullRequest>("pull-requests");
  const keyOf = (repository: string, number: number) => `${repository}/${number}`;
  /** One change at a time: each reads the disk in between. */
  const inTurn = pLimit(1);
  const stamp = () => new Date(now()).toISOString();

  /** Brings an open pull request to the present commit of its branch. */
  async function follow(repository: GitRepository, known: PullRequest): Promise<PullRequest> {
    if (known.state !== "open") return known;
    const commit = await fetchHead(repositories, repository, known, known.headCommit).catch(
      (error: unknown) => {
        // It stays at the last commit that could be copied. The others are listed all the same.
        if (isOfRepository(error)) return null;
        throw error;
      },
    );
    if (commit === null || commit === known.headCommit) return known;
    const moved = { ...known, headCommit: commit, updatedAt: stamp() };
    store.put(keyOf(known.repository, known.number), moved);
    onAction(moved, "synchronize");
    return moved;
  }

  async function put(name: string, number: number, change: PullRequestChange): Promise<PullRequest> {
    const repository = requireRepository(repositories, name);
    const key = keyOf(repository.name, number);
    const stored = store.get(key);
    const present = stored === undefined ? null : await follow(repository, stored);
    if (present?.state === "merged") {
      if (change.state === "merged") return present;
      throw new AppError(SANDBOX_ERRORS.PULL_REQUEST_MERGED, `Pull request ${number} is merged.`);
    }
    const wanted = {
      repository: repository.name,
      number,
      title: change.title ?? present?.title ?? `Pull request ${number}`,
      author: change.author === undefined ? (present?.author ?? null) : change.author,
      head: change.head,
      headRepository:
        change.headRepository === undefined ? (present?.headRepository ?? null) : change.headRepository,
      base: change.base,
      labels: change.labels ?? present?.labels ?? [],
      state: change.state,
    };
    const isSameHead = present?.head === wanted.head && present.headRepository === wanted.headRepository;
    const headCommit =
      (await fetchHead(repositories, repository, wanted, null)) ?? (isSameHead ? present.headCommit : null);
    if (headCommit === null) throw invalid("/head", `There is no branch ${wanted.head}.`);
    const isOpening = present?.state !== "open" && wanted.state === "open";
    if ((isOpening || wanted.state === "merged") && (await repository.resolveBranch(wanted.base)) === null)
      throw invalid("/base", `There is no branch ${wanted.base}.`);
    const changed: PullRequest = { ...wanted, headCommit, updatedAt: stamp() };
    if (wanted.state === "merged") await merge(repository, changed, now());
    store.put(key, changed);
    for (const action of actionsOf(present, changed)) onAction(changed, action);
    return changed;
  }

  return {
    async get(name, number) {
      const repository = repositories.open(name);
      if (repository === null) return null;
      return await inTurn(async () => {
        const known = store.get(keyOf(repository.name, number));
        return known === undefined ? null : await follow(repository, known);
      });
    },
    async list(name, state) {
      const repository = requireRepository(repositories, name);
      return await inTurn(async () => {
        const found: PullRequest[] = [];
        for (const one of [...store.values()].filter((each) => each.repository === repository.name))
          found.push(await follow(repository, one));
        return found
          .filter((one) => state === null || one.state === state)
          .toSorted((one, other) => one.number - other.number);
      });
    },
    put: (name, number, change) =>
      inTurn(() =>
        put(name, number, change).catch((error: unknown) => {
          throw isOfRepository(error) ? invalid("/head", error.message) : error;
        }),
      ),
    async listFiles({ repository: name, base, headCommit }) {
      const repository = requireRepository(repositories, name);
      const commit = await repository.resolveBranch(base);
      if (commit === null) return null;
      return await orNull(listChangedPaths(await repository.place(), commit, headCommit));
    },
  };
}

/**
 * The commit of a pull request's branch, which the pull request's repository then has as `refs/pull/N/head`, as at
 * GitHub. Null if the branch or its repository was deleted.
 * @param fetched the commit that the repository has there; null if it may have none
 */
async function fetchHead(
  repositories: GitRepositories,
  repository: GitRepository,
  { number, head, headRepository }: Pick<PullRequest, "number" | "head" | "headRepository">,
  fetched: string | null,
): Promise<string | null> {
  const source = headRepository === null ? repository : repositories.open(headRepository);
  const commit = (await source?.resolveBranch(head)) ?? null;
  if (commit === null || source === null || commit === fetched) return commit;
  const { gitDir: gitdir } = repository;
  if (source.gitDir !== gitdir) await copyCommit(await source.place(), gitdir, commit);
  await git.writeRef({ fs, gitdir, ref: refOf(number), value: commit, force: true });
  return commit;
}

/** Whether a repository is damaged or too large, or a shallow copy. */
function isOfRepository(error: unknown): error is RepositoryFault | ObjectMissing {
  return error instanceof RepositoryFault || error instanceof ObjectMissing;
}

function refOf(number: number): string {
  return `refs/pull/${number}/head`;
}

/** Merges with a commit of its own, as GitHub's button does. */
async function merge(repository: GitRepository, pullRequest: PullRequest, nowMs: number): Promise<void> {
  const { number, base, head, author: login } = pullRequest;
  // Objects of too large repositories are not read.
  await repository.place();
  const author = {
    name: login ?? "Slipway Sandbox",
    email: "sandbox@sandbox.test",
    timestamp: Math.floor(nowMs / 1000),
    timezoneOffset: 0,
  };
  try {
    await git.merge({
      fs,
      gitdir: repository.gitDir,
      ours: base,
      theirs: refOf(number),
      fastForward: false,
      message: `Merge pull request #${number} from ${head}`,
      author,
      committer: author,
    });
  } catch (error) {
    if (
      !(error instanceof git.Errors.MergeConflictError || error instanceof git.Errors.MergeNotSupportedError)
    )
      throw error;
    throw new AppError(
      SANDBOX_ERRORS.PULL_REQUEST_CONFLICT,
      `Pull request ${number} conflicts with ${base}. Merge ${base} into ${head} and push it first.`,
    );
  }
}

/** What changed, in the order of GitHub's deliveries. Pure. */
function actionsOf(before: PullRequest | null, after: PullRequest): readonly PullRequestAction[] {
  const isOpen = after.state === "open";
  if (before === null) return [isOpen ? "opened" : "closed"];
  const actions: PullRequestAction[] = [];
  if (isOpen !== (before.state === "open")) actions.push(isOpen ? "reopened" : "closed");
  if (before.headCommit !== after.headCommit) actions.push("synchronize");
  if (before.labels.join("\n") !== after.labels.join("\n")) actions.push("labeled");
  if (before.title !== after.title || before.base !== after.base) actions.push("edited");
  return actions;
}

/** @throws AppError `NOT_FOUND` */
export function requireRepository(repositories: GitRepositories, name: string): GitRepository {
  const found = repositories.open(name);
  if (found !== null) return found;
  throw new AppError(COMMON_ERRORS.NOT_FOUND, `The sandbox has no repository ${JSON.stringify(name)}.`);
}

function invalid(path: string, message: string): AppError {
  const fault = { path, code: COMMON_FAULTS.INVALID.code, message };
  return new AppError(COMMON_ERRORS.INVALID_REQUEST, `The pull request is not valid; see errors.`, {
    faults: [fault],
  });
}
