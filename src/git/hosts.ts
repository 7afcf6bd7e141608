/** The one place that knows which provider value means which git host. */
import { parseAllowedHosts } from "../egress/address-rules.ts";
import { type Git, type GitAccess, GitError, type Repository } from "./git.ts";
import { GITHUB_HOST, makeGithub } from "./github.ts";
import { GITLAB_HOST, makeGitlab } from "./gitlab.ts";
import { makeGuardedClient } from "./http-client.ts";
import { parseGitHost, RepositoryUrlError } from "./repository-url.ts";

export type GitOptions = {
  /**
   * Hosts and networks that may be dialled although they are not public, in the form that `parseAllowedHosts` takes.
   */
  readonly allowedHosts: readonly string[];
};

/** Makes the program's `Git`. @throws RangeError for an invalid entry of `allowedHosts` */
export function createGit(options: GitOptions): Git {
  const fetch = makeGuardedClient({ allowedHosts: parseAllowedHosts(options.allowedHosts) });
  return routeByProvider({ github: makeGithub({ fetch }), gitlab: makeGitlab({ fetch }) });
}

/**
 * Sends each call to the provider of the access, after checking that the repository is on that provider's host: a token
 * must never reach another host than its own.
 */
export function routeByProvider(providers: { readonly github: Git; readonly gitlab: Git }): Git {
  const providerOf = (access: GitAccess): Git => {
    // Node would refuse such a header too, but as a defect of ours.
    if (access.token !== null && !/^[\x21-\x7e]+$/.test(access.token)) {
      throw new GitError(
        "TOKEN_REFUSED",
        "The token is empty or contains characters that are not allowed in tokens.",
      );
    }
    return access.provider === "provider_a" ? providers.github : providers.gitlab;
  };
  const providerFor = (access: GitAccess, repository: Repository): Git => {
    const host = hostOf(access);
    if (repository.host !== host) {
      throw new GitError(
        "HOST_REFUSED",
        `${repository.normalizedUrl} is not at ${host}, the host of the selected provider. Select the provider that has the repository.`,
      );
    }
    const segments = repository.path.split("/").length;
    if (access.provider === "provider_a" ? segments !== 2 : segments < 2) {
      throw new GitError(
        "REPOSITORY_NOT_FOUND",
        `${repository.normalizedUrl} is not the address of a repository. Repositories of ${host} have addresses like https://${host}/owner/name.`,
      );
    }
    return providerOf(access);
  };
  return {
    credentialsFor: (access, repository) =>
      providerFor(access, repository).credentialsFor(access, repository),
    listBranches: async (access, repository) =>
      providerFor(access, repository).listBranches(access, repository),
    readFile: async (access, repository, commit, path) =>
      providerFor(access, repository).readFile(access, repository, commit, path),
    listFolder: async (access, repository, commit, path) =>
      providerFor(access, repository).listFolder(access, repository, commit, path),
    readCommit: async (access, repository, commit) =>
      providerFor(access, repository).readCommit(access, repository, commit),
    listCommits: async (access, repository, commit) =>
      providerFor(access, repository).listCommits(access, repository, commit),
    listChangesBetween: async (access, repository, from, to) =>
      providerFor(access, repository).listChangesBetween(access, repository, from, to),
    userCanRead: async (access, repository, login) =>
      providerFor(access, repository).userCanRead(access, repository, login),
    listPullRequests: async (access, repository, tag) =>
      providerFor(access, repository).listPullRequests(access, repository, tag),
    listChangedFiles: async (access, repository, number) =>
      providerFor(access, repository).listChangedFiles(access, repository, number),
    reportDeployment: async (access, repository, report) =>
      providerFor(access, repository).reportDeployment(access, repository, report),
    writeComment: async (access, repository, report) =>
      providerFor(access, repository).writeComment(access, repository, report),
    reportStatus: async (access, repository, report) =>
      providerFor(access, repository).reportStatus(access, repository, report),
    checkToken: async (access) => {
      hostOf(access);
      await providerOf(access).checkToken(access);
    },
    listRepositories: async (access, page) => {
      hostOf(access);
      return await providerOf(access).listRepositories(access, page);
    },
  };
}

/** @throws GitError `HOST_REFUSED` */
function hostOf(access: GitAccess): string {
  switch (access.provider) {
    case "provider_a":
      return GITHUB_HOST;
    case "provider_b":
      return GITLAB_HOST;
    case "provider_b_self_hosted":
      try {
        return parseGitHost(access.host ?? "");
      } catch (error) {
        if (!(error instanceof RepositoryUrlError)) throw error;
        throw new GitError("HOST_REFUSED", `The git integration's host cannot be used. ${error.message}`);
      }
  }
}
