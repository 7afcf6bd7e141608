/** Every page of a domain group: its heading, what is above it, and its other pages. Its loader is `loadGroup`. */
import { type ReactNode, useEffect } from "react";
import type { Domain, DomainCertificateGroup } from "../../../sdk/src/generated/types.ts";
import { forEachItem } from "../api/bulk.ts";
import { slipway } from "../api/client.ts";
import { describeCertificate, isServed } from "../api/group-words.ts";
import { useCan } from "../api/permissions.ts";
import { read, readPages, useList, useRead } from "../api/query.ts";
import { useFollow } from "../live/use-live.tsx";
import { useRefresh } from "../live/use-refresh.ts";
import { paths } from "../paths.ts";
import { toast } from "../ui/toast.tsx";
import { When } from "../ui/time.tsx";
import { ActionButton } from "./confirm.tsx";
import { LinkButton } from "./link.tsx";
import { Page } from "./page.tsx";
import { useQuickActions } from "./quick-actions.ts";
import { Status } from "./status.tsx";

/** While a record is awaited, what the last check found is read again. */
const REFRESH_MS = 5_000;

/** A group with its domains, where it is, and whether the caller may change it. */
export function useGroup(groupId: string) {
  const ofGroup = read("domainGroups", "get", groupId);
  const group = useRead(ofGroup);
  const service = useRead(read("services", "get", group.serviceId));
  const project = useRead(read("projects", "get", service.projectId));
  const environment = useRead(read("environments", "get", service.environmentId));
  const { reason: refusal } = useCan("manage domains", {
    projectId: project.id,
    environmentId: environment.id,
  });
  useFollow(ofGroup, (options) => slipway.domainGroups.watch(groupId, options));
  const list = useList(readPages("domainGroups", "listDomains", groupId, {}), "domains");
  const { items: domains, error, hasMore, isLoadingMore, loadMore } = list;
  useEffect(() => {
    // What concerns all records of the group needs all domains, so all pages are loaded.
    if (hasMore && !isLoadingMore) loadMore();
  }, [hasMore, isLoadingMore, loadMore]);
  useRefresh("domainGroups", "listDomains", REFRESH_MS, domains?.some(isMoving) ?? false);
  const reason = group.status === "DELETING" ? "It is being deleted." : refusal;
  return { group, service, project, environment, domains, error, hasMore, reason };
}

function isMoving({ status, dnsRecords, redirectStatus }: Domain): boolean {
  const isStill = status === "ATTACHED" || status.startsWith("ERROR_");
  const isRedirectMoving = redirectStatus === "PENDING" || redirectStatus === "ENDING";
  return !isStill || isRedirectMoving || dnsRecords.some((record) => record.status !== "OK");
}

export function GroupFrame({
  of,
  children,
}: {
  readonly of: ReturnType<typeof useGroup>;
  readonly children: ReactNode;
}) {
  const { group, service, project, environment, domains = [], reason } = of;
  const checkAll = async () => {
    const checked = domains.filter(({ dnsRecords }) => dnsRecords.length > 0);
    const [failure] = await forEachItem(checked, ({ id }) => slipway.domains.check(id));
    if (failure !== undefined) throw failure.error;
  };
  useQuickActions([
    {
      label: `Check all domains of ${group.name}`,
      run: () => void checkAll().then(() => toast("Checking.")),
    },
  ]);
  return (
    <Page
      title={group.name}
      beside={<Status of={group.status} words={describeGroup(group, domains)} />}
      lead={<Lead group={group} />}
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
            disabledReason={reason}
            work={checkAll}
            said="Checking DNS. The result appears here."
            refreshes={["domainGroups", "domains"]}
          />
          {group.domainsInError === 0 ? null : (
            <ActionButton
              label="Retry"
              look="primary"
              disabledReason={reason}
              work={() => slipway.domainGroups.retryAttachment(group.id)}
              said="Retrying."
              refreshes={["domainGroups", "domains"]}
            />
          )}
          <LinkButton to={paths.newDomains(service.id)} search={{ group: group.id }} disabledReason={reason}>
            Add domains
          </LinkButton>
        </>
      }
      tabs={[
        ["Domains", paths.group(group.id)],
        ["Share", paths.groupShare(group.id)],
        ["Redirects", paths.groupRedirects(group.id)],
        ["Settings", paths.groupSettings(group.id)],
      ]}
    >
      {children}
    </Page>
  );
}

/** A group is active as soon as its certificate is on the distribution; people ask what is served. */
function describeGroup({ status }: DomainCertificateGroup, domains: readonly Domain[]): string | undefined {
  const served = domains.filter(isServed).length;
  if (domains.length === 0 || (status !== "ACTIVE" && served === 0)) return undefined;
  return status === "ACTIVE" || status === "PROVISIONING"
    ? `${served} of ${domains.length} served`
    : undefined;
}

function Lead({ group: { certificate, autoDns } }: { readonly group: DomainCertificateGroup }) {
  return (
    <>
      {describeCertificate(certificate)}
      {certificate === null || certificate.expiresAt === null ? null : (
        <>
          , expires <When at={certificate.expiresAt} />
        </>
      )}
      {" · "}
      {autoDns ? "Slipway sets the DNS records" : "You set the DNS records"}
    </>
  );
}
