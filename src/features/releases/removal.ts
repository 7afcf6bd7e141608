import type { StoreType } from "../../cloud/data-stores.ts";

/** Where the parts of an environment are. */
export type EnvironmentPlace = {
  readonly organizationId: string;
  readonly projectId: string;
  readonly environmentId: string;
  readonly environmentConfigId: string;
  /** The template of a preview, whose network it uses; otherwise null. */
  readonly templateId: string | null;
  readonly awsAccountId: string;
  readonly region: string;
};

/** A service whose removal is requested. */
export type RemovedService = { readonly id: string; readonly configId: string };

/** A data store that Slipway created and deletes. */
export type StoreDeletion = {
  readonly serviceId: string;
  /** Null for a removal by a release that did not record the names. */
  readonly configId: string | null;
  readonly environmentId: string;
  readonly environmentConfigId: string | null;
  readonly storeType: StoreType;
  readonly requestedAt: Date;
  /** Why the last attempt failed; null while none did. */
  readonly failure: RemovalFailure | null;
};

export type RemovalFailure = { readonly code: string; readonly message: string };

/** What runs as a service. */
export type LiveRelease = {
  readonly serviceId: string;
  readonly environmentId: string;
  /** When it was given its variables; null if that is not known. */
  readonly since: Date | null;
};

/** A part on the platform, named by the id of its service or environment. */
export type PlatformPart = {
  readonly kind: "service" | "environment";
  readonly id: string;
  readonly region: string;
};
