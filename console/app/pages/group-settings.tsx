/** What a group is made of, who sets its records, and its end. */
import { useNavigate, useParams } from "@tanstack/react-router";
import type { Domain, DomainCertificateGroup } from "../../../sdk/src/generated/types.ts";
import { tellRecordsLeft } from "../api/account-zone-words.ts";
import { slipway } from "../api/client.ts";
import { formatDomainCount } from "../api/domain-selection.ts";
import { describeCertificate, isServed } from "../api/group-words.ts";
import { AbandonButton } from "../components/abandon.tsx";
import { ActionButton, ConfirmButton } from "../components/confirm.tsx";
import { GroupFrame, useGroup } from "../components/group-frame.tsx";
import { paths } from "../paths.ts";
import { Copyable, CopyableId } from "../ui/copy.tsx";
import { Facts, Fine, Row, Section } from "../ui/layout.tsx";
import { When } from "../ui/time.tsx";

export function GroupSettingsPage() {
  const { groupId } = useParams({ from: "/shell/groups/$groupId/settings" });
  const of = useGroup(groupId);
  const { group, service, project, domains = [], reason } = of;
  const navigate = useNavigate();
  const served = domains.filter(isServed).length;
  const leave = () => navigate({ to: paths.serviceDomains(service.id) });
  return (
    <GroupFrame of={of}>
      <GroupFacts group={group} />
      <Section title="DNS records">
        <WhoSetsRecords group={group} reason={reason} />
      </Section>
      <Section title="Delete">
        <p>
          {served === 0
            ? "None of its domains is served."
            : `${formatDomainCount(served)} of it ${served === 1 ? "is" : "are"} served, and would stop answering.`}
        </p>
        <Row>
          <ConfirmButton
            label="Delete group"
            disabledReason={reason}
            title={`Delete the group ${group.name}?`}
            consequences={consequencesOf(group, domains, served)}
            action="Delete group"
            typed={served > 0 ? group.name : undefined}
            work={() => slipway.domainGroups.delete(groupId)}
            said="The group is being deleted."
            refreshes={["domains"]}
            onDone={leave}
          />
          <AbandonButton
            awsAccountId={project.awsAccountId}
            what="the group"
            name={group.name}
            reason={reason}
            consequences={["Slipway no longer manages its domains, although they may still be served."]}
            work={() => slipway.domainGroups.abandon(groupId)}
            refreshes={["domains", "overview"]}
            onDone={leave}
          />
        </Row>
      </Section>
    </GroupFrame>
  );
}

function GroupFacts({ group }: { readonly group: DomainCertificateGroup }) {
  const { certificate, cdnDomainName, isDefaultCdn, id } = group;
  return (
    <Facts
      of={[
        [
          "Distribution",
          <>
            {cdnDomainName === null ? (
              "being made"
            ) : (
              <Copyable text={cdnDomainName} what="the distribution's host name" />
            )}
            <Fine>{isDefaultCdn ? "the service's own" : "separate, only for this group"}</Fine>
          </>,
        ],
        ["Certificate", describeCertificate(certificate).replace("Certificate ", "")],
        [
          "Certificate expires",
          certificate === null || certificate.expiresAt === null ? null : (
            <>
              <When at={certificate.expiresAt} />
              <Fine>renewed before, as long as the records stay</Fine>
            </>
          ),
        ],
        [
          "Records have to be set",
          certificate === null ||
          certificate.issuedAt !== null ||
          certificate.validationDeadlineAt === null ? null : (
            <When at={certificate.validationDeadlineAt} />
          ),
        ],
        ["Created", <When at={group.createdAt} />],
        ["Id", <CopyableId text={id} what="the group's id" />],
      ]}
    />
  );
}

/** Whether Slipway sets the group's records, and a button for the other. */
function WhoSetsRecords({
  group: { id, autoDns },
  reason,
}: {
  readonly group: DomainCertificateGroup;
  readonly reason: string | null;
}) {
  return (
    <Row>
      <span>
        {autoDns
          ? "Slipway, in zones of the connected account, sets them."
          : "You set them. Slipway can do it if the zone is in the connected account."}
      </span>
      <ActionButton
        label={autoDns ? "Set them yourself" : "Let Slipway set them"}
        disabledReason={reason}
        work={() => slipway.domainGroups.update(id, { autoDns: !autoDns })}
        said={
          autoDns
            ? "Slipway sets no more records. Present records stay."
            : "Slipway sets them where it may use the zone."
        }
        refreshes={["domainGroups", "domains"]}
      />
    </Row>
  );
}

function consequencesOf(
  { isDefaultCdn, certificate }: DomainCertificateGroup,
  domains: readonly Domain[],
  served: number,
): readonly string[] {
  return [
    served === 0
      ? `Its ${domains.length === 1 ? "domain" : `${domains.length} domains`} will not be served; none is served now.`
      : `${served === 1 ? "1 domain that is served now stops" : `${served} domains that are served now stop`} answering.`,
    ...(certificate === null ? [] : ["Its certificate is deleted. A new one needs your DNS records again."]),
    isDefaultCdn ? "The service's own address stays as it is." : "Its separate distribution is deleted.",
    ...tellRecordsLeft(domains.flatMap(({ dnsRecords }) => dnsRecords)),
  ];
}
