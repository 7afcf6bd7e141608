import type { Cloud } from "../../cloud/cloud.ts";
import type { Platform } from "../../cloud/platform.ts";
import type { Http } from "../../http/http.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import { createConfigurationParser } from "../configuration/configuration.ts";
import { viewAbandoned } from "../cloud-accounts/views.ts";
import type { GitDeps } from "../git-integrations/queries.ts";
import { LOCKED_PROJECT, PROJECTS_TAG as tag } from "../projects/routes.ts";
import { ProjectSchema, viewProject } from "../projects/views.ts";
import { changeProject, listRefusals, planChange, prepareChange } from "./change-project.ts";
import { ProjectPlanSchema, viewPlan, AbandonedProjectSchema } from "./views.ts";
import { findProjectChangeFaults, ProjectChangeBody, findNewProjectFaults, NewProjectBody } from "./body.ts";
import { createProject, prepareProject } from "./create-project.ts";
import { abandonProject, deleteProject } from "./delete-project.ts";

const WRITE = { role: "developer", scope: "admin", tag } as const;

export function registerProjectChangeRoutes(
  http: Http,
  deps: GitDeps & {
    jobs: Jobs;
    cloud: Cloud;
    platform: Platform | null;
  },
): void {
  const { jobs, cloud, platform } = deps;
  const parseConfiguration = createConfigurationParser(cloud);

  http.write({
    method: "POST",
    path: "/v1/projects",
    ...WRITE,
    reach: "organization",
    summary: "Create a project",
    description:
      "Creates its environments and services from the configuration. Requires a connected cloud account, a git integration that can read the repository, and access to the repository for the user who makes the request.",
    body: NewProjectBody,
    findFaults: (body) => findNewProjectFaults(body, parseConfiguration),
    responses: { 201: ProjectSchema },
    prepare: ({ actor, body }) => prepareProject({ ...deps, parseConfiguration }, actor, body),
    commit: async ({ tx, actor, prepared }) => {
      const project = await createProject(tx, jobs, actor, prepared);
      return { status: 201, location: `/v1/projects/${project.id}`, body: viewProject(project) };
    },
  });

  http.write({
    method: "PATCH",
    path: "/v1/projects/:projectId",
    precondition: LOCKED_PROJECT,
    ...WRITE,
    summary: "Change a project",
    description:
      "Omitted fields stay as they are. A new `config` is applied at once: environments and services are created and removed (in the cloud, in the background), and running services get changed settings with their next deployment. With `iac`, environments and services change with the next deployments. The repository may move within its provider and host; access is checked as for a new project. The request is refused while a deployment is running, unless it changes only `name`, and if the configuration cannot be applied. `POST …/plan` with the same body shows this in advance.",
    body: ProjectChangeBody,
    findFaults: (body) => findProjectChangeFaults(body, parseConfiguration),
    responses: { 200: ProjectSchema },
    prepare: ({ actor, params, body }) =>
      prepareChange({ ...deps, parseConfiguration }, actor, params.projectId, body, false),
    commit: async ({ tx, actor, prepared }) => ({
      status: 200,
      body: viewProject(await changeProject(tx, jobs, actor, prepared)),
    }),
  });

  http.write({
    method: "POST",
    path: "/v1/projects/:projectId/plan",
    ...WRITE,
    summary: "Plan a change of a project",
    description:
      "Takes the body of PATCH and changes nothing. The response shows what PATCH would change, and every reason why it would be refused. With an empty body, it compares the project with its current configuration.",
    body: ProjectChangeBody,
    findFaults: (body) => findProjectChangeFaults(body, parseConfiguration),
    responses: { 200: ProjectPlanSchema },
    prepare: ({ actor, params, body }) =>
      prepareChange({ ...deps, parseConfiguration }, actor, params.projectId, body, true),
    commit: async ({ tx, prepared }) => {
      const plan = await planChange(tx, prepared);
      return { status: 200, body: viewPlan(prepared, plan, await listRefusals(tx, prepared, plan)) };
    },
  });

  http.write({
    method: "DELETE",
    path: "/v1/projects/:projectId",
    precondition: LOCKED_PROJECT,
    ...WRITE,
    summary: "Delete a project",
    description:
      "Its environments, services, variables and deployments are deleted at once. Its resources in the cloud account are removed in the background; until then the project is `DELETING`, afterwards a read returns 404. A project without such resources is deleted at once (204). The request is refused while a service has domain certificate groups, and while the account does not work. In the second case, `leftInAccount` lists what would stay.",
    responses: { 202: ProjectSchema, 204: null },
    commit: async ({ tx, actor, params }) => {
      const project = await deleteProject(tx, { jobs, platform }, actor, params.projectId);
      if (project === null) return { status: 204 };
      return { status: 202, location: `/v1/projects/${project.id}`, body: viewProject(project) };
    },
  });

  http.write({
    method: "POST",
    path: "/v1/projects/:projectId/abandon",
    ...WRITE,
    summary: "Delete a project whose cloud account is lost",
    description:
      "Use this if the account is `DISCONNECTED` or lacks permissions, so that a normal deletion cannot finish. The project is deleted at once with its domain certificate groups and everything else, and the response lists what stays in the account.",
    responses: { 200: AbandonedProjectSchema },
    commit: async ({ tx, actor, params }) => ({
      status: 200,
      body: viewAbandoned(await abandonProject(tx, platform, actor, params.projectId)),
    }),
  });
}
