/** A domain group: its domains, all records to set, and its certificate. */
import { useNavigate, useParams } from "@tanstack/react-router";
import { useEffect } from "react";
import type { Domain, DomainCertificateGroup } from "../../../sdk/src/generated/types.ts";
import { tellRecordsLeft } from "../api/account-zone-words.ts";
import { slipway } from "../api/client.ts";
import { tellDomain } from "../api/domain-words.ts";
import { useCan } from "../api/permissions.ts";
import { read, readPages, useList, useRead } from "../api/query.ts";
import { AbandonButton } from "../components/abandon.tsx";
import { ActionButton, ConfirmButton } from "../components/confirm.tsx";
import { Page } from "../components/page.tsx";
import { Problem } from "../components/problem.tsx";
import { useQuickActions } from "../components/quick-actions.ts";
import { Status } from "../components/status.tsx";
import { useFollow } from "../live/use-live.tsx";
import { useRefresh } from "../live/use-refresh.ts";
import { paths } from "../paths.ts";
import { Copyable, CopyableId } from "../ui/copy.tsx";
import { Afterwards, Facts, Fine, Skeleton } from "../ui/layout.tsx";
import { toast } from "../ui/toast.tsx";
import { When } from "../ui/time.tsx";
import { AddDomains } from "./group-add.tsx";
import { GroupDomains } from "./group-domains.tsx";
import { GroupRecords } from "./group-records.tsx";
import { GroupRedirects } from "./group-redirects.tsx";
import { ShareWithOwner } from "./group-share.tsx";
import { WhoSetsRecords } from "./group-ways.tsx";

/** While a record is awaited, what the last look found is read again. */
const REFRESH_MS = 5_000;

export function GroupPage() {
  const { groupId } = useParams({ from: "/shell/groups/$groupId" });
  const ofGroup = read("domainGroups", "get", groupId);
  const group = useRead(ofGroup);
  const service = useRead(read("services", "get", group.serviceId));
  const project = useRead(read("projects", "get", service.projectId));
  const environment = useRead(read("environments", "get", service.environmentId));
  const can = useCan("manage domains", { projectId: project.id, environmentId: environment.id });
  useFollow(ofGroup, (options) => slipway.domainGroups.watch(groupId, options));

  const { items, error, hasMore, isLoadingMore, loadMore } = useList(
    readPages("domainGroups", "listDomains", groupId, {}),
    "domains",
  );
  useEffect(() => {
    // The buttons that copy all records need all domains, so all pages are loaded.
    if (hasMore && !isLoadingMore) loadMore();
  }, [hasMore, isLoadingMore, loadMore]);
  const isWaiting = items?.some(isMoving) ?? false;
  useRefresh("domainGroups", "listDomains", REFRESH_MS, isWaiting);

  const checkAll = async () => {
    for (const { id, dnsRecords } of items ?? []) if (dnsRecords.length > 0) await slipway.domains.check(id);
  };
  const navigate = useNavigate();
  useQuickActions([
    {
      label: `Check all domains of ${group.name}`,
      run: () => void checkAll().then(() => toast("Checking.")),
    },
  ]);
  const served = items?.filter((domain) => tellDomain(domain).turn === null) ?? [];
  return (
    <Page
      title={group.name}
      beside={<Status of={group.status} words={tellGroup(group, served.length, items?.length ?? 0)} />}
      crumbs={[
        ["Projects", paths.projects()],
        [project.name, paths.project(project.id)],
        [environment.name, paths.environment(environment.id)],
        [service.name, paths.serviceDomains(service.id)],
      ]}
      actions={
        <>
          <ActionButton
            label="Check all now"
            disabledReason={can.reason}
            work={checkAll}
            said="Checking DNS. The result appears here."
            refreshes={["domainGroups", "domains"]}
          />
          {group.domainsInError === 0 ? null : (
            <ActionButton
              label="Retry"
              look="primary"
              disabledReason={can.reason}
              work={() => slipway.domainGroups.retryAttachment(groupId)}
              said="Retrying."
              refreshes={["domainGroups", "domains"]}
            />
          )}
          <ConfirmButton
            label="Delete group"
            disabledReason={group.status === "DELETING" ? "It is being deleted." : can.reason}
            title={`Delete the group ${group.name}?`}
            consequences={consequencesOf(group, items ?? [], served.length)}
            action="Delete group"
            typed={served.length > 0 ? group.name : undefined}
            work={() => slipway.domainGroups.delete(groupId)}
            said="The group is being deleted."
            refreshes={["domains"]}
            onDone={() => navigate({ to: paths.serviceDomains(service.id) })}
          />
          <AbandonButton
            awsAccountId={project.awsAccountId}
            what="the group"
            name={group.name}
            reason={can.reason}
            consequences={["Its domains are no longer looked after, though they may still be served."]}
            work={() => slipway.domainGroups.abandon(groupId)}
            refreshes={["domains", "overview"]}
            onDone={() => navigate({ to: paths.serviceDomains(service.id) })}
          />
        </>
      }
    >
      <GroupFacts group={group} reason={can.reason} />
      {error === null ? null : <Problem error={error} />}
      {items === undefined && error === null ? <Skeleton lines={8} label="Loading domains" /> : null}
      {items === undefined ? null : (
        <>
          <GroupDomains group={group} domains={items} serviceId={service.id} reason={can.reason} />
          <Afterwards>
            <GroupRecords domains={items} autoDns={group.autoDns} reason={can.reason} />
            <GroupRedirects domains={items} reason={can.reason} />
            <ShareWithOwner
              groupId={groupId}
              names={items.filter(({ status }) => !LEAVING.has(status)).map(({ name }) => name)}
              reason={group.status === "DELETING" ? "It is being deleted." : can.reason}
            />
            <AddDomains
              groupId={groupId}
              reason={group.status === "DELETING" ? "It is being deleted." : can.reason}
            />
          </Afterwards>
        </>
      )}
    </Page>
  );
}

/** Domains that are being deleted; share links do not show them. */
const LEAVING: ReadonlySet<Domain["status"]> = new Set(["DETACHING", "ERROR_DETACHING"]);

function isMoving({ status, dnsRecords, redirectStatus }: Domain): boolean {
  const isStill = status === "ATTACHED" || status.startsWith("ERROR_");
  const isRedirectMoving = redirectStatus === "PENDING" || redirectStatus === "ENDING";
  return !isStill || isRedirectMoving || dnsRecords.some((record) => record.status !== "OK");
}

/** A group is active as soon as its certificate is on the distribution; people ask what is served. */
function tellGroup({ status }: DomainCertificateGroup, served: number, all: number): string | undefined {
  return status === "ACTIVE" ? `${served} of ${all} served` : undefined;
}

function consequencesOf(
  { isDefaultCdn, certificate }: DomainCertificateGroup,
  domains: readonly Domain[],
  served: number,
): readonly string[] {
  return [
    served === 0
      ? `Its ${domains.length === 1 ? "domain" : `${domains.length} domains`} will not be served; none is served now.`
      : `${served === 1 ? "1 domain that is served now stops" : `${served} domains that are served now stop`} to answer.`,
    ...(certificate === null ? [] : ["Its certificate is deleted. A new one needs your DNS records again."]),
    isDefaultCdn ? "The service's own address stays as it is." : "Its separate distribution is deleted.",
    ...tellRecordsLeft(domains.flatMap(({ dnsRecords }) => dnsRecords)),
  ];
}

function GroupFacts({
  group,
  reason,
}: {
  readonly group: DomainCertificateGroup;
  readonly reason: string | null;
}) {
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
        ["Certificate", certificate === null ? "not requested yet" : tellCertificate(certificate.status)],
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
        ["DNS records are set by", <WhoSetsRecords group={group} reason={reason} />],
        ["Id", <CopyableId text={id} what="the group's id" />],
      ]}
    />
  );
}

function tellCertificate(status: string): string {
  return status.charAt(0) + status.slice(1).replaceAll("_", " ").toLowerCase();
}
