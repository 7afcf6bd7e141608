/** Where a git host shows a commit, its pull request, and what changed since another one. Pure. */
import type { GitProvider } from "../../../sdk/src/generated/types.ts";

export type GitPlace = {
  /** Of the project, HTTPS. */
  readonly repoUrl: string;
  readonly provider: GitProvider;
  /** Of a self-hosted GitLab; null otherwise. */
  readonly host: string | null;
};

export type GitLinks = {
  readonly commit: string;
  readonly branch: string;
  /** Null if the message names none. */
  readonly pullRequest: { readonly url: string; readonly words: string } | null;
  /** Null without another commit to compare with. */
  readonly compare: string | null;
};

/** What a message says of the pull request that it came from: GitHub's two forms, and GitLab's. */
const GITHUB_REQUEST = /^Merge pull request #(\d{1,9})\b|\(#(\d{1,9})\)\s*$/;
const GITLAB_REQUEST = /^See merge request \S*!(\d{1,9})\s*$/m;

/** The address of the repository at its provider's host; null anywhere else, such as in the sandbox. */
function repositoryOf({ repoUrl, provider, host }: GitPlace): string | null {
  if (!URL.canParse(repoUrl)) return null;
  const url = new URL(repoUrl);
  const own = provider === "provider_a" ? "github.com" : provider === "provider_b" ? "gitlab.com" : host;
  if (own === null || url.host !== own.toLowerCase()) return null;
  return `https://${url.host}${url.pathname.replace(/\/+$/, "").replace(/\.git$/, "")}`;
}

/** Null if the host shows nothing that people can open, as in the sandbox. @param since the commit to compare with */
export function linksOf(
  place: GitPlace,
  {
    commitHash,
    branch,
    commitMessage,
  }: { readonly commitHash: string; readonly branch: string; readonly commitMessage: string | null },
  since: string | null,
): GitLinks | null {
  const repository = repositoryOf(place);
  if (repository === null) return null;
  const isGithub = place.provider === "provider_a";
  const below = isGithub ? repository : `${repository}/-`;
  const message = commitMessage ?? "";
  const first = message.split("\n", 1)[0] ?? "";
  const found = isGithub ? GITHUB_REQUEST.exec(first) : GITLAB_REQUEST.exec(message);
  const number = found?.[1] ?? found?.[2];
  const name = branch.split("/").map(encodeURIComponent).join("/");
  return {
    commit: `${below}/commit/${commitHash}`,
    branch: `${below}/tree/${name}`,
    pullRequest:
      number === undefined
        ? null
        : isGithub
          ? { url: `${below}/pull/${number}`, words: `Pull request #${number}` }
          : { url: `${below}/merge_requests/${number}`, words: `Merge request !${number}` },
    compare: since === null || since === commitHash ? null : `${below}/compare/${since}...${commitHash}`,
  };
}
