/**
 * A link to a page without sign-in, for the owner of a group's domains. It ends by its time, by its deletion, and with
 * its group. Its token is in its address alone: only the token's hash is stored.
 */
export type ShareLink = {
  readonly organizationId: string;
  readonly id: string;
  readonly groupId: string;
  /** Of the user. */
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** When it was opened for the first time; null before that. */
  readonly openedAt: Date | null;
};

/** For how many days a link works. */
export const DEFAULT_DAYS = 7;
export const MAX_DAYS = 30;
