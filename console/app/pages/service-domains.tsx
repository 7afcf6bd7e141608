/** The domain groups of a service. */
import { useParams } from "@tanstack/react-router";
import type { DomainCertificateGroup } from "../../../sdk/src/generated/types.ts";
import { useCan } from "../api/permissions.ts";
import { read, readPages, useList, useRead } from "../api/query.ts";
import { formatServiceType, isPublic } from "../api/service-words.ts";
import { Link, LinkButton } from "../components/link.tsx";
import { moreOf } from "../components/more.ts";
import { Problem } from "../components/problem.tsx";
import { ServiceFrame } from "../components/service-frame.tsx";
import { Status } from "../components/status.tsx";
import { paths } from "../paths.ts";
import { Empty, Quiet, Section, Skeleton } from "../ui/layout.tsx";
import { Table } from "../ui/table.tsx";
import { timeColumn } from "../ui/time-column.tsx";
import { When } from "../ui/time.tsx";
import { DomainRows } from "./domain-rows.tsx";

export function ServiceDomainsPage() {
  const { serviceId } = useParams({ from: "/shell/services/$serviceId/domains" });
  const { type, projectId, environmentId } = useRead(read("services", "get", serviceId));
  const { reason } = useCan("manage domains", { projectId, environmentId });
  const whyNot =
    type === "web-private"
      ? "Only services of its environment reach it, so no name can lead to it."
      : !isPublic({ type })
        ? `${formatServiceType(type)}: it takes no requests over HTTP, so no name can lead to it.`
        : type === "previews"
          ? "Its domain is source.previews.domain of the configuration."
          : reason;
  const add = (
    <>
      <LinkButton to={paths.importDomains(serviceId)} disabledReason={whyNot}>
        Import a list
      </LinkButton>
      <LinkButton look="primary" to={paths.newDomains(serviceId)} disabledReason={whyNot}>
        Add domains
      </LinkButton>
    </>
  );
  const list = useList(readPages("domainGroups", "list", serviceId, {}), "domainCertificateGroups");
  const { items, error } = list;
  return (
    <ServiceFrame serviceId={serviceId} actions={add}>
      {error === null ? null : <Problem error={error} />}
      {items === undefined && error === null ? <Skeleton lines={4} label="Loading domain groups" /> : null}
      {items?.length === 0 ? (
        <Empty title="No domains yet">
          Let people reach this service by a name of yours, such as www.example.com. Add it, set two DNS
          records, and Slipway gets the certificate and serves the name.
        </Empty>
      ) : null}
      {items === undefined || items.length === 0 ? null : (
        <>
          <Section title="Groups">
            <Groups items={items} more={moreOf(list)} />
          </Section>
          <DomainRows
            query={{ serviceId }}
            title="All domains of this service"
            target={{ projectId, environmentId }}
            isShort
          />
        </>
      )}
    </ServiceFrame>
  );
}

function Groups({
  items,
  more,
}: {
  readonly items: readonly DomainCertificateGroup[];
  readonly more: ReturnType<typeof moreOf>;
}) {
  return (
    <Table
      caption="Domain groups"
      rows={items}
      keyOf={({ id }) => id}
      more={more}
      filterBy={({ name }) => name}
      columns={[
        {
          label: "Group",
          sortBy: ({ name }) => name,
          cell: ({ id, name }) => <Link to={paths.group(id)}>{name}</Link>,
        },
        {
          label: "State",
          isShort: true,
          sortBy: ({ domainsInError, status }) => `${domainsInError === 0 ? 1 : 0} ${status}`,
          cell: ({ status, domainsInError }) => (
            <>
              <Status of={status} words={status === "ACTIVE" ? "Set up" : undefined} />
              {domainsInError === 0 ? null : <Quiet> {domainsInError} failed</Quiet>}
            </>
          ),
        },
        {
          label: "Certificate expires",
          isShort: true,
          sortBy: ({ certificate }) => certificate?.expiresAt ?? "",
          cell: ({ certificate }) => <When at={certificate?.expiresAt ?? null} otherwise="not issued yet" />,
        },
        {
          label: "Distribution",
          cell: ({ isDefaultCdn }) => (isDefaultCdn ? "the service's own" : "separate"),
        },
        timeColumn("Created", "createdAt"),
      ]}
    />
  );
}
