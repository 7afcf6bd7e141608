/** Domains whose DNS provider sets their records itself, after their owner agreed there. */
import type { Domain } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { ActionButton } from "../components/confirm.tsx";
import { Fine, Row } from "../ui/layout.tsx";

/** Of a group's domains, those for which there is still something to set, and a provider that does it. */
function connectable(domains: readonly Domain[]): readonly Domain[] {
  return domains.filter(
    ({ dnsProvider, dnsRecords, status }) =>
      dnsProvider?.supports.domainConnect === true &&
      status !== "DETACHING" &&
      dnsRecords.some((record) => record.status !== "OK"),
  );
}

export function GroupConnect({
  domains,
  reason,
}: {
  readonly domains: readonly Domain[];
  readonly reason: string | null;
}) {
  return connectable(domains).map(({ id, name, dnsProvider }) => (
    <Row key={id}>
      <ActionButton
        label={`Set records at ${dnsProvider?.name ?? "the DNS provider"}`}
        name={`Set records at ${dnsProvider?.name ?? "the DNS provider"}: ${name}`}
        disabledReason={reason}
        work={() => slipway.domains.startConnect(id, {})}
        refreshes={[]}
        onDone={({ applyUrl }) => window.location.assign(applyUrl)}
      />
      <Fine>
        {name}: you agree at the provider, which then sets both records. If the name is in use elsewhere, it
        leads here at once, and answers when its certificate is issued.
      </Fine>
    </Row>
  ));
}
