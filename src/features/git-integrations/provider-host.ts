import { Type } from "typebox";
import type { Fault } from "../../lib/errors.ts";
import { GIT_PROVIDERS, type GitProvider } from "../../git/git.ts";
import { parseGitHost, RepositoryUrlError } from "../../git/repository-url.ts";
import { GitProviderSchema } from "../projects/views.ts";

/** The fields of a body that names a git provider. Their condition is in `findHostFaults`. */
export const PROVIDER_FIELDS = {
  provider: GitProviderSchema,
  host: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 260,
      description: "Required with `provider_b_self_hosted`, refused otherwise.",
      examples: ["gitlab.acme.example"],
    }),
  ),
};

/**
 * The faults of a `host` that a request names beside its `provider`: it is required with
 * `provider_b_self_hosted`, must be a host then, and has no place with the others. `at` is the JSON Pointer
 * of the object that holds both.
 */
export function findHostFaults(value: unknown, at: string): readonly Fault[] {
  if (typeof value !== "object" || value === null) return [];
  const { provider, host } = value as { provider?: unknown; host?: unknown };
  const path = `${at}/host`;
  if (!GIT_PROVIDERS.some((known) => known === provider)) return [];
  if (provider !== "provider_b_self_hosted") {
    if (host === undefined) return [];
    return [{ path, code: "UNKNOWN_FIELD", message: "belongs to provider_b_self_hosted alone; remove it" }];
  }
  if (host === undefined) {
    return [{ path, code: "REQUIRED", message: "is required with provider_b_self_hosted" }];
  }
  if (typeof host !== "string") return [];
  try {
    parseGitHost(host);
    return [];
  } catch (error) {
    if (!(error instanceof RepositoryUrlError)) throw error;
    return [{ path, code: "WRONG_FORM", message: error.message }];
  }
}

/** The normal form of a host that `findHostFaults` had no fault with; null with the other providers. */
export function readHost(fields: { readonly provider: GitProvider; readonly host?: string }): string | null {
  return fields.provider === "provider_b_self_hosted" ? parseGitHost(fields.host ?? "") : null;
}
