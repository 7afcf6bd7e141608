import type { Slipway } from "../../../../sdk/src/index.ts";
import type { Lines } from "../lines.ts";

/** A domain whose DNS zone is in the cloud account: Slipway serves and removes it, and no person sets a record. */
export async function playZone(
  lines: Lines,
  slipway: Slipway,
  options: {
    readonly zone: string;
    readonly serviceId: string;
    readonly awsAccountId: string;
    /** @returns what it serves */
    readonly open: (name: string) => Promise<string>;
  },
): Promise<void> {
  const { zone, serviceId, awsAccountId, open } = options;
  const name = `www.${zone}`;
  let group = { id: "", domainId: "" };
  await lines.step("Have a DNS zone in the account", async () => {
    const body = { ServiceId: awsAccountId, name: zone };
    const { nameServers } = await slipway.request<{ nameServers: string[] }>("POST", "/sandbox/zones", {
      body,
    });
    return `${zone} is delegated to ${nameServers.join(" and ")}`;
  });
  await lines.step("Add a domain that sets itself up", async () => {
    const { id, createdDomains } = await slipway.domainGroups.create(serviceId, {
      domains: [name],
      useDefaultCdn: false,
      autoDns: true,
    });
    group = { id, domainId: createdDomains[0]?.id ?? "" };
    return name;
  });
  await lines.step("Open it over HTTPS, no record set by hand", async () => {
    await slipway.domains.waitUntil(group.domainId, "ATTACHED");
    let records = "";
    for await (const { dnsRecords } of slipway.domains.watch(group.domainId)) {
      records = dnsRecords.map((record) => `${record.name} ${record.type} ${record.value}`).join(", ");
      if (dnsRecords.every(({ status }) => status === "OK")) break;
    }
    return `"${await open(name)}", with ${records}`;
  });
  await lines.step("Delete it, and its records with it", async () => {
    await slipway.domainGroups.delete(group.id);
    await slipway.domains.waitUntilDeleted(group.domainId);
    const { records } = await slipway.request<{ records: { name: string; type: string }[] }>(
      "GET",
      "/sandbox/dns/records",
    );
    const left = records.filter((record) => record.type !== "NS" && record.name.endsWith(`.${zone}`));
    if (left.length > 0) throw new Error(`The zone still has ${JSON.stringify(left)}.`);
    return "the zone is as it was";
  });
}
