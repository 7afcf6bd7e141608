import type { Sql } from "../../db/database.ts";
import type { Page } from "../../db/page.ts";
import { type Git, type ReachedRepository, REPOSITORIES_AT_ONCE } from "../../git/git.ts";
import type { AtRestSealing } from "../../sealing/at-rest.ts";
import { getGitIntegration } from "./commands.ts";
import { openGitAccess } from "./open-git-access.ts";

/**
 * One page of the repositories that an integration's token reaches. The place of a page is how many come before it. The
 * host is always asked for pages of the same size, so that `limit` may change from one to the next; a page ends with
 * the host's.
 * @throws AppError `NOT_FOUND`; GitError
 */
export async function listRepositories(
  deps: { readonly db: Sql; readonly git: Git; readonly atRest: AtRestSealing },
  organizationId: string,
  id: string,
  { limit, order, after }: Page,
): Promise<{ readonly items: readonly ReachedRepository[]; readonly nextCursor: string | null }> {
  const { provider, host } = await getGitIntegration(deps.db, organizationId, id);
  const access = await openGitAccess(deps, organizationId, provider, host);
  const before = Number(after ?? 0);
  const number = Math.floor(before / REPOSITORIES_AT_ONCE) + 1;
  const { repositories, hasMore } = await deps.git.listRepositories(access, { number, order });
  const from = before % REPOSITORIES_AT_ONCE;
  const items = repositories.slice(from, from + limit);
  if (from + limit < repositories.length) return { items, nextCursor: String(before + limit) };
  return { items, nextCursor: hasMore ? String(number * REPOSITORIES_AT_ONCE) : null };
}
