import { COMMON_FAULTS, type Fault, faultAt } from "../../lib/errors.ts";
import type { Repository } from "../../git/git.ts";
import { parseRepositoryUrl, RepositoryUrlError } from "../../git/repository-url.ts";

/** For a `repoUrl` of any shape, at the root of a body. @param parse how the endpoint reads it */
export function findRepoUrlFaults(
  repoUrl: unknown,
  parse: (text: string) => Repository = parseRepositoryUrl,
): readonly Fault[] {
  if (typeof repoUrl !== "string" || repoUrl === "") return [];
  try {
    parse(repoUrl);
    return [];
  } catch (error) {
    if (!(error instanceof RepositoryUrlError)) throw error;
    return [faultAt("/repoUrl", COMMON_FAULTS.WRONG_FORM, error.message)];
  }
}
