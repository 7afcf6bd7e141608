import type { PullRequestHost } from "../../../src/git/git.ts";

const unexpected = () => Promise.reject(new Error("not expected"));

/** For git hosts in tests without pull requests. */
export const NO_PULL_REQUESTS: PullRequestHost = {
  listPullRequests: unexpected,
  listChangedFiles: unexpected,
  reportDeployment: unexpected,
  writeComment: unexpected,
  reportStatus: unexpected,
};
