/** Which claims a trust requires, and whether a token has them. */
import type { Claims } from "./workload-trust.ts";

/** The claims that identify the owner of a workload. */
const IDENTIFYING = ["sub", "repository", "repository_id", "project_path", "project_id"];
const OF_TERRAFORM = ["terraform_organization_id", "terraform_organization_name", "terraform_workspace_id"];

/** In claims of a path, the owner comes before the first slash: `acme/shop`, `repo:acme/shop:ref:…`. */
const PATH_OWNER = /\//;
const ORGANIZATION = /^organization:[^:]+:/;

/**
 * Issuers that give tokens for any audience to the public, by host. A trust must name one of the claims, at least up to
 * the owner. Other issuers serve one company, so the operator knows which claims matter.
 */
const SHARED: Readonly<Record<string, { readonly claims: readonly string[]; readonly owner: RegExp }>> = {
  "token.actions.githubusercontent.com": { claims: IDENTIFYING, owner: PATH_OWNER },
  "gitlab.com": { claims: IDENTIFYING, owner: PATH_OWNER },
  "agent.buildkite.com": {
    claims: ["sub", "organization_id", "organization_slug", "pipeline_id"],
    owner: ORGANIZATION,
  },
  "app.terraform.io": { claims: ["sub", ...OF_TERRAFORM], owner: ORGANIZATION },
  "accounts.google.com": { claims: ["sub", "email"], owner: /^$/ },
};
const ELSEWHERE = { claims: IDENTIFYING, owner: /[/:]/ };

/** Namespaced claims are URLs or host names with a path, such as `oidc.circleci.com/project-id`. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.:/-]{0,199}$/;

export type ConditionFault = { readonly claim: string | null; readonly message: string };

/** Finds the faults in the conditions of a trust. */
export function findConditionFaults(
  conditions: Readonly<Record<string, unknown>>,
  issuer: string,
): readonly ConditionFault[] {
  const faults: ConditionFault[] = [];
  const shared = URL.canParse(issuer) ? SHARED[new URL(issuer).hostname] : undefined;
  const { claims, owner } = shared ?? ELSEWHERE;
  for (const [claim, pattern] of Object.entries(conditions)) {
    if (!NAME.test(claim)) faults.push({ claim, message: "is not the name of a claim" });
    if (typeof pattern !== "string") continue;
    const { beginning, isWhole } = readPattern(pattern);
    if (beginning.includes("*")) faults.push({ claim, message: "may have a * at its end only" });
    else if (claims.includes(claim) && !isWhole && !owner.test(beginning))
      faults.push({ claim, message: "must name the owner before the *, as in acme/*" });
  }
  if (shared !== undefined && !claims.some((claim) => claim in conditions))
    faults.push({
      claim: null,
      message: `must have one of ${claims.join(", ")}, because every user gets tokens there`,
    });
  if (shared === undefined && Object.values(conditions).every((pattern) => pattern === "*"))
    faults.push({ claim: null, message: "must say what at least one claim is" });
  return faults;
}

/** The first claim that does not meet its condition; null if all do. */
export function findUnmet(conditions: Readonly<Record<string, string>>, claims: Claims): string | null {
  const unmet = Object.entries(conditions).find(
    ([claim, pattern]) => !isMet(claim, pattern, Object.hasOwn(claims, claim) ? claims[claim] : undefined),
  );
  return unmet?.[0] ?? null;
}

/** Lists and objects meet no condition. */
function isMet(claim: string, pattern: string, value: unknown): boolean {
  const found = textOf(value);
  if (found === null) return false;
  const text = comparable(claim, found);
  const { beginning, isWhole } = readPattern(comparable(claim, pattern));
  return isWhole ? text === beginning : text.startsWith(beginning);
}

/** Claims that are a path of GitHub or GitLab, which ignore its case. */
const PATHS = ["repository", "repository_owner", "project_path", "namespace_path"];

/** A subject begins with such a path. The branch after it may differ from another in case only. */
function comparable(claim: string, text: string): string {
  if (PATHS.includes(claim)) return text.toLowerCase();
  return claim === "sub"
    ? text.replace(/^(?:repo|project_path):[^:]*/, (beginning) => beginning.toLowerCase())
    : text;
}

/** The text of a claim; null if it has none. */
export function textOf(value: unknown): string | null {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : null;
}

function readPattern(pattern: string): { readonly beginning: string; readonly isWhole: boolean } {
  return pattern.endsWith("*")
    ? { beginning: pattern.slice(0, -1), isWhole: false }
    : { beginning: pattern, isWhole: true };
}
