import type { Resolver } from "node:dns/promises";
import type { DnsRecord, Slipway } from "../../../../sdk/src/index.ts";
import type { Lines } from "../lines.ts";

/** Attaches the domain to the service. Sets the required DNS records, as the domain's owner would. */
export async function attachDomain(
  lines: Lines,
  slipway: Slipway,
  resolver: Resolver,
  { name, serviceId }: { readonly name: string; readonly serviceId: string },
): Promise<void> {
  let domainId = "";
  let records: readonly DnsRecord[] = [];
  await lines.step("Add a domain to the service", async () => {
    const group = await slipway.domainGroups.create(serviceId, { domains: [name] });
    domainId = group.createdDomains[0]?.id ?? "";
    return `${name}, its group is ${group.status}`;
  });
  await lines.step("Wait for the verification record", async () => {
    const waiting = await slipway.domains.waitUntil(domainId, "AWAITING_VERIFICATION_RECORDS_TO_BE_SET");
    records = waiting.dnsRecords;
    return recordOf(records, "CERTIFICATE_DOMAIN_VERIFICATION").name;
  });
  await lines.step("Set it in the DNS", async () =>
    setRecord(slipway, recordOf(records, "CERTIFICATE_DOMAIN_VERIFICATION"), resolver),
  );
  await lines.step("Certificate issued, domain attached", async () => {
    const domain = await slipway.domains.waitUntil(domainId, "ATTACHED");
    records = domain.dnsRecords;
    return domain.status;
  });
  await lines.step("Point the domain at its service", async () =>
    setRecord(slipway, recordOf(records, "SERVICE_CONNECTION"), resolver),
  );
}

function recordOf(records: readonly DnsRecord[], purpose: string): DnsRecord {
  const record = records.find((candidate) => candidate.purpose === purpose);
  if (record === undefined) throw new Error(`The domain has no ${purpose} record.`);
  return record;
}

/** Sets a CNAME as the domain's owner would, and waits until DNS shows it. */
async function setRecord(slipway: Slipway, record: DnsRecord, resolver: Resolver): Promise<string> {
  const { name, type, value } = record;
  await slipway.request("PUT", "/sandbox/dns/records", { body: { name, type, values: [value] } });
  const [seen] = await resolver.resolveCname(name);
  if (seen !== value.replace(/\.$/, "")) throw new Error(`The DNS has ${seen ?? "nothing"} at ${name}.`);
  return `${type} ${value}`;
}
