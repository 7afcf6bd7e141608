/** What the sandbox's git host has beside repositories: pull requests, reports, and deliveries to Slipway. */
import { AppError } from "../../../src/lib/errors.ts";
import type { SandboxLog } from "../accounts/stacks.ts";
import { createFaults } from "../faults.ts";
import type { SandboxState } from "../state.ts";
import { type Deliveries, type Hook, openDeliveries } from "./deliveries.ts";
import type { GitFaults } from "./git-faults.ts";
import type { GitRepositories } from "./git-repositories.ts";
import { openPullRequests, type PullRequest, type PullRequests } from "./pull-requests.ts";
import { openReports, type Reports } from "./reports.ts";

export type GitHost = {
  readonly repositories: GitRepositories;
  readonly pullRequests: PullRequests;
  readonly reports: Reports;
  readonly deliveries: Deliveries;
  readonly faults: GitFaults;
  stop(): void;
};

/** A push by path sends no notification, so branches with pull requests are read again after this time. */
const FOLLOW_MS = 500;

export function openGitHost(options: {
  readonly state: SandboxState;
  readonly repositories: GitRepositories;
  readonly hookUrl: (provider: Hook["provider"]) => string;
  readonly now: () => number;
  readonly random: () => number;
  readonly log: SandboxLog;
}): GitHost {
  const { state, repositories, now, log } = options;
  const faults: GitFaults = createFaults(options.random);
  const deliveries = openDeliveries({ ...options, faults });
  const pullRequests = openPullRequests({
    state,
    repositories,
    now,
    onAction: (one, action) => deliveries.send(one, action),
  });
  let isFollowing = false;
  const follow = async (): Promise<void> => {
    if (isFollowing) return;
    isFollowing = true;
    for (const name of deliveries.listHooked()) {
      await pullRequests.list(name, "open").catch((error: unknown) => {
        // The repository was deleted.
        if (!(error instanceof AppError))
          log.warn({ err: error, repository: name }, "Branches were not read");
      });
    }
    isFollowing = false;
  };
  const timer = setInterval(() => void follow(), FOLLOW_MS).unref();
  return {
    repositories,
    pullRequests,
    reports: openReports(state, now),
    deliveries,
    faults,
    stop() {
      clearInterval(timer);
      deliveries.stop();
    },
  };
}

/** A pull request as Slipway and people see it. */
export function viewPullRequest({ repositories }: Pick<GitHost, "repositories">, one: PullRequest) {
  const { repository, headRepository, ...shown } = one;
  return {
    ...shown,
    // Null: the fork was deleted.
    headRepository: headRepository === null ? repository : (repositories.open(headRepository)?.name ?? null),
    isFork: headRepository !== null,
  };
}
