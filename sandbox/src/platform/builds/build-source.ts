/** Where builds get their commits: repositories of the sandbox on this disk, or git hosts. */
import type { SourceCredentials } from "../../../../src/cloud/platform.ts";
import { type GitRepositories, repositoryNameOf } from "../../git/git-repositories.ts";
import type { BuildInput } from "../../protocol.ts";
import { BuildFailed } from "./build-failed.ts";
import type { FetchOptions } from "./fetch-commit.ts";

export type FoundSource =
  | { readonly kind: "local"; readonly gitDir: string }
  /** It has to be fetched first. */
  | { readonly kind: "remote"; readonly fetch: FetchOptions };

export type BuildSource = {
  /** @throws BuildFailed, GitError, RepositoryUrlError */
  find(source: BuildInput["source"], credentials: SourceCredentials | null): Promise<FoundSource>;
};

export function createLocalSource(repositories: GitRepositories): BuildSource {
  return {
    async find({ repoUrl }) {
      const name = repositoryNameOf(repoUrl);
      const repository = name === null ? null : repositories.open(name);
      if (repository !== null) return { kind: "local", gitDir: repository.gitDir };
      throw new BuildFailed("REPOSITORY_NOT_FOUND", `The sandbox has no repository ${repoUrl}.`);
    },
  };
}
