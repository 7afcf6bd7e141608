import { announceChange } from "../../db/changes.ts";
import {
  type Database,
  type Transaction,
  isForeignKeyViolation,
  isNotNullViolation,
} from "../../db/database.ts";
import { announceWork, type Jobs } from "../../jobs/jobs.ts";
import type { Actor } from "../../lib/actor.ts";
import { notFound, AppError } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { actorKindOf } from "../events/outbox.ts";
import { recordAudit, recordAudits } from "../audit/record-audit.ts";
import { lockEnvironment, lockService } from "../projects/commands.ts";
import {
  type ListedVariable,
  type ManagedKind,
  type PlainVariable,
  type ScopeRef,
  scopeIdOf,
  type VariableScope,
  type Writer,
  PLAIN_KINDS,
  type VariableVersion,
} from "./env-variable.ts";
import { cloudNameOf } from "./cloud-name.ts";
import { hasOtherScope, SUPERSEDED, takesNoVariables, VARIABLE_ERRORS } from "./errors.ts";
import { decideConfiguredChanges } from "./decide-plan.ts";
import { emitFailed, emitVariables } from "./emit-variables.ts";
import { managedValues } from "./managed-value-store.ts";
import { type EndedItem, variableRuns } from "./run-store.ts";
import type { PreparedRun, PreparedWrite } from "./prepare-write.ts";
import {
  getVariableScope,
  listVariablesOfScopes,
  noSuchVariable,
  refuseUnknown,
  getVariable,
} from "./queries.ts";
import { envVariables } from "./store.ts";
import { listEnvironmentServices } from "../projects/queries.ts";
import { variableVersions } from "./version-store.ts";

/** A prepared write, and whose it is. */
type ActorsWrite = PreparedWrite & { readonly actor: Actor };

/**
 * Accepts prepared writes of one organization. Several at once begin no runs, and no two of them set the same variable.
 * @throws AppError `NOT_FOUND` if a scope does not exist, `SERVICE_TAKES_NO_VARIABLES`
 */
export async function setVariables(tx: Transaction, jobs: Jobs, all: readonly ActorsWrite[]): Promise<void> {
  const writes = all
    .map((one) => ({ ...one, names: [...one.plain, ...(one.run?.items ?? [])].map(({ name }) => name) }))
    .filter(({ names }) => names.length > 0)
    .map((one) => ({ ...one, id: scopeIdOf(one.ref), writer: writerOf(one.actor) }));
  const [first] = writes;
  if (first === undefined) return;
  const { organizationId } = first.actor;
  const announceRuns = (runIds: readonly string[]): void => {
    for (const runId of runIds) announceChange(tx, runId);
  };
  const saved = writes.filter(({ plain }) => plain.length > 0);
  if (saved.length > 0) {
    const scoped = saved.map(({ ref, plain: variables, writer }) => {
      return { environmentId: null, serviceId: null, ...ref, variables, writer };
    });
    const then = { onEnded: announceRuns, onFailure: throwUnsaved };
    envVariables.save(tx, organizationId, "api", first.run?.generation ?? null, scoped, SUPERSEDED, then);
    // The statement also writes events, which have to be numbered.
    announceWork(tx);
  }
  const audited = { action: "env-variables.set" } as const;
  recordAudits(
    tx,
    writes.map(({ actor, id, names }) => ({ ...audited, actor, resourceId: id, details: { names } })),
  );
  for (const { id } of writes) announceChange(tx, id);
  for (const { actor, run, id, writer } of writes) {
    if (run === null) continue;
    const ended = await insertRun(tx, run, writer).catch(throwNotFoundIfDeleted);
    announceRuns(ended.map(({ runId }) => runId));
    emitFailed(tx, actor, run.scope, ended, SUPERSEDED);
    const accepted = run.items.map(({ name }) => ({ name, kind: kindOf(run, name), runId: run.id }));
    emitVariables(tx, actor, "env_variables.accepted", run.scope, accepted);
    await jobs.enqueue(tx, "variable-scope", { organizationId, id });
  }
}

/** Who makes a write, and what the history of its variables calls it by. */
function writerOf({ userId, credential, requestId }: Actor): Writer {
  return { version: newId("ver"), kind: actorKindOf(userId), userId, apiKeyId: credential.id, requestId };
}

/** Translates the error of a save. */
function throwUnsaved(error: unknown): never {
  if (isNotNullViolation(error, "environment_id")) throw takesNoVariables();
  return throwNotFoundIfDeleted(error);
}

/** Translates the error if the scope, or a linked service, does not exist (any longer). */
function throwNotFoundIfDeleted(error: unknown): never {
  throw isForeignKeyViolation(error) ? notFound() : error;
}

/** Returns the items of older runs that it ended. */
async function insertRun(tx: Transaction, run: PreparedRun, writer: Writer): Promise<readonly EndedItem[]> {
  const { scope, generation } = run;
  const items = run.items.map(({ name, sealed }) => ({ name, kind: kindOf(run, name), sealed }));
  const { inPreviews } = run;
  const places = items.map(({ name, kind }) => ({
    name,
    kind,
    cloudName: cloudNameOf(scope, kind, name, inPreviews === true),
  }));
  const names = items.map(({ name }) => name);
  await variableRuns.insert(tx, scope, { ...run, items, writer });
  // Items before values, as the worker's claim locks them.
  const ended = await variableRuns.supersedeOlder(tx, scope, names, generation, SUPERSEDED);
  const expected = new Set(await managedValues.expect(tx, scope, run, places));
  const [other] = names.filter((name) => !expected.has(name));
  if (other !== undefined) throw hasOtherScope(other, inPreviews === true);
  return ended;
}

function kindOf(run: PreparedRun, name: string): ManagedKind {
  const kind = run.kinds.get(name);
  if (kind === undefined) throw new Error(`Run ${run.id} sealed ${name}, which it was not given.`);
  return kind;
}

/** How many variables were deleted, and of how many the value still has to be removed from the customer's cloud. */
export type Deleted = { readonly deletedCount: number; readonly removingCount: number };

/**
 * Accepts a prepared write, and deletes other variables that were set with the API: all of it, or nothing.
 * @param deleted names of which the write sets none; or all others of the scope
 * @throws AppError `NOT_FOUND` for the scope, `INVALID_REQUEST` with a fault for each unknown name
 */
export async function changeVariables(
  tx: Transaction,
  jobs: Jobs,
  actor: Actor,
  prepared: PreparedWrite,
  deleted: "others" | readonly string[],
): Promise<Deleted> {
  const scope = await getVariableScope(tx, actor.organizationId, prepared.ref);
  // Otherwise, two replacements at the same time would leave what either of them sets.
  await envVariables.lockReplacement(tx, scopeIdOf(scope));
  const names = deleted === "others" ? await listOthers(tx, scope, prepared) : deleted;
  const { known, inCloud } = await removeNames(tx, actor, scope, names);
  if (deleted !== "others") refuseUnknown(names, known, (index) => `/delete/${index}`);
  if (names.length > 0) recordAudit(tx, actor, "env-variables.deleted", scopeIdOf(scope), { names });
  await setVariables(tx, jobs, [{ ...prepared, actor }]);
  // The last, as in every write of variables, so that two of them do not wait for each other.
  if (names.length > 0) await enqueueScope(tx, jobs, scope);
  return { deletedCount: names.length, removingCount: inCloud.size };
}

/** The variables of a scope that were set with the API, and that a write does not set. */
async function listOthers(
  tx: Transaction,
  scope: VariableScope,
  { plain, run }: PreparedWrite,
): Promise<readonly string[]> {
  const given = new Set([...plain, ...(run?.items ?? [])].map(({ name }) => name));
  return (await envVariables.listAll(tx, scope.organizationId, scopeIdOf(scope)))
    .filter(({ name, source, state }) => source === "api" && state !== "REMOVING" && !given.has(name))
    .map(({ name }) => name);
}

/**
 * Deletes variables that were set with the API, all or none. @throws AppError `NOT_FOUND` for the scope,
 * `INVALID_REQUEST` with a fault for each unknown name
 */
export async function deleteVariables(
  tx: Transaction,
  jobs: Jobs,
  actor: Actor,
  ref: ScopeRef,
  names: readonly string[],
): Promise<Deleted> {
  const scope = await getVariableScope(tx, actor.organizationId, ref);
  const { known, inCloud } = await removeNames(tx, actor, scope, names);
  refuseUnknown(names, known, () => "query/names");
  await enqueueScope(tx, jobs, scope);
  recordAudit(tx, actor, "env-variables.deleted", scopeIdOf(scope), { names });
  return { deletedCount: names.length, removingCount: inCloud.size };
}

/**
 * Deletes a variable that was set with the API. Returns it as `REMOVING` if its value has to be removed from
 * the customer's cloud, otherwise null.
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
  const { known, inCloud } = await removeNames(tx, actor, scope, [name]);
  if (!known.has(name)) throw noSuchVariable();
  await enqueueScope(tx, jobs, scope);
  recordAudit(tx, actor, "env-variable.deleted", `${id}/${name}`);
  return inCloud.has(name) ? await envVariables.find(tx, organizationId, id, name) : null;
}

type Removed = {
  /** The names that had a variable, or a value in the cloud. */
  readonly known: ReadonlySet<string>;
  readonly inCloud: ReadonlySet<string>;
};

/** Deletes variables, and ends writes of them that are still on their way. Returns which of the names existed. */
async function removeNames(
  tx: Transaction,
  actor: Actor,
  scope: VariableScope,
  names: readonly string[],
): Promise<Removed> {
  if (names.length === 0) return { known: new Set(), inCloud: new Set() };
  const { organizationId } = actor;
  const id = scopeIdOf(scope);
  const inEffect = await envVariables.delete(tx, organizationId, id, names, writerOf(actor));
  const ended = await variableRuns.supersedeAll(tx, organizationId, id, names, SUPERSEDED);
  await managedValues.holdPutsAfterOpenOnes(tx, organizationId, id, names);
  const inCloud = await managedValues.listNamesInCloud(tx, organizationId, id, names);
  for (const { runId } of ended) announceChange(tx, runId);
  emitFailed(tx, actor, scope, ended, SUPERSEDED);
  const gone = new Map([...ended, ...inEffect].map(({ name, kind }) => [name, { name, kind, runId: null }]));
  emitVariables(tx, actor, "env_variables.deleted", scope, [...gone.values()]);
  announceChange(tx, id);
  const known = new Set([...gone.keys(), ...inCloud]);
  return { known, inCloud: new Set(inCloud) };
}

/** Enqueues the removal of deleted values from the cloud. A value that was never put there also has a row to delete. */
async function enqueueScope(tx: Transaction, jobs: Jobs, scope: VariableScope): Promise<void> {
  await jobs.enqueue(tx, "variable-scope", { organizationId: scope.organizationId, id: scopeIdOf(scope) });
}

/**
 * Makes all other changes of a variable, or of all variables of a scope, wait until the transaction ends: changes of an
 * existing one at its row, and creations at the row of their owner, to which they refer.
 * @param name null for all
 */
export async function lockVariables(
  tx: Transaction,
  organizationId: string,
  ref: ScopeRef,
  name: string | null,
): Promise<void> {
  await envVariables.lock(tx, organizationId, scopeIdOf(ref), name);
  if ("serviceId" in ref) await lockService(tx, organizationId, ref.serviceId);
  else await lockEnvironment(tx, organizationId, ref.environmentId);
}

/** The variables of one scope of a configuration; services by their ids. */
export type ConfiguredScope = {
  readonly environmentId: string;
  /** Null for variables of the whole environment. */
  readonly serviceId: string | null;
  readonly variables: readonly PlainVariable[];
};

/** Replaces the configuration's previous variables. Variables set with the API stay, and take precedence. */
export async function setConfiguredVariables(
  tx: Transaction,
  actor: Actor,
  scopes: readonly ConfiguredScope[],
): Promise<void> {
  const { organizationId } = actor;
  const before = await listVariablesOfScopes(tx, organizationId, scopes.map(scopeIdOf));
  const generation = await envVariables.nextGeneration(tx);
  for (const { environmentId, serviceId, variables } of scopes) {
    const scope = { organizationId, environmentId, serviceId };
    // Unchanged variables keep their time.
    const names = variables.map(({ name }) => name);
    await envVariables.deleteConfigured(tx, organizationId, scopeIdOf(scope), names);
    if (variables.length > 0) {
      const write = { environmentId, serviceId, variables, writer: null };
      envVariables.save(tx, organizationId, "config", generation, [write], SUPERSEDED);
    }
    const present = before.filter((one) => one.scopeId === scopeIdOf(scope) && one.source === "config");
    const changes = decideConfiguredChanges(present, variables).map((one) => ({ ...one, runId: null }));
    const removed = changes.filter(({ change }) => change === "REMOVED");
    const stored = changes.filter(({ change }) => change !== "REMOVED");
    emitVariables(tx, actor, "env_variables.deleted", scope, removed, "config");
    emitVariables(tx, actor, "env_variables.stored", scope, stored, "config");
    announceChange(tx, scopeIdOf(scope));
  }
}

/** The names of variables that a configuration would set to something else, or remove. */
export async function findConfiguredChanges(
  tx: Transaction,
  organizationId: string,
  scopes: readonly ConfiguredScope[],
): Promise<readonly string[]> {
  const before = await listVariablesOfScopes(tx, organizationId, scopes.map(scopeIdOf));
  return scopes.flatMap((scope) => {
    const present = before.filter((one) => one.scopeId === scopeIdOf(scope) && one.source === "config");
    return decideConfiguredChanges(present, scope.variables).map(({ name }) => name);
  });
}

/**
 * Removes the managed values of a deleted project from the cloud, in the background. Call it after
 * the project's row is deleted, in the same transaction: this also deletes its variables and runs, so
 * no more can be accepted.
 */
export async function removeProjectVariables(
  tx: Transaction,
  jobs: Jobs,
  organizationId: string,
  projectId: string,
): Promise<void> {
  for (const id of await managedValues.listProjectScopeIds(tx, organizationId, projectId)) {
    await jobs.enqueue(tx, "variable-scope", { organizationId, id });
  }
}

/** Abandons all managed values of a project whose variables are deleted. */
export const forgetProjectValues = managedValues.deleteOfProject;

/** An account works again: retries the removal of values from it. */
export async function resumeRemovalsOfAccount(
  tx: Transaction,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<void> {
  await managedValues.resumeRemovals(tx, organizationId, id);
}

/**
 * Sets a variable to what it was in an earlier version. @throws AppError `NOT_FOUND`, `SERVICE_TAKES_NO_VARIABLES`,
 * `VERSION_NOT_RESTORABLE`
 */
export async function restoreVariable(
  tx: Transaction,
  actor: Actor,
  ref: ScopeRef,
  name: string,
  versionId: string,
): Promise<ListedVariable> {
  const { organizationId } = actor;
  const scope = await getVariableScope(tx, organizationId, ref, true);
  const id = scopeIdOf(scope);
  const version = await variableVersions.find(tx, organizationId, id, name, versionId);
  if (version === null) throw notFound("version");
  const variable = await readRestorable(tx, scope, name, version);
  const write = { ...scope, variables: [variable], writer: writerOf(actor) };
  envVariables.save(tx, organizationId, "api", null, [write], SUPERSEDED, {
    onEnded: (runIds) => {
      for (const runId of runIds) announceChange(tx, runId);
    },
    onFailure: throwNotFoundIfDeleted,
  });
  announceWork(tx);
  recordAudit(tx, actor, "env-variable.restored", `${id}/${name}`, { after: { version: versionId } });
  announceChange(tx, id);
  return await getVariable(tx, organizationId, ref, name);
}

/** @throws AppError `VERSION_NOT_RESTORABLE` */
async function readRestorable(
  tx: Transaction,
  { organizationId, environmentId }: VariableScope,
  name: string,
  version: VariableVersion,
): Promise<PlainVariable> {
  const { plainValue, reference, linkedServiceId, linkedProperty } = version;
  if (version.kind === null)
    throw notRestorable("In this version the variable was deleted. To delete it again, use DELETE.");
  const kind = PLAIN_KINDS.find((one) => one === version.kind);
  if (kind === undefined)
    throw notRestorable(
      `The value of this version was stored in ${version.kind} of the cloud account, and Slipway does not keep such values. Set the variable again with its value.`,
    );
  if (linkedServiceId !== null) {
    const services = await listEnvironmentServices(tx, organizationId, environmentId);
    if (!services.some(({ id }) => id === linkedServiceId))
      throw notRestorable("The service that this version links to no longer exists. Set the variable again.");
  }
  return { name, kind, plainValue, reference, linkedServiceId, linkedProperty };
}

function notRestorable(detail: string): AppError {
  return new AppError(VARIABLE_ERRORS.VERSION_NOT_RESTORABLE, detail);
}

/** Deletes all versions of environments and services. Call it after their rows are deleted. */
export const forgetVersions = variableVersions.deleteOfScopes;

const DAY_MS = 24 * 60 * 60_000;

/** Removes versions replaced more than `keptDays` ago, as for audit entries. @returns whether there may be more */
export async function pruneVersions(db: Database, keptDays: number, now: Date): Promise<boolean> {
  return await variableVersions.prune(db, new Date(now.getTime() - keptDays * DAY_MS));
}

/** How long the outcome of a run can be read after its request. */
export const RUNS_KEPT_DAYS = 30;

/** Deletes the records of runs that ended long ago. @returns whether there may be more */
export async function pruneVariableRuns(db: Database, now: Date): Promise<boolean> {
  return await variableRuns.prune(db, new Date(now.getTime() - RUNS_KEPT_DAYS * DAY_MS));
}
