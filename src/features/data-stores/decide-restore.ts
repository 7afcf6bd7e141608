import { type Environment, isProtected, type Protection } from "../projects/project.ts";
import type { Snapshot } from "./snapshot.ts";

/** A data store that is to be created from a snapshot. */
export type RestoredStore = {
  readonly type: string;
  /** As the configuration has it. */
  readonly version: string | undefined;
  readonly storageGb: number | undefined;
  readonly projectId: string;
  /** Null for a new environment. */
  readonly environmentId: string | null;
  readonly awsAccountId: string;
  readonly region: string;
};

/** A snapshot, and what exists of the place that its data is of. */
export type SnapshotSource = {
  readonly snapshot: Snapshot;
  readonly hasProject: boolean;
  /** Null if it was deleted. */
  readonly environment: (Protection & Pick<Environment, "configId">) | null;
};

const MISSING = "names no snapshot of this project; list them with slipway snapshots list";

/**
 * Why a data store cannot be created from a snapshot: the end of a sentence. Null if it can. Pure. A snapshot of a
 * project is restored in that project; once the project is deleted, in any project of its cloud account. A snapshot of
 * a protected environment is restored only there, because others may read what is in other environments.
 */
export function findRestoreProblem(
  { type, version, storageGb, projectId, environmentId, awsAccountId, region }: RestoredStore,
  source: SnapshotSource | null,
): string | null {
  if (source === null) return MISSING;
  const { snapshot, hasProject, environment } = source;
  if (snapshot.projectId !== projectId && hasProject) return MISSING;
  if (snapshot.awsAccountId !== awsAccountId)
    return "names a snapshot in another cloud account; a snapshot is restored only in its own";
  if (snapshot.region !== region)
    return `names a snapshot in the region ${snapshot.region}; create the data store in an environment there`;
  if (snapshot.type !== type)
    return `names a snapshot of the type ${snapshot.type}; the data store must have the same type`;
  if (snapshot.environmentId !== environmentId && environment !== null && isProtected(environment))
    return `names a snapshot of the protected environment ${environment.configId}, which is restored only there`;
  if (snapshot.status !== "AVAILABLE")
    return snapshot.status === "CREATING"
      ? "names a snapshot that is being taken; wait until it is AVAILABLE"
      : `names a snapshot that is ${snapshot.status}; name an AVAILABLE one`;
  if (version !== undefined && !isOfVersion(snapshot.version, version))
    return `names a snapshot of version ${snapshot.version}; write that version, or remove the field version`;
  const leastGb = Math.ceil((snapshot.sizeBytes ?? 0) / 2 ** 30);
  if (storageGb !== undefined && storageGb < leastGb)
    return `names a snapshot of ${leastGb} GB of storage; write storageGb: ${leastGb} or more, or remove the field storageGb`;
  return null;
}

/** @param present may have a minor version */
function isOfVersion(present: string | null, major: string): boolean {
  return present === null || present === major || present.startsWith(`${major}.`);
}
