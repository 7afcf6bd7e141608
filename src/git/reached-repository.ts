import type { ReachedRepository } from "./git.ts";
import { unreadable } from "./refusals.ts";
import { parseRepositoryUrl, RepositoryUrlError } from "./repository-url.ts";

/**
 * A repository that a host lists. Its address is made of the host's own address and the path, so that no answer leads
 * to another host. @throws GitError `HOST_UNAVAILABLE` if the answer does not have the host's form
 */
export function reached(
  hostUrl: string,
  told: { readonly path: unknown; readonly defaultBranch: unknown; readonly isPrivate: unknown },
): ReachedRepository {
  const { path, defaultBranch = null, isPrivate } = told;
  const { host } = new URL(hostUrl);
  if (typeof path !== "string" || typeof isPrivate !== "boolean") throw unreadable(host);
  if (defaultBranch !== null && typeof defaultBranch !== "string") throw unreadable(host);
  try {
    const { normalizedUrl } = parseRepositoryUrl(`${hostUrl}/${path}`);
    return { url: normalizedUrl, name: path, defaultBranch, isPrivate };
  } catch (error) {
    if (error instanceof RepositoryUrlError) throw unreadable(host);
    throw error;
  }
}
