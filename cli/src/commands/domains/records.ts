import type { Domain, ListedDnsRecord } from "../../../../sdk/src/index.ts";
import { findDomain } from "../../find/domain.ts";
import { PAGE } from "../../find/limited.ts";
import { collect, findProject } from "../../find/scope.ts";
import { UsageError } from "../../output/failure.ts";
import type { Column } from "../../output/text-table.ts";
import type { Handler } from "../../table/command.ts";
import { diagnosisOf } from "./diagnosis.ts";

type DnsRecord = Domain["dnsRecords"][number];

export const RECORD_COLUMNS: readonly Column<DnsRecord>[] = [
  { title: "status", of: ({ status }) => status },
  { title: "type", of: ({ type }) => type },
  { title: "name", of: ({ name }) => name },
  { title: "value", of: ({ value }) => value },
  { title: "for", of: ({ purpose }) => purpose },
  { title: "set by", of: setBy },
  { title: "last check", of: (record) => diagnosisOf(record), isProse: true },
];

/** Who set it; null if it is not set yet. */
function setBy({ status, accountZone }: DnsRecord): string | null {
  if (accountZone === null) return status === "OK" ? "you" : null;
  if (accountZone.status === "CONFLICT") return "another record";
  return accountZone.status === "FOUND" ? "you" : "Slipway";
}

/** What the service calls a file's form. */
const TYPES: Readonly<Record<string, string>> = { csv: "text/csv", zone: "text/dns" };

export const showRecords: Handler = async (context, input) => {
  const { output, signal } = context;
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
  const client = await context.client();
  const { id } = await findProject(context, input.text("project"));
  const accept = format === undefined ? undefined : TYPES[format];
  if (accept === undefined) {
    const all = await collect(client.projects.listDnsRecords(id, { limit: PAGE }, { signal }));
    output.list(all, COLUMNS_WITH_DOMAIN);
    return;
  }
  output.raw(
    (await client.request<string | undefined>("GET", `/v1/projects/${id}/dns-records`, {
      query: { format },
      headers: { accept },
      signal,
    })) ?? "",
  );
};

const COLUMNS_WITH_DOMAIN: readonly Column<ListedDnsRecord>[] = [
  { title: "domain", of: ({ domain }) => domain },
  ...RECORD_COLUMNS,
];
