import type { Cloud } from "../../cloud/cloud.ts";
import type { Database, Sql } from "../../db/database.ts";
import type { Actor } from "../../lib/actor.ts";
import type { Clock } from "../../lib/clock.ts";
import { AppError, type Fault, faultAt, invalidRequest, COMMON_FAULTS } from "../../lib/errors.ts";
import { hasOtherScope, VARIABLE_FAULTS } from "./errors.ts";
import { managedValues } from "./managed-value-store.ts";
import { CLOUD_ACCOUNT_ERRORS } from "../cloud-accounts/errors.ts";
import { newId } from "../../lib/ids.ts";
import type { RunSealing, SealedRun } from "../../sealing/sealing.ts";
import { getAwsAccount } from "../cloud-accounts/queries.ts";
import { findStoreProblem, isStoreSettings } from "../projects/existing-values.ts";
import { propertiesOf } from "../projects/project.ts";
import { getEnvironment, getProject, listEnvironmentServices } from "../projects/queries.ts";
import { isForForks } from "./decide-effective.ts";
import { decidePlan, type WritePlan } from "./decide-plan.ts";
import {
  type ManagedKind,
  type PlainVariable,
  type ScopeRef,
  type VariableKind,
  type VariableScope,
  scopeIdOf,
} from "./env-variable.ts";
import {
  FAULTS_MAX,
  type ManagedEntry,
  type VariableGroups,
  isPlain,
  pathOf,
  PREVIEWS_PATH,
  readGroups,
} from "./body.ts";
import { getVariableScope, refuseUnknown } from "./queries.ts";
import { envVariables } from "./store.ts";

export type PreparedRun = SealedRun & {
  readonly id: string;
  /** Its position among all writes of its names. */
  readonly generation: number;
  readonly createdAt: Date;
  readonly kinds: ReadonlyMap<string, ManagedKind>;
  readonly scope: VariableScope;
  readonly place: Place;
  /** The scope of its values; null: they keep their present scope. */
  readonly inPreviews: boolean | null;
};

/** What decides which links are possible. */
type LinkCloud = Pick<Cloud, "kind" | "joinsValues">;

type Place = { readonly awsAccountId: string; readonly region: string };

/** A checked write whose managed values are sealed; none of them is readable. */
export type PreparedWrite = {
  readonly ref: ScopeRef;
  readonly plain: readonly PlainVariable[];
  readonly run: PreparedRun | null;
};

/**
 * Checks a write against the present state, and seals its managed values. For plain values it reads nothing: saving them
 * fails if the scope does not exist, or is a data store. Managed values get their generation here, before the
 * transaction, because the seal covers it; plain values get theirs when they are saved. If two writes run at the same
 * time, either may win. A write that was sent after another was answered always wins over that one.
 * @throws AppError `NOT_FOUND`, `SERVICE_TAKES_NO_VARIABLES`, `INVALID_REQUEST`, `AWS_ACCOUNT_NOT_CONNECTED`
 */
export async function prepareVariables(
  deps: { db: Database; cloud: LinkCloud; sealing: RunSealing; clock: Clock },
  { organizationId }: Actor,
  ref: ScopeRef,
  groups: VariableGroups,
): Promise<PreparedWrite> {
  const { db } = deps;
  const read = readGroups(groups);
  const { plain, managed } = read;
  if (isPlain(read) && plain.every(({ kind }) => isForForks(kind))) return { ref, plain, run: null };
  const scope = await getVariableScope(db, organizationId, ref, plain.length + managed.length > 0);
  const inPreviews = groups.availableInPreviews ?? null;
  const faults = [
    ...(await findForkFaults(db, scope, [...plain, ...managed])),
    ...(await findLinkFaults(db, scope, plain, deps.cloud)).map(({ fault }) => fault),
    ...(inPreviews === true ? await findScopeFaults(db, scope) : []),
  ];
  if (faults.length > 0) throw invalidRequest(faults);
  if (managed.length === 0) return { ref, plain, run: null };
  const place = await resolveAccount(db, scope);
  if (place instanceof AppError) throw place;
  const generation = await envVariables.nextGeneration(db);
  return { ref, plain, run: { ...(await sealRun(deps, scope, place, generation, managed)), inPreviews } };
}

/**
 * What a write would do, without doing anything. @param deleted the names that would be deleted, or all others of the
 * scope @throws AppError `NOT_FOUND`, `INVALID_REQUEST` for an unknown name
 */
export async function planWrite(
  sql: Sql,
  cloud: LinkCloud,
  { organizationId }: Actor,
  ref: ScopeRef,
  groups: VariableGroups,
  deleted: "others" | readonly string[],
): Promise<WritePlan> {
  const { plain, managed } = readGroups(groups);
  const scope = await getVariableScope(sql, organizationId, ref, plain.length + managed.length > 0);
  const inPreviews = groups.availableInPreviews ?? null;
  const scopeFaults = [
    ...(await findForkFaults(sql, scope, [...plain, ...managed])),
    ...(inPreviews === true ? await findScopeFaults(sql, scope) : []),
  ];
  if (scopeFaults.length > 0) throw invalidRequest(scopeFaults);
  const links = await findLinkFaults(sql, scope, plain, cloud);
  const otherScope = new Set(await managedValues.listOtherScope(sql, scope, managed, inPreviews));
  const place = managed.length === 0 ? null : await resolveAccount(sql, scope);
  const refused = [
    ...links.map(({ name, fault: { code, message } }) => ({
      name,
      kind: "fromService" as const,
      code,
      message: `It ${message}.`,
    })),
    ...(place instanceof AppError
      ? managed.map(({ name, kind }) => ({ name, kind, code: place.code, message: place.message }))
      : managed
          .filter(({ name }) => otherScope.has(name))
          .map(({ name, kind }) => {
            const { code, message } = hasOtherScope(name, inPreviews === true);
            return { name, kind, code, message };
          })),
  ];
  const present = await envVariables.listAll(sql, organizationId, scopeIdOf(scope));
  const isSet = new Set(present.filter(({ source }) => source === "api").map(({ name }) => name));
  if (deleted !== "others") refuseUnknown(deleted, isSet, (index) => `/delete/${index}`);
  return decidePlan({ plain, managed, refused }, present, deleted);
}

async function sealRun(
  { sealing, clock }: { sealing: RunSealing; clock: Clock },
  scope: VariableScope,
  place: Place,
  generation: number,
  managed: readonly ManagedEntry[],
): Promise<Omit<PreparedRun, "inPreviews">> {
  const id = newId("run");
  const createdAt = clock.now();
  const sealed = await sealing.sealRun(
    { organizationId: scope.organizationId, scopeId: scopeIdOf(scope), runId: id },
    managed.map((entry) => ({ ...entry, generation })),
  );
  const kinds = new Map(managed.map(({ name, kind }) => [name, kind]));
  return { ...sealed, id, generation, createdAt, kinds, scope, place };
}

/** Where managed values are stored, or why they cannot be. */
async function resolveAccount(sql: Sql, scope: VariableScope): Promise<Place | AppError> {
  const { organizationId, projectId, environmentId } = scope;
  const { region } = await getEnvironment(sql, organizationId, environmentId);
  const { awsAccountId } = await getProject(sql, organizationId, projectId);
  const { status, givenId } = await getAwsAccount(sql, organizationId, awsAccountId);
  if (status === "CONNECTED") return { awsAccountId, region };
  return new AppError(
    CLOUD_ACCOUNT_ERRORS.AWS_ACCOUNT_NOT_CONNECTED,
    `The cloud account ${givenId}, where these values would be stored, is ${status}. Nothing was saved. Fix its stack as its lastCheckError says, wait until it is CONNECTED, and send the values again.`,
  );
}

/** Only previews of a template have it as their scope; a service of a template has none. */
async function findScopeFaults(
  sql: Sql,
  { organizationId, environmentId, serviceId }: VariableScope,
): Promise<readonly Fault[]> {
  const { template } = await getEnvironment(sql, organizationId, environmentId);
  if (template !== null && serviceId === null) return [];
  const message = "is only for the variables of a template, an environment with source.pr";
  return [faultAt(PREVIEWS_PATH, COMMON_FAULTS.NOT_ALLOWED, message)];
}

/** The commits of a fork may be anyone's, so its preview has no secret, also none that a member sets there. */
async function findForkFaults(
  sql: Sql,
  { organizationId, environmentId }: VariableScope,
  variables: readonly { readonly name: string; readonly kind: VariableKind }[],
): Promise<readonly Fault[]> {
  const secrets = variables.filter(({ kind }) => !isForForks(kind));
  if (secrets.length === 0 || !(await getEnvironment(sql, organizationId, environmentId)).isFork) return [];
  const message = "is not for the preview of a fork, which gets no secret; use plainText";
  return secrets
    .slice(0, FAULTS_MAX)
    .map(({ name, kind }) => faultAt(pathOf(kind, name), COMMON_FAULTS.NOT_ALLOWED, message));
}

/** Finds the faults of links, at most one for each link. */
async function findLinkFaults(
  sql: Sql,
  { organizationId, environmentId, serviceId }: VariableScope,
  plain: readonly PlainVariable[],
  cloud: LinkCloud,
): Promise<readonly { readonly name: string; readonly fault: Fault }[]> {
  const links = plain.filter(({ kind }) => kind === "fromService");
  if (links.length === 0) return [];
  const services = await listEnvironmentServices(sql, organizationId, environmentId);
  const faults: { name: string; fault: Fault }[] = [];
  for (const { name, linkedServiceId, linkedProperty } of links) {
    const path = pathOf("fromService", name);
    const target = services.find(({ id }) => id === linkedServiceId);
    const fail = (fault: Fault): void => void faults.push({ name, fault });
    if (target === undefined) {
      const message = "is not the id of a service of this environment";
      fail(faultAt(`${path}/id`, VARIABLE_FAULTS.UNKNOWN_SERVICE, message));
    } else if (target.id === serviceId) {
      const message = "is the service itself; a variable links to another service";
      fail(faultAt(`${path}/id`, VARIABLE_FAULTS.SELF_REFERENCE, message));
    } else if (!propertiesOf(target.type).includes(linkedProperty ?? "")) {
      const properties = propertiesOf(target.type).join(", ");
      const message =
        properties === ""
          ? `names a property, but a ${target.type} service has no properties to link to`
          : `must be one of ${properties} for a ${target.type} service`;
      fail(faultAt(`${path}/value`, COMMON_FAULTS.NOT_ALLOWED, message));
    } else if (isStoreSettings(target)) {
      const problem = findStoreProblem(target.configId, target, linkedProperty ?? "", cloud);
      if (problem !== null) fail(faultAt(`${path}/value`, COMMON_FAULTS.NOT_ALLOWED, problem));
    }
  }
  return faults;
}
