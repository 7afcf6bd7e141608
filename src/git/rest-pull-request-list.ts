/** Lists the open pull requests of GitHub and GitLab, and notices with one request that nothing changed. */
import { createHash } from "node:crypto";
import pLimit from "p-limit";
import { cutText } from "../lib/cut-text.ts";
import { toOneLine } from "../lib/shown-text.ts";
import { type JsonObject, readJson, requireObjects, unreadable } from "./answers.ts";
import { GitError } from "./git.ts";
import type { HttpAnswer } from "./http-client.ts";
import type { PullRequest, PullRequestList } from "./pull-requests.ts";
import type { RepositoryApi } from "./rest-api.ts";

/** A pull request as a host lists it. */
export type ListedPullRequest = PullRequest & {
  readonly isOpen: boolean;
  readonly updatedAt: string;
  /** Where to look up the name of the head's repository, if the list does not have it; null for nowhere. */
  readonly headProject: number | null;
};

/** What differs between the hosts. Paths are below the repository's. */
export type ListingDialect = {
  /** The pull requests of any state, the last changed one first. */
  readonly recentPath: string;
  /** A page of the open ones, the oldest first. */
  readonly openPath: (page: number) => string;
  /** Null for a pull request that gets no preview (`readPullRequest`), or has no commit. @throws GitError `HOST_UNAVAILABLE` */
  readonly readListed: (listed: JsonObject, api: RepositoryApi) => ListedPullRequest | null;
  /** The name of a listed `headProject`; null if it was deleted or is hidden from the token. */
  readonly findProject: (api: RepositoryApi, id: number) => Promise<string | null>;
};

/** Of at most 100 entries. More are not one repository's. */
export const PAGES_MAX = 100;
const LIST_ATTEMPTS = 3;
const PROJECTS_AT_ONCE = 4;

/** As of `Git.listPullRequests`. */
export async function listOpen(
  api: RepositoryApi,
  dialect: ListingDialect,
  tag: string | null,
): Promise<PullRequestList | null> {
  let recent = await readRecent(api, dialect, tag);
  if (recent === null) return null;
  for (let attempt = 1; attempt <= LIST_ATTEMPTS; attempt += 1) {
    const open = recent.hasMore ? await readOpen(api, dialect) : { listed: [], pages: 0 };
    // A pull request that closes meanwhile moves another one to a page that was read before.
    if (open.pages > 1) recent = (await readRecent(api, dialect, recent.tag)) ?? recent;
    const found = recent.hasMore
      ? joinLists(open.listed, recent.listed)
      : recent.listed.filter(({ isOpen }) => isOpen);
    if (found !== null) return { pullRequests: await nameHeads(found, api, dialect), tag: recent.tag };
    recent = (await readRecent(api, dialect, null)) ?? recent;
  }
  throw new GitError(
    "HOST_UNAVAILABLE",
    `${api.host} does not show all changed pull requests of ${api.repository.normalizedUrl} yet. Try again later.`,
  );
}

type Recent = {
  readonly listed: readonly ListedPullRequest[];
  readonly hasMore: boolean;
  readonly tag: string;
};

/**
 * The pull requests that changed last, of any state. Each change makes one the first of them, so their tag shows every
 * change, also of a pull request on a later page of the open ones.
 * @returns null if nothing changed since the answer with this tag
 */
async function readRecent(
  api: RepositoryApi,
  dialect: ListingDialect,
  tag: string | null,
): Promise<Recent | null> {
  const [digest = "", etag = ""] = tag === null ? [] : tag.split(" ", 2);
  const answer = await api.get(
    dialect.recentPath,
    etag === "" ? {} : { "if-none-match": decodeURIComponent(etag) },
  );
  if (answer.status === 304) return null;
  const listed = readPage(answer, api, dialect);
  // The host's own tag also changes with the repository's counts, such as its stars.
  const found = createHash("sha256").update(JSON.stringify(listed)).digest("base64url");
  if (found === digest) return null;
  return {
    listed,
    hasMore: api.hasMore(answer.headers),
    tag: `${found} ${encodeURIComponent(answer.headers.etag ?? "")}`,
  };
}

async function readOpen(
  api: RepositoryApi,
  dialect: ListingDialect,
): Promise<{ readonly listed: readonly ListedPullRequest[]; readonly pages: number }> {
  const all = new Map<number, ListedPullRequest>();
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const answer = await api.get(dialect.openPath(page));
    for (const one of readPage(answer, api, dialect)) all.set(one.number, one);
    if (!api.hasMore(answer.headers)) return { listed: [...all.values()], pages: page };
  }
  throw unreadable(api.host);
}

function readPage(
  answer: HttpAnswer,
  api: RepositoryApi,
  dialect: ListingDialect,
): readonly ListedPullRequest[] {
  if (answer.status !== 200) throw api.refusal(answer);
  return requireObjects(readJson(answer, api.host), api.host).flatMap(
    (one) => dialect.readListed(one, api) ?? [],
  );
}

/**
 * The open pull requests, each in its newest form. Null if the lists contradict each other: a pull request closed or
 * opened between them, or one of them came from a replica of the host that is late. Pure.
 */
function joinLists(
  open: readonly ListedPullRequest[],
  recent: readonly ListedPullRequest[],
): readonly ListedPullRequest[] | null {
  const joined = new Map(open.map((one) => [one.number, one]));
  for (const one of recent) {
    const listed = joined.get(one.number);
    if ((listed !== undefined) !== one.isOpen) return null;
    if (listed !== undefined && Date.parse(one.updatedAt) > Date.parse(listed.updatedAt))
      joined.set(one.number, one);
  }
  return [...joined.values()];
}

/** Completes the names of the heads' repositories. */
async function nameHeads(
  listed: readonly ListedPullRequest[],
  api: RepositoryApi,
  { findProject }: ListingDialect,
): Promise<readonly PullRequest[]> {
  const projects = new Set(listed.flatMap(({ headProject }) => headProject ?? []));
  const limit = pLimit(PROJECTS_AT_ONCE);
  const names = new Map(
    await Promise.all(
      [...projects].map((id) => limit(async () => [id, await findProject(api, id)] as const)),
    ),
  );
  return listed.map(({ isOpen: _isOpen, updatedAt: _updatedAt, headProject, ...one }) =>
    headProject === null ? one : { ...one, headRepository: names.get(headProject) ?? null },
  );
}

const TITLE_CHARACTERS_MAX = 500;
const BRANCH_CHARACTERS_MAX = 255;

/**
 * Checks the fields of a pull request. @returns null if the name of a branch is too long: anyone may choose that of a
 * fork, and the other pull requests are listed all the same @throws GitError `HOST_UNAVAILABLE`
 */
export function readPullRequest(
  fields: {
    readonly number: unknown;
    readonly title: unknown;
    readonly author: unknown;
    readonly branch: unknown;
    readonly commit: unknown;
    readonly base: unknown;
    readonly headRepository: unknown;
    readonly headProject: unknown;
    readonly isFork: boolean;
    readonly labels: unknown;
    readonly isOpen: boolean;
    readonly updatedAt: unknown;
  },
  url: (number: number) => string,
  host: string,
): ListedPullRequest | null {
  const { number, title, author, branch, commit, base, headRepository, headProject, labels, updatedAt } =
    fields;
  if (typeof number !== "number" || !Number.isSafeInteger(number) || number < 1) throw unreadable(host);
  if (typeof title !== "string" || typeof updatedAt !== "string") throw unreadable(host);
  if (!isName(branch) || !isName(base)) throw unreadable(host);
  if (typeof commit !== "string" || !/^[0-9a-f]{40}$/.test(commit)) throw unreadable(host);
  if (!Array.isArray(labels) || !labels.every((label) => typeof label === "string")) throw unreadable(host);
  if (Math.max(branch.length, base.length) > BRANCH_CHARACTERS_MAX) return null;
  return {
    number,
    title: cutDescription(title, TITLE_CHARACTERS_MAX),
    url: url(number),
    author: typeof author === "string" ? author : null,
    head: { branch, commit },
    base,
    headRepository: typeof headRepository === "string" ? headRepository : null,
    isFork: fields.isFork,
    labels,
    isOpen: fields.isOpen,
    updatedAt,
    headProject: typeof headProject === "number" ? headProject : null,
  };
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** A description within a host's limit. */
export function cutDescription(text: string, charactersMax: number): string {
  return cutText(toOneLine(text), charactersMax);
}
