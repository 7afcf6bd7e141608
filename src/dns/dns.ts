/**
 * Slipway's DNS checks: is this record set as it must be, and if not, why not? Questions go to the zone's own
 * authoritative servers, so that no cache gives an old answer. The configured resolvers find those servers and are the
 * fallback.
 */

/** A record that a client shall set. Names are in lower case, without a trailing dot. */
export type ExpectedRecord =
  | { readonly type: "CNAME"; readonly name: string; readonly value: string }
  /** An apex cannot hold a CNAME, so the target's addresses count too. */
  | { readonly type: "ALIAS"; readonly name: string; readonly value: string }
  /** The CAA records that govern `name` shall let any of `issuers` issue for it. */
  | ({ readonly type: "CAA"; readonly name: string } & CaaOptions);

export type CaaOptions = {
  readonly issuers: readonly string[];
  /** Whether the name must become a CNAME, beside which no CAA record can exist. */
  readonly needsCname: boolean;
};

/** Why the CAA records that govern a name let none of some issuers issue for it. */
export type CaaRefusal = {
  /** The name at or above the governed one where they were found. */
  readonly at: string;
  /** The name that has them: `at`, or the target of its CNAME. */
  readonly owner: string;
  readonly found: readonly string[];
  /** Where the owner can add a record that lets the first issuer issue; null if no record of theirs helps. */
  readonly setAt: string | null;
  /** That record, in the notation of zone files: `0 issue "amazon.com"`. */
  readonly value: string;
  readonly message: string;
  readonly action: string;
};

export const PROPAGATION_ERROR_CODES = [
  "NOT_FOUND",
  "WILDCARD_ENDED",
  "NOT_REGISTERED",
  "WRONG_VALUE",
  "ZONE_NAME_DOUBLED",
  "PROXIED",
  "CONFLICTING_RECORDS",
  "CNAME_LOOP",
  "CAA_REFUSES",
  "SERVERS_DISAGREE",
  "DNSSEC_BROKEN",
  "SERVFAIL",
  "REFUSED",
  "TIMEOUT",
  "NOT_CHECKED",
  "DELEGATION_BROKEN",
  "MALFORMED_ANSWER",
] as const;
export type PropagationErrorCode = (typeof PROPAGATION_ERROR_CODES)[number];

/** The outcome of one check. `error` is null when the record is set as it must be. */
export type RecordCheck = {
  /** The values that were found, as text joined by `, `; null if none was found. At most 1,024 characters. */
  readonly value: string | null;
  /** The message says what was found and what to do. */
  readonly error: { readonly code: PropagationErrorCode; readonly message: string } | null;
};

/** The zone that a name is in, and the name servers that it is delegated to: in lower case, sorted. */
export type Delegation = { readonly zone: string; readonly nameServers: readonly string[] };

/** `at` is the wildcard, `names` are the names that it would no longer answer for, and `answer` is its answer. */
export type EndedWildcard = {
  readonly at: string;
  readonly names: readonly string[];
  readonly answer: string;
};

export type CheckOptions = { readonly isQuick?: boolean; readonly isFresh?: boolean };

export interface Dns {
  /**
   * Never throws because of DNS answers or failures; ends within 5 s. A quick check reports a missing record as
   * `NOT_FOUND`, and does not look for it under the name with the zone appended once more. A fresh check uses nothing
   * that was learned before, not even the addresses of the zone's servers.
   */
  check(record: ExpectedRecord, options?: CheckOptions): Promise<RecordCheck>;
  /**
   * Whether the CAA records that govern `name` (RFC 8659: the closest set up the tree) allow any of `issuers` to issue;
   * for a wildcard, `issuewild` counts. Null if they do; undefined if it cannot be found out now.
   */
  findCaaRefusal(
    name: string,
    wanted: CaaOptions,
    options?: Pick<CheckOptions, "isFresh">,
  ): Promise<CaaRefusal | null | undefined>;
  /** Which zone a name is in now, and who serves it; null if that cannot be found out now. Never throws because of DNS. */
  findDelegation(name: string, options?: Pick<CheckOptions, "isFresh">): Promise<Delegation | null>;
  /**
   * Which wildcard answers for names above `name` and would stop, because they would exist, if a record were set at
   * `name` (RFC 4592, section 2.2.2). Null if none would; undefined if the name's servers do not answer now. Never throws
   * because of DNS.
   */
  findEndedWildcard(
    name: string,
    options?: Pick<CheckOptions, "isFresh">,
  ): Promise<EndedWildcard | null | undefined>;
  /**
   * The texts of the TXT records at a name, each joined from its strings; null if they cannot be found out now. Never
   * throws because of DNS.
   */
  findTexts(name: string, options?: Pick<CheckOptions, "isFresh">): Promise<readonly string[] | null>;
  close(): Promise<void>;
}
