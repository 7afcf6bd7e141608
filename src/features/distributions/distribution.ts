import type { Connection } from "../cloud-accounts/columns.ts";
import type { CloudErrorCode, CloudErrorKind, Origin } from "../../cloud/cloud.ts";

/** A lasting refusal of the provider. */
export type Refusal = { readonly kind: CloudErrorKind; readonly code: CloudErrorCode };

/** A content delivery distribution: what is wanted, and how much of it the provider has. */
export type Distribution = {
  readonly organizationId: string;
  /** Also the provider's caller reference. */
  readonly id: string;
  readonly serviceId: string | null;
  readonly awsAccountId: string;
  readonly isDefault: boolean;
  /** False: it has to be removed from the cloud, and then this row. */
  readonly isDesired: boolean;
  readonly origin: Origin;
  /** Whether the provider may still have another origin. */
  readonly originMoved: boolean;
  readonly requestedAt: Date | null;
  /** When a creation with unknown outcome began; it may still arrive (`cloud/stragglers.ts`). */
  readonly createStartedAt: Date | null;
  readonly providerId: string | null;
  readonly domainName: string | null;
  /** Why it could not be created; null once it is, or while we still try. */
  readonly lastError: Refusal | null;
};

/** With the connection to its cloud account; null while that is not connected. */
export type ConnectedDistribution = Distribution & {
  readonly connection: Connection | null;
  /** Of its service; null if it has none. */
  readonly environmentId: string | null;
};

/** With the template of the preview that it serves; null for another service, and while it is being removed. */
export type ServedDistribution = ConnectedDistribution & { readonly templateId: string | null };
