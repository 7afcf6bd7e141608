/**
 * Environment variables of an environment or of one service.
 *
 * A plain value, a reference or a link is in force when its request is answered. A managed value is
 * accepted first, as an item of a run, and comes into force when the customer's cloud has stored it;
 * until then, and for good should that fail, what was in force before stays.
 *
 *   item:   WAITING ──▶ STORED   the cloud has it, the variable refers to it
 *                  └──▶ FAILED   with a code; `SUPERSEDED` when a newer write of the name was accepted
 *
 * Every accepted write has a generation from one sequence, and per name the highest one wins, whatever
 * order the work ends in.
 */
export const PLAIN_KINDS = ["plainText", "fromParameterStore", "fromSecretsManager", "fromService"] as const;
export type PlainKind = (typeof PLAIN_KINDS)[number];

/** Values that Slipway puts into the customer's cloud and keeps nothing of. */
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

/** `PROCESSING`: nothing in force yet; `REMOVING`: no longer in force, but still in the customer's cloud. */
export const VARIABLE_STATES = ["STORED", "PROCESSING", "REMOVING"] as const;
export type VariableState = (typeof VARIABLE_STATES)[number];

/** Whose variables: a service's, or with `serviceId` null a whole environment's. */
export type VariableScope = {
  readonly organizationId: string;
  readonly projectId: string;
  readonly environmentId: string;
  readonly serviceId: string | null;
};

/** What reconciling and sealing know a scope by. */
export function scopeIdOf(scope: Pick<VariableScope, "environmentId" | "serviceId">): string {
  return scope.serviceId ?? scope.environmentId;
}

/** A variable that is in force as soon as it is saved. */
export type PlainVariable = {
  readonly name: string;
  readonly kind: PlainKind;
  readonly plainValue: string | null;
  readonly reference: string | null;
  readonly linkedServiceId: string | null;
  readonly linkedProperty: string | null;
};

/** A variable in force. */
export type EnvVariable = Omit<PlainVariable, "kind"> & {
  readonly kind: VariableKind;
  readonly source: VariableSource;
  readonly scopeId: string;
  readonly updatedAt: Date;
};

/** A variable as a list shows it. */
export type ListedVariable = Omit<EnvVariable, "scopeId"> & {
  readonly state: VariableState;
  readonly pendingKind: ManagedKind | null;
  readonly pendingRunId: string | null;
  /** Why removing it from the cloud has not worked yet. */
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
};

export type RunItem = {
  readonly name: string;
  readonly kind: ManagedKind;
  readonly state: "WAITING" | "STORED" | "FAILED";
  readonly reference: string | null;
  readonly failureCode: string | null;
  readonly failureMessage: string | null;
};

/** An item with work ahead of it. */
export type WaitingItem = {
  readonly runId: string;
  readonly name: string;
  readonly kind: ManagedKind;
  readonly generation: number;
  readonly epochId: string;
  readonly wrappedKey: Uint8Array;
  readonly runCreatedAt: Date;
  /** A call was made whose outcome is unknown. */
  readonly attemptOpen: boolean;
  readonly attempts: number;
  /** Null: at once. */
  readonly nextAttemptAt: Date | null;
  /** Of what is in force for the name; null when nothing is. */
  readonly variableGeneration: number | null;
  /** Of the place where it goes: when a removal of unknown outcome from there began. */
  readonly deleteStartedAt: Date | null;
  /** Of that place: what was called before its last removal may arrive until then. */
  readonly putNotBefore: Date | null;
  /** Where it goes. */
  readonly awsAccountId: string;
  readonly region: string;
  readonly cloudName: string;
};

/** What is, or may be, in the customer's cloud. */
export type ManagedValue = {
  readonly organizationId: string;
  readonly scopeId: string;
  readonly name: string;
  readonly kind: ManagedKind;
  readonly awsAccountId: string;
  readonly region: string;
  readonly cloudName: string;
  readonly generation: number;
  readonly mayExist: boolean;
  /** When a put of unknown outcome began. */
  readonly putStartedAt: Date | null;
  /** A removal did. */
  readonly deleteStartedAt: Date | null;
  readonly attempts: number;
  readonly nextAttemptAt: Date | null;
};
