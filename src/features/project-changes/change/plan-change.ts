/** What a change of a project would do, and why it may be refused: for `POST …/plan`, and for the change itself. */
import { listServiceDomains } from "../../custom-domains/queries.ts";
import type { Sql } from "../../../db/database.ts";
import { findDeploymentUnderWay } from "../../deployments/queries.ts";
import type { AppError, DeclaredError, Fault } from "../../../lib/errors.ts";
import { GIT_ERRORS } from "../../../git/errors.ts";
import { CLOUD_ACCOUNT_ERRORS } from "../../cloud-accounts/errors.ts";
import { CONFIGURATION_ERRORS } from "../../configuration/errors.ts";
import { DEPLOYMENT_ERRORS } from "../../deployments/errors.ts";
import { listVariablesOfScopes } from "../../variables/queries.ts";
import { listEnvironmentServices, listProjectEnvironments } from "../../projects/queries.ts";
import { decideProjectPlan, type PresentProject, type ProjectPlan } from "./decide-project-plan.ts";
import type { PreparedChange } from "./prepare-change.ts";
import type { Project } from "../../projects/project.ts";

export type ChangePlan = ProjectPlan & { readonly present: PresentProject };

/** One reason why a change is refused. `path` is a JSON Pointer into the body, or empty. */
export type PlanRefusal = { readonly path: string; readonly code: string; readonly message: string };

/** Compares the project with the configuration that it would have; with none if that cannot be read. */
export async function planChange(sql: Sql, { before, wanted, read }: PreparedChange): Promise<ChangePlan> {
  const present = await gather(sql, before);
  if (read === null) return { present, environments: [], faults: [] };
  // A file describes the environments of its own branch; other branches have their own file.
  return { present, ...decideProjectPlan(present, read.configuration, wanted.configFileBranch) };
}

/** The plan's faults that prevent the change, with JSON Pointers into its body. */
export function listChangeFaults(
  { wanted, appliesNow }: PreparedChange,
  { faults }: ProjectPlan,
): readonly Fault[] {
  if (wanted.configType === "iac") {
    return faults.map(({ path, code, message }) => ({
      path: "/configFilePath",
      code,
      message: `names a file that cannot be applied: ${path} ${message}`,
    }));
  }
  return appliesNow ? faults.map((fault) => ({ ...fault, path: `/config${fault.path}` })) : [];
}

/** All reasons why a change is refused now. */
export async function listRefusals(
  sql: Sql,
  prepared: PreparedChange,
  plan: ProjectPlan,
): Promise<readonly PlanRefusal[]> {
  const { organizationId, id } = prepared.before;
  const deployment = await findDeploymentUnderWay(sql, organizationId, id);
  const isTouched = prepared.fields.some((name) => name !== "name");
  return [
    ...prepared.refusals.flatMap((refusal) => toRefusals(refusal, prepared.wanted)),
    ...listChangeFaults(prepared, plan),
    ...(deployment === null || !isTouched
      ? []
      : [
          {
            path: "",
            code: DEPLOYMENT_ERRORS.DEPLOYMENT_UNDER_WAY.code,
            message: `The deployment ${deployment.id} is ${deployment.status}. Wait until it has ended, or cancel it.`,
          },
        ]),
  ];
}

function toRefusals(
  { code, declaration, message, faults }: AppError,
  wanted: Project,
): readonly PlanRefusal[] {
  const path = placeOf(declaration, wanted);
  if (faults.length === 0) return [{ path, code, message }];
  return faults.map((fault) => ({ path, code: fault.code, message: `${fault.path} ${fault.message}` }));
}

/** The field of the body that a refusal is about. */
function placeOf(declaration: DeclaredError, { configType }: Project): string {
  switch (declaration) {
    case GIT_ERRORS.BRANCH_NOT_FOUND:
      return configType === "gui" ? "/config/environments" : "/configFileBranch";
    case CONFIGURATION_ERRORS.CONFIG_FILE_NOT_FOUND:
    case GIT_ERRORS.CONFIG_INVALID:
      return "/configFilePath";
    case CLOUD_ACCOUNT_ERRORS.AWS_ACCOUNT_NOT_CONNECTED:
      return "";
    default:
      return "/repoUrl";
  }
}

async function gather(sql: Sql, { organizationId, id }: Project): Promise<PresentProject> {
  const environments = [];
  for (const environment of await listProjectEnvironments(sql, organizationId, id)) {
    const services = await listEnvironmentServices(sql, organizationId, environment.id);
    environments.push({ environment, services });
  }
  const serviceIds = environments.flatMap(({ services }) => services.map((service) => service.id));
  const scopeIds = [...serviceIds, ...environments.map(({ environment }) => environment.id)];
  return {
    environments,
    variables: await listVariablesOfScopes(sql, organizationId, scopeIds),
    domains: await listServiceDomains(sql, organizationId, serviceIds),
  };
}
