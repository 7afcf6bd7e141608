/**
 * What Slipway asks of the world's DNS: is this record set as it must be, and if not, why not.
 * Questions go to the zone's own authoritative servers, so that no cache tells of yesterday;
 * the configured resolvers find those servers and are the fallback.
 */

/** A record that a client was told to set. Names without a trailing dot, lower case. */
export type ExpectedRecord =
  | { readonly type: "CNAME"; readonly name: string; readonly value: string }
  /** An apex cannot hold a CNAME: any address that the target has too counts. */
  | { readonly type: "ALIAS"; readonly name: string; readonly value: string }
  /** `value` as in a zone file: `0 issue "amazon.com"`. Any of `issuers` satisfies it. */
  | {
      readonly type: "CAA";
      readonly name: string;
      readonly value: string;
      readonly issuers: readonly string[];
    };

export const PROPAGATION_ERROR_CODES = [
  "NOT_FOUND",
  "WRONG_VALUE",
  "ZONE_NAME_DOUBLED",
  "PROXIED",
  "CONFLICTING_RECORDS",
  "CNAME_LOOP",
  "CAA_REFUSES",
  "SERVFAIL",
  "REFUSED",
  "TIMEOUT",
  "DELEGATION_BROKEN",
  "MALFORMED_ANSWER",
] as const;
export type PropagationErrorCode = (typeof PROPAGATION_ERROR_CODES)[number];

/** The outcome of one look. `error` null means the record is set as it must be. */
export type RecordCheck = {
  /** What was found there, as text (several values joined by `, `), or null when nothing was. At most 1,024 characters. */
  readonly value: string | null;
  /** The message says what was found and what to do. */
  readonly error: { readonly code: PropagationErrorCode; readonly message: string } | null;
};

export type CheckOptions = { readonly isQuick?: boolean; readonly isFresh?: boolean };

export interface Dns {
  /**
   * Never throws for what the DNS answers or fails to answer; ends within 5 s. A quick check of a record that is
   * missing says `NOT_FOUND` without asking whether it was set at the name with the zone appended once more. A fresh
   * one uses nothing that was learned before it, not even where the zone's servers are.
   */
  check(record: ExpectedRecord, options?: CheckOptions): Promise<RecordCheck>;
  /**
   * Whether the CAA records that govern `name` (RFC 8659: the closest set up the tree) let any of
   * `issuers` issue; `issuewild` for a wildcard. `at` is the name whose set refuses.
   * A lookup that fails counts as allowed: the provider decides.
   */
  findCaaRefusal(
    name: string,
    issuers: readonly string[],
    options?: Pick<CheckOptions, "isFresh">,
  ): Promise<{ readonly at: string; readonly found: readonly string[] } | null>;
  close(): Promise<void>;
}
