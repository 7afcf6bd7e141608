/** Which stores do not run, as RDS and ElastiCache say. Buckets always do. */
import type { CloudAccount } from "../../../cloud.ts";
import type { PlacedStore, StoreFailure } from "../../../platform.ts";
import { storeStackOf } from "../stacks/names.ts";
import type { PlatformParts } from "../stacks/stacks.ts";
import { findFault } from "./find-fault.ts";

/** The values of a filter. */
const NAMES_MAX = 100;

export function createListDown({ call }: Pick<PlatformParts, "call">) {
  /** By the names of the stores. */
  type Statuses = ReadonlyMap<string, string>;

  async function readDatabases(account: CloudAccount, region: string, names: readonly string[]) {
    const { DescribeDBInstancesCommand } = await import("@aws-sdk/client-rds");
    const statuses = new Map<string, string>();
    for (let from = 0; from < names.length; from += NAMES_MAX) {
      const Filters = [{ Name: "db-instance-id", Values: names.slice(from, from + NAMES_MAX) }];
      let Marker: string | undefined;
      do {
        const command = new DescribeDBInstancesCommand({ Filters, Marker });
        const answer = await call(account, "rds:DescribeDBInstances", command, region);
        for (const { DBInstanceIdentifier = "", DBInstanceStatus = "" } of answer.DBInstances ?? [])
          statuses.set(DBInstanceIdentifier, DBInstanceStatus);
        Marker = answer.Marker;
      } while (Marker !== undefined && Marker !== "");
    }
    return statuses;
  }

  async function readCaches(account: CloudAccount, region: string) {
    const { DescribeReplicationGroupsCommand } = await import("@aws-sdk/client-elasticache");
    const statuses = new Map<string, string>();
    let Marker: string | undefined;
    do {
      const command = new DescribeReplicationGroupsCommand({ Marker });
      const answer = await call(account, "elasticache:DescribeReplicationGroups", command, region);
      for (const { ReplicationGroupId = "", Status = "" } of answer.ReplicationGroups ?? [])
        statuses.set(ReplicationGroupId, Status);
      Marker = answer.Marker;
    } while (Marker !== undefined && Marker !== "");
    return statuses;
  }

  return async (
    account: CloudAccount,
    stores: readonly PlacedStore[],
  ): Promise<ReadonlyMap<string, StoreFailure>> => {
    const down = new Map<string, StoreFailure>();
    const look = (service: string, of: readonly PlacedStore[], statuses: Statuses) => {
      for (const { serviceId } of of) {
        const fault = findFault(service, statuses.get(storeStackOf(serviceId)) ?? null);
        if (fault !== null) down.set(serviceId, fault);
      }
    };
    for (const [region, here] of Map.groupBy(stores, (one) => one.region)) {
      const databases = here.filter(({ type }) => type === "postgres" || type === "mysql");
      const caches = here.filter(({ type }) => type === "redis");
      const names = databases.map(({ serviceId }) => storeStackOf(serviceId));
      if (databases.length > 0) look("RDS", databases, await readDatabases(account, region, names));
      if (caches.length > 0) look("ElastiCache", caches, await readCaches(account, region));
    }
    return down;
  };
}
