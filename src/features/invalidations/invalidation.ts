/**
 * The removal of answers of a service from the caches of its distributions, at a client's request.
 *
 *   PENDING      the distributions get the request in the background
 *   IN_PROGRESS  all have it; edges remove the answers
 *   COMPLETED    no edge has them any longer; where nothing caches, at once
 *   ERROR        the cloud refused; `error` says why
 */
export const INVALIDATION_STATUSES = ["PENDING", "IN_PROGRESS", "COMPLETED", "ERROR"] as const;
export type InvalidationStatus = (typeof INVALIDATION_STATUSES)[number];

export type InvalidationError = { readonly code: string; readonly message: string };

export type Invalidation = {
  readonly organizationId: string;
  /** Also the provider's token. */
  readonly id: string;
  readonly serviceId: string;
  /** URL-encoded, as the provider gets them. */
  readonly paths: readonly string[];
  readonly status: InvalidationStatus;
  readonly error: InvalidationError | null;
  /** The provider's ids of its parts, by the provider's ids of the distributions; null before they are requested. */
  readonly parts: Readonly<Record<string, string>> | null;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
};
