/** DNS records as texts to copy: a table for a sheet, a zone file, a letter to the DNS administrator. Pure. */
import type { DnsRecord } from "../../../sdk/src/generated/types.ts";
import { PURPOSES } from "./domain-words.ts";

type Copied = Pick<DnsRecord, "type" | "name" | "relativeName" | "zone" | "value" | "purpose"> &
  Partial<Pick<DnsRecord, "status" | "setWhen">>;

/** One record in one line, as `www CNAME d1.cdn.example.net`, with its full name. */
export function recordLine({ name, type, value }: Copied): string {
  return `${name} ${type} ${value}`;
}

/** Columns separated by tabs, which sheets take. */
export function recordsAsTable(records: readonly Copied[]): string {
  const rows = records.map(({ zone, relativeName, type, value }) => [zone, relativeName, type, value]);
  return [["Zone", "Name", "Type", "Value"], ...rows].map((row) => row.join("\t")).join("\n");
}

/**
 * A zone file's lines (RFC 1035), with full names, so that it can be appended to any zone. An ALIAS is in no zone file:
 * it is a comment that says what to set.
 */
export function recordsAsZoneFile(records: readonly Copied[]): string {
  return zonesOf(records)
    .map(([zone, own]) => [`; ${zone}`, ...own.map(zoneLine)].join("\n"))
    .join("\n\n");
}

function zoneLine({ name, type, value }: Copied): string {
  if (type === "ALIAS") return `; ${name}. ALIAS ${value}.  ; set it as ALIAS, ANAME or flattened CNAME`;
  return `${name}.\t300\tIN\t${type}\t${type === "CNAME" ? `${value.replace(/[.]$/, "")}.` : value}`;
}

/** For an administrator of the DNS who does not know Slipway. */
export function recordsAsLetter(records: readonly Copied[]): string {
  const parts = zonesOf(records).map(([zone, own]) =>
    [`In the DNS of ${zone}:`, ...own.map((record, index) => letterRecord(record, index + 1))].join("\n\n"),
  );
  const intro = `Please set ${records.length === 1 ? "this DNS record" : `these ${records.length} DNS records`}.`;
  return [intro, ...parts, "They have to stay: the certificate is renewed by them."].join("\n\n");
}

function letterRecord(record: Copied, number: number): string {
  const { name, relativeName, type, value, purpose } = record;
  const isLater = record.status !== "OK" && record.setWhen === "AFTER_CERTIFICATE";
  const also = type === "ALIAS" ? " (also called ANAME or CNAME flattening)" : "";
  return [
    `${number}. ${PURPOSES[purpose]}`,
    `   Type:  ${type}${also}`,
    `   Name:  ${relativeName}   (in full: ${name})`,
    `   Value: ${value}`,
    ...(isLater
      ? ["   Set it when the certificate is ready, or now if nothing is served at the name yet."]
      : []),
  ].join("\n");
}

function zonesOf(records: readonly Copied[]): readonly (readonly [string, readonly Copied[]])[] {
  const zones = new Map<string, Copied[]>();
  for (const record of records) zones.set(record.zone, [...(zones.get(record.zone) ?? []), record]);
  return [...zones];
}

/** Records that several domains have in common are to be set once. */
export function distinctRecords<R extends Copied>(records: readonly R[]): readonly R[] {
  return [...new Map(records.map((record) => [recordLine(record), record])).values()];
}
