/** The repositories that a token reaches, as far as the caller may see them. */
import type { Sql } from "../../db/database.ts";
import type { Page } from "../../db/page.ts";
import {
  type Git,
  type GitAccess,
  GitError,
  type ReachedRepository,
  REPOSITORIES_AT_ONCE,
  type RepositorySort,
} from "../../git/git.ts";
import { parseRepositoryUrl } from "../../git/repository-url.ts";
import { isAdmin } from "../../lib/access.ts";
import type { Actor } from "../../lib/actor.ts";
import type { AtRestSealing } from "../../sealing/at-rest.ts";
import { getUser } from "../users/queries.ts";
import { getGitIntegration, openGitAccess } from "./queries.ts";

type Deps = { readonly db: Sql; readonly atRest: AtRestSealing; readonly git: Git };

export type RepositoryQuery = Page & {
  readonly sort: RepositorySort;
  /** A part of the name, in any case. */
  readonly search?: string | undefined;
};

export type RepositoryList = {
  readonly items: readonly ReachedRepository[];
  readonly nextCursor: string | null;
};

/** One request looks through at most 1,000 repositories. */
const HOST_PAGES_MAX = 10;
/** The access to a private repository takes up to three requests to the host, and its rate limit is shared. */
const ACCESS_CHECKS_MAX = 50;
const CHECKS_AT_ONCE = 10;
/** After this, the answer has what was found, and a cursor. */
const SEARCH_SECONDS_MAX = 10;

/**
 * One page of the repositories that an integration's token reaches. Admins see all of them, because the token is theirs;
 * others see public repositories, and private repositories that their login at the git host may read. The cursor is the
 * number of repositories before the page in the host's list. A page may have fewer than `limit` although more follow.
 * @throws AppError `NOT_FOUND`; GitError
 */
export async function listRepositories(
  deps: Deps,
  actor: Actor,
  id: string,
  { limit, order, after, sort, search = "" }: RepositoryQuery,
): Promise<RepositoryList> {
  const { provider, host } = await getGitIntegration(deps.db, actor.organizationId, id);
  const access = await openGitAccess(deps, actor.organizationId, provider, host);
  const login = isAdmin(actor) ? null : await findLogin(deps.db, actor);
  const part = search.toLowerCase();
  // Without a login the user is unknown to the host, and can read only public repositories.
  const isCandidate = ({ name, isPrivate }: ReachedRepository): boolean =>
    name.toLowerCase().includes(part) && (login !== "" || !isPrivate);
  const needsCheck = ({ isPrivate }: ReachedRepository): boolean => login !== null && isPrivate;
  const endsAtMs = performance.now() + SEARCH_SECONDS_MAX * 1000;
  const items: ReachedRepository[] = [];
  let checks = 0;
  let place = Number(after ?? 0);
  const isFull = (): boolean =>
    items.length === limit || checks >= ACCESS_CHECKS_MAX || performance.now() > endsAtMs;
  for (let pages = 0; pages < HOST_PAGES_MAX && !isFull(); pages += 1) {
    const number = Math.floor(place / REPOSITORIES_AT_ONCE) + 1;
    const { repositories, hasMore } = await deps.git.listRepositories(access, { number, order, sort });
    let from = place % REPOSITORIES_AT_ONCE;
    while (from < repositories.length) {
      if (isFull()) return { items, nextCursor: String(place) };
      const size = Math.min(limit - items.length, CHECKS_AT_ONCE);
      const batch = takeBatch(repositories, from, isCandidate, size);
      checks += batch.found.filter(needsCheck).length;
      const seen = await Promise.all(
        batch.found.map(
          async (one) => !needsCheck(one) || (await mayRead(deps.git, access, one, login ?? "")),
        ),
      );
      items.push(...batch.found.filter((_one, index) => seen[index]));
      place += batch.end - from;
      from = batch.end;
    }
    if (!hasMore) return { items, nextCursor: null };
    place = number * REPOSITORIES_AT_ONCE;
  }
  return { items, nextCursor: String(place) };
}

/** The next candidates, and the index behind the last one. */
function takeBatch(
  repositories: readonly ReachedRepository[],
  from: number,
  isCandidate: (one: ReachedRepository) => boolean,
  size: number,
): { readonly found: readonly ReachedRepository[]; readonly end: number } {
  const found: ReachedRepository[] = [];
  for (const [index, one] of repositories.entries()) {
    if (index < from || !isCandidate(one)) continue;
    found.push(one);
    if (found.length === size) return { found, end: index + 1 };
  }
  return { found, end: repositories.length };
}

/** The caller's login at the git host; empty without one. */
async function findLogin(db: Sql, actor: Actor): Promise<string> {
  return (await getUser(db, actor.organizationId, actor.userId)).gitLogin ?? "";
}

/** Whether the host's user may read a repository: the rule for creating a project. */
async function mayRead(
  git: Git,
  access: GitAccess,
  { url }: ReachedRepository,
  login: string,
): Promise<boolean> {
  try {
    return await git.userCanRead(access, parseRepositoryUrl(url), login);
  } catch (error) {
    // The token may list this repository and not read its members: nothing shows that the user may read it.
    const isOfRepository =
      error instanceof GitError && ["REPOSITORY_DENIED", "REPOSITORY_NOT_FOUND"].includes(error.code);
    if (isOfRepository) return false;
    throw error;
  }
}
