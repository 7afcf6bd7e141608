import type { Fault } from "../errors.ts";
import { parseRepositoryUrl, RepositoryUrlError } from "../git/repository-url.ts";

/** For a `repoUrl` of any shape, at the root of a body. */
export function findRepoUrlFaults(repoUrl: unknown): readonly Fault[] {
  if (typeof repoUrl !== "string" || repoUrl === "") return [];
  try {
    parseRepositoryUrl(repoUrl);
    return [];
  } catch (error) {
    if (!(error instanceof RepositoryUrlError)) throw error;
    return [{ path: "/repoUrl", code: "WRONG_FORM", message: error.message }];
  }
}
