import type { Sql } from "../../db/database.ts";
import type { ProjectDetails, Service } from "../projects/project.ts";
import { findPendingRedeploys } from "../variables/queries.ts";
import type { EnvironmentRow, ProjectFacts, ServiceFacts } from "./row.ts";
import { rows } from "./store.ts";

/** What the rows of some projects show. */
export async function findProjectFacts(
  sql: Sql,
  organizationId: string,
  projects: readonly ProjectDetails[],
): Promise<readonly ProjectFacts[]> {
  const [environments, accounts] = await Promise.all([
    listEnvironmentRows(
      sql,
      organizationId,
      projects.map(({ id }) => id),
    ),
    rows.accounts(sql, organizationId, [...new Set(projects.map(({ awsAccountId }) => awsAccountId))]),
  ]);
  const accountOf = new Map(accounts.map((account) => [account.id, account]));
  const ofProject = Map.groupBy(environments, ({ environment }) => environment.projectId);
  return projects.map((project) => ({
    project,
    account: accountOf.get(project.awsAccountId) ?? null,
    environments: ofProject.get(project.id) ?? [],
  }));
}

/** All environments of some projects. */
async function listEnvironmentRows(
  sql: Sql,
  organizationId: string,
  projectIds: readonly string[],
): Promise<readonly EnvironmentRow[]> {
  const environments = await rows.environmentsOf(sql, organizationId, projectIds);
  const ids = environments.map(({ id }) => id);
  const [last, services, troubles, awaited, forks] = await Promise.all([
    rows.lastDeploymentsOf(sql, organizationId, ids),
    rows.servicesOf(sql, organizationId, ids),
    rows.countTroubled(sql, organizationId, ids),
    rows.approvalsAwaited(sql, organizationId, ids),
    rows.countForksAwaited(sql, organizationId, ids),
  ]);
  const pending = await findPendingRedeploys(
    sql,
    organizationId,
    services.map(({ id }) => id),
  );
  const lastOf = new Map(last.map((deployment) => [deployment.environmentId, deployment]));
  const servicesOf = Map.groupBy(services, ({ environmentId }) => environmentId);
  const troubleOf = new Map(troubles.map((trouble) => [trouble.environmentId, trouble]));
  return environments.map((environment) => {
    const own = servicesOf.get(environment.id) ?? [];
    return {
      environment,
      lastDeployment: lastOf.get(environment.id) ?? null,
      services: own,
      trouble: troubleOf.get(environment.id) ?? null,
      forksAwaited: forks.find(({ environmentId }) => environmentId === environment.id)?.count ?? 0,
      awaitsApproval: awaited.some(({ environmentId }) => environmentId === environment.id),
      redeploysPending: own.filter(({ id }) => pending.has(id)).length,
    };
  });
}

/** What the row of a service shows; null if the service was deleted. */
export async function findServiceFacts(
  sql: Sql,
  organizationId: string,
  { id, environmentId }: Pick<Service, "id" | "environmentId">,
): Promise<ServiceFacts | null> {
  const all = await rows.servicesOf(sql, organizationId, [environmentId]);
  return all.find((one) => one.id === id) ?? null;
}
