import type { Actor } from "../../lib/actor.ts";
import type { Clock } from "../../lib/clock.ts";
import { getAwsAccount } from "../cloud-accounts/commands.ts";
import type { LeftBy } from "../cloud-accounts/left-in-account.ts";
import { announceChange } from "../../db/changes.ts";
import { type Database, isForeignKeyViolation, type Sql, type Transaction } from "../../db/database.ts";
import { AppError, type Fault, invalidRequest, notFound } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import { recordAudit } from "../organizations/audit.ts";
import { getEnvironment, getProject, getService, listEnvironmentServices } from "../projects/queries.ts";
import type { RunSealing, SealedRun } from "../../sealing/sealing.ts";
import { cloudNameOf } from "./managed/cloud-name.ts";
import {
  type EnvVariable,
  type Failure,
  type ListedVariable,
  type ManagedKind,
  type PlainVariable,
  type RunItem,
  scopeIdOf,
  type VariableScope,
} from "./env-variable.ts";
import { isPlain, type ManagedEntry, pathOf, readGroups, type VariableGroups } from "./groups.ts";
import { managedValues } from "./managed/managed-value-store.ts";
import { variableRuns } from "./managed/run-store.ts";
import { envVariables } from "./store.ts";
import { lockEnvironment, lockService } from "../projects/commands.ts";
import { SERVICE_PROPERTIES } from "../projects/project.ts";

/** Whose variables a request is about, by the id in its path. */
export type ScopeRef = { readonly environmentId: string } | { readonly serviceId: string };

export const SUPERSEDED: Failure = {
  code: "SUPERSEDED",
  message: "A newer write or deletion of this variable was accepted before this value was in force.",
};

/** The connection whose account has the managed values of a scope; null for one that never had any. */
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

type PreparedRun = SealedRun & {
  readonly id: string;
  /** Orders it among all writes of its names. */
  readonly generation: number;
  readonly createdAt: Date;
  readonly kinds: ReadonlyMap<string, ManagedKind>;
  readonly scope: VariableScope;
  readonly place: { readonly awsAccountId: string; readonly region: string };
};

/** A checked write whose managed values are sealed; it holds none of them readable. */
export type PreparedWrite = {
  readonly ref: ScopeRef;
  readonly plain: readonly PlainVariable[];
  readonly run: PreparedRun | null;
};

/**
 * Checks a write against what there is, and seals its managed values. For plain values and references it reads
 * nothing: saving them fails where the scope is not there. The generation of managed values is drawn here, before the
 * transaction, for the seal covers it; plain values draw theirs when they are saved. Of two writes on their way at
 * once either may win, but a write that was answered always loses to one that was sent after its answer.
 * @throws AppError `NOT_FOUND`, `INVALID_REQUEST`, `AWS_ACCOUNT_NOT_CONNECTED`
 */
export async function prepareVariables(
  deps: { db: Database; sealing: RunSealing; clock: Clock },
  { organizationId }: Actor,
  ref: ScopeRef,
  groups: VariableGroups,
): Promise<PreparedWrite> {
  const { db } = deps;
  const { plain, managed } = readGroups(groups);
  if (isPlain(groups)) return { ref, plain, run: null };
  const scope = await getVariableScope(db, organizationId, ref);
  await requireLinks(db, scope, plain);
  const place = managed.length === 0 ? null : await requirePlace(db, scope);
  if (place === null) return { ref, plain, run: null };
  const generation = await envVariables.nextGeneration(db);
  return { ref, plain, run: await sealRun(deps, scope, place, generation, managed) };
}

async function sealRun(
  { sealing, clock }: { sealing: RunSealing; clock: Clock },
  scope: VariableScope,
  place: PreparedRun["place"],
  generation: number,
  managed: readonly ManagedEntry[],
): Promise<PreparedRun> {
  const id = newId("run");
  const createdAt = clock.now();
  const sealed = await sealing.sealRun(
    { organizationId: scope.organizationId, scopeId: scopeIdOf(scope), runId: id },
    managed.map((entry) => ({ ...entry, generation })),
  );
  const kinds = new Map(managed.map(({ name, kind }) => [name, kind]));
  return { ...sealed, id, generation, createdAt, kinds, scope, place };
}

async function requirePlace(sql: Sql, scope: VariableScope): Promise<PreparedRun["place"]> {
  const { organizationId, projectId, environmentId } = scope;
  const { region } = await getEnvironment(sql, organizationId, environmentId);
  const { awsAccountId } = await getProject(sql, organizationId, projectId);
  const { status, givenId } = await getAwsAccount(sql, organizationId, awsAccountId);
  if (status === "CONNECTED") return { awsAccountId, region };
  throw new AppError(
    "AWS_ACCOUNT_NOT_CONNECTED",
    `The cloud account ${givenId}, which would hold these values, is ${status}; nothing was saved. Fix its stack as its lastCheckError says, wait until it is CONNECTED, and send them again.`,
  );
}

async function requireLinks(
  sql: Sql,
  { organizationId, environmentId, serviceId }: VariableScope,
  plain: readonly PlainVariable[],
): Promise<void> {
  const links = plain.filter(({ kind }) => kind === "fromService");
  if (links.length === 0) return;
  const services = await listEnvironmentServices(sql, organizationId, environmentId);
  const faults: Fault[] = [];
  for (const { name, linkedServiceId, linkedProperty } of links) {
    const path = pathOf("fromService", name);
    const target = services.find(({ id }) => id === linkedServiceId);
    if (target === undefined) {
      const message = "is not the id of a service of this environment";
      faults.push({ path: `${path}/id`, code: "UNKNOWN_SERVICE", message });
    } else if (target.id === serviceId) {
      const message = "is the service itself; a variable links to another service";
      faults.push({ path: `${path}/id`, code: "SELF_REFERENCE", message });
    } else if (!SERVICE_PROPERTIES[target.type].includes(linkedProperty ?? "")) {
      const properties = SERVICE_PROPERTIES[target.type].join(", ");
      const message =
        properties === ""
          ? `names a property, but a ${target.type} service has none to link to`
          : `must be one of ${properties} for a ${target.type} service`;
      faults.push({ path: `${path}/value`, code: "NOT_ALLOWED", message });
    }
  }
  if (faults.length > 0) throw invalidRequest(faults);
}

/** Accepts a prepared write. @throws AppError `NOT_FOUND` when the scope is not there */
export async function setVariables(
  tx: Transaction,
  jobs: Jobs,
  actor: Actor,
  { ref, plain, run }: PreparedWrite,
): Promise<void> {
  const { organizationId } = actor;
  const id = "serviceId" in ref ? ref.serviceId : ref.environmentId;
  const names = [...plain, ...(run?.items ?? [])].map(({ name }) => name);
  if (names.length === 0) return;
  const announceRuns = (runIds: readonly string[]): void => {
    for (const runId of runIds) announceChange(tx, runId);
  };
  if (plain.length > 0) {
    const scope = { organizationId, environmentId: null, serviceId: null, ...ref };
    const then = { onEnded: announceRuns, onFailure: throwWhereGone };
    envVariables.save(tx, scope, "api", run?.generation ?? null, plain, SUPERSEDED, then);
  }
  recordAudit(tx, actor, "env-variables.set", id, { names });
  announceChange(tx, id);
  if (run === null) return;
  announceRuns(await insertRun(tx, run).catch(throwWhereGone));
  await jobs.poke(tx, "variable-scope", { organizationId, id });
}

/** The scope, or a service that a variable links to, is not there, or not any more. */
function throwWhereGone(error: unknown): never {
  throw isForeignKeyViolation(error) ? notFound() : error;
}

/** Returns the runs of which it ended items. */
async function insertRun(tx: Transaction, run: PreparedRun): Promise<readonly string[]> {
  const { scope, generation } = run;
  const items = run.items.map(({ name, sealed }) => ({ name, kind: kindOf(run, name), sealed }));
  const places = items.map(({ name, kind }) => ({ name, kind, cloudName: cloudNameOf(scope, kind, name) }));
  await variableRuns.insert(tx, scope, { ...run, items });
  await managedValues.expect(tx, scope, run.place, generation, places);
  const names = items.map(({ name }) => name);
  return await variableRuns.supersedeOlder(tx, scope, names, generation, SUPERSEDED);
}

function kindOf(run: PreparedRun, name: string): ManagedKind {
  const kind = run.kinds.get(name);
  if (kind === undefined) throw new Error(`Run ${run.id} sealed ${name}, which it was not given.`);
  return kind;
}

/**
 * Deletes what the API set under a name. Returns it as `REMOVING` while its value has to be removed from
 * the customer's cloud, else null.
 * @throws AppError `NOT_FOUND`
 */
export async function deleteVariable(
  tx: Transaction,
  jobs: Jobs,
  actor: Actor,
  ref: ScopeRef,
  name: string,
): Promise<ListedVariable | null> {
  const { organizationId } = actor;
  const scope = await getVariableScope(tx, organizationId, ref);
  const id = scopeIdOf(scope);
  const wasInForce = await envVariables.delete(tx, organizationId, id, name);
  const endedRunIds = await variableRuns.supersedeAll(tx, organizationId, id, name, SUPERSEDED);
  await managedValues.holdPutsAfterOpenOnes(tx, organizationId, id, name);
  const isInCloud = await managedValues.exists(tx, organizationId, id, name);
  if (!wasInForce && endedRunIds.length === 0 && !isInCloud) throw noSuchVariable();
  for (const runId of endedRunIds) announceChange(tx, runId);
  announceChange(tx, id);
  // A value that was never put anywhere has a row to forget, too.
  await jobs.poke(tx, "variable-scope", { organizationId, id });
  recordAudit(tx, actor, "env-variable.deleted", `${id}/${name}`);
  return isInCloud ? await envVariables.find(tx, organizationId, id, name) : null;
}

function noSuchVariable(): AppError {
  return new AppError("NOT_FOUND", "The API has set no variable of this name here. Check the name.");
}

/** What the API set under a name. @throws AppError `NOT_FOUND` */
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

/**
 * Has all other changes of a variable wait until the transaction ends: those of what is in force at its row, and what
 * is new at its owner's, to which it refers.
 */
export async function lockVariable(
  tx: Transaction,
  organizationId: string,
  ref: ScopeRef,
  name: string,
): Promise<void> {
  const scopeId = "serviceId" in ref ? ref.serviceId : ref.environmentId;
  await envVariables.lock(tx, organizationId, scopeId, name);
  if ("serviceId" in ref) await lockService(tx, organizationId, scopeId);
  else await lockEnvironment(tx, organizationId, scopeId);
}

/** The items of a run of this very scope. @throws AppError `NOT_FOUND` */
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

/** The variables of one scope of a configuration, services by their ids. */
export type ConfiguredScope = {
  readonly environmentId: string;
  /** Null for variables of the whole environment. */
  readonly serviceId: string | null;
  readonly variables: readonly PlainVariable[];
};

/** The variables in force of some environments and services, in no order. */
export async function listVariablesOfScopes(
  sql: Sql,
  organizationId: string,
  scopeIds: readonly string[],
): Promise<readonly EnvVariable[]> {
  return scopeIds.length === 0 ? [] : await envVariables.listOfScopes(sql, organizationId, scopeIds);
}

/** Replaces what a configuration set before; what the API set is not touched, and goes before it. */
export async function setConfiguredVariables(
  tx: Transaction,
  organizationId: string,
  scopes: readonly ConfiguredScope[],
): Promise<void> {
  const generation = await envVariables.nextGeneration(tx);
  for (const { environmentId, serviceId, variables } of scopes) {
    const scope = { organizationId, environmentId, serviceId };
    await envVariables.deleteConfigured(tx, organizationId, scopeIdOf(scope));
    if (variables.length > 0) {
      envVariables.save(tx, scope, "config", generation, variables, SUPERSEDED);
    }
    announceChange(tx, scopeIdOf(scope));
  }
}

/**
 * Has the managed values of a deleted project removed from the cloud, in the background. Call it after
 * the project's row is deleted, in the same transaction: that took its variables and runs along, and
 * only then can no more be accepted.
 */
export async function removeProjectVariables(
  tx: Transaction,
  jobs: Jobs,
  organizationId: string,
  projectId: string,
): Promise<void> {
  for (const id of await managedValues.listProjectScopeIds(tx, organizationId, projectId)) {
    await jobs.poke(tx, "variable-scope", { organizationId, id });
  }
}

/** Managed values of a project, or of deleted ones in an account, that are in the cloud or may be. */
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

/** Gives up all managed values of a project, whose variables are gone. */
export async function forgetProjectValues(
  tx: Transaction,
  organizationId: string,
  projectId: string,
): Promise<void> {
  await managedValues.deleteOfProject(tx, organizationId, projectId);
}

/** For how long the outcome of a run can be asked for after its request. */
const RUN_KEPT_MS = 30 * 24 * 60 * 60_000;

/** Drops the records of runs that ended long ago. @returns whether there may be more */
export async function pruneVariableRuns(db: Database, now: Date): Promise<boolean> {
  return await variableRuns.prune(db, new Date(now.getTime() - RUN_KEPT_MS));
}

/** An account works again: values that could not be removed from it are tried now. */
export async function resumeRemovalsOfAccount(
  tx: Transaction,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<void> {
  await managedValues.resumeRemovals(tx, organizationId, id);
}
