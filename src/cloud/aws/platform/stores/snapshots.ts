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
  /** Null if there is none that can be restored. */
  find(account: CloudAccount, token: string): Promise<SnapshotSource | null>;
};

/** What a store is restored from: the record, as AWS has the snapshot. */
export type SnapshotSource = Pick<SnapshotRecord, "service" | "shape"> & {
  /** Of the store that is restored. */
  readonly origin: StoreOrigin;
  /** AWS makes it, copies it or restores another store from it. */
  readonly isBusy: boolean;
};

/** AWS's view of a snapshot. */
type Seen = {
  readonly status: string;
  /** Of a database. */
  readonly storageGb: number | null;
  /** Of a cache, with its minor version, which AWS may have upgraded. */
  readonly engineVersion: string | null;
};

/** The store is being changed, or backed up. */
const BUSY = [
  "InvalidDBInstanceStateFault",
  "InvalidDBInstanceState",
  "InvalidReplicationGroupStateFault",
  "InvalidCacheClusterStateFault",
];
const FULL = "SnapshotQuotaExceededFault";
const EXISTS = ["DBSnapshotAlreadyExistsFault", "DBSnapshotAlreadyExists", "SnapshotAlreadyExistsFault"];
const MISSING = ["DBSnapshotNotFoundFault", "DBSnapshotNotFound", "SnapshotNotFoundFault"];

export function createSnapshots({ call, records }: PlatformParts): Snapshots {
  const read = (account: CloudAccount, token: string) =>
    records.read<SnapshotRecord>(account, snapshotKey(token));

  /** Null if AWS does not have the snapshot. */
  async function look(account: CloudAccount, record: SnapshotRecord): Promise<Seen | null> {
    const { name, service, shape } = record;
    try {
      if (shape.type === "redis") {
        const { DescribeSnapshotsCommand } = await import("@aws-sdk/client-elasticache");
        const command = new DescribeSnapshotsCommand({ SnapshotName: name });
        const api = "elasticache:DescribeSnapshots";
        const { Snapshots = [] } = await call(account, api, command, service.region);
        const { SnapshotStatus: status, EngineVersion: engineVersion = null } = Snapshots[0] ?? {};
        return status === undefined ? null : { status, engineVersion, storageGb: null };
      }
      const { DescribeDBSnapshotsCommand } = await import("@aws-sdk/client-rds");
      const command = new DescribeDBSnapshotsCommand({ DBSnapshotIdentifier: name });
      const { DBSnapshots = [] } = await call(account, "rds:DescribeDBSnapshots", command, service.region);
      const { Status: status, AllocatedStorage: storageGb = null } = DBSnapshots[0] ?? {};
      return status === undefined ? null : { status, storageGb, engineVersion: null };
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
      if (hasName(error, FULL)) {
        const message =
          "The account's quota of snapshots in this region is used up. Delete snapshots, or ask AWS for a higher quota.";
        const api = shape.type === "redis" ? "elasticache:CreateSnapshot" : "rds:CreateDBSnapshot";
        throw cloudError(["limit", "UNKNOWN"], api, { message, cause: error });
      }
      if (!hasName(error, ...EXISTS)) throw error;
    }
    return true;
  }

  async function describe(account: CloudAccount, token: string): Promise<ObservedSnapshot | null> {
    const stored = await read(account, token);
    if (stored === null) return null;
    const { value: record, etag } = stored;
    const seen = await look(account, record);
    if (seen === null) {
      if (record.isTaken) return null;
      const isTaken = await take(account, record);
      if (isTaken) await records.write(account, snapshotKey(token), { ...record, isTaken }, etag);
    }
    return view(token, seen ?? { status: "creating", storageGb: null });
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
      return (await describe(account, token)) ?? view(token, { status: "failed", storageGb: null });
    },

    async find(account, token) {
      const record = (await read(account, token))?.value;
      const seen = record === undefined ? null : await look(account, record);
      if (record === undefined || seen === null || FAILED.includes(seen.status)) return null;
      const { service, name: snapshot } = record;
      const origin = { ...record.origin, snapshot, engineVersion: seen.engineVersion };
      const shape =
        "storageGb" in record.shape
          ? { ...record.shape, storageGb: seen.storageGb ?? record.shape.storageGb }
          : record.shape;
      return { service, shape, origin, isBusy: seen.status !== AVAILABLE };
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

const AVAILABLE = "available";
const FAILED: readonly string[] = ["failed", "incompatible-restore"];
const BYTES_OF_GB = 2 ** 30;

function view(token: string, { status, storageGb }: Pick<Seen, "status" | "storageGb">): ObservedSnapshot {
  const common = { token, failure: null, sizeBytes: null };
  if (status === AVAILABLE)
    return { ...common, status: "AVAILABLE", sizeBytes: storageGb === null ? null : storageGb * BYTES_OF_GB };
  if (!FAILED.includes(status)) return { ...common, status: "CREATING" };
  const message = "AWS could not take the snapshot. Take another.";
  return { ...common, status: "FAILED", failure: { code: "SNAPSHOT_FAILED", message } };
}
