/** Records as files that people and DNS panels read. Pure. */
import type { DnsRecord } from "../custom-domain.ts";

type Shown = Pick<DnsRecord, "status" | "type" | "name" | "value" | "purpose"> & { readonly domain: string };

/** In seconds: long enough for resolvers, and short enough for a correction. */
const TTL = 300;

export const CSV_HEADING = "domain,status,type,name,value,purpose\r\n";

/** Lines of CSV (RFC 4180). */
export function toCsv(records: readonly Shown[]): string {
  return records
    .map(({ domain, status, type, name, value, purpose }) =>
      [domain, status, type, name, value, purpose].map(cell).join(","),
    )
    .map((line) => `${line}\r\n`)
    .join("");
}

function cell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Lines of a zone file (RFC 1035, section 5). It has no ALIAS records: that line is a comment. */
export function toZone(records: readonly Shown[]): string {
  return records.map((record) => `${zoneLine(record)}\n`).join("");
}

function zoneLine({ type, name, value }: Shown): string {
  switch (type) {
    case "CNAME":
      return `${name}.\t${TTL}\tIN\tCNAME\t${value}.`;
    case "CAA":
      return `${name}.\t${TTL}\tIN\tCAA\t${value}`;
    case "ALIAS":
      return `; ${name}. needs an ALIAS (or ANAME, or flattened CNAME) to ${value}.`;
  }
}
