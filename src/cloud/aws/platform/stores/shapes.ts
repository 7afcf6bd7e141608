/** What a data store is to have: its settings, and Slipway's choice for settings that are left out. Pure. */
import type { StoreSettings } from "../../../data-stores.ts";
import type { StoreOrigin, StoreShape } from "../stacks/templates/store-template.ts";

const DEFAULTS = {
  postgres: { version: "17", size: "micro", storageGb: 20, backupRetentionDays: 7 },
  mysql: { version: "8.4", size: "micro", storageGb: 20, backupRetentionDays: 7 },
  redis: { version: "8", size: "micro" },
  bucket: {},
} as const;

/** Of a new store. */
export const NEW_ORIGIN: StoreOrigin = {
  dbName: "app",
  username: "slipway",
  snapshot: null,
  engineVersion: null,
};

/** @param present of the store, or of the snapshot that it is restored from; null for a new store */
export function shapeOf(settings: StoreSettings, present: StoreShape | null): StoreShape {
  const defined = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  // The settings of one type complete those of the same type.
  return { ...(present ?? DEFAULTS[settings.type]), ...defined } as StoreShape;
}

/** Why a store cannot become like this without losing its data; null if it can. */
export function findReplacement(present: StoreShape, next: StoreShape): string | null {
  if (present.type !== next.type) return `It is of the type ${present.type}, and cannot become ${next.type}.`;
  if ("version" in present && "version" in next && present.version !== next.version)
    return `It has version ${present.version}, which cannot become ${next.version}.`;
  if ("storageGb" in present && "storageGb" in next && present.storageGb > next.storageGb)
    return `It has ${present.storageGb} GB of storage, which cannot become ${next.storageGb} GB.`;
  return null;
}

/** RDS refuses smaller steps, and CloudFormation cannot take them back (cloudformation-coverage-roadmap#1312). */
const GROWTH_MIN_PERCENT = 10;

/** Why a database cannot have its new storage; null if it can. */
export function findSmallGrowth(present: StoreShape, next: StoreShape): string | null {
  if (!("storageGb" in present && "storageGb" in next) || next.storageGb <= present.storageGb) return null;
  const least = Math.ceil((present.storageGb * (100 + GROWTH_MIN_PERCENT)) / 100);
  if (next.storageGb >= least) return null;
  return `It has ${present.storageGb} GB of storage, and RDS adds at least ${GROWTH_MIN_PERCENT} %. Write storageGb: ${least} or more.`;
}
