import { useParams } from "@tanstack/react-router";
import { targetOf } from "../api/deploy-choices.ts";
import { titleOfCommit } from "../api/deployment-rules.ts";
import { read, readAll, useLater, useRead } from "../api/query.ts";
import { DeployButton } from "../components/deploy.tsx";
import { Link } from "../components/link.tsx";
import { SiteLink, SiteNote } from "../components/site-link.tsx";
import { PendingRedeployNotice } from "../components/pending-redeploy.tsx";
import { Problem } from "../components/problem.tsx";
import { tellServiceType } from "../api/service-words.ts";
import { ServiceFrame } from "../components/service-frame.tsx";
import { Status } from "../components/status.tsx";
import { useFollow } from "../live/use-live.tsx";
import { slipway } from "../api/client.ts";
import { paths } from "../paths.ts";
import { Copyable, CopyableId } from "../ui/copy.tsx";
import { Card, Empty, Facts, Section, Skeleton, Stack } from "../ui/layout.tsx";
import { When } from "../ui/time.tsx";
import { ServiceTraffic } from "./service-traffic.tsx";

export function ServicePage() {
  const { serviceId } = useParams({ from: "/shell/services/$serviceId" });
  const service = useRead(read("services", "get", serviceId));
  const project = useRead(read("projects", "get", service.projectId));
  const environment = useRead(read("environments", "get", service.environmentId));
  useFollow(read("services", "get", serviceId), (options) => slipway.services.watch(serviceId, options));
  return (
    <ServiceFrame
      serviceId={serviceId}
      actions={<DeployButton project={project} environments={[targetOf(environment)]} isOfEnvironment />}
    >
      <Stack>
        <div aria-live="polite">
          <PendingRedeployNotice pending={service.pendingRedeploy} />
        </div>
        <Facts
          of={[
            ["Kind", tellServiceType(service.type)],
            [
              "Address",
              service.cdnDomainName === null ? null : (
                <Copyable key="address" text={`https://${service.cdnDomainName}`} what="the address" />
              ),
            ],
            ["Id in the configuration", service.configId],
            ["Id", <CopyableId key="id" text={service.id} what="the id" />],
          ]}
        />
      </Stack>
      <Section
        title="Live"
        actions={<Link to={paths.serviceDeployments(serviceId)}>All deployments of this service</Link>}
      >
        <Live serviceId={serviceId} />
      </Section>
      <Section title="Requests">
        <ServiceTraffic serviceId={serviceId} />
      </Section>
      {/* Last, because there may be many: nothing below has to make room. */}
      <Section title="Domains" actions={<Link to={paths.serviceDomains(serviceId)}>All domains</Link>}>
        <Domains serviceId={serviceId} />
      </Section>
    </ServiceFrame>
  );
}

/** What runs now and how it does, and what was tried after it. */
function Live({ serviceId }: { readonly serviceId: string }) {
  const health = useLater(read("services", "getHealth", serviceId));
  const newest = useLater(read("overview", "listDeployments", { serviceId, order: "desc", limit: 1 }));
  const error = health.error ?? newest.error;
  if (error !== null) return <Problem error={error} />;
  // As high as what runs, with one address.
  if (health.data === undefined || newest.data === undefined)
    return (
      <Card>
        <Skeleton lines={4} />
      </Card>
    );
  const { live, problem, urls, internalUrl } = health.data;
  const [last] = newest.data.deployments;
  return (
    <Stack>
      {live === null ? (
        <Empty title="Never deployed.">Deploy its project to build and run it.</Empty>
      ) : (
        <Card>
          <p>
            <Status of={health.data.health} />{" "}
            <Link to={paths.deployment(live.deploymentId)}>{titleOfCommit(live)}</Link>
          </p>
          {problem === null ? null : <p>{problem}</p>}
          <p>
            <small>
              <code>{live.commit}</code> on {live.branch}
              {live.commitAuthor === null ? null : ` by ${live.commitAuthor}`}, live{" "}
              <When at={live.releasedAt} otherwise="at an unknown time" />
            </small>
          </p>
          {urls.map((url) => (
            <p key={url}>
              <SiteLink host={new URL(url).host}>{url}</SiteLink>
            </p>
          ))}
          {urls.length === 0 ? null : <SiteNote />}
          {internalUrl === null ? null : (
            <p>
              <small>
                Other services of the environment reach it at <code>{internalUrl}</code>.
              </small>
            </p>
          )}
        </Card>
      )}
      {last === undefined || last.id === live?.deploymentId ? null : (
        <Card>
          <p>
            <Status of={last.status} /> <Link to={paths.deployment(last.id)}>{titleOfCommit(last)}</Link>
          </p>
          <p>
            <small>
              The newest deployment, <When at={last.createdAt} />
            </small>
          </p>
          {last.error === null ? null : <p>{last.error.message}</p>}
        </Card>
      )}
    </Stack>
  );
}

function Domains({ serviceId }: { readonly serviceId: string }) {
  const { data, error } = useLater(readAll("domainGroups", "list", serviceId, {}));
  if (error !== null) return <Problem error={error} />;
  if (data === undefined)
    return (
      <Card>
        <Skeleton lines={1} />
      </Card>
    );
  if (data.domainCertificateGroups.length === 0)
    return (
      <Empty title="No domains of yours yet.">
        <Link to={paths.newDomains(serviceId)}>Add domains</Link> to serve it under your own names.
      </Empty>
    );
  return (
    <Card>
      {data.domainCertificateGroups.map(({ id, name, status }) => (
        <p key={id}>
          <Link to={paths.group(id)}>{name}</Link> <Status of={status} />
        </p>
      ))}
    </Card>
  );
}
