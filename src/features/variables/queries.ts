import type { Sql } from "../../db/database.ts";
import { AppError, COMMON_ERRORS, type Fault, invalidRequest, notFound } from "../../lib/errors.ts";
import type { LeftBy } from "../cloud-accounts/left-in-account.ts";
import { getEnvironment, getService } from "../projects/queries.ts";
import {
  type EnvVariable,
  type ListedVariable,
  type ManagedKind,
  type RunItem,
  type VariableScope,
  scopeIdOf,
} from "./env-variable.ts";
import { VARIABLE_FAULTS } from "./errors.ts";
import { FAULTS_MAX } from "./groups.ts";
import { managedValues } from "./managed/managed-value-store.ts";
import { variableRuns } from "./managed/run-store.ts";
import { envVariables } from "./store.ts";

/** The scope of a request, by the id in its path. */
export type ScopeRef = { readonly environmentId: string } | { readonly serviceId: string };

/** The connection whose account has the managed values of a scope; null if it never had any. */
export async function findAccountOfScope(
  sql: Sql,
  organizationId: string,
  scopeId: string,
): Promise<string | null> {
  return await managedValues.findAccount(sql, organizationId, scopeId);
}

/** @throws AppError `NOT_FOUND` */
export async function getVariableScope(
  sql: Sql,
  organizationId: string,
  ref: ScopeRef,
): Promise<VariableScope> {
  if ("serviceId" in ref) {
    const { projectId, environmentId, id } = await getService(sql, organizationId, ref.serviceId);
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
  const faults = names.flatMap((name, index): readonly Fault[] =>
    known.has(name)
      ? []
      : [
          {
            path: pathOf(index),
            code: VARIABLE_FAULTS.UNKNOWN_VARIABLE.code,
            message: `has ${name}, which is not the name of a variable that was set with the API here`,
          },
        ],
  );
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

/** Managed values that are, or may be, in the cloud: of a project, or of deleted projects in an account. */
export async function listLeftValues(
  sql: Sql,
  organizationId: string,
  by: LeftBy,
): Promise<readonly { readonly kind: ManagedKind; readonly region: string; readonly name: string }[]> {
  return await managedValues.listLeft(sql, organizationId, by);
}

/** Whether values of a project that is being deleted are still being removed. */
export async function hasProjectValues(
  sql: Sql,
  organizationId: string,
  projectId: string,
): Promise<boolean> {
  return await managedValues.hasOfProject(sql, organizationId, projectId);
}
