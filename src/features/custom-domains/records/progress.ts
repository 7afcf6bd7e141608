import type { DnsRecord, Domain } from "../custom-domain.ts";
import { warningsOf } from "../warnings.ts";

/** The party that has to act before a domain makes progress. */
export const WAITED_FOR = ["CUSTOMER", "SLIPWAY"] as const;
export type WaitedFor = (typeof WAITED_FOR)[number];

type Progress = {
  /** Null: there is nothing to wait for. */
  readonly waitsFor: WaitedFor | null;
  /** A sentence that says what is wrong or missing, if the customer has to act. */
  readonly problem: string | null;
};

/** Decides which party has to act next for a domain, and why. Pure. */
export function progressOf(
  domain: Pick<Domain, "status" | "lastAttachmentError" | "isApexRefused" | "zoneState">,
  records: readonly DnsRecord[],
): Progress {
  const missing = records.find(({ status }) => status === "PENDING");
  const problemOf = (record: DnsRecord): string =>
    record.lastCheckError?.message ?? `The ${record.purpose} record is not set yet.`;
  switch (domain.status) {
    case "ERROR_ATTACHING":
    case "ERROR_DETACHING":
      return { waitsFor: "CUSTOMER", problem: domain.lastAttachmentError?.message ?? null };
    case "AWAITING_VERIFICATION_RECORDS_TO_BE_SET": {
      const unset = records.find(
        ({ purpose, status }) => status === "PENDING" && purpose !== "SERVICE_CONNECTION",
      );
      return unset === undefined
        ? { waitsFor: "SLIPWAY", problem: null }
        : { waitsFor: "CUSTOMER", problem: problemOf(unset) };
    }
    case "ATTACHED": {
      const [warning] = warningsOf(domain, records);
      if (warning !== undefined) return { waitsFor: "CUSTOMER", problem: warning.message };
      return missing === undefined
        ? { waitsFor: null, problem: null }
        : { waitsFor: "CUSTOMER", problem: problemOf(missing) };
    }
    case "PENDING":
    case "CREATING":
    case "ATTACHING":
    case "DETACHING":
      return { waitsFor: "SLIPWAY", problem: null };
  }
}
