/** Workload trusts: words, and what a job of CI needs to use one. Pure. */
import type { WorkloadTrust } from "../../../sdk/src/generated/types.ts";

const GITHUB = "https://token.actions.githubusercontent.com";
export const GITLAB = "https://gitlab.com";

/** Where jobs run, for a choice: the issuer. */
export const PLATFORM_CHOICES: readonly (readonly [string, string])[] = [
  [GITHUB, "GitHub Actions"],
  [GITLAB, "GitLab.com"],
  ["", "Elsewhere"],
];

/** The platform of an issuer, for people. */
export function formatIssuer(issuer: string): string {
  const known = PLATFORM_CHOICES.find(([url]) => url === issuer && url !== "");
  return known?.[1] ?? issuer;
}

/** Conditions as a person says them: `acme/shop, refs/heads/main`. */
export function formatConditions(conditions: WorkloadTrust["conditions"]): string {
  return Object.entries(conditions)
    .map(([claim, value]) => `${claim} is ${value.endsWith("*") ? `${value.slice(0, -1)}…` : value}`)
    .join(", ");
}

/**
 * The conditions of a form. The claim that names the repository has another name in GitLab.
 * @param more lines of `claim=value`
 */
export function conditionsOf(
  issuer: string,
  {
    repository,
    branch,
    more,
  }: { readonly repository: string; readonly branch: string; readonly more: string },
): Record<string, string> {
  const named = issuer === GITHUB ? "repository" : "project_path";
  // GitHub's `ref` is whole; in GitLab's, a tag may have the name of a branch.
  const ofBranch: Record<string, string> =
    issuer === GITHUB ? { ref: `refs/heads/${branch}` } : { ref: branch, ref_type: "branch" };
  const others = more
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((line) => {
      const at = line.indexOf("=");
      return at === -1
        ? ([line, ""] as const)
        : ([line.slice(0, at).trim(), line.slice(at + 1).trim()] as const);
    });
  return {
    ...(repository.trim() === "" ? {} : { [named]: repository.trim() }),
    ...(branch.trim() === "" ? {} : ofBranch),
    ...Object.fromEntries(others),
  };
}

/**
 * A workflow that deploys under a trust, to be copied into the repository.
 * @param url where Slipway is
 * @param project its name or id
 */
export function workflowOf(
  { id, issuer, audience, conditions }: WorkloadTrust,
  url: string,
  project: string,
) {
  const isGitHub = issuer === GITHUB;
  const branch = (conditions["ref"] ?? "main").replace(/^refs\/heads\//, "");
  const deploy = `npx --yes @slipway/cli deploy -p ${project} --branch ${branch} --wait`;
  return isGitHub
    ? {
        file: ".github/workflows/deploy.yml",
        text: `name: Deploy
on:
  push:
    branches: [${branch}]
permissions:
  id-token: write
jobs:
  deploy:
    runs-on: ubuntu-latest
    env:
      SLIPWAY_URL: ${url}
      SLIPWAY_WORKLOAD_TRUST: ${id}
${audience === url ? "" : `      SLIPWAY_WORKLOAD_AUDIENCE: ${audience}\n`}    steps:
      - run: ${deploy}
`,
      }
    : {
        file: ".gitlab-ci.yml",
        text: `deploy:
  image: node:24
  rules:
    - if: $CI_COMMIT_BRANCH == "${branch}"
  id_tokens:
    SLIPWAY_ID_TOKEN:
      aud: ${audience}
  variables:
    SLIPWAY_URL: ${url}
    SLIPWAY_WORKLOAD_TRUST: ${id}
  script:
    - ${deploy}
`,
      };
}
