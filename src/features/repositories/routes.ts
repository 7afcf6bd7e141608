import { Type } from "typebox";
import type { Cloud } from "../../cloud/cloud.ts";
import type { Http } from "../../http/http.ts";
import { Body, Defaulted, ONE_LINE_TEXT } from "../../http/schemas.ts";
import { invalidRequest } from "../../lib/errors.ts";
import { createTally } from "../../lib/pace/tally.ts";
import { createConfigurationParser } from "../configuration/configuration.ts";
import { PROJECT_CREATOR } from "../git-integrations/routes.ts";
import type { GitDeps } from "../git-integrations/queries.ts";
import { findRepoUrlFaults } from "../projects/repo-url-faults.ts";
import { DEFAULT_REGION } from "./propose-configuration.ts";
import { detectFramework, listBranches } from "./queries.ts";
import { FrameworkDetectionSchema, GitBranchesSchema, viewDetection, viewGitBranches } from "./views.ts";

const REPO_URL = Type.String({
  minLength: 1,
  maxLength: 2048,
  description: "The repository's address, at the host of the integration.",
  examples: ["https://github.com/acme/shop"],
});

export function registerRepositoryRoutes(http: Http, given: GitDeps & { readonly cloud: Cloud }): void {
  const parseConfiguration = createConfigurationParser(given.cloud);
  const deps = { ...given, parseConfiguration, running: createTally() };

  http.read({
    path: "/v1/git-integrations/:gitIntegrationId/branches",
    ...PROJECT_CREATOR,
    operationId: "listGitBranches",
    summary: "List the branches of a repository",
    description:
      "As the git host lists them now. Requires access to the repository for the user who makes the request, as creating a project does.",
    query: Body({
      repoUrl: REPO_URL,
      search: Type.Optional(
        Type.String({ minLength: 1, maxLength: 255, description: "A part of the name, in any case." }),
      ),
    }),
    response: GitBranchesSchema,
    handle: async ({ actor, params, query }) => {
      requireRepoUrl(query.repoUrl);
      return viewGitBranches(await listBranches(deps, actor, params.gitIntegrationId, query));
    },
  });

  http.read({
    path: "/v1/git-integrations/:gitIntegrationId/detection",
    ...PROJECT_CREATOR,
    operationId: "detectFramework",
    sdk: "gitIntegrations.detectFramework",
    summary: "Detect the framework of a repository",
    description:
      "Reads the root of a branch, and proposes how it is built and served. A `slipway.json` there is read, too. Nothing is run, and nothing is stored. Requires access to the repository for the user who makes the request, as creating a project does.",
    query: Body({
      repoUrl: REPO_URL,
      branch: Type.String({
        ...ONE_LINE_TEXT,
        maxLength: 255,
        description: "The branch to read.",
        examples: ["main"],
      }),
      region: Defaulted(
        Type.String({
          pattern: "^[a-z]{2,4}(-[a-z]{2,12}){1,2}-[1-9]$",
          default: DEFAULT_REGION,
          description: "The AWS region of the environment in `config`.",
        }),
      ),
    }),
    response: FrameworkDetectionSchema,
    handle: async ({ actor, params, query }) => {
      requireRepoUrl(query.repoUrl);
      const detected = await detectFramework(deps, actor, params.gitIntegrationId, query);
      return viewDetection(detected, query);
    },
  });
}

/** @throws AppError `INVALID_REQUEST` */
function requireRepoUrl(repoUrl: string): void {
  const faults = findRepoUrlFaults(repoUrl).map((fault) => ({ ...fault, path: "query/repoUrl" }));
  if (faults.length > 0) throw invalidRequest(faults);
}
