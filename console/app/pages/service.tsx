import { useParams } from "@tanstack/react-router";
import type { Service } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { targetOf } from "../api/deploy-choices.ts";
import { read, readAll, useLater, useRead } from "../api/query.ts";
import { answersRequests, formatStore, isStore } from "../api/service-words.ts";
import { hasSnapshots } from "../api/snapshot-words.ts";
import { DocsLink } from "../components/docs-link.tsx";
import { DeployButton } from "../components/deploy.tsx";
import { Link, LinkButton } from "../components/link.tsx";
import { PendingRedeployNotice } from "../components/pending-redeploy.tsx";
import { Notice, Problem } from "../components/problem.tsx";
import { ServiceFrame } from "../components/service-frame.tsx";
import { StoreStatus } from "../components/service-health.tsx";
import { Status } from "../components/status.tsx";
import { useFollow } from "../live/use-live.tsx";
import { paths } from "../paths.ts";
import { Empty, Facts, Fine, Row, Section, Skeleton } from "../ui/layout.tsx";
import { Table } from "../ui/table.tsx";
import { ServiceInstances } from "./service-instances.tsx";
import { ServiceJobs } from "./service-jobs.tsx";
import { StoreSnapshots } from "./store-snapshots.tsx";
import { ServiceTraffic } from "./service-traffic.tsx";
import { RunningVersion } from "./service-version.tsx";

export function ServicePage() {
  const { serviceId } = useParams({ from: "/shell/services/$serviceId" });
  const service = useRead(read("services", "get", serviceId));
  const project = useRead(read("projects", "get", service.projectId));
  const environment = useRead(read("environments", "get", service.environmentId));
  useFollow(read("services", "get", serviceId), (options) => slipway.services.watch(serviceId, options));
  if (isStore(service.type)) return <StorePage service={service} />;
  return (
    <ServiceFrame
      serviceId={serviceId}
      actions={<DeployButton project={project} environments={[targetOf(environment)]} isOfEnvironment />}
    >
      <div aria-live="polite">
        <PendingRedeployNotice service={service} environment={environment.name} />
      </div>
      <Section
        title="Running version"
        actions={<Link to={paths.serviceDeployments(serviceId)}>All deployments of this service</Link>}
      >
        <RunningVersion service={service} />
      </Section>
      {isScaled(service.settings) ? (
        <Section title="Instances">
          <ServiceInstances service={service} />
        </Section>
      ) : null}
      {service.type === "scheduler" ? (
        <Section title="Jobs" actions={<Link to={paths.serviceExecutions(serviceId)}>All executions</Link>}>
          <ServiceJobs service={service} />
        </Section>
      ) : null}
      {answersRequests(service) ? (
        <>
          <Section title="Last 24 hours">
            <ServiceTraffic service={service} />
          </Section>
          {/* Last, because there may be many: nothing below has to make room. */}
          <Section title="Domains" actions={<Link to={paths.serviceDomains(serviceId)}>All domains</Link>}>
            {service.type === "web-private" ? (
              <Empty title="Only services of its environment reach it.">So no domain leads to it.</Empty>
            ) : (
              <Domains serviceId={serviceId} />
            )}
          </Section>
        </>
      ) : null}
    </ServiceFrame>
  );
}

/** Whether its number of instances changes, where its cloud can. */
function isScaled({ minInstances, maxInstances }: Service["settings"]): boolean {
  return typeof minInstances === "number" && typeof maxInstances === "number" && maxInstances > minInstances;
}

/** A data store: an existing one, with where it is, or what Slipway created, with its state. */
function StorePage({ service }: { readonly service: Service }) {
  const { dataStore: created } = service;
  const { templateId } = useRead(read("environments", "get", service.environmentId));
  return (
    <ServiceFrame serviceId={service.id}>
      <Section
        title={created === null ? "Connection" : "State"}
        actions={<Link to={paths.environmentGraph(service.environmentId)}>What refers to it</Link>}
      >
        {created === null ? null : <StoreState of={created} />}
        <Facts of={formatStore(service)} />
        <Fine>
          {created === null ? (
            "Slipway uses this data store as it is, and never changes or deletes it."
          ) : templateId !== null ? (
            "Slipway created this data store for the preview, and deletes it with the preview."
          ) : (
            <>
              Slipway created this data store, and deletes it only after <code>deletionProtection</code> is
              off and a last snapshot is taken.
            </>
          )}{" "}
          Services get its values by variables that refer to it. Passwords are read from the cloud account
          when a service starts; Slipway does not know them.
        </Fine>
      </Section>
      {/* Last, because there may be many: nothing below has to make room. */}
      {created !== null && templateId === null && hasSnapshots(service) ? (
        <StoreSnapshots service={service} of={created} />
      ) : null}
    </ServiceFrame>
  );
}

function StoreState({ of }: { readonly of: NonNullable<Service["dataStore"]> }) {
  const { status, failure, waitingFor } = of;
  return (
    <div aria-live="polite">
      <Row>
        <StoreStatus of={of} />
        {waitingFor === null ? null : <Fine>{waitingFor}</Fine>}
      </Row>
      {failure === null ? null : (
        <Notice
          isBad
          title={
            status === "FAILED"
              ? "It could not be created. Slipway tries again."
              : status === "CHANGING"
                ? "It has stopped. Slipway checks it again."
                : "The last change was not made."
          }
        >
          {failure.message}
        </Notice>
      )}
    </div>
  );
}

function Domains({ serviceId }: { readonly serviceId: string }) {
  const { data, error } = useLater(readAll("domainGroups", "list", serviceId, {}));
  if (error !== null) return <Problem error={error} />;
  if (data === undefined) return <Skeleton lines={2} label="Loading the domains" />;
  if (data.domainCertificateGroups.length === 0)
    return (
      <Empty
        title="No domains yet"
        action={
          <Row>
            <LinkButton look="primary" to={paths.newDomains(serviceId)}>
              Add domains
            </LinkButton>
            <DocsLink chapter="Custom domains" />
          </Row>
        }
      >
        A domain lets visitors reach this service at an address of your own, such as www.example.com.
      </Empty>
    );
  return (
    <Table
      caption="Domain groups"
      rows={data.domainCertificateGroups}
      keyOf={({ id }) => id}
      filterBy={({ name }) => name}
      columns={[
        { label: "Group", cell: ({ id, name }) => <Link to={paths.group(id)}>{name}</Link> },
        { label: "Status", isShort: true, cell: ({ status }) => <Status of={status} /> },
      ]}
    />
  );
}
