/** Databases, caches and buckets. */
export const STORE_TYPES = ["postgres", "mysql", "redis", "bucket"] as const;
export type StoreType = (typeof STORE_TYPES)[number];

/** With the memory of each, in GiB: 1, 2, 4, 8 and 16. */
export const STORE_SIZES = ["micro", "small", "medium", "large", "xlarge"] as const;
export type StoreSize = (typeof STORE_SIZES)[number];

/** Of a data store that the platform creates, which chooses a value that is left out once, at the creation. */
export type StoreSettings =
  | {
      readonly type: "postgres" | "mysql";
      /** The major version, such as `17` or `8.4`. Never changes. */
      readonly version?: string;
      /** Only for a cloud that `sizesStores`, like the next two. */
      readonly size?: StoreSize;
      /** Never becomes less. */
      readonly storageGb?: number;
      readonly backupRetentionDays?: number;
      readonly deletionProtection: boolean;
    }
  | {
      readonly type: "redis";
      readonly version?: string;
      readonly size?: StoreSize;
      readonly deletionProtection: boolean;
    }
  | { readonly type: "bucket"; readonly deletionProtection: boolean };
