/** Emits events of variables: their names and kinds, never their values. `store.ts` emits those of what it saves. */
import type { Transaction } from "../../db/database.ts";
import type { Actor } from "../../lib/actor.ts";
import { codedErrorOf } from "../events/error-views.ts";
import { emit } from "../events/emit.ts";
import { scopeIdOf, type VariableKind, type VariableScope, type VariableSource } from "./env-variable.ts";
import type { Failure } from "./errors.ts";
import { VARIABLE_EVENTS } from "./events.ts";

/** A variable as events name it. */
export type NamedVariable = {
  readonly name: string;
  readonly kind: VariableKind;
  readonly runId: string | null;
};

/** How many bytes the variables of an event may have. */
export const OUTBOX_BYTES = 18_000;
/** What each takes beside its name, in bytes. */
export const OUTBOX_BYTES_EACH = 100;

type Scope = Pick<VariableScope, "organizationId" | "environmentId" | "serviceId">;

export function emitVariables(
  tx: Transaction,
  actor: Actor,
  type: "env_variables.accepted" | "env_variables.stored" | "env_variables.deleted",
  scope: Scope,
  variables: readonly NamedVariable[],
  source: VariableSource = "api",
): void {
  if (variables.length === 0) return;
  emit(tx, actor, { type: VARIABLE_EVENTS[type], ...subjectOf(scope), data: dataOf(variables, source) });
}

export function emitFailed(
  tx: Transaction,
  actor: Actor,
  scope: Scope,
  variables: readonly NamedVariable[],
  failure: Failure,
): void {
  if (variables.length === 0) return;
  const data = { ...dataOf(variables, "api"), error: codedErrorOf(failure) };
  emit(tx, actor, { type: VARIABLE_EVENTS["env_variables.failed"], ...subjectOf(scope), data });
}

function subjectOf(scope: Scope) {
  const { environmentId, serviceId } = scope;
  return { subjectId: scopeIdOf(scope), environmentId, serviceId };
}

function dataOf(variables: readonly NamedVariable[], source: VariableSource) {
  const sorted = variables.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  let bytes = 0;
  const fitting = sorted.filter(({ name }) => (bytes += name.length + OUTBOX_BYTES_EACH) <= OUTBOX_BYTES);
  return {
    source,
    variables: fitting.map(({ name, kind, runId }) => ({ name, kind, runId })),
    namesOmitted: variables.length - fitting.length,
  };
}
