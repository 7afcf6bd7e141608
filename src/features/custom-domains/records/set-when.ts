import { isWithin } from "../../../dns/names.ts";
import type { DnsRecord, Domain } from "../custom-domain.ts";
import { isSettable } from "./dns-record.ts";

export const SET_WHEN = ["NOW", "AFTER_CERTIFICATE"] as const;
export type SetWhen = (typeof SET_WHEN)[number];

/**
 * When to set a record. A connection record moves the visitors of its name. If the name is served elsewhere, they move
 * once the domain is `ATTACHED`, so that the name is always served. If nothing was found at the name yet, nothing can
 * be lost.
 * @param isMoveFirst of `isMoveFirst`. Pure.
 */
export function setWhenOf(
  status: Domain["status"],
  record: Pick<DnsRecord, "purpose" | "status" | "lastCheckAt" | "lastCheckValue" | "lastCheckError">,
  isMoveFirst: boolean,
): SetWhen {
  const { purpose, lastCheckAt, lastCheckValue, lastCheckError } = record;
  if (purpose !== "SERVICE_CONNECTION" || status === "ATTACHED" || record.status === "OK") return "NOW";
  const isNothingThere = lastCheckError?.code === "NOT_FOUND" || lastCheckError?.code === "WILDCARD_ENDED";
  const isFree = lastCheckAt !== null && lastCheckValue === null && isNothingThere;
  const isMoved = isMoveFirst && lastCheckError?.code === "WRONG_VALUE";
  return isFree || isMoved ? "NOW" : "AFTER_CERTIFICATE";
}

/**
 * Whether the CAA records at the target of the name's CNAME refuse the certificate: then only a move of the name lets the
 * provider issue. `dnsRecords.listOfProject` says the same in SQL. Pure.
 */
export function isMoveFirst(
  { name }: Pick<Domain, "name">,
  records: readonly Pick<DnsRecord, "name" | "value" | "status">[],
): boolean {
  return records.some(
    (record) => !isSettable(record) && record.status === "PENDING" && !isWithin(name, record.name),
  );
}
