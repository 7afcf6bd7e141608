import type { Domain, ListedDnsRecord } from "../../../../sdk/src/index.ts";
import type { Handler } from "../../command.ts";
import { UsageError } from "../../failure.ts";
import { collect, findDomain, findProject, PAGE } from "../../lookup.ts";
import type { Column } from "../../text-table.ts";
import { diagnosisOf } from "./diagnosis.ts";

type DnsRecord = Domain["dnsRecords"][number];

export const RECORD_COLUMNS: readonly Column<DnsRecord>[] = [
  "status",
  "type",
  "name",
  "value",
  { title: "for", of: ({ purpose }) => purpose },
  { title: "set by", of: setBy },
  { title: "last check", of: diagnosisOf, isProse: true },
];

/** Who set it; null if it is not set yet. */
function setBy({ status, accountZone }: DnsRecord): string | null {
  if (accountZone === null) return status === "OK" ? "you" : null;
  if (accountZone.status === "CONFLICT") return "another record";
  return accountZone.status === "FOUND" ? "you" : "Slipway";
}

/** The media types of the formats. */
const TYPES: Readonly<Record<string, string>> = { csv: "text/csv", zone: "text/dns" };

export const showRecords: Handler = async (context, input) => {
  const { client, output } = context;
  const named = input.optionalArgument("DOMAIN");
  const format = input.text("format");
  if (named !== undefined) {
    if (format !== undefined)
      throw new UsageError("--format is for all records of a project: give no DOMAIN.");
    const domain = await findDomain(context, named);
    if (domain.dnsRecords.length === 0)
      output.progress(`The records of ${domain.name} are not known yet; it is ${domain.status}.`);
    output.list(domain.dnsRecords, RECORD_COLUMNS);
    return;
  }
  const { id } = await findProject(context, input.text("project"));
  if (format === undefined) {
    const columns: readonly Column<ListedDnsRecord>[] = ["domain", ...RECORD_COLUMNS];
    output.list(await collect(client.projects.listDnsRecords(id, { limit: PAGE })), columns);
    return;
  }
  const headers = { accept: TYPES[format] ?? "" };
  const path = `/v1/projects/${id}/dns-records`;
  output.raw((await client.request<string | undefined>("GET", path, { query: { format }, headers })) ?? "");
};
