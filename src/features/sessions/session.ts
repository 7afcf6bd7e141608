/** A sign-in of a person in one browser. It has its user's role, and never more than the key that it came from. */
export type Session = {
  readonly organizationId: string;
  readonly id: string;
  readonly userId: string;
  /** The API key that was exchanged for it; null after a sign-in at an identity provider. */
  readonly apiKeyId: string | null;
  /** The name of the identity provider; null after an exchange. */
  readonly provider: string | null;
  readonly sourceAddress: string | null;
  readonly userAgent: string | null;
  readonly createdAt: Date;
  /** When it last made a request; written about once a minute. */
  readonly lastSeenAt: Date;
};

/** How long a session lives without a request, and in all. */
export type SessionLimits = { readonly idleMs: number; readonly maxMs: number };

/** When it ends if it makes no further request. */
export function endOf({ createdAt, lastSeenAt }: Session, { idleMs, maxMs }: SessionLimits): Date {
  return new Date(Math.min(lastSeenAt.getTime() + idleMs, createdAt.getTime() + maxMs));
}
