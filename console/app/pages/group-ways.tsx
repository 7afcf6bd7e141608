/** Who sets the DNS records of a group, and the best way to do it. */
import type { Domain, DomainCertificateGroup } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { tellDnsWays } from "../api/dns-provider-words.ts";
import { ActionButton } from "../components/confirm.tsx";
import { Fine } from "../ui/layout.tsx";

/** The best way for the records that are still to be set. */
export function GroupWays({
  domains,
  autoDns,
}: {
  readonly domains: readonly Domain[];
  readonly autoDns: boolean;
}) {
  return tellDnsWays(domains, autoDns).map(({ names, says, panelUrl, hints }) => (
    <div key={names.join()}>
      <p>
        {names.join(", ")}: {says}{" "}
        {panelUrl === null ? null : (
          <a href={panelUrl} target="_blank" rel="noopener noreferrer">
            Open its panel
          </a>
        )}
      </p>
      {hints.length === 0 ? null : <Fine>{hints.join(" ")}</Fine>}
    </div>
  ));
}

/** Whether Slipway sets the group's records, and a button for the other. */
export function WhoSetsRecords({
  group,
  reason,
}: {
  readonly group: DomainCertificateGroup;
  /** Why the caller must not change it; null: they may. */
  readonly reason: string | null;
}) {
  const { id, autoDns, status } = group;
  return (
    <>
      {autoDns ? "Slipway, in zones of the connected account" : "you"}{" "}
      <ActionButton
        label={autoDns ? "Set them yourself" : "Let Slipway set them"}
        size="small"
        disabledReason={status === "DELETING" ? "It is being deleted." : reason}
        work={() => slipway.domainGroups.update(id, { autoDns: !autoDns })}
        said={
          autoDns
            ? "Slipway sets no more records. Present records stay."
            : "Slipway sets them where it may use the zone."
        }
        refreshes={["domainGroups", "domains"]}
      />
    </>
  );
}
