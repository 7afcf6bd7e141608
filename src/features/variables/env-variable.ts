/**
 * Environment variables of an environment or of one service.
 *
 * A plain value, a reference or a link is in effect when its request is answered. A managed value is
 * accepted first, as an item of a run, and takes effect when the customer's cloud has stored it. Until
 * then, and forever if that fails, the previous value stays in effect.
 *
 *   item:   WAITING ──▶ STORED   the cloud has it, and the variable refers to it
 *                  └──▶ FAILED   with a code; `SUPERSEDED` if a newer write of the name was accepted
 *
 * Every accepted write has a generation from one sequence. For each name the highest one wins, whatever the
 * order in which the work ends.
 *
 * What took effect is kept as a version, with who set it. A write of what is there already makes none, and does not
 * count as a change.
 */
import type { CreatedStore } from "../data-stores/data-stores.ts";
import type { RuntimeValue } from "../../cloud/platform.ts";
import type { Service } from "../projects/project.ts";
import type { EventActor } from "../events/event.ts";

export const PLAIN_KINDS = ["plainText", "fromParameterStore", "fromSecretsManager", "fromService"] as const;
export type PlainKind = (typeof PLAIN_KINDS)[number];

/** Kinds whose values are stored in the customer's cloud; Slipway does not keep them. */
export const MANAGED_KINDS = ["parameterStore", "secretsManager"] as const;
export type ManagedKind = (typeof MANAGED_KINDS)[number];

export const VARIABLE_KINDS = [
  "plainText",
  "parameterStore",
  "secretsManager",
  "fromParameterStore",
  "fromSecretsManager",
  "fromService",
] as const;
export type VariableKind = (typeof VARIABLE_KINDS)[number];

export const VARIABLE_SOURCES = ["api", "config"] as const;
export type VariableSource = (typeof VARIABLE_SOURCES)[number];

/** `PROCESSING`: nothing in effect yet; `REMOVING`: no longer in effect, but still in the customer's cloud. */
export const VARIABLE_STATES = ["STORED", "PROCESSING", "REMOVING"] as const;
export type VariableState = (typeof VARIABLE_STATES)[number];

/** The owner of variables: a service, or, with `serviceId` null, a whole environment. */
export type VariableScope = {
  readonly organizationId: string;
  readonly projectId: string;
  readonly environmentId: string;
  readonly serviceId: string | null;
};

/** The scope of a request, by the id in its path. */
export type ScopeRef = { readonly environmentId: string } | { readonly serviceId: string };

/** The id of a scope, for reconciling and sealing. */
export function scopeIdOf(scope: ScopeRef | Pick<VariableScope, "environmentId" | "serviceId">): string {
  if (!("environmentId" in scope)) return scope.serviceId;
  return ("serviceId" in scope ? scope.serviceId : null) ?? scope.environmentId;
}

/** A variable that takes effect as soon as it is saved. */
export type PlainVariable = {
  readonly name: string;
  readonly kind: PlainKind;
  readonly plainValue: string | null;
  readonly reference: string | null;
  readonly linkedServiceId: string | null;
  readonly linkedProperty: string | null;
};

/** A variable that is in effect. */
export type EnvVariable = Omit<PlainVariable, "kind"> & {
  readonly kind: VariableKind;
  readonly source: VariableSource;
  readonly scopeId: string;
  /** Whether a managed value is for previews too; null for other kinds. */
  readonly inPreviews: boolean | null;
  readonly updatedAt: Date;
};

/** A variable as a list shows it. */
export type ListedVariable = Omit<EnvVariable, "scopeId"> & {
  readonly state: VariableState;
  readonly pendingKind: ManagedKind | null;
  readonly pendingRunId: string | null;
  /** Why its removal from the cloud has failed so far. */
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
};

/** A variable that a service gets at runtime. */
export type EffectiveVariable = {
  readonly variable: EnvVariable & { readonly from: "environment" | "service" };
  /**
   * The present value of a link; null if it has none yet. `withheld`: of a data store whose secrets a preview does not
   * get, so that the variable is left out.
   */
  readonly linkedValue: RuntimeValue | { readonly kind: "withheld" } | null;
  /** Null if it is not a link, or leads nowhere. */
  readonly linkedService: Pick<Service, "id" | "configId" | "type"> | null;
  /** Why the data store that it leads to could not be created, or does not run. */
  readonly storeFailure: CreatedStore["failure"];
};

/** Who makes a write of variables, as their history keeps it. */
export type Writer = {
  /** What clients call the write by in the history of each of its variables. */
  readonly version: string;
  readonly kind: EventActor["kind"];
  readonly userId: string;
  readonly apiKeyId: string;
  readonly requestId: string;
};

/** What a variable was from a time on. */
export type VariableVersion = Omit<PlainVariable, "name" | "kind"> & {
  readonly version: string;
  /** Null: it was deleted. */
  readonly kind: VariableKind | null;
  readonly at: Date;
  /** Null for what was set before a history was kept. */
  readonly userId: string | null;
  readonly apiKeyId: string | null;
  readonly requestId: string | null;
};

/** When a variable of an environment or a service last changed. */
export type VariableTime = {
  readonly scopeId: string;
  readonly name: string;
  readonly source: VariableSource;
  readonly updatedAt: Date;
};

/** The deletion of a variable that was set with the API. */
export type Deletion = {
  readonly scopeId: string;
  readonly name: string;
  readonly at: Date;
  /** When the variable was set for the first time, as far as its history goes back. */
  readonly firstSetAt: Date | null;
};

export type RunItem = {
  readonly name: string;
  readonly kind: ManagedKind;
  readonly state: "WAITING" | "STORED" | "FAILED";
  readonly reference: string | null;
  readonly failureCode: string | null;
  readonly failureMessage: string | null;
};

/** A managed value and its place in the customer's cloud. */
type PlacedValue = {
  readonly name: string;
  readonly kind: ManagedKind;
  readonly generation: number;
  /** The account where it is stored. */
  readonly awsAccountId: string;
  readonly region: string;
  readonly cloudName: string;
  /** When a removal of unknown outcome from its place began. */
  readonly deleteStartedAt: Date | null;
  readonly attempts: number;
  /** Null: now. */
  readonly nextAttemptAt: Date | null;
};

/** An item with work ahead of it. */
export type WaitingItem = PlacedValue & {
  readonly runId: string;
  /** The scope. */
  readonly environmentId: string;
  readonly serviceId: string | null;
  readonly epochId: string;
  readonly wrappedKey: Uint8Array;
  readonly runCreatedAt: Date;
  /** A call was made whose outcome is unknown. */
  readonly attemptOpen: boolean;
  /** The generation of the variable in effect; null if there is none. */
  readonly variableGeneration: number | null;
  /** Until then, calls from before the last removal from its place may still arrive. */
  readonly putNotBefore: Date | null;
};

/** A value that is, or may be, in the customer's cloud. */
export type ManagedValue = PlacedValue & {
  readonly organizationId: string;
  readonly scopeId: string;
  readonly mayExist: boolean;
  /** When a put of unknown outcome began. */
  readonly putStartedAt: Date | null;
};
