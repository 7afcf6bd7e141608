import { UsageError } from "../failure.ts";

/** The API's words for git hosts. */
const PROVIDERS = {
  github: "provider_a",
  gitlab: "provider_b",
  "gitlab-self-hosted": "provider_b_self_hosted",
} as const;
export const GIT_HOSTS = Object.keys(PROVIDERS);
type Provider = keyof typeof PROVIDERS;
export type ProviderFields = { readonly provider: (typeof PROVIDERS)[Provider]; readonly host?: string };

/** @param name one of `GIT_HOSTS` @param host only of a self-hosted one */
export function providerFields(name: string, host: string | undefined): ProviderFields {
  const provider = PROVIDERS[name as Provider];
  if (name !== "gitlab-self-hosted") {
    if (host !== undefined) throw new UsageError("--host is only for gitlab-self-hosted.");
    return { provider };
  }
  if (host === undefined) throw new UsageError("Give the host of your GitLab: --host gitlab.example.com.");
  return { provider, host };
}

/** What people call it. */
export function providerName({ provider, host }: { provider: string; host: string | null }): string {
  if (host !== null) return host;
  return Object.entries(PROVIDERS).find(([, word]) => word === provider)?.[0] ?? provider;
}

/** The provider of a repository: the named one, or that of its address. @throws UsageError if its address shows none */
export function providerOf(repoUrl: string, named: string | undefined): ProviderFields {
  const host = hostOf(repoUrl);
  if (named !== undefined)
    return providerFields(named, named === "gitlab-self-hosted" ? (host ?? undefined) : undefined);
  // The sandbox's repositories can be read through any.
  if (host === "github.com" || host === "git.sandbox.test") return providerFields("github", undefined);
  if (host === "gitlab.com") return providerFields("gitlab", undefined);
  throw new UsageError("The URL does not show which git host it is. Give --provider.");
}

function hostOf(repoUrl: string): string | null {
  if (URL.canParse(repoUrl) && new URL(repoUrl).host !== "") return new URL(repoUrl).host;
  return /^(?:[^@/]+@)?(?<host>[^:/]+)[:/]/.exec(repoUrl)?.groups?.["host"] ?? null;
}
