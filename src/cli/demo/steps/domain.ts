import type { Resolver } from "node:dns/promises";
import { Type } from "typebox";
import type { Api } from "../api.ts";
import type { Lines } from "../lines.ts";

const Group = Type.Object({
  id: Type.String(),
  status: Type.String(),
  createdDomains: Type.Array(Type.Object({ id: Type.String() }), { minItems: 1 }),
});
const DnsRecord = Type.Object({
  purpose: Type.String(),
  name: Type.String(),
  type: Type.String(),
  value: Type.String(),
});
type DnsRecord = Type.Static<typeof DnsRecord>;
const Domain = Type.Object({ status: Type.String(), dnsRecords: Type.Array(DnsRecord) });

/** Attaches the domain to the service. Sets the required DNS records, as the domain's owner would. */
export async function attachDomain(
  lines: Lines,
  api: Api,
  resolver: Resolver,
  { name, serviceId }: { readonly name: string; readonly serviceId: string },
): Promise<void> {
  let domainPath = "";
  let domain: Type.Static<typeof Domain> = { status: "", dnsRecords: [] };
  const untilStatus = async (wanted: string): Promise<void> => {
    domain = await api.follow(
      domainPath,
      Domain,
      ({ status }) => status === wanted || status.startsWith("ERROR"),
    );
    if (domain.status !== wanted) throw new Error(`The domain is ${JSON.stringify(domain)}.`);
  };
  await lines.step("Add a domain to the service", async () => {
    const group = await api.expect(
      201,
      Group,
      "POST",
      `/v1/services/${serviceId}/domain-certificate-groups`,
      { domains: [name] },
    );
    domainPath = `/v1/domains/${group.createdDomains[0]?.id ?? ""}`;
    return `${name}, its group is ${group.status}`;
  });
  await lines.step("Wait for the verification record", async () => {
    await untilStatus("AWAITING_VERIFICATION_RECORDS_TO_BE_SET");
    return recordOf(domain.dnsRecords, "CERTIFICATE_DOMAIN_VERIFICATION").name;
  });
  await lines.step("Set it in the DNS", async () => {
    const record = recordOf(domain.dnsRecords, "CERTIFICATE_DOMAIN_VERIFICATION");
    return await setRecord(api, record, resolver);
  });
  await lines.step("Certificate issued, domain attached", async () => {
    await untilStatus("ATTACHED");
    return domain.status;
  });
  await lines.step("Point the domain at its service", async () =>
    setRecord(api, recordOf(domain.dnsRecords, "SERVICE_CONNECTION"), resolver),
  );
}

function recordOf(records: readonly DnsRecord[], purpose: string): DnsRecord {
  const record = records.find((candidate) => candidate.purpose === purpose);
  if (record === undefined) throw new Error(`The domain has no ${purpose} record.`);
  return record;
}

/** Sets a CNAME as the domain's owner would, and waits until DNS shows it. */
async function setRecord(api: Api, record: DnsRecord, resolver: Resolver): Promise<string> {
  const { name, type, value } = record;
  const set = await api.send("PUT", "/sandbox/dns/records", { name, type, values: [value] });
  if (set.status !== 204) throw new Error(`The DNS refused the record: ${JSON.stringify(set.body)}`);
  const [seen] = await resolver.resolveCname(name);
  if (seen !== value.replace(/\.$/, "")) throw new Error(`The DNS has ${seen ?? "nothing"} at ${name}.`);
  return `${type} ${value}`;
}
