/** Git providers and their integrations in words. Pure. */
import type { GitIntegration, GitProvider } from "../../../sdk/src/generated/types.ts";

const PROVIDERS: Readonly<Record<GitProvider, string>> = {
  provider_a: "GitHub",
  provider_b: "GitLab",
  provider_b_self_hosted: "GitLab of your own",
};

/** The providers, for a choice. */
export const PROVIDER_CHOICES = Object.entries(PROVIDERS);

/** An integration's name: its provider, and its host if there may be several. */
export function tellIntegration({ provider, host }: Pick<GitIntegration, "provider" | "host">): string {
  return host === null ? PROVIDERS[provider] : `GitLab at ${host}`;
}

export type TokenWords = {
  readonly words: string;
  readonly tone: "good" | "todo" | "bad";
  /** What the user has to know or do; null: nothing. */
  readonly next: string | null;
};

/** The state of a token, in words. If the git host did not answer, its state is unknown. */
export function tellHealth({
  tokenStatus,
  lastCheckError,
}: Pick<GitIntegration, "tokenStatus" | "lastCheckError">): TokenWords {
  const isAway = lastCheckError !== null && lastCheckError.code !== "GIT_TOKEN_REFUSED";
  if (tokenStatus === "REFUSED")
    return {
      words: isAway ? "Token refused, host away since" : "Token refused",
      tone: "bad",
      next: "Deployments fail until the token is replaced below.",
    };
  if (isAway)
    return {
      words: "Git host not reached",
      tone: "todo",
      next: "The token worked before. Slipway asks again within the hour.",
    };
  return { words: "Token works", tone: "good", next: null };
}

/** Where a token is made, and what it needs. */
export function tellToken(provider: string): string {
  return provider === "provider_a"
    ? "A fine-grained token that reads contents and metadata, or a classic one with the scope repo."
    : "A token with the scope read_api and read_repository.";
}
