/** What the address of the list of domains says, and what the API is asked for it. Pure. */
import type {
  DomainsListQuery,
  DomainStatus,
  SoughtDomainWarning,
} from "../../../sdk/src/generated/types.ts";

export type DomainFilter = {
  readonly name?: string | undefined;
  readonly status?: DomainStatus | undefined;
  readonly warning?: SoughtDomainWarning | undefined;
  readonly projectId?: string | undefined;
};

export const STATES: readonly (readonly [DomainStatus, string])[] = [
  ["AWAITING_VERIFICATION_RECORDS_TO_BE_SET", "Waiting for DNS records"],
  ["CREATING", "Requesting certificate"],
  ["ATTACHING", "Attaching"],
  ["ATTACHED", "Attached"],
  ["ERROR_ATTACHING", "Could not be attached"],
  ["ERROR_DETACHING", "Could not be removed"],
  ["DETACHING", "Being removed"],
  ["PENDING", "Accepted"],
];

export const WARNINGS: readonly (readonly [SoughtDomainWarning, string])[] = [
  ["ANY", "Any warning"],
  ["RENEWAL_UNSAFE", "Certificate cannot be renewed"],
  ["CONNECTION_RECORD_MISSING", "No longer points here"],
  ["VERIFICATION_RECORD_MISSING", "Verification record is missing"],
  ["CAA_REFUSES_RENEWAL", "CAA prevents the renewal"],
  ["CAA_REFUSES_CERTIFICATE", "CAA prevents the certificate"],
  ["APEX_NOT_SUPPORTED", "The DNS has no ALIAS for it"],
  ["DNS_RECORD_CONFLICT", "Another record is in the way"],
  ["DNS_WILDCARD_IN_USE", "A wildcard answers for it"],
  ["DNS_ZONE_NOT_FOUND", "Its zone is not in the account"],
  ["DNS_ZONE_AMBIGUOUS", "Several zones in the account"],
  ["DNS_ZONE_NOT_ALLOWED", "Slipway may not set its records"],
];

/** Reads the filter from an address, which the user may have typed: unknown values are ignored. */
export function readDomainFilter(search: Readonly<Record<string, unknown>>): DomainFilter {
  const { name, status, warning, projectId } = search;
  return {
    ...(typeof name === "string" && name !== "" ? { name } : {}),
    ...(STATES.some(([one]) => one === status) ? { status: status as DomainStatus } : {}),
    ...(WARNINGS.some(([one]) => one === warning) ? { warning: warning as SoughtDomainWarning } : {}),
    ...(typeof projectId === "string" && projectId !== "" ? { projectId } : {}),
  };
}

/** A name is sought by its beginning; one with a star is a pattern. */
export function filterToQuery({ name, ...rest }: DomainFilter): DomainsListQuery {
  if (name === undefined) return rest;
  const sought = name.toLowerCase();
  return sought.startsWith("*.") ? { ...rest, name: sought } : { ...rest, namePrefix: sought };
}
