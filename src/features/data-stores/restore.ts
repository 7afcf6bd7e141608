/** Checks the snapshots from which a configuration creates data stores. */
import type { Sql } from "../../db/database.ts";
import { type Fault, faultAt } from "../../lib/errors.ts";
import { member } from "../../lib/json/is-object.ts";
import { snapshotIdOf } from "../projects/existing-values.ts";
import type { Environment, Project, Service } from "../projects/project.ts";
import { findEnvironment, findProject } from "../projects/queries.ts";
import type { TypedSettings } from "../projects/service-settings.ts";
import { findRestoreProblem, type SnapshotSource } from "./decide-restore.ts";
import type { FailedStores } from "./data-stores.ts";
import { DATA_STORE_FAULTS } from "./errors.ts";
import { snapshots } from "./snapshot-store.ts";

type ConfiguredStore = TypedSettings & { readonly id: string };

/** An environment of a configuration. */
type Configured = {
  /** Its position in the configuration. */
  readonly index: number;
  readonly region: string;
  readonly services: readonly ConfiguredStore[];
  /** What its previews are made from; it has no services itself then. */
  readonly template: { readonly services: readonly ConfiguredStore[] } | null;
  /** What there is of it; null for a new one. */
  readonly environment: { readonly environment: Environment; readonly services: readonly Service[] } | null;
};

/** @returns why data stores that a configuration creates cannot get their data, with JSON Pointers into it */
export async function findRestoreFaults(
  sql: Sql,
  { organizationId, id: projectId, awsAccountId }: Project,
  environments: readonly Configured[],
  failedStores: FailedStores,
): Promise<readonly Fault[]> {
  const faults: Fault[] = [];
  for (const { index, region, services, template, environment } of environments)
    for (const [position, service] of (template?.services ?? services).entries()) {
      const snapshotId = snapshotIdOf(service);
      const known = environment?.services.find(({ configId }) => configId === service.id);
      if (snapshotId === null || (known !== undefined && failedStores.get(known.id) !== "creation")) continue;
      const version = member(service.settings, "version");
      const storageGb = member(service.settings, "storageGb");
      const problem = findRestoreProblem(
        {
          type: service.type,
          version: typeof version === "string" ? version : undefined,
          storageGb: typeof storageGb === "number" ? storageGb : undefined,
          projectId,
          environmentId: environment?.environment.id ?? null,
          awsAccountId,
          region,
        },
        await findSource(sql, organizationId, snapshotId),
      );
      const path = `/environments/${index}/services/${position}/snapshot`;
      if (problem !== null) faults.push(faultAt(path, DATA_STORE_FAULTS.SNAPSHOT_NOT_USABLE, problem));
    }
  return faults;
}

async function findSource(sql: Sql, organizationId: string, id: string): Promise<SnapshotSource | null> {
  const snapshot = await snapshots.find(sql, organizationId, id);
  if (snapshot === null) return null;
  return {
    snapshot,
    hasProject: (await findProject(sql, organizationId, snapshot.projectId)) !== null,
    environment: await findEnvironment(sql, organizationId, snapshot.environmentId),
  };
}
