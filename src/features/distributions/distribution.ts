import type { CloudErrorCode, CloudErrorKind, Origin } from "../../cloud/cloud.ts";

/** What the provider refused lastingly. */
export type Refusal = { readonly kind: CloudErrorKind; readonly code: CloudErrorCode };

/** A content delivery distribution, as we want it and as far as the provider made it. */
export type Distribution = {
  readonly organizationId: string;
  /** Also the provider's caller reference. */
  readonly id: string;
  readonly serviceId: string | null;
  readonly awsAccountId: string;
  readonly isDefault: boolean;
  /** False: it is to be removed from the cloud, and this row after it. */
  readonly isWanted: boolean;
  readonly origin: Origin;
  /** Whether the provider may still have another origin. */
  readonly originMoved: boolean;
  readonly requestedAt: Date | null;
  /** When a creation of unknown outcome began; it may still arrive (`cloud/stragglers.ts`). */
  readonly createStartedAt: Date | null;
  readonly providerId: string | null;
  readonly domainName: string | null;
  /** Why it is not made; null once it is, or while there is hope. */
  readonly lastError: Refusal | null;
};
