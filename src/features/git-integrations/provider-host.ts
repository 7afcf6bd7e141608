import { Type } from "typebox";
import { COMMON_FAULTS, type DeclaredFault, type Fault } from "../../lib/errors.ts";
import { GIT_PROVIDERS, type GitProvider } from "../../git/git.ts";
import { parseGitHost, RepositoryUrlError } from "../../git/repository-url.ts";
import { GitProviderSchema } from "../projects/views.ts";

const { REQUIRED, UNKNOWN_FIELD, WRONG_FORM } = COMMON_FAULTS;

/** The fields of a body that name a git provider. `findHostFaults` checks their combination. */
export const PROVIDER_FIELDS = {
  provider: GitProviderSchema,
  host: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 260,
      description:
        "The host of the self-hosted GitLab. Required with `provider_b_self_hosted`, refused otherwise.",
      examples: ["gitlab.acme.example"],
    }),
  ),
};

/**
 * The faults of a `host` beside its `provider`: `provider_b_self_hosted` requires a valid host, the other providers
 * take none. `at` is the JSON Pointer of the object that holds both.
 */
export function findHostFaults(value: unknown, at: string): readonly Fault[] {
  if (typeof value !== "object" || value === null) return [];
  const { provider, host } = value as { provider?: unknown; host?: unknown };
  if (!GIT_PROVIDERS.some((known) => known === provider)) return [];
  const fault = ({ code }: DeclaredFault, message: string) => [{ path: `${at}/host`, code, message }];
  if (provider !== "provider_b_self_hosted") {
    if (host === undefined) return [];
    return fault(UNKNOWN_FIELD, "is only for a self-hosted GitLab (provider_b_self_hosted); remove it");
  }
  if (host === undefined)
    return fault(REQUIRED, "is required for a self-hosted GitLab (provider_b_self_hosted)");
  if (typeof host !== "string") return [];
  try {
    parseGitHost(host);
    return [];
  } catch (error) {
    if (!(error instanceof RepositoryUrlError)) throw error;
    return fault(WRONG_FORM, error.message);
  }
}

/** The normal form of a host without faults (`findHostFaults`); null with the other providers. */
export function readHost(fields: { readonly provider: GitProvider; readonly host?: string }): string | null {
  return fields.provider === "provider_b_self_hosted" ? parseGitHost(fields.host ?? "") : null;
}
