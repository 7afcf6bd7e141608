import type { Sql } from "../../db/database.ts";
import { AppError, COMMON_ERRORS, faultAt, invalidRequest, notFound } from "../../lib/errors.ts";
import { isStore, type PendingRedeploy } from "../projects/project.ts";
import { getEnvironment, getService, listEnvironmentServices } from "../projects/queries.ts";
import {
  type EffectiveVariable,
  type EnvVariable,
  type ListedVariable,
  type RunItem,
  type ScopeRef,
  type VariableScope,
  scopeIdOf,
  type VariableVersion,
} from "./env-variable.ts";
import { takesNoVariables, VARIABLE_FAULTS } from "./errors.ts";
import { FAULTS_MAX } from "./body.ts";
import { managedValues } from "./managed-value-store.ts";
import { variableRuns } from "./run-store.ts";
import { envVariables } from "./store.ts";
import { createdStoreOf } from "../projects/existing-values.ts";
import { listCreatedStores } from "../data-stores/queries.ts";
import { findLiveUrls, listLiveReleases } from "../releases/queries.ts";
import { findDefaultDistributionHost } from "../distributions/commands.ts";
import {
  decideEffective,
  decidePendingRedeploy,
  isForForks,
  isInherited,
  resolveLink,
} from "./decide-effective.ts";
import { variableVersions } from "./version-store.ts";
import type { Page } from "../../db/page.ts";

/** The connection whose account has the managed values of a scope; null if it never had any. */
export const findAccountOfScope = managedValues.findAccount;

/** Managed values that are, or may be, in the cloud: of a project, or of deleted projects in an account. */
export const listLeftValues = managedValues.listLeft;

/** Whether values of a project that is being deleted are still being removed. */
export const hasProjectValues = managedValues.hasOfProject;

/**
 * @param isToSet whether variables are set in it, which a data store does not take
 * @throws AppError `NOT_FOUND`, `SERVICE_TAKES_NO_VARIABLES`
 */
export async function getVariableScope(
  sql: Sql,
  organizationId: string,
  ref: ScopeRef,
  isToSet = false,
): Promise<VariableScope> {
  if ("serviceId" in ref) {
    const { projectId, environmentId, id, type } = await getService(sql, organizationId, ref.serviceId);
    if (isToSet && isStore(type)) throw takesNoVariables();
    return { organizationId, projectId, environmentId, serviceId: id };
  }
  const { projectId, id } = await getEnvironment(sql, organizationId, ref.environmentId);
  return { organizationId, projectId, environmentId: id, serviceId: null };
}

export function noSuchVariable(): AppError {
  return new AppError(
    COMMON_ERRORS.NOT_FOUND,
    "No variable of this name was set with the API here. Check the name.",
  );
}

/** @throws AppError `INVALID_REQUEST` with a fault for each unknown name, at most 100 */
export function refuseUnknown(
  names: readonly string[],
  known: ReadonlySet<string>,
  pathOf: (index: number) => string,
): void {
  const faults = names.flatMap((name, index) => {
    if (known.has(name)) return [];
    const message = `has ${name}, which is not the name of a variable that was set with the API here`;
    return [faultAt(pathOf(index), VARIABLE_FAULTS.UNKNOWN_VARIABLE, message)];
  });
  if (faults.length > 0) throw invalidRequest(faults.slice(0, FAULTS_MAX));
}

/** A variable that was set with the API. @throws AppError `NOT_FOUND` */
export async function getVariable(
  sql: Sql,
  organizationId: string,
  ref: ScopeRef,
  name: string,
): Promise<ListedVariable> {
  const scope = await getVariableScope(sql, organizationId, ref);
  const variable = await envVariables.find(sql, organizationId, scopeIdOf(scope), name);
  if (variable === null) throw noSuchVariable();
  return variable;
}

/** The items of a run of exactly this scope. @throws AppError `NOT_FOUND` */
export async function getRunItems(
  sql: Sql,
  organizationId: string,
  ref: ScopeRef,
  runId: string,
): Promise<readonly RunItem[]> {
  const scope = await getVariableScope(sql, organizationId, ref);
  const items = await variableRuns.findItems(sql, scope, runId);
  if (items.length === 0) throw notFound();
  return items;
}

/** The variables in effect of some environments and services, unordered. */
export async function listVariablesOfScopes(
  sql: Sql,
  organizationId: string,
  scopeIds: readonly string[],
): Promise<readonly EnvVariable[]> {
  return scopeIds.length === 0 ? [] : await envVariables.listOfScopes(sql, organizationId, scopeIds);
}

/** The variables that were set with the API and link to some services, except those of some scopes. */
export const listLinksTo = envVariables.listLinksTo;
export type { LinkTo } from "./store.ts";

/** What a service gets at runtime, ordered by name. @throws AppError `NOT_FOUND` */
export async function listEffectiveVariables(
  sql: Sql,
  organizationId: string,
  serviceId: string,
): Promise<readonly EffectiveVariable[]> {
  const { environmentId, type: reader } = await getService(sql, organizationId, serviceId);
  const { templateId, isFork } = await getEnvironment(sql, organizationId, environmentId);
  const scopeIds = [...(templateId === null ? [] : [templateId]), environmentId, serviceId];
  const listed = await envVariables.listOfScopes(sql, organizationId, scopeIds);
  const inEffect = listed.filter((one) =>
    one.scopeId === templateId ? isInherited(one, isFork) : !isFork || isForForks(one.kind),
  );
  const effective = decideEffective(inEffect, scopeIds);
  const linkedIds = new Set(effective.flatMap(({ linkedServiceId }) => linkedServiceId ?? []));
  const liveUrls = await findLiveUrls(sql, organizationId, [...linkedIds]);
  const services = (await listEnvironmentServices(sql, organizationId, environmentId)).filter(({ id }) =>
    linkedIds.has(id),
  );
  const created = services.filter((one) => createdStoreOf(one) !== null).map(({ id }) => id);
  const stores = await listCreatedStores(sql, organizationId, created);
  const linked = new Map(
    await Promise.all(
      services.map(async (service) => {
        const host = await findDefaultDistributionHost(sql, organizationId, service.id);
        const liveUrl = liveUrls.get(service.id) ?? null;
        const store = stores.find(({ serviceId: id }) => id === service.id) ?? null;
        return [service.id, { service, reader, host, liveUrl, store }] as const;
      }),
    ),
  );
  return effective.map((variable) => {
    const target = linked.get(variable.linkedServiceId ?? "");
    const linkedValue =
      target === undefined ? null : resolveLink(target.service, variable.linkedProperty ?? "", target);
    const isDown = ["FAILED", "CHANGING"].includes(target?.store?.status ?? "");
    // What the platform said before the last request may have changed.
    const storeFailure = isDown && target?.store?.isAsked === true ? target.store.failure : null;
    return { variable, linkedValue, linkedService: target?.service ?? null, storeFailure };
  });
}

/** The variables that the running releases of some services have not got yet; services without any are left out. */
export async function findPendingRedeploys(
  sql: Sql,
  organizationId: string,
  serviceIds: readonly string[],
): Promise<ReadonlyMap<string, PendingRedeploy>> {
  const releases = await listLiveReleases(sql, organizationId, serviceIds);
  const [first] = releases.map(({ since }) => since).toSorted((a, b) => a.getTime() - b.getTime());
  if (first === undefined) return new Map();
  const scopeIds = [
    ...new Set(releases.flatMap(({ serviceId, environmentId }) => [serviceId, environmentId])),
  ];
  const [times, deletions] = await Promise.all([
    envVariables.listTimes(sql, organizationId, scopeIds),
    variableVersions.listDeletions(sql, organizationId, scopeIds, first),
  ]);
  return new Map(
    releases.flatMap((release) => {
      const isOwn = ({ scopeId }: { readonly scopeId: string }): boolean =>
        scopeId === release.serviceId || scopeId === release.environmentId;
      const pending = decidePendingRedeploy(release, times.filter(isOwn), deletions.filter(isOwn));
      return pending === null ? [] : [[release.serviceId, pending] as const];
    }),
  );
}

/** Whether a variable of some scopes was set or deleted after a time. */
export async function hasNewerVariables(
  sql: Sql,
  organizationId: string,
  scopeIds: readonly string[],
  since: Date,
): Promise<boolean> {
  const times = await envVariables.listTimes(sql, organizationId, scopeIds);
  if (times.some(({ updatedAt }) => updatedAt > since)) return true;
  return (await variableVersions.listDeletions(sql, organizationId, scopeIds, since)).length > 0;
}

/** One page, in the order in which the versions took effect. @throws AppError `NOT_FOUND` */
export async function listVersions(
  sql: Sql,
  organizationId: string,
  ref: ScopeRef,
  name: string,
  page: Page,
): Promise<readonly VariableVersion[]> {
  const scope = await getVariableScope(sql, organizationId, ref);
  const rows = await variableVersions.list(sql, organizationId, scopeIdOf(scope), name, page);
  if (rows.length === 0 && page.after === null) throw noSuchVariable();
  return rows;
}
