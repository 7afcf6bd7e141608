/**
 * Snapshots of databases and caches. They are named by their token, so that the same token takes one snapshot. A document
 * of the account's bucket says whose each is, also when the store no longer exists.
 */
import type { CloudAccount } from "../../../cloud.ts";
import type { ObservedSnapshot, Platform, PlatformService } from "../../../platform.ts";
import { cloudError, hasName } from "../../calls/errors.ts";
import { CONNECTION_TAG, ENVIRONMENT_TAG, tokenDigest } from "../../calls/tags.ts";
import { snapshotKey, storeKey } from "../records.ts";
import { storeStackOf } from "../stacks/names.ts";
import type { PlatformParts } from "../stacks/stacks.ts";
import type { StoreOrigin, StoreShape } from "../stacks/templates/store-template.ts";

export type SnapshotRecord = {
  readonly token: string;
  /** Of the store. */
  readonly service: PlatformService;
  /** AWS's name of the snapshot. */
  readonly name: string;
  /** As the store was. */
  readonly shape: StoreShape;
  readonly origin: StoreOrigin;
  /** Whether AWS has begun it. */
  readonly isTaken: boolean;
};

/** The record of a store, as far as a snapshot needs it. */
type Source = Pick<SnapshotRecord, "service" | "shape" | "origin">;

export type Snapshots = Platform["stores"]["snapshots"] & {
  /** What a snapshot that can be restored is of; null if there is none. */
  find(account: CloudAccount, token: string): Promise<SnapshotRecord | null>;
};

/** The store is being changed, or backed up. */
const BUSY = ["InvalidDBInstanceStateFault", "InvalidDBInstanceState", "InvalidReplicationGroupStateFault"];
const EXISTS = ["DBSnapshotAlreadyExistsFault", "DBSnapshotAlreadyExists", "SnapshotAlreadyExistsFault"];
const MISSING = ["DBSnapshotNotFoundFault", "DBSnapshotNotFound", "SnapshotNotFoundFault"];

export function createSnapshots({ call, records }: PlatformParts): Snapshots {
  const read = (account: CloudAccount, token: string) =>
    records.read<SnapshotRecord>(account, snapshotKey(token));

  /** AWS's status; null if it does not have the snapshot. */
  async function statusOf(account: CloudAccount, record: SnapshotRecord): Promise<string | null> {
    const { name, service, shape } = record;
    try {
      if (shape.type === "redis") {
        const { DescribeSnapshotsCommand } = await import("@aws-sdk/client-elasticache");
        const command = new DescribeSnapshotsCommand({ SnapshotName: name });
        const api = "elasticache:DescribeSnapshots";
        const { Snapshots = [] } = await call(account, api, command, service.region);
        return Snapshots[0]?.SnapshotStatus ?? null;
      }
      const { DescribeDBSnapshotsCommand } = await import("@aws-sdk/client-rds");
      const command = new DescribeDBSnapshotsCommand({ DBSnapshotIdentifier: name });
      const { DBSnapshots = [] } = await call(account, "rds:DescribeDBSnapshots", command, service.region);
      return DBSnapshots[0]?.Status ?? null;
    } catch (error) {
      if (hasName(error, ...MISSING)) return null;
      throw error;
    }
  }

  /** @returns whether AWS has it now */
  async function take(account: CloudAccount, { name, service, shape }: SnapshotRecord): Promise<boolean> {
    const store = storeStackOf(service.serviceId);
    try {
      if (shape.type === "redis") {
        const { CreateSnapshotCommand } = await import("@aws-sdk/client-elasticache");
        const Tags = [
          { Key: CONNECTION_TAG, Value: account.connectionId },
          { Key: ENVIRONMENT_TAG, Value: service.environmentId },
        ];
        const command = new CreateSnapshotCommand({ ReplicationGroupId: store, SnapshotName: name, Tags });
        await call(account, "elasticache:CreateSnapshot", command, service.region);
      } else {
        const { CreateDBSnapshotCommand } = await import("@aws-sdk/client-rds");
        // It gets the tags of the database.
        const command = new CreateDBSnapshotCommand({
          DBInstanceIdentifier: store,
          DBSnapshotIdentifier: name,
        });
        await call(account, "rds:CreateDBSnapshot", command, service.region);
      }
    } catch (error) {
      if (hasName(error, ...BUSY)) return false;
      if (!hasName(error, ...EXISTS)) throw error;
    }
    return true;
  }

  async function describe(account: CloudAccount, token: string): Promise<ObservedSnapshot | null> {
    const stored = await read(account, token);
    if (stored === null) return null;
    const { value: record, etag } = stored;
    let status = await statusOf(account, record);
    if (status === null) {
      if (record.isTaken) return null;
      const isTaken = await take(account, record);
      if (isTaken) await records.write(account, snapshotKey(token), { ...record, isTaken }, etag);
      status = "creating";
    }
    return view(token, status);
  }

  return {
    describe: (account, _service, token) => describe(account, token),

    async create(account, service, token) {
      if ((await read(account, token)) === null) {
        const source = (await records.read<Source>(account, storeKey(service.serviceId)))?.value;
        if (source === undefined) {
          const message = "There is no such data store.";
          throw cloudError(["gone", "NOT_FOUND"], "rds:CreateDBSnapshot", { message });
        }
        if (source.shape.type === "bucket") {
          const message = "A bucket has no snapshots: it keeps earlier versions of its files.";
          throw cloudError(["invalid", "INVALID_REQUEST"], "rds:CreateDBSnapshot", { message });
        }
        const { shape, origin } = source;
        const name = `slipway-store-${tokenDigest(token).slice(0, 24)}`;
        const record = { token, service: source.service, name, shape, origin, isTaken: false };
        await records.write(account, snapshotKey(token), record, null);
      }
      return (await describe(account, token)) ?? view(token, "failed");
    },

    async find(account, token) {
      const record = (await read(account, token))?.value;
      if (record === undefined) return null;
      return (await statusOf(account, record)) === "available" ? record : null;
    },

    async remove(account, _service, token) {
      const record = (await read(account, token))?.value;
      if (record === undefined) return;
      const { name, service, shape } = record;
      try {
        if (shape.type === "redis") {
          const { DeleteSnapshotCommand } = await import("@aws-sdk/client-elasticache");
          const command = new DeleteSnapshotCommand({ SnapshotName: name });
          await call(account, "elasticache:DeleteSnapshot", command, service.region);
        } else {
          const { DeleteDBSnapshotCommand } = await import("@aws-sdk/client-rds");
          const command = new DeleteDBSnapshotCommand({ DBSnapshotIdentifier: name });
          await call(account, "rds:DeleteDBSnapshot", command, service.region);
        }
      } catch (error) {
        if (!hasName(error, ...MISSING)) throw error;
      }
      await records.delete(account, [snapshotKey(token)]);
    },
  };
}

function view(token: string, status: string): ObservedSnapshot {
  const common = { token, failure: null, sizeBytes: null };
  if (status === "available") return { ...common, status: "AVAILABLE" };
  if (status !== "failed" && status !== "incompatible-restore") return { ...common, status: "CREATING" };
  const message = "AWS could not take the snapshot. Take another.";
  return { ...common, status: "FAILED", failure: { code: "SNAPSHOT_FAILED", message } };
}
