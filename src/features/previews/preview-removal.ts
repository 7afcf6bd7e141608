/** A deleted environment of a preview, until nothing of it is left in the cloud account. */
import type { AwsAccountStatus } from "../cloud-accounts/aws-account.ts";

/** What keeps a removal from completing. */
export type CleanupProblem = {
  readonly code: string;
  /** One or two sentences for users: what is wrong, and what to do. */
  readonly message: string;
  readonly waitsFor: CleanupActor;
};
export const CLEANUP_ACTORS = ["developer", "admin", "slipway"] as const;
export type CleanupActor = (typeof CLEANUP_ACTORS)[number];

export type PreviewRemoval = {
  readonly organizationId: string;
  readonly environmentId: string;
  readonly projectId: string;
  /** It may have another environment by now, or be deleted. */
  readonly previewId: string;
  readonly key: string;
  readonly awsAccountId: string;
  readonly requestedAt: Date;
  /** Null if nothing does. The last event had its code. */
  readonly problem: CleanupProblem | null;
};

export const ORPHAN_KINDS = ["service", "environment", "distribution", "parameter", "secret"] as const;
export type OrphanKind = (typeof ORPHAN_KINDS)[number];

/** A resource that a deleted preview has, or may have, in the account. */
export type Orphan = Omit<PreviewRemoval, "organizationId"> & {
  readonly kind: OrphanKind;
  /** Unique, and the order of lists. */
  readonly id: string;
  /** At the provider. Of a service or an environment: its id, from which its stack is named. */
  readonly name: string;
  /** Null for a distribution. */
  readonly region: string | null;
  /** Why the account refuses its removal; null if it does not. */
  readonly errorCode: string | null;
};

/** The connection of the account. */
export type CleanupAccount = { readonly givenId: string; readonly status: AwsAccountStatus };
