import { announceChange } from "../../../db/changes.ts";
import type { Database, Sql, Transaction } from "../../../db/database.ts";
import type { Page } from "../../../db/page.ts";
import { announceWork } from "../../../jobs/jobs.ts";
import type { Actor } from "../../../lib/actor.ts";
import { AppError, notFound } from "../../../lib/errors.ts";
import { recordAudit } from "../../audit/record-audit.ts";
import { listEnvironmentServices } from "../../projects/queries.ts";
import { throwNotFoundIfDeleted, writerOf } from "../commands.ts";
import {
  type ListedVariable,
  PLAIN_KINDS,
  type PlainVariable,
  scopeIdOf,
  type VariableScope,
  type VariableVersion,
} from "../env-variable.ts";
import { SUPERSEDED, VARIABLE_ERRORS } from "../errors.ts";
import { getVariable, getVariableScope, noSuchVariable, type ScopeRef } from "../queries.ts";
import { envVariables } from "../store.ts";
import { variableVersions } from "./version-store.ts";

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

/**
 * Sets a variable to what it was in an earlier version. @throws AppError `NOT_FOUND`, `VERSION_NOT_RESTORABLE`
 */
export async function restoreVariable(
  tx: Transaction,
  actor: Actor,
  ref: ScopeRef,
  name: string,
  wanted: string,
): Promise<ListedVariable> {
  const { organizationId } = actor;
  const scope = await getVariableScope(tx, organizationId, ref);
  const id = scopeIdOf(scope);
  const version = await variableVersions.find(tx, organizationId, id, name, wanted);
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
  recordAudit(tx, actor, "env-variable.restored", `${id}/${name}`, { after: { version: wanted } });
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

/** The end of all versions of environments and services. Call it after their rows are deleted. */
export async function forgetVersions(
  tx: Transaction,
  organizationId: string,
  scopeIds: readonly string[],
): Promise<void> {
  await variableVersions.deleteOfScopes(tx, organizationId, scopeIds);
}

const DAY_MS = 24 * 60 * 60_000;

/** Removes versions replaced more than `keptDays` ago, as for audit entries. @returns whether there may be more */
export async function pruneVersions(db: Database, keptDays: number, now: Date): Promise<boolean> {
  return await variableVersions.prune(db, new Date(now.getTime() - keptDays * DAY_MS));
}
