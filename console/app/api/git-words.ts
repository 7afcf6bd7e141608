/** Git providers and their integrations in words. Pure. */
import type { GitIntegration, GitProvider } from "../../../sdk/src/generated/types.ts";

const PROVIDERS: Readonly<Record<GitProvider, string>> = {
  provider_a: "GitHub",
  provider_b: "GitLab",
  provider_b_self_hosted: "GitLab on your own server",
};

export const PROVIDER_CHOICES = Object.entries(PROVIDERS);

/** An integration's name: its provider, and its host if there may be several. */
export function integrationName({ provider, host }: Pick<GitIntegration, "provider" | "host">): string {
  return host === null ? PROVIDERS[provider] : `GitLab at ${host}`;
}

export type TokenWords = {
  readonly words: string;
  readonly tone: "good" | "todo" | "bad";
  /** What the user has to know or do; null: nothing. */
  readonly next: string | null;
};

/** The state of a token, in words. If the git host did not answer, its state is unknown. */
export function formatTokenStatus({
  tokenStatus,
  lastCheckError,
}: Pick<GitIntegration, "tokenStatus" | "lastCheckError">): TokenWords {
  const isAway = lastCheckError !== null && lastCheckError.code !== "GIT_TOKEN_REFUSED";
  if (tokenStatus === "REFUSED")
    return {
      words: isAway ? "Token refused, host unavailable" : "Token refused",
      tone: "bad",
      next: "Deployments fail until the token is replaced below.",
    };
  if (isAway)
    return {
      words: "Git host not reached",
      tone: "todo",
      next: "The token worked before. Slipway checks it again within the hour.",
    };
  return { words: "Token works", tone: "good", next: null };
}

/** Where a token is made, and what it needs. */
export function describeToken(provider: string): string {
  return provider === "provider_a"
    ? "A fine-grained token that reads contents and metadata and, for reports, writes pull requests, deployments and commit statuses; or a classic one with the scope repo."
    : "A token with the scope api. Without reports, read_api and read_repository are enough.";
}

/** Where a token is made; null for a host that is not known. */
export function tokenPage(provider: string): string | null {
  if (provider === "provider_a") return "https://github.com/settings/personal-access-tokens/new";
  return provider === "provider_b" ? "https://gitlab.com/-/user_settings/personal_access_tokens" : null;
}

/** What a user does at the git host, so that it reports pushes. */
export function hookSteps(provider: GitProvider): readonly string[] {
  return provider === "provider_a"
    ? [
        "At GitHub, open Settings → Webhooks of the repository or its organization, and choose Add webhook.",
        "Enter the address as the payload URL, and the secret. Choose the content type application/json.",
        "Choose “Just the push event”, and add the webhook.",
      ]
    : [
        "At GitLab, open Settings → Webhooks of the project or its group, and choose Add new webhook.",
        "Enter the address as the URL, and the secret as the secret token.",
        "Choose “Push events”, and add the webhook.",
      ];
}
