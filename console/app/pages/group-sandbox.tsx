import type { Domain } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { useMe } from "../api/permissions.ts";
import { ActionButton } from "../components/confirm.tsx";

/** The sandbox has a DNS of its own, which stands in for that of a customer, so that this can be tried without a domain. */
export function SandboxDns({
  domains,
  reason,
}: {
  readonly domains: readonly Domain[];
  readonly reason: string | null;
}) {
  const { cloud } = useMe();
  const waiting = domains.filter(({ dnsRecords }) => dnsRecords.some(({ status }) => status !== "OK"));
  if (cloud !== "sandbox" || waiting.length === 0) return null;
  const set = async () => {
    for (const { id, dnsRecords } of waiting) {
      for (const { name, type, value } of dnsRecords)
        await slipway.request("PUT", "/sandbox/dns/records", { body: { name, type, values: [value] } });
      await slipway.domains.check(id);
    }
  };
  return (
    <ActionButton
      label="Set the records in the sandbox"
      disabledReason={reason}
      work={set}
      said="The records are set."
      refreshes={["domains", "domainGroups"]}
    />
  );
}
