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

/** Where a token is made, and what it needs. */
export function tellToken(provider: string): string {
  return provider === "provider_a"
    ? "A fine-grained token that reads contents and metadata, or a classic one with the scope repo."
    : "A token with the scope read_api and read_repository.";
}
